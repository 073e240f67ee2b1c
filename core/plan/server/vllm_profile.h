// What vLLM takes off its budget before the pool: defaults of the scheduler, the peak of the profiling run, what lies
// outside the allocator, and CUDA graphs.
//
// The profiling run is one forward pass of a full batch, attention left out, then the sampler over as many rows as
// sequences are allowed, then (multimodal) the encoder over the largest items. The peak is the largest of the three.
// Its constants are fitted to logs: see tests/accuracy/serving. Non-torch memory and graphs are what logs show.
#pragma once
#include <cstdint>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/plan/server/server.h"

namespace vram {

/// Fills in every flag that was not given, as this version's API server would. `total` = bytes of the device.
ServerSettings vllm_defaults(const ServerSettings& given, const Model& model, const Accelerator& accelerator,
                             double total);

/// Bytes, of a device of stage `stage`. Settings must be complete.
Estimate vllm_activation(const Model& model, const ServerSettings& settings, int stage);
Estimate vllm_non_torch(const Model& model, const ServerSettings& settings, const Accelerator& accelerator);
/// What start-up estimates that graphs will take, and what they take in the end.
Estimate vllm_graph_estimate(const Model& model, const ServerSettings& settings);
Estimate vllm_graphs(const Model& model, const ServerSettings& settings);

bool is_multimodal(const Model& model, const ServerSettings& settings);

}  // namespace vram
