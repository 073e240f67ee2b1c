// What shapes alone tell of a model's dimensions and caches, when neither config.json nor GGUF metadata is at hand.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/import/checkpoint.h"

namespace vram {
namespace {

std::uint32_t narrow(Count count) {
  return count.value() <= UINT32_MAX ? static_cast<std::uint32_t>(count.value()) : 0;
}

void fill(std::uint32_t& field, Count value) {
  if (field == 0) field = narrow(value);
}

/// A weight of the text model with that role: the one in most layers.
const Tensor* usual(const Model& model, Role role) {
  const Tensor* best = nullptr;
  for (const Tensor& tensor : model.tensors) {
    const bool counts = tensor.role == role && tensor.part == Part::text && (tensor.inputs > Count(1));
    if (counts && (best == nullptr || model.layers_of(tensor.layer_set) > model.layers_of(best->layer_set)))
      best = &tensor;
  }
  return best;
}

/// Of the per-head norm of queries and keys, where there is one (Qwen 3, Gemma 3).
std::uint32_t head_size_of_norm(const Model& model, Count queries) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role == Role::attention_norm && tensor.part == Part::text && tensor.outputs < queries)
      return narrow(tensor.outputs);
  }
  return 0;
}

std::uint32_t guess_head_size(Model& model, std::uint64_t queries, std::uint64_t keys) {
  std::uint32_t size = 0;
  for (const std::uint32_t candidate : {128U, 64U, 96U, 80U, 256U}) {
    if (size == 0 && queries % candidate == 0 && keys % candidate == 0) size = candidate;
  }
  if (size != 0) model.notes.push_back(Message("checkpoint.head_size_guessed").with("value", std::int64_t{size}));
  return size;
}

/// Outputs of a role in every layer that has it.
std::map<std::uint16_t, std::uint64_t> outputs_by_layer(const Model& model, Role role) {
  std::map<std::uint16_t, std::uint64_t> outputs;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role != role || tensor.layer_set == kNoLayer || tensor.inputs <= Count(1) || tensor.part == Part::vision)
      continue;
    for (const std::uint16_t layer : model.layer_sets[static_cast<std::size_t>(tensor.layer_set)]) {
      outputs[layer] += (tensor.outputs * tensor.copies).value();
    }
  }
  return outputs;
}

/// One cache for all layers with equal values.
void add_grouped(Model& model, const std::map<std::uint16_t, Cache>& by_layer) {
  std::vector<std::pair<Cache, LayerSet>> groups;
  for (const auto& entry : by_layer) {
    auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == entry.second; });
    if (found == groups.end()) found = groups.insert(groups.end(), {entry.second, {}});
    found->second.push_back(entry.first);
  }
  for (auto& [cache, layers] : groups) {
    cache.layer_set = add_layer_set(model, std::move(layers));
    model.caches.push_back(cache);
  }
}

Part part_of(const Model& model, std::uint16_t layer) {
  return layer >= model.dims.num_hidden_layers ? Part::mtp : Part::text;
}

void add_attention(Model& model) {
  const auto keys = outputs_by_layer(model, Role::attention_k), values = outputs_by_layer(model, Role::attention_v);
  const std::uint32_t head = model.dims.head_dim;
  std::map<std::uint16_t, Cache> caches;
  for (const auto& [layer, key_outputs] : keys) {
    const auto found = values.find(layer);
    const std::uint64_t value_outputs =
        found == values.end() ? key_outputs : found->second;  // keys that are values too
    const std::uint64_t heads = head != 0 && key_outputs % head == 0 ? key_outputs / head : 1;
    if (key_outputs / heads > UINT32_MAX || value_outputs / heads > UINT32_MAX || heads > UINT32_MAX) continue;
    Cache cache{.kind = CacheKind::full, .part = part_of(model, layer)};
    cache.kv_heads = static_cast<std::uint32_t>(heads);
    cache.key_dim = static_cast<std::uint32_t>(key_outputs / heads);
    cache.value_dim = static_cast<std::uint32_t>(value_outputs / heads);
    caches.emplace(layer, cache);
  }
  add_grouped(model, caches);
}

