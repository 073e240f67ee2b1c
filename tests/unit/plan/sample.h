// Models and inputs for tests of plans, made by hand so that a plan's test does not depend on a file's reader.
#pragma once
#include <numeric>
#include <string>

#include "core/plan/plan.h"

namespace vram::sample {

struct Shape {
  std::uint32_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab;
  bool tied = false;
};
// Published dimensions (config.json of each).
constexpr Shape kLlama8B{32, 4096, 14336, 32, 8, 128, 128256};
constexpr Shape kLlama70B{80, 8192, 28672, 64, 8, 128, 128256};

inline Model dense(const Shape& shape, std::string name = "sample") {
  Model model;
  model.name = std::move(name);
  model.model_type = "llama";
  model.dims.num_hidden_layers = shape.layers;
  model.dims.hidden_size = shape.hidden;
  model.dims.intermediate_size = shape.intermediate;
  model.dims.vocab_size = shape.vocab;
  model.dims.num_attention_heads = shape.heads;
  model.dims.num_key_value_heads = shape.kv_heads;
  model.dims.head_dim = shape.head_dim;
  model.dims.max_position_embeddings = 131072;
  LayerSet all(shape.layers);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const std::int16_t layers = add_layer_set(model, all);
  const auto add = [&](Role role, std::int16_t set, std::uint64_t outputs, std::uint64_t inputs, bool stored = true) {
    Tensor tensor;
    tensor.role = role;
    tensor.layer_set = set;
    tensor.outputs = Count(outputs);
    tensor.inputs = Count(inputs);
    tensor.stored = stored;
    model.tensors.push_back(tensor);
  };
  const std::uint64_t d = shape.hidden, h = shape.head_dim;
  add(Role::embedding, kNoLayer, shape.vocab, d);
  add(Role::attention_q, layers, shape.heads * h, d);
  add(Role::attention_k, layers, shape.kv_heads * h, d);
  add(Role::attention_v, layers, shape.kv_heads * h, d);
  add(Role::attention_o, layers, d, shape.heads * h);
  add(Role::ffn_gate, layers, shape.intermediate, d);
  add(Role::ffn_up, layers, shape.intermediate, d);
  add(Role::ffn_down, layers, d, shape.intermediate);
  add(Role::layer_norm, layers, d, 1);
  add(Role::layer_norm, layers, d, 1);
  add(Role::final_norm, kNoLayer, d, 1);
  add(Role::head, kNoLayer, shape.vocab, d, !shape.tied);
  Cache cache;
  cache.layer_set = layers;
  cache.kv_heads = shape.kv_heads;
  cache.key_dim = cache.value_dim = shape.head_dim;
  model.caches.push_back(cache);
  return model;
}

/// An accelerator of which a program sees `gib`.
inline Accelerator card(double gib) {
  Accelerator accelerator;
  accelerator.id = "sample";
  accelerator.name = "Sample";
  accelerator.program_gib = gib;
  return accelerator;
}

inline Inputs serving(Model model, double gib, int devices, std::int64_t users, std::int64_t context) {
  Inputs inputs;
  inputs.models.push_back(std::move(model));
  inputs.accelerator = card(gib);
  inputs.scenario.devices = devices;
  inputs.scenario.deployments[0].users = users;
  inputs.scenario.deployments[0].context = context;
  inputs.scenario.deployments[0].engine = "generic";
  return inputs;
}

inline Bytes bytes_of(const Plan& plan, int device, Term term) {
  Bytes sum;
  for (const Entry& entry : plan.ledger) {
    if (entry.on(device) && entry.term == term) sum += entry.likely;
  }
  return sum;
}

}  // namespace vram::sample
