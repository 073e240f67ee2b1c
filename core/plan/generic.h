// Rules of a generic engine: what any server needs, before a particular one's budgets, pages and pools.
#pragma once
#include "core/plan/plan.h"

namespace vram {

/// Devices of a deployment cut so that attention heads divide; "tensor" prefers cuts inside layers, "layers" between.
Split choose_split(const Model& model, const Deployment& deployment, int devices);

/// Everything one deployment puts on the devices and, with `layers_on_host` of each stage moved, into host memory.
void add_deployment(Plan& plan, const Inputs& inputs, std::size_t deployment, int layers_on_host);

}  // namespace vram
