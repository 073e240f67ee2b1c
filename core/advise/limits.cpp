#include "core/advise/limits.h"

#include <algorithm>

namespace vram {
namespace {

constexpr int kMostDevices = 64;

bool fits(const Inputs& inputs) { return make_plan(inputs).verdict != Verdict::does_not_fit; }

/// The largest value in [1, most] for which `fits_with` holds, 0 when none; needs more value to need no less memory.
template <class FitsWith>
std::int64_t largest(std::int64_t most, FitsWith fits_with) {
  if (!fits_with(1)) return 0;
  std::int64_t low = 1, high = most;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits_with(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace

Limits find_limits(const Inputs& inputs, std::size_t deployment) {
  Limits limits;
  if (deployment >= inputs.models.size()) return limits;
  Inputs tried = inputs;
  Deployment& changed = tried.scenario.deployments[deployment];
  const Deployment original = changed;

  const auto models_own = static_cast<std::int64_t>(inputs.models[deployment].dims.max_position_embeddings);
  const auto field_limit = static_cast<std::int64_t>(find_field("ctx")->most);
  const std::int64_t context_bound = models_own > 0 ? models_own : field_limit;
  limits.longest_context = largest(context_bound, [&](std::int64_t context) {
    changed.context = context;
    return fits(tried);
  });
  limits.context_is_models_own = models_own > 0 && limits.longest_context == models_own;
  changed = original;

  const auto users_bound = static_cast<std::int64_t>(find_field("users")->most);
  limits.most_users = largest(users_bound, [&](std::int64_t users) {
    changed.users = users;
    return fits(tried);
  });
  limits.users_at_field_limit = limits.most_users == users_bound;
  changed = original;

  for (int devices = 1; devices <= kMostDevices && !limits.least_devices; ++devices) {
    tried.scenario.devices = devices;
    if (fits(tried)) limits.least_devices = devices;
  }
  return limits;
}

}  // namespace vram
