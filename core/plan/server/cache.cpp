#include "core/plan/server/cache.h"

#include <algorithm>

#include "core/plan/shares.h"

namespace vram {
namespace {

double plain_bytes(CacheFormat format, FormatId compute) {
  switch (format) {
    case CacheFormat::bits16:
      return 2;
    case CacheFormat::bits32:
      return 4;
    case CacheFormat::fp8:
    case CacheFormat::int8:
      return 1;
    default:
      return compute == FormatId::fp32 ? 4 : 2;
  }
}

/// One latent vector. Its last `rope` values stay in sixteen bits in the *_ds_mla formats.
double latent_bytes(const Cache& cache, const Dimensions& dims, CacheFormat format, FormatId compute) {
  const double rope = dims.qk_rope_head_dim, latent = cache.entry_values - rope;
  switch (format) {
    case CacheFormat::fp8_ds_mla:
      return latent + latent / 128 * 4 + rope * 2;  // 512 + 16 + 128
    case CacheFormat::nvfp4_ds_mla:
      return latent / 2 + latent / 16 + rope * 2;
    case CacheFormat::nvfp4:
      return cache.entry_values / 2.0 + cache.entry_values / 16.0;
    default:
      return cache.entry_values * plain_bytes(format, compute);
  }
}

double bytes_of(FormatId format) { return storage_format(format).bits / 8; }

/// Groups of a Mamba-2 mixer, from the width of its convolution: inner + 2 × groups × state.
std::uint64_t mixer_groups(const Cache& cache, std::uint64_t channels, std::uint64_t inner) {
  if (inner == 0 || channels <= inner || cache.state_values % inner != 0) return 0;
  const std::uint64_t state = cache.state_values / inner;
  return state == 0 ? 0 : (channels - inner) / (2 * state);
}

const Tensor* mixer_tensor(const Model& model, const Cache& cache, Role role) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role == role && tensor.layer_set != kNoLayer && tensor.inputs > Count(1) &&
        model.layer_sets[static_cast<std::size_t>(tensor.layer_set)] ==
            model.layer_sets[static_cast<std::size_t>(cache.layer_set)]) {
      return &tensor;
    }
  }
  return nullptr;
}

/// Convolution channels on one device. Groups that cannot be dealt out evenly are repeated until they can (vLLM
/// mamba_utils.extra_groups_for_head_shards).
double channels_here(const Model& model, const Cache& cache, std::uint32_t kernel, int tensor_parallel) {
  const std::uint64_t channels = kernel > 1 ? cache.conv_values / (kernel - 1) : 0;
  const Tensor* out = mixer_tensor(model, cache, Role::mixer_out);
  const std::uint64_t inner = out == nullptr ? 0 : out->inputs.value();
  const auto devices = static_cast<std::uint64_t>(std::max(1, tensor_parallel));
  const bool mamba2 = inner != 0 && channels > inner && channels < 2 * inner && cache.heads != 0;
  const std::uint64_t groups = mamba2 ? mixer_groups(cache, channels, inner) : 0;
  if (groups != 0 && groups % devices != 0) {
    const double state = static_cast<double>(channels - inner) / (2.0 * static_cast<double>(groups));
    return (static_cast<double>(inner) + 2 * static_cast<double>(devices) * state) / static_cast<double>(devices);
  }
  return static_cast<double>(channels) / static_cast<double>(devices);
}

LayerCache state_of(const Model& model, const ServerSettings& settings, const Cache& cache) {
  LayerCache one;
  one.use = CacheUse::state;
  const std::uint32_t kernel = convolution_kernel(model, cache);
  const int drafted =
      settings.speculation.value_or(Speculation::none) == Speculation::none ? 0 : settings.draft_tokens.value_or(0);
  const double steps = kernel > 1 ? kernel - 1 + drafted : 0;
  one.convolution_bytes =
      channels_here(model, cache, kernel, settings.tensor_parallel) * steps * bytes_of(cache.conv_format);
  const double kept = static_cast<double>(cache.state_values) / std::max(1, settings.tensor_parallel);
  one.state_bytes = kept * bytes_of(settings.state_format.value_or(cache.state_format));
  return one;
}

}  // namespace

double head_bytes(std::uint32_t key_dim, std::uint32_t value_dim, CacheFormat format, FormatId compute) {
  const double values = key_dim + value_dim;
  switch (format) {
    case CacheFormat::nvfp4:
      return values / 2 + values / 16;  // an fp8 scale for 16
    case CacheFormat::turboquant_k8v4:
      return key_dim + value_dim / 2.0 + 4;  // a scale each
    default:
      return values * plain_bytes(format, compute);
  }
}

std::uint32_t convolution_kernel(const Model& model, const Cache& cache) {
  if (cache.conv_values == 0) return 0;
  const Tensor* tensor = mixer_tensor(model, cache, Role::mixer_conv);
  return tensor == nullptr ? 4 : static_cast<std::uint32_t>(tensor->inputs.value());
}

bool has_states(const Model& model) {
  return std::any_of(model.caches.begin(), model.caches.end(),
                     [](const Cache& cache) { return cache.kind == CacheKind::recurrent && cache.part == Part::text; });
}

std::vector<LayerCache> layer_caches(const Model& model, const ServerSettings& settings, int first, int last,
                                     bool with_drafts) {
  std::vector<LayerCache> all;
  const int tp = std::max(1, settings.tensor_parallel);
  for (const Cache& cache : model.caches) {
    const bool draft = cache.part == Part::mtp;
    if (draft && (!with_drafts || draft_copies(settings) == 0)) continue;
    const LayerSet& set = model.layer_sets[static_cast<std::size_t>(cache.layer_set)];
    LayerCache one;
    if (cache.kind == CacheKind::recurrent) one = state_of(model, settings, cache);
    one.part = cache.part;
    one.cache = static_cast<std::size_t>(&cache - model.caches.data());
    one.layers = static_cast<int>(draft ? set.size() * static_cast<std::size_t>(draft_copies(settings))
                                        : layers_between(set, first, last));
    one.window = cache.window;
    one.tokens_per_entry = std::max<std::uint32_t>(1, cache.tokens_per_entry);
    if (one.layers == 0) continue;
    switch (cache.kind) {
      case CacheKind::full:
      case CacheKind::sliding:
      case CacheKind::chunked:
        one.use = cache.kind == CacheKind::full      ? CacheUse::full
                  : cache.kind == CacheKind::sliding ? CacheUse::window
                                                     : CacheUse::chunk;
        one.token_bytes = share_of_heads(cache.kv_heads, tp) *
                          head_bytes(cache.key_dim, cache.value_dim, settings.cache, model.compute_format);
        break;
      case CacheKind::latent:
        one.use = CacheUse::latent;
        one.token_bytes = latent_bytes(cache, model.dims, settings.cache, model.compute_format);
        break;
      case CacheKind::indexer:
        one.use = CacheUse::indexer;
        one.token_bytes = cache.scale_bytes == 0 ? cache.entry_values * 2.0 : cache.entry_values + cache.scale_bytes;
        break;
      case CacheKind::compressed:
        one.use = CacheUse::compressed;
        one.token_bytes = latent_bytes(cache, model.dims, settings.cache, model.compute_format);
        break;
      case CacheKind::recurrent:
        break;
    }
    all.push_back(one);
  }
  return all;
}

std::vector<LayerCache> layer_caches(const Model& model, const ServerSettings& settings) {
  return layer_caches(model, settings, 0, static_cast<int>(model.dims.num_hidden_layers), true);
}

}  // namespace vram
