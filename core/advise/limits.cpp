#include "core/advise/limits.h"

#include <algorithm>

namespace vram {
namespace {

constexpr int kMostDevices = 64;

/// Memory that is missing on the device that decides when as much as may be is in host memory; below zero = what is
/// left. One that is refused misses everything.
double missing(const Inputs& inputs) {
  const Plan plan = leanest_plan(inputs);
  const double used = static_cast<double>((plan.of(plan.fullest).likely + reserved(plan.ledger, plan.fullest)).value());
  const double usable = static_cast<double>(plan.usable().value());
  const double host_ram = inputs.scenario.host_ram_gib;
  const bool host_holds = host_ram <= 0 || plan.of(kHost).likely <= bytes_from_gib(host_ram);
  return plan.refusal || !host_holds ? std::max(used - usable, usable) : used - usable;
}

/// The largest value in [1, most] with which nothing is missing, 0 when none. What is missing must not shrink as the
/// value grows; it mostly grows evenly, so a straight line through the ends finds it in a few plans.
template <class MissingWith>
std::int64_t largest(std::int64_t most, MissingWith missing_with) {
  double at_low = missing_with(1);
  if (at_low > 0) return 0;
  double at_high = missing_with(most);
  if (at_high <= 0) return most;
  std::int64_t low = 1, high = most;
  for (int step = 0; high - low > 1; ++step) {
    const double share = at_high > at_low ? -at_low / (at_high - at_low) : 0.5;
    const auto straight = low + static_cast<std::int64_t>(static_cast<double>(high - low) * share);
    // A guess that came true moves one end only; the next one tries right behind it, every third one halves.
    std::int64_t guess = step % 3 == 2 ? low + (high - low) / 2 : straight + (step % 2);
    guess = std::clamp(guess, low + 1, high - 1);
    const double here = missing_with(guess);
    if (here > 0) {
      high = guess;
      at_high = here;
    } else {
      low = guess;
      at_low = here;
    }
  }
  return low;
}

}  // namespace

std::int64_t longest_context(const Inputs& inputs, std::size_t deployment) {
  if (deployment >= inputs.models.size()) return 0;
  Inputs tried = inputs;
  const auto models_own = static_cast<std::int64_t>(inputs.models[deployment].dims.max_position_embeddings);
  const auto most = models_own > 0 ? models_own : static_cast<std::int64_t>(find_field("ctx")->most);
  return largest(most, [&](std::int64_t context) {
    tried.scenario.deployments[deployment].context = context;
    return missing(tried);
  });
}

std::int64_t most_users(const Inputs& inputs, std::size_t deployment) {
  if (deployment >= inputs.models.size()) return 0;
  Inputs tried = inputs;
  Deployment& changed = tried.scenario.deployments[deployment];
  changed.peak_users = 0;
  return largest(static_cast<std::int64_t>(find_field("users")->most), [&](std::int64_t users) {
    changed.users = users;
    return missing(tried);
  });
}

std::optional<int> least_devices(const Inputs& inputs) {
  Inputs tried = inputs;
  // Fewer devices than hold the weights need no plan.
  Bytes weights;
  bool bounded = !trains(inputs.scenario) && inputs.scenario.offload == "no" && inputs.others.empty();
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    weights += weight_bytes(inputs.models[i], Part::text);
    bounded = bounded && !is_llamacpp(engine_of(inputs.scenario.deployments[i], inputs.scenario, inputs.models[i]));
  }
  for (int devices = 1; devices <= kMostDevices; ++devices) {
    const bool hopeless = Count(static_cast<std::uint64_t>(devices)) * inputs.accelerator.usable() < weights;
    if (bounded && hopeless) continue;
    tried.scenario.devices = devices;
    if (missing(tried) <= 0) return devices;
  }
  return std::nullopt;
}

Limits find_limits(const Inputs& inputs, std::size_t deployment) {
  Limits limits;
  if (deployment >= inputs.models.size()) return limits;
  const auto models_own = static_cast<std::int64_t>(inputs.models[deployment].dims.max_position_embeddings);
  limits.longest_context = longest_context(inputs, deployment);
  limits.context_is_models_own = models_own > 0 && limits.longest_context == models_own;
  limits.most_users = most_users(inputs, deployment);
  limits.users_at_field_limit = limits.most_users == static_cast<std::int64_t>(find_field("users")->most);
  limits.least_devices = least_devices(inputs);
  return limits;
}

}  // namespace vram
