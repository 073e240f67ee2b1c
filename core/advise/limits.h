// Limits of a plan, found by planning: no second arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct Limits {
  std::int64_t longest_context = 0;   ///< tokens for the given users; 0 = not even the shortest fits, or it trains
  bool context_is_models_own = false; ///< the model's own limit came first
  std::int64_t most_users = 0;        ///< for the given context; 0 = none
  bool users_at_field_limit = false;  ///< more than the scenario can express
  // of a training job, instead of context and users
  std::int64_t longest_sequence = 0;  ///< tokens, for the given micro-batch; 0 = not even the shortest fits
  bool sequence_is_models_own = false;
  std::int64_t most_micro_batch = 0;  ///< sequences on a device at once, for the given length; 0 = none
  bool micro_batch_at_field_limit = false;
  std::optional<int> least_devices;   ///< of the same accelerator; nothing when none of 1…64 fits
};

/// Tokens of the longest context that fits with all else as it is, at most `bound`; 0 = none.
std::int64_t longest_context(const Inputs& inputs, std::size_t deployment, std::int64_t bound);
/// The same up to the model's own limit, where it is known.
std::int64_t longest_context(const Inputs& inputs, std::size_t deployment = 0);
/// Sequences at once that fit with all else as it is, at most as many as the field takes; 0 = none.
std::int64_t most_users(const Inputs& inputs, std::size_t deployment = 0);
/// Least number of the scenario's accelerator that holds everything; nothing when none of 1…64 does.
std::optional<int> least_devices(const Inputs& inputs);

/// Tokens of the longest context for so many users; 0 = none.
struct FrontierPoint {
  std::int64_t users = 0, context = 0;
};
/// For 1, 2, 4 … 128 users at all times: what lies under these points fits. Nothing for a model that does not generate,
/// or a training job.
std::vector<FrontierPoint> context_by_users(const Inputs& inputs, std::size_t deployment = 0);

/// Of deployment `deployment`; the others stay as they are. Of a training job: of its sequences and micro-batch.
/// A plan "fits" here when its likely total does.
Limits find_limits(const Inputs& inputs, std::size_t deployment = 0);

}  // namespace vram
