// Weights of one device after loading, as the allocator counts them.
//
// What engines do to a checkpoint, and what it costs:
//   merge   q, k, v (and a gate) become one matrix, gate and up another: only the rounding of allocations notices
//   cut     columns or rows over tensor-parallel devices; keys of too few heads, routers, latent down-projections and
//           norms stay whole on each; experts are sliced, or dealt whole (expert parallelism)
//   pad     the vocabulary to 64 rows, MXFP4 experts to what their kernels want
//   copy    a quantised latent up-projection is kept a second time in sixteen bits (MLA)
//   add     rotary tables, LoRA slots
#pragma once
#include <cstdint>
#include <vector>

#include "core/model/model.h"
#include "core/plan/server/server.h"
#include "core/units/bytes.h"

namespace vram {

/// Of one device of pipeline stage `stage`.
LoadedWeights loaded_weights(const Model& model, const ServerSettings& settings, int stage);

/// Layers [first, second) of a stage: an even split; what is left over goes to the stages before the last one, one
/// each (vLLM distributed/utils.get_pp_indices), or to the last in the first engine.
std::pair<int, int> server_stage_layers(int layers, const ServerSettings& settings, int stage);

/// Key-value heads of a tensor that one device keeps, times their width: `outputs` of k or v on one device.
Count kept_key_outputs(const Model& model, const Tensor& tensor, int tensor_parallel);

}  // namespace vram
