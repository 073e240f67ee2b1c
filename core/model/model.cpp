#include "core/model/model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vram {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Role::count_)> kRoleKeys = {
    "embedding",          "position_embedding", "head",           "final_norm",
    "per_layer_embedding",
    "attention_q",        "attention_k",        "attention_v",    "attention_o",
    "attention_gate",     "attention_norm",     "attention_sinks",
    "latent_q_down",      "latent_q_up",        "latent_kv_down", "latent_kv_up",
    "latent_norm",        "indexer",
    "ffn_gate",           "ffn_up",             "ffn_down",
    "router",             "router_bias",
    "expert_gate",        "expert_up",          "expert_down",
    "shared_expert_gate", "shared_expert_up",   "shared_expert_down", "shared_expert_router",
    "expert_latent",
    "mixer_in",           "mixer_conv",         "mixer_gate",     "mixer_small",
    "mixer_norm",         "mixer_out",
    "layer_norm",         "layer_other",
    "mtp_projection",     "tower",              "projector",      "other",
};

bool is_routed_expert(Role role) {
  return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down;
}

/// Parameters of all layers that one token passes through.
Count active_parameters(const Model& model, const Tensor& tensor) {
  const Count layers(model.layers_of(tensor.layer_set));
  if (!is_routed_expert(tensor.role) || model.dims.num_experts == 0) return tensor.parameters() * layers;
  const Count chosen(std::min<std::uint64_t>(model.dims.num_experts_per_tok, tensor.copies.value()));
  return tensor.outputs * tensor.inputs * chosen * layers;
}

bool is_look_up(Role role) {
  return role == Role::embedding || role == Role::position_embedding || role == Role::per_layer_embedding;
}

}  // namespace

std::string_view role_key(Role role) { return kRoleKeys[static_cast<std::size_t>(role)]; }

std::string_view part_key(Part part) {
  constexpr std::array<std::string_view, 4> keys = {"text", "vision", "audio", "mtp"};
  return keys[static_cast<std::size_t>(part)];
}

std::string_view cache_key(CacheKind kind) {
  constexpr std::array<std::string_view, 7> keys = {"full",    "sliding",    "chunked",  "latent",
                                                    "indexer", "compressed", "recurrent"};
  return keys[static_cast<std::size_t>(kind)];
}

Count Cache::values_per_token() const {
  switch (kind) {
    case CacheKind::full:
    case CacheKind::sliding:
    case CacheKind::chunked:
      return Count(kv_heads) * (Count(key_dim) + Count(value_dim));
    case CacheKind::latent:
    case CacheKind::indexer:
    case CacheKind::compressed:
      return Count(tokens_per_entry == 0 ? 0 : entry_values / tokens_per_entry);
    case CacheKind::recurrent:
      break;
  }
  return Count(0);
}

ParameterCounts count_parameters(const Model& model) {
  ParameterCounts counts;
  for (const Tensor& tensor : model.tensors) {
    const Count parameters = tensor.parameters() * Count(model.layers_of(tensor.layer_set));
    const bool in_text = tensor.part == Part::text;
    // A tied head is used for every token although it is stored as the embedding.
    if (in_text && !is_look_up(tensor.role)) counts.active += active_parameters(model, tensor);
    if (!tensor.stored) continue;
    switch (tensor.part) {
      case Part::text: counts.text += parameters; break;
      case Part::vision: counts.vision += parameters; break;
      case Part::audio: counts.audio += parameters; break;
      case Part::mtp: counts.mtp += parameters; break;
    }
    counts.total += parameters;
  }
  return counts;
}

Bytes weight_bytes(const Model& model) {
  Bytes sum;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.stored) sum += tensor.bytes() * Count(model.layers_of(tensor.layer_set));
  }
  return sum;
}

Bytes weight_bytes(const Model& model, Part part) {
  Bytes sum;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.stored && tensor.part == part) sum += tensor.bytes() * Count(model.layers_of(tensor.layer_set));
  }
  return sum;
}

bool is_quantised_role(Role role) {
  switch (role) {
    case Role::attention_q: case Role::attention_k: case Role::attention_v: case Role::attention_o:
    case Role::attention_gate:
    case Role::latent_q_down: case Role::latent_q_up: case Role::latent_kv_down: case Role::latent_kv_up:
    case Role::ffn_gate: case Role::ffn_up: case Role::ffn_down:
    case Role::expert_gate: case Role::expert_up: case Role::expert_down:
    case Role::shared_expert_gate: case Role::shared_expert_up: case Role::shared_expert_down:
    case Role::expert_latent:
    case Role::mixer_in: case Role::mixer_gate: case Role::mixer_out:
      return true;
    default:
      return false;
  }
}

Model with_weight_format(Model model, FormatId format) {
  const Coverage coverage = storage_format(format).coverage;
  for (Tensor& tensor : model.tensors) {
    const bool is_matrix = tensor.inputs > Count(1);
    const bool in_text = tensor.part == Part::text || tensor.part == Part::mtp;
    const bool covered = coverage == Coverage::everything ||
                         (in_text && is_matrix && is_quantised_role(tensor.role) &&
                          (coverage == Coverage::linear_layers || is_routed_expert(tensor.role)));
    if (covered) {
      tensor.format = format;
      tensor.exact = Bytes(0);
    } else if (is_matrix && is_quantised_role(tensor.role)) {
      tensor.exact = Bytes(0);
      tensor.format = model.compute_format;  // what another quantiser had packed returns to sixteen bits
    }
  }
  return model;
}

std::int16_t add_layer_set(Model& model, LayerSet set) {
  for (std::size_t i = 0; i < model.layer_sets.size(); ++i) {
    if (model.layer_sets[i] == set) return static_cast<std::int16_t>(i);
  }
  model.layer_sets.push_back(std::move(set));
  return static_cast<std::int16_t>(model.layer_sets.size() - 1);
}

}  // namespace vram
