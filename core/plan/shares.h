// What one device holds of a model when it is cut inside layers (tensor parallel) and between them (pipeline).
#pragma once
#include <utility>

#include "core/model/model.h"
#include "core/units/bytes.h"

namespace vram {

/// How a role is cut over tensor-parallel devices (Megatron-LM paper, section 3; vLLM linear.py names the same cuts).
enum class Cut : std::uint8_t {
  outputs,     ///< column-parallel: query, gate, up, embedding rows, head rows
  key_heads,   ///< by key-value heads, which are repeated when there are fewer of them than devices
  inputs,      ///< row-parallel: what joins the parts again
  none,        ///< held by every device: norms, routers, latent down-projections, indexer, towers
};
Cut cut_of(Role role);

/// Bytes of one layer's tensor on one device, the fullest one where the cut is uneven.
Bytes share_bytes(const Tensor& tensor, const Dimensions& dims, int tensor_parallel);

/// Key-value heads on one device: at least one, rounded up.
std::uint32_t share_of_heads(std::uint32_t heads, int tensor_parallel);

/// Layers [first, second) of a pipeline stage: layers × stage / stages, as vLLM and Megatron cut evenly.
std::pair<int, int> stage_layers(int layers, int stages, int stage);

/// How many layers of a set lie in [first, last).
std::uint64_t layers_between(const LayerSet& set, int first, int last);

}  // namespace vram
