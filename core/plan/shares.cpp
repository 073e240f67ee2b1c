#include "core/plan/shares.h"

#include <algorithm>

namespace vram {

Cut cut_of(Role role) {
  switch (role) {
    case Role::embedding: case Role::head: case Role::per_layer_embedding:
    case Role::attention_q: case Role::attention_gate: case Role::attention_sinks:
    case Role::latent_q_up: case Role::latent_kv_up:
    case Role::ffn_gate: case Role::ffn_up:
    case Role::expert_gate: case Role::expert_up:
    case Role::shared_expert_gate: case Role::shared_expert_up:
    case Role::mixer_in: case Role::mixer_conv: case Role::mixer_gate:
      return Cut::outputs;
    case Role::attention_k: case Role::attention_v:
      return Cut::key_heads;
    case Role::attention_o: case Role::ffn_down: case Role::expert_down: case Role::shared_expert_down:
    case Role::mixer_out:
      return Cut::inputs;
    default:
      return Cut::none;
  }
}

Bytes share_bytes(const Tensor& tensor, const Dimensions& dims, int tensor_parallel) {
  if (tensor_parallel <= 1) return tensor.bytes();
  const Count devices(static_cast<std::uint64_t>(tensor_parallel));
  Tensor share = tensor;
  switch (cut_of(tensor.role)) {
    case Cut::outputs:
      share.outputs = ceil_div(tensor.outputs, devices);
      break;
    case Cut::key_heads: {
      const Count heads(std::max<std::uint32_t>(1, dims.num_key_value_heads));
      const Count kept(share_of_heads(dims.num_key_value_heads, tensor_parallel));
      share.outputs = ceil_div(tensor.outputs * kept, heads);
      break;
    }
    case Cut::inputs:
      if (tensor.inputs > Count(1)) share.inputs = ceil_div(tensor.inputs, devices);  // a bias is added once, by all
      break;
    case Cut::none:
      break;
  }
  if (tensor.exact == Bytes(0)) return share.bytes();
  // A header's own bytes are cut as the values are; scales lie beside the values they belong to.
  share.exact = Bytes(0);
  const double part = static_cast<double>(share.parameters().value()) / static_cast<double>(tensor.parameters().value());
  return bytes_from(static_cast<double>(tensor.exact.value()) * part);
}

std::uint32_t share_of_heads(std::uint32_t heads, int tensor_parallel) {
  const auto devices = static_cast<std::uint32_t>(std::max(1, tensor_parallel));
  return std::max<std::uint32_t>(1, (heads + devices - 1) / devices);
}

std::pair<int, int> stage_layers(int layers, int stages, int stage) {
  return {layers * stage / stages, layers * (stage + 1) / stages};
}

std::uint64_t layers_between(const LayerSet& set, int first, int last) {
  const auto from = std::lower_bound(set.begin(), set.end(), first);
  const auto to = std::lower_bound(from, set.end(), last);
  return static_cast<std::uint64_t>(to - from);
}

}  // namespace vram
