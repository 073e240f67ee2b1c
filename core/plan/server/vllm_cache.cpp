#include "core/plan/server/vllm_cache.h"

#include <algorithm>
#include <cmath>

#include "core/plan/server/weights.h"

namespace vram {
namespace {

constexpr std::uint64_t kBlockTokens = 16;
constexpr int kUnquantisedEnds = 4;  // TurboQuant on dense models: the first two layers and the last two

std::uint64_t ceil_of(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

bool is_latent(CacheUse use) { return use == CacheUse::latent || use == CacheUse::indexer; }
bool is_windowed(CacheUse use) { return use == CacheUse::window || use == CacheUse::chunk; }

/// Layers of one spec: same kind, same window, same page.
struct Spec {
  CacheUse use = CacheUse::full;
  std::uint32_t window = 0;
  double token_bytes = 0;  ///< of one layer
  double state_bytes = 0;  ///< with convolution, of one sequence
  int layers = 0;
  std::uint64_t block_tokens = kBlockTokens;
  double page = 0;
};

void add(std::vector<Spec>& specs, Spec spec) {
  for (Spec& other : specs) {
    if (other.use == spec.use && other.window == spec.window && other.token_bytes == spec.token_bytes &&
        other.state_bytes == spec.state_bytes) {
      other.layers += spec.layers;
      return;
    }
  }
  specs.push_back(spec);
}

std::vector<Spec> specs_of(const Model& model, const ServerSettings& settings, std::vector<LayerCache> caches) {
  std::vector<Spec> specs;
  const bool groups = has(settings.version, VllmChange::hybrid_groups) && !settings.version.engine_v0;
  const bool turbo = settings.cache == CacheFormat::turboquant_k8v4;
  const bool all_full =
      std::all_of(caches.begin(), caches.end(), [](const LayerCache& c) { return c.use == CacheUse::full; });
  for (const LayerCache& cache : caches) {
    Spec spec{.use = cache.use, .window = cache.window, .token_bytes = cache.token_bytes, .layers = cache.layers};
    if (cache.use == CacheUse::state) spec.state_bytes = cache.state_bytes + cache.convolution_bytes;
    if (!groups && is_windowed(spec.use)) {  // windows are masks only: every token is kept
      spec.use = CacheUse::full;
      spec.window = 0;
    }
    if (turbo && all_full && spec.layers > kUnquantisedEnds) {
      ServerSettings plain = settings;
      plain.cache = CacheFormat::automatic;
      for (const LayerCache& other : layer_caches(model, plain)) {
        if (other.use != cache.use) continue;
        Spec ends = spec;
        ends.layers = kUnquantisedEnds;
        ends.token_bytes = other.token_bytes;
        add(specs, ends);
        spec.layers -= kUnquantisedEnds;
        break;
      }
    }
    add(specs, spec);
  }
  return specs;
}

/// Smallest block of the attention kernel. Latent kernels: FlashMLA 64; in hybrids 128 since 0.12.
std::uint64_t kernel_block(const std::vector<Spec>& specs, const ServerSettings& settings, bool hybrid) {
  const bool latent = std::any_of(specs.begin(), specs.end(), [](const Spec& s) { return is_latent(s.use); });
  if (!latent) return kBlockTokens;
  if (settings.version.engine_v0) return kBlockTokens;
  return hybrid && settings.version.number >= 1200 ? 128 : 64;
}

/// Raises the attention block until its page holds a state (platforms/interface.py _align_hybrid_block_size).
void align_to_states(std::vector<Spec>& specs, CacheLayout& layout, std::uint64_t kernel) {
  double state = 0, token = 0;
  for (const Spec& spec : specs) {
    if (spec.use == CacheUse::state) state = std::max(state, spec.state_bytes);
    if (spec.use == CacheUse::full || (token == 0 && spec.use == CacheUse::latent))
      token = std::max(token, spec.token_bytes);
  }
  if (state == 0 || token == 0) return;
  const std::uint64_t a = std::max(kernel, kBlockTokens);
  const auto steps = static_cast<std::uint64_t>(std::ceil(state / (static_cast<double>(a) * token)));
  layout.block_tokens = std::max(a, a * steps);
  const double page = static_cast<double>(layout.block_tokens) * token;
  layout.state_padding = page / state - 1;
  for (Spec& spec : specs) {
    spec.block_tokens = layout.block_tokens;
    if (spec.use == CacheUse::state) spec.page = page;
  }
}

bool one_kind(const std::vector<Spec>& specs) {
  const auto kind = [](CacheUse use) { return is_latent(use) ? CacheUse::full : use; };
  return std::all_of(specs.begin(), specs.end(), [&](const Spec& spec) {
    return kind(spec.use) == kind(specs.front().use) && spec.window == specs.front().window;
  });
}

/// Pages are made equal: a layer with a smaller one gets longer blocks.
void unify_pages(std::vector<Spec>& specs) {
  double largest = 0;
  for (const Spec& spec : specs) largest = std::max(largest, spec.page);
  for (Spec& spec : specs) {
    if (spec.use == CacheUse::state || spec.page <= 0) continue;
    const auto times = static_cast<std::uint64_t>(largest / spec.page);
    spec.block_tokens *= std::max<std::uint64_t>(1, times);
    spec.page = largest;  // what does not divide is padded (since June 2026; refused before)
  }
}

int group_size(const std::vector<Spec>& specs, const ServerSettings& settings) {
  int least = specs.front().layers, most = least;
  for (const Spec& spec : specs) {
    least = std::min(least, spec.layers);
    most = std::max(most, spec.layers);
  }
  const double limit = has(settings.version, VllmChange::group_size_max_150)   ? 1.5
                       : has(settings.version, VllmChange::group_size_max_125) ? 1.25
                                                                               : 0;
  return most < limit * least ? most : least;
}

std::uint64_t tokens_in_flight(const ServerSettings& settings) {
  const std::uint64_t batch = settings.batch_tokens.value_or(8192);
  if (!has(settings.version, VllmChange::two_batches_in_flight)) return batch;
  const auto stages = static_cast<std::uint64_t>(std::max(1, settings.pipeline_parallel));
  return batch * std::max<std::uint64_t>(2, stages);  // two batches with asynchronous scheduling, the default
}

int drafted(const ServerSettings& settings) {
  return settings.speculation.value_or(Speculation::none) == Speculation::none ? 0 : settings.draft_tokens.value_or(0);
}

std::uint64_t group_blocks(const CacheGroup& group, const ServerSettings& settings, std::uint64_t length) {
  const std::uint64_t in_flight = tokens_in_flight(settings);
  switch (group.use) {
    case CacheUse::window:
      return ceil_of(std::min(group.window - 1 + in_flight, length), group.block_tokens) + 1;
    case CacheUse::chunk:
      return ceil_of(std::min(group.window + in_flight, length), group.block_tokens);
    case CacheUse::state:
      return (settings.prefix_caching.value_or(false) ? 2U : 1U) + static_cast<std::uint64_t>(drafted(settings));
    default:
      break;
  }
  const auto context = static_cast<std::uint64_t>(std::max(1, settings.context_parallel));
  return ceil_of(ceil_of(length, context), group.block_tokens);
}

}  // namespace

CacheLayout vllm_cache_layout(const Model& model, const ServerSettings& settings, int stage) {
  const std::vector<LayerCache> caches = layer_caches(model, settings);
  CacheLayout layout = vllm_compressed_layout(caches, settings);
  if (!layout.groups.empty() || caches.empty()) return layout;
  layout.first_engine = settings.version.engine_v0;

  std::vector<Spec> specs = specs_of(model, settings, caches);
  const bool states = std::any_of(specs.begin(), specs.end(), [](const Spec& s) { return s.use == CacheUse::state; });
  if (layout.first_engine)
    specs.erase(std::remove_if(specs.begin(), specs.end(), [](const Spec& s) { return s.use == CacheUse::state; }),
                specs.end());
  if (specs.empty()) return layout;
  const std::uint64_t kernel = kernel_block(specs, settings, states);
  layout.block_tokens = std::max(kernel, kBlockTokens);
  for (Spec& spec : specs) spec.block_tokens = is_windowed(spec.use) ? kBlockTokens : layout.block_tokens;
  if (states && !layout.first_engine) align_to_states(specs, layout, kernel);
  for (Spec& spec : specs) {
    if (spec.use != CacheUse::state)
      spec.page = static_cast<double>(spec.block_tokens) * spec.token_bytes;
    else if (spec.page == 0)
      spec.page = spec.state_bytes;
  }

  const int layers = static_cast<int>(model.dims.num_hidden_layers);
  const auto [first, last] = server_stage_layers(layers, settings, stage);
  const double here = layers == 0 ? 1 : static_cast<double>(last - first) / layers;
  if (one_kind(specs) || layout.first_engine) {
    CacheGroup group{.use = specs.front().use, .window = specs.front().window, .block_tokens = layout.block_tokens};
    if (is_latent(group.use)) group.use = CacheUse::full;
    for (const Spec& spec : specs) {
      layout.block_bytes += spec.page * spec.layers;
      group.layers += spec.layers;
    }
    if (is_windowed(group.use)) group.block_tokens = layout.block_tokens = kBlockTokens;
    layout.groups.push_back(group);
    layout.stage_block_bytes = layout.block_bytes * here;
    return layout;
  }

  unify_pages(specs);
  const int size = group_size(specs, settings);
  for (const Spec& spec : specs) {
    const int groups = (spec.layers + size - 1) / size;
    const int padding = groups * size - spec.layers;
    if (padding > 0 && spec.layers > 0) {
      layout.padding_layers += padding;
      layout.padded_share = std::max(layout.padded_share, static_cast<double>(padding) / spec.layers);
    }
    for (int i = 0; i < groups; ++i) {
      layout.groups.push_back({.use = spec.use,
                               .window = spec.window,
                               .block_tokens = spec.block_tokens,
                               .layers = (spec.layers - i + groups - 1) / groups});
    }
  }
  double page = 0;
  for (const Spec& spec : specs) page = std::max(page, spec.page);
  layout.block_bytes = page * size;
  layout.stage_block_bytes = page * std::ceil(size * here);
  return layout;
}

std::uint64_t vllm_request_blocks(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t length) {
  std::uint64_t blocks = 0;
  for (const CacheGroup& group : layout.groups) blocks += group_blocks(group, settings, length);
  return blocks;
}

double vllm_needed_bytes(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t length) {
  if (layout.groups.size() == 1 || has(settings.version, VllmChange::needed_counts_padding)) {
    return static_cast<double>(vllm_request_blocks(layout, settings, length)) * layout.stage_block_bytes;
  }
  int most = 0;
  for (const CacheGroup& group : layout.groups) most = std::max(most, group.layers);
  const double page = most == 0 ? 0 : layout.stage_block_bytes / most;
  double bytes = 0;
  for (const CacheGroup& group : layout.groups) {
    bytes += static_cast<double>(group_blocks(group, settings, length)) * page * group.layers;
  }
  return bytes;
}

std::uint64_t vllm_longest(const CacheLayout& layout, const ServerSettings& settings, double pool) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 34;  // longer than any model's context
  if (layout.groups.empty() || vllm_needed_bytes(layout, settings, 1) > pool) return 0;
  // What is needed grows evenly but for windows, so a straight line from two points far apart points at the end; blocks
  // on both sides of it are tried, and what is left is halved.
  const double at = 1u << 24, far = 1u << 25;
  const double near_bytes = vllm_needed_bytes(layout, settings, static_cast<std::uint64_t>(at));
  const double slope = (vllm_needed_bytes(layout, settings, static_cast<std::uint64_t>(far)) - near_bytes) / (far - at);
  const double guess = slope > 0 ? at + (pool - near_bytes) / slope : 0;
  std::uint64_t widest = 1;
  for (const CacheGroup& group : layout.groups) widest = std::max(widest, group.block_tokens);
  const double reach = 2.0 * static_cast<double>(widest);
  for (const double tried : {guess - reach, guess + reach}) {
    if (!(tried > static_cast<double>(low)) || !(tried < static_cast<double>(high))) continue;
    const auto length = static_cast<std::uint64_t>(tried);
    (vllm_needed_bytes(layout, settings, length) <= pool ? low : high) = length;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (vllm_needed_bytes(layout, settings, middle) <= pool ? low : high) = middle;
  }
  return low;
}

double vllm_concurrency(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t blocks) {
  const std::uint64_t length = settings.max_model_len.value_or(0);
  if (length == 0 || layout.groups.empty()) return 0;
  if (layout.first_engine) {
    return static_cast<double>(blocks * layout.block_tokens) / static_cast<double>(length);
  }
  return static_cast<double>(blocks) /
         static_cast<double>(std::max<std::uint64_t>(1, vllm_request_blocks(layout, settings, length)));
}

double vllm_printed_tokens(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t blocks) {
  if (layout.groups.empty()) return 0;
  if (layout.first_engine || !has(settings.version, VllmChange::hybrid_groups)) {
    return static_cast<double>(blocks * layout.block_tokens);
  }
  if (has(settings.version, VllmChange::tokens_from_concurrency)) {
    return std::floor(vllm_concurrency(layout, settings, blocks) *
                      static_cast<double>(settings.max_model_len.value_or(0)));
  }
  std::uint64_t least = layout.groups.front().block_tokens;
  for (const CacheGroup& group : layout.groups) least = std::min(least, group.block_tokens);
  const auto context = static_cast<std::uint64_t>(std::max(1, settings.context_parallel));
  return static_cast<double>(blocks / layout.groups.size() * least * context);
}

double vllm_bytes_per_token(const CacheLayout& layout, const ServerSettings& settings) {
  constexpr std::uint64_t kManyBlocks = 1u << 24;  // so many that whole groups and whole tokens do not matter
  const double tokens = vllm_printed_tokens(layout, settings, kManyBlocks);
  return tokens > 0 ? layout.stage_block_bytes * static_cast<double>(kManyBlocks) / tokens : 0;
}

}  // namespace vram
