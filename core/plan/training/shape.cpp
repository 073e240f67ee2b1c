#include "core/plan/training/shape.h"

#include <algorithm>
#include <cmath>

#include "core/plan/shares.h"

namespace vram {
namespace {

double number(Count count) { return static_cast<double>(count.value()); }

bool is_routed(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }

/// Values of one layer's tensor on one rank: experts by expert and expert-tensor parallel, the rest by tensor parallel.
double share_of(const Tensor& tensor, const Dimensions& dims, const TrainingParallelism& split) {
  const double all = number(tensor.parameters());
  if (is_routed(tensor.role)) return all / std::max(1, split.expert) / std::max(1, split.expert_tensor);
  const double devices = std::max(1, split.tensor);
  switch (cut_of(tensor.role)) {
    case Cut::outputs:
      return all / devices;
    case Cut::key_heads: {
      const double heads = std::max<std::uint32_t>(1, dims.num_key_value_heads);
      return all * share_of_heads(dims.num_key_value_heads, split.tensor) / heads;
    }
    case Cut::inputs:
      return tensor.inputs > Count(1) ? all / devices : all;
    case Cut::none:
      return all;
  }
  return all;
}

void count(TrainingCounts& counts, const Tensor& tensor, double share) {
  if (is_routed(tensor.role))
    counts.experts += share;
  else if (tensor.role == Role::embedding)
    counts.embedding += share;
  else if (tensor.role == Role::head)
    counts.head += share;
  else if (is_quantised_role(tensor.role) && tensor.inputs > Count(1))
    counts.linear += share;
  else
    counts.small += share;
}

void widen(LayerWidths& layer, const Tensor& tensor, const Dimensions& dims, const TrainingParallelism& split) {
  const double share = share_of(tensor, dims, split);
  const double inputs = number(tensor.inputs);
  const double outputs = inputs > 0 ? share / inputs / std::max(1.0, number(tensor.copies)) : 0;
  const bool is_matrix = tensor.inputs > Count(1);
  if (is_routed(tensor.role)) {
    layer.expert_parameters += share;
    if (is_matrix && tensor.role == Role::expert_up) {
      layer.expert_ffn = number(tensor.outputs) / std::max(1, split.expert_tensor);
    }
  } else {
    layer.parameters += share;
  }
  if (is_quantised_role(tensor.role) && is_matrix) layer.linear_parameters += share;
  if (!is_matrix) {
    if (tensor.role == Role::attention_norm) layer.query_key_norm = true;
    return;
  }
  switch (tensor.role) {
    case Role::attention_q:
    case Role::latent_q_up:
      layer.query = outputs;
      break;
    case Role::attention_k:
      layer.key_value = std::max(layer.key_value, outputs);
      break;
    case Role::attention_v:
      layer.key_value = std::max(layer.key_value, outputs);
      break;
    case Role::latent_kv_up:
      layer.key_value = outputs / 2;
      break;  // keys and values side by side
    case Role::ffn_up:
    case Role::shared_expert_up:
      layer.ffn += outputs;
      break;
    case Role::mixer_in:
      layer.mixer += outputs;
      break;
    default:
      break;
  }
}

}  // namespace

double TrainingShape::largest_layer() const {
  double largest = 0;
  for (const LayerWidths& layer : layers) largest = std::max(largest, layer.parameters + layer.expert_parameters);
  return largest;
}

TrainingShape training_shape(const Model& model, const TrainingParallelism& split, int stage, bool untied) {
  TrainingShape shape;
  const Dimensions& dims = model.dims;
  const int layers = static_cast<int>(dims.num_hidden_layers);
  shape.stage = stage;
  shape.stages = std::max(1, split.pipeline);
  const auto [first, last] = stage_layers(layers, shape.stages, stage);
  shape.first_layer = first;
  shape.last_layer = last;
  shape.has_embedding = stage == 0;
  shape.has_head = stage == shape.stages - 1;
  shape.hidden = dims.hidden_size;
  shape.whole_vocab = dims.vocab_size;
  shape.vocab = std::ceil(dims.vocab_size / static_cast<double>(std::max(1, split.tensor)));
  shape.experts = static_cast<int>(dims.num_experts);
  shape.top_k = static_cast<int>(dims.num_experts_per_tok);
  shape.heads = dims.num_attention_heads / static_cast<double>(std::max(1, split.tensor));
  shape.exact = model.origin != Origin::size_only;
  shape.layers.resize(static_cast<std::size_t>(std::max(0, last - first)));

  bool any_gate = false, any_up = false;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part == Part::mtp) continue;  // draft layers are not trained unless asked for
    any_gate = any_gate || tensor.role == Role::ffn_gate || tensor.role == Role::expert_gate;
    any_up = any_up || tensor.role == Role::ffn_up || tensor.role == Role::expert_up;
    if (tensor.role == Role::head && !tensor.stored) shape.tied = true;
    const bool stored = tensor.stored || (untied && tensor.role == Role::head);
    if (!stored) {
      // The last stage of a pipeline has no embedding to share: it keeps its own copy.
      if (tensor.role == Role::head && shape.stages > 1 && shape.has_head) {
        shape.counts.head += share_of(tensor, dims, split);
      }
      continue;
    }
    const double share = share_of(tensor, dims, split), all = number(tensor.parameters());
    if (tensor.layer_set == kNoLayer) {
      count(shape.whole, tensor, all);
      const bool at_the_end = tensor.role == Role::head || tensor.role == Role::final_norm;
      if (at_the_end ? shape.has_head : shape.has_embedding) count(shape.counts, tensor, share);
      continue;
    }
    const LayerSet& set = model.layer_sets[static_cast<std::size_t>(tensor.layer_set)];
    count(shape.whole, tensor, all * static_cast<double>(set.size()));
    if (tensor.part != Part::text) {  // towers ride with the embedding
      if (shape.has_embedding) shape.counts.small += all * static_cast<double>(set.size());
      continue;
    }
    for (const std::uint16_t layer : set) {
      if (layer < first || layer >= last) continue;
      count(shape.counts, tensor, share);
      widen(shape.layers[static_cast<std::size_t>(layer - first)], tensor, dims, split);
    }
  }
  shape.gated = any_gate || !any_up;
  shape.layer_norm = !shape.gated;
  return shape;
}

}  // namespace vram