void add_latent(Model& model) {
  std::map<std::uint16_t, Cache> caches;
  for (const auto& [layer, outputs] : outputs_by_layer(model, Role::latent_kv_down)) {
    Cache cache{.kind = CacheKind::latent, .part = part_of(model, layer)};
    cache.entry_values = narrow(Count(outputs));
    caches.emplace(layer, cache);
  }
  add_grouped(model, caches);
}

/// Convolutions keep their last inputs; the state of Mamba-1 and of a gated DeltaNet follows from shapes, others do
/// not.
void add_recurrent(Model& model) {
  bool unknown = false;
  for (std::size_t i = 0, end = model.tensors.size(); i < end; ++i) {
    const Tensor conv = model.tensors[i];
    if (conv.role != Role::mixer_conv || conv.layer_set == kNoLayer || conv.inputs <= Count(1)) continue;
    Cache cache{.kind = CacheKind::recurrent, .layer_set = conv.layer_set};
    cache.conv_values = (conv.outputs * conv.copies * (conv.inputs - Count(1))).value();
    const Tensor* state = nullptr;
    for (const Tensor& tensor : model.tensors) {  // Mamba-1: A is inner × state
      const bool is_state = tensor.role == Role::mixer_small && tensor.outputs == conv.outputs &&
                            tensor.inputs > Count(1) && tensor.inputs <= Count(256) &&
                            tensor.layer_set == conv.layer_set && storage_format(tensor.format).bits == 32;
      if (is_state) state = &tensor;
    }
    if (state != nullptr) {
      cache.state_values = (state->outputs * state->inputs).value();
    } else {
      unknown = true;
    }
    model.caches.push_back(cache);
  }
  if (unknown) model.notes.push_back(Message("checkpoint.state_unknown"));
}

}  // namespace

void deduce_dimensions(Model& model) {
  Dimensions& d = model.dims;
  if (const Tensor* embedding = usual(model, Role::embedding)) {
    fill(d.vocab_size, embedding->outputs);
    fill(d.hidden_size, embedding->inputs);
  }
  if (const Tensor* up = usual(model, Role::ffn_up)) fill(d.intermediate_size, up->outputs);
  if (const Tensor* up = usual(model, Role::expert_up)) {
    fill(d.moe_intermediate_size, up->outputs);
    fill(d.num_experts, up->copies);
    if (d.num_experts_per_tok == 0) model.notes.push_back(Message("checkpoint.experts_per_token_unknown"));
  }
  if (const Tensor* up = usual(model, Role::latent_kv_up)) fill(d.kv_lora_rank, up->inputs);
  if (const Tensor* up = usual(model, Role::latent_q_up)) fill(d.q_lora_rank, up->inputs);
  if (const Tensor* down = usual(model, Role::latent_kv_down); down != nullptr && d.kv_lora_rank != 0) {
    fill(d.qk_rope_head_dim, down->outputs - Count(d.kv_lora_rank));
  }
  const Tensor *q = usual(model, Role::attention_q), *k = usual(model, Role::attention_k),
               *o = usual(model, Role::attention_o);
  if (q != nullptr && k != nullptr && d.head_dim == 0) {
    d.head_dim = head_size_of_norm(model, q->outputs);
    if (d.head_dim == 0) d.head_dim = guess_head_size(model, q->outputs.value(), k->outputs.value());
    if (d.head_dim != 0) {
      fill(d.num_attention_heads, Count((o != nullptr ? o->inputs : q->outputs).value() / d.head_dim));
      fill(d.num_key_value_heads, Count(k->outputs.value() / d.head_dim));
    }
  }
  std::uint32_t drafts = 0;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part != Part::mtp || tensor.layer_set == kNoLayer) continue;
    drafts = std::max(drafts, static_cast<std::uint32_t>(model.layers_of(tensor.layer_set)));
  }
  if (d.num_nextn_predict_layers == 0) d.num_nextn_predict_layers = drafts;
}

void deduce_caches(Model& model) {
  if (!model.generates) return;
  model.caches.clear();
  add_attention(model);
  add_latent(model);
  add_recurrent(model);
  if (!outputs_by_layer(model, Role::indexer).empty()) model.notes.push_back(Message("checkpoint.indexer_unknown"));
  model.notes.push_back(Message("checkpoint.caches_deduced"));
}

}  // namespace vram
