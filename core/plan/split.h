// How a deployment is cut over its devices: copies, stages, and parts of layers.
#pragma once
#include "core/plan/plan.h"

namespace vram {

/// The cut that the deployment's fields ask for, or a usual one: copies first, then as many devices inside layers as
/// divide the attention heads and stand in one node, the rest as pipeline stages. llama.cpp cuts between layers only.
Split choose_split(const Model& model, const Deployment& deployment, EngineId engine, int devices, int per_node);

}  // namespace vram
