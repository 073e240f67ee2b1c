#include "core/speed/work.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/plan/shares.h"

namespace vram::speed {
namespace {

double real(Count value) { return static_cast<double>(value.value()); }
double real(Bytes value) { return static_cast<double>(value.value()); }

bool is_routed(Role role) {
  return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down;
}

/// Read at every step? Embeddings are looked up row by row, towers run before the text model.
bool is_read_whole(const Tensor& tensor) {
  if (tensor.part != Part::text) return false;
  switch (tensor.role) {
    case Role::embedding: case Role::position_embedding: case Role::per_layer_embedding:
    case Role::tower: case Role::projector: case Role::mtp_projection:
      return false;
    default:
      return true;
  }
}

bool is_attention(Role role) {
  switch (role) {
    case Role::attention_q: case Role::attention_k: case Role::attention_v: case Role::attention_o:
    case Role::attention_gate: case Role::attention_norm: case Role::attention_sinks:
    case Role::latent_q_down: case Role::latent_q_up: case Role::latent_kv_down: case Role::latent_kv_up:
    case Role::latent_norm: case Role::indexer:
      return true;
    default:
      return false;
  }
}

bool is_mixer(Role role) {
  switch (role) {
    case Role::mixer_in: case Role::mixer_conv: case Role::mixer_gate: case Role::mixer_small:
    case Role::mixer_norm: case Role::mixer_out:
      return true;
    default:
      return false;
  }
}

MatrixKind kind_of(Role role) {
  if (role == Role::head || role == Role::final_norm) return MatrixKind::head;
  if (is_mixer(role)) return MatrixKind::mixer;
  return is_attention(role) ? MatrixKind::attention : MatrixKind::feed_forward;
}

void add(std::vector<Matrices>& all, const Matrices& more) {
  for (Matrices& known : all) {
    if (known.kind != more.kind || known.format != more.format || known.data_parallel != more.data_parallel) continue;
    known.bytes += more.bytes;
    known.parameters += more.parameters;
    return;
  }
  all.push_back(more);
}

void add_experts(ModelWork& work, const Model& model, const Tensor& tensor, double bytes, double parameters) {
  for (Experts& known : work.experts) {
    if (known.format != tensor.format || known.count != real(tensor.copies)) continue;
    known.bytes += bytes;
    known.parameters += parameters;
    return;
  }
  const double count = real(tensor.copies);
  work.experts.push_back({tensor.format, bytes, parameters, count,
                          std::min<double>(count, std::max<std::uint32_t>(1, model.dims.num_experts_per_tok))});
}

double value_bytes(const StorageFormat& format) {
  if (format.block_bytes != 0) return static_cast<double>(format.block_bytes) / format.block_values;
  return format.bits / 8;
}

Remembered remembered(const Model& model, const Cache& cache, const ModelWork& work, FormatId format) {
  const Dimensions& dims = model.dims;
  const int devices = work.attention_data ? 1 : work.tensor;
  Remembered made;
  made.kind = cache.kind;
  made.layers = static_cast<double>(model.layers_of(cache.layer_set));
  made.window = cache.window;
  const double heads = std::ceil(static_cast<double>(dims.num_attention_heads) / devices);
  const double bytes = value_bytes(storage_format(format));
  switch (cache.kind) {
    case CacheKind::full:
    case CacheKind::sliding:
    case CacheKind::chunked: {
      const double values = static_cast<double>(share_of_heads(cache.kv_heads, devices)) *
                            (static_cast<double>(cache.key_dim) + cache.value_dim);
      made.bytes_per_token = made.layers * values * bytes;
      made.decode_flops = made.prefill_flops =
          made.layers * 2 * heads * (static_cast<double>(cache.key_dim) + cache.value_dim);
      break;
    }
    case CacheKind::latent:
      // Generating, queries are brought into the latent space: a query meets rank + rope values and sums up rank
      // of them. Reading, keys and values of every head are unpacked (DeepSeek-V2 paper, section 2.1).
      made.bytes_per_token = made.layers * cache.entry_values * bytes;
      made.decode_flops =
          made.layers * 2 * heads * (2.0 * dims.kv_lora_rank + dims.qk_rope_head_dim);
      made.prefill_flops = made.layers * 2 * heads *
                           (static_cast<double>(dims.qk_nope_head_dim) + dims.qk_rope_head_dim + dims.v_head_dim);
      break;
    case CacheKind::indexer:
      made.bytes_per_token = made.layers * (cache.entry_values + static_cast<double>(cache.scale_bytes));
      break;
    case CacheKind::compressed:
      made.tokens_per_entry = std::max<double>(1, cache.tokens_per_entry);
      made.bytes_per_token = made.layers * cache.entry_values * bytes / made.tokens_per_entry;
      made.decode_flops = made.prefill_flops = made.layers * 4 * heads * cache.entry_values / made.tokens_per_entry;
      break;
    case CacheKind::recurrent: {
      const double held = std::max<double>(1, cache.heads);
      const double share = static_cast<double>(share_of_heads(cache.heads, devices)) / held;
      const double state = static_cast<double>(cache.state_values) * value_bytes(storage_format(cache.state_format));
      const double conv = static_cast<double>(cache.conv_values) * value_bytes(storage_format(cache.conv_format));
      made.bytes_per_sequence = made.layers * share * (state + conv);
      break;
    }
  }
  return made;
}

/// Layers of the text model that have a tensor of one of the roles.
double layers_with(const Model& model, std::initializer_list<Role> roles) {
  std::vector<bool> has;
  double layers = 0;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part != Part::text || tensor.layer_set == kNoLayer) continue;
    if (std::find(roles.begin(), roles.end(), tensor.role) == roles.end()) continue;
    for (const std::uint16_t layer : model.layer_sets[static_cast<std::size_t>(tensor.layer_set)]) {
      if (layer >= has.size()) has.resize(layer + std::size_t{1});
      if (!has[layer]) ++layers;
      has[layer] = true;
    }
  }
  return layers;
}

}  // namespace

