// What a server measured at its start, in place of what is calculated: memory outside the allocator, the peak of
// activations, captured graphs. They are fields of a deployment, so they travel in links and files.
//
// A measurement holds for the start it was made at. What that start was is kept beside it, as the fields that such
// figures depend on: "model:Qwen/Qwen3-8B,gpu:h100-sxm,batch:8192"; a field at its default is left out.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace vram {

bool has_measured(const Deployment& deployment);

/// Back to calculating.
void drop_measured(Deployment& deployment);

/// What a measurement of the deployment made now holds for. `with_lengths`: the program allocates for every sequence at
/// its start (llama.cpp), so that its buffers follow from context and users too.
std::string measured_at(const Scenario& scenario, std::size_t deployment, bool with_lengths);

struct ChangedSince {
  const Field* field = nullptr;
  std::string was;  ///< at the start that was measured
};
/// Fields that stand otherwise than at the start that was measured; empty when nothing was measured, or it is not known
/// with what.
std::vector<ChangedSince> changed_since_measured(const Scenario& scenario, std::size_t deployment);

}  // namespace vram
