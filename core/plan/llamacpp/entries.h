// A deployment on llama.cpp, ik_llama.cpp, Ollama or LM Studio, as entries of the ledger.
//
// All of these allocate everything at their start: weights, caches for every sequence, and the buffers of the graph. What
// does not fit may live in host memory: experts first, then whole layers (llamacpp/fit.h), or the cache.
#pragma once
#include "core/plan/llamacpp/llamacpp.h"
#include "core/plan/plan.h"

namespace vram {

/// Settings of the command line, before anything is moved to the host.
llamacpp::Settings llamacpp_settings(const Deployment& deployment, const Placed& placed);

/// What goes to the host, of that which the scenario allows: experts, layers or the cache.
enum class Moves : std::uint8_t { nothing, what_does_not_fit, everything };

/// Adds the deployment.
/// False when llama.cpp does not know the model: nothing was added.
bool add_llamacpp(Plan& plan, const Inputs& inputs, std::size_t deployment, Moves moves);

}  // namespace vram