ModelWork model_work(const Model& model, const Split& split, FormatId cache) {
  ModelWork work;
  work.tensor = std::max(1, split.tensor);
  work.attention_data = split.attention_data;
  work.hidden = model.dims.hidden_size;
  for (const Tensor& tensor : model.tensors) {
    const bool own_attention =
        split.attention_data && (is_attention(tensor.role) || is_mixer(tensor.role) || tensor.role == Role::head ||
                                 tensor.role == Role::embedding);
    const int devices = own_attention ? 1 : work.tensor;
    const auto layers = static_cast<double>(model.layers_of(tensor.layer_set));
    const double whole = real(tensor.bytes());
    double bytes = real(share_bytes(tensor, model.dims, devices)) * layers;
    const double share = whole > 0 ? bytes / (whole * layers) : 1;
    const double parameters = real(tensor.parameters()) * layers * share;
    if (tensor.part == Part::mtp) {
      const double touched = is_routed(tensor.role) ? std::max<double>(1, model.dims.num_experts_per_tok) /
                                                          std::max(1.0, real(tensor.copies))
                                                    : 1;
      if (tensor.role != Role::embedding) {
        work.draft_bytes += bytes * touched;
        work.draft_parameters += parameters * touched;
      }
      continue;
    }
    if (tensor.stored) work.stored_bytes += bytes;
    if (!is_read_whole(tensor)) continue;
    if (is_routed(tensor.role)) {
      const double copies = std::max(1.0, real(tensor.copies));
      add_experts(work, model, tensor, bytes / copies, parameters / copies);
    } else {
      add(work.matrices, {kind_of(tensor.role), tensor.format, bytes, parameters, own_attention});
    }
  }
  for (const Cache& one : model.caches) {
    if (one.part != Part::mtp) work.remembered.push_back(remembered(model, one, work, cache));
  }

  // A block is a mixer of tokens or a feed-forward block; a layer has both, except where the layers of a model are
  // single blocks (Nemotron-H). Each block ends in an exchange.
  const double blocks = layers_with(model, {Role::attention_o}) + layers_with(model, {Role::mixer_out}) +
                        layers_with(model, {Role::ffn_down, Role::expert_down});
  work.layers = blocks / 2;
  if (work.layers == 0) {
    // Models of 1 to 400 thousand million parameters have about 32 layers at 8, growing with the cube root.
    const double billions = real(count_parameters(model).total) / 1e9;
    work.layers = std::max(12.0, std::round(32 * std::cbrt(billions / 8)));
    work.layers_assumed = true;
  }
  work.exchanges = 2 * work.layers;
  work.expert_layers = layers_with(model, {Role::expert_gate, Role::expert_up});
  work.latent_layers = layers_with(model, {Role::latent_kv_down, Role::latent_kv_up});
  work.mixer_layers = layers_with(model, {Role::mixer_in, Role::mixer_out});
  work.indexer_layers = layers_with(model, {Role::indexer});
  return work;
}

}  // namespace vram::speed
