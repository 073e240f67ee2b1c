// Rules of a generic engine: what any server needs, before a particular one's budgets, pages and pools.
#pragma once
#include "core/plan/plan.h"

namespace vram {

/// Everything one deployment puts on its devices (plan.placed says which) and, with `layers_on_host` of each stage moved,
/// into host memory.
void add_generic(Plan& plan, const Inputs& inputs, std::size_t deployment, int layers_on_host);

}  // namespace vram
