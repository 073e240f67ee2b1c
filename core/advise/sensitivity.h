// Which inputs move the memory answer most: each is moved one natural step by itself and the plan is made again.
//
//   users, context, micro-batch, sequence, rank   twice as many
//   weights                                       the next smaller format: 16 → 8 → 4 bits
//   kv                                            eight bits
//   devices                                       twice as many
//   optimizer                                     in eight bits
//   recompute                                     everything, or nothing when everything is recomputed already
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct Moved {
  std::string_view field;          ///< key of the field that was moved
  Scenario scenario;               ///< after the step
  double gib = 0;                  ///< of the fullest device: positive = needs more
  Verdict verdict = Verdict::fits;
};

/// All that apply, the greatest move first; `stored_models` one a deployment. Fields whose step changes nothing are
/// left out. `inputs` are those of `plan`.
std::vector<Moved> sensitivity(const Inputs& inputs, const Plan& plan, const Library& library,
                               const std::vector<Model>& stored_models);

}  // namespace vram
