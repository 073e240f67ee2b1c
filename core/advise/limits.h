// Limits of a plan, found by planning: no second arithmetic.
#pragma once
#include <cstdint>
#include <optional>

#include "core/plan/plan.h"

namespace vram {

struct Limits {
  std::int64_t longest_context = 0;   ///< tokens for the given users; 0 = not even the shortest fits
  bool context_is_models_own = false; ///< the model's own limit came first
  std::int64_t most_users = 0;        ///< for the given context; 0 = none
  bool users_at_field_limit = false;  ///< more than the scenario can express
  std::optional<int> least_devices;   ///< of the same accelerator; nothing when none of 1…64 fits
};

/// Of deployment `deployment`; the others stay as they are. A plan "fits" here when its likely total does.
Limits find_limits(const Inputs& inputs, std::size_t deployment = 0);

/// Each by itself, where not all are asked for.
std::int64_t longest_context(const Inputs& inputs, std::size_t deployment = 0);
std::int64_t most_users(const Inputs& inputs, std::size_t deployment = 0);
std::optional<int> least_devices(const Inputs& inputs);

}  // namespace vram
