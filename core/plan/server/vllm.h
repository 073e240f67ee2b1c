// vLLM: start-up as it happens, term by term. See server.h for the types, vllm_profile.h and vllm_cache.h for the
// rules.
//
//   requested = ceil(share × total)
//   pool      = requested − weights − peak of activations − non-torch [− estimate of graphs, since 0.21]
//   blocks    = pool // block, of the stage that has fewest
#pragma once
#include <optional>

#include "core/plan/server/server.h"

namespace vram {

/// One plan of complete or incomplete settings; flags not given take their defaults, without widening any band.
ServerPlan vllm_plan(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                     std::optional<double> pool);

}  // namespace vram
