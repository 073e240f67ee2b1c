#include "core/advise/limits.h"

#include <algorithm>

namespace vram {
namespace {

constexpr int kMostDevices = 64;

/// Memory that is missing on the device that decides; below zero = what is left. One that is refused misses everything.
double shortage_of(const Inputs& inputs, const Plan& plan) {
  const double missing = plan.missing(plan.fullest), usable = static_cast<double>(plan.usable().value());
  const double host_ram = inputs.scenario.host_ram_gib;
  const bool host_holds = host_ram <= 0 || plan.of(kHost).likely <= bytes_from_gib(host_ram);
  return plan.refusal || !host_holds ? std::max(missing, usable) : missing;
}

/// The same when as much as may be is in host memory.
double missing(const Inputs& inputs) { return shortage_of(inputs, leanest_plan(inputs)); }

/// Fewer devices of the scenario's card than this hold not even the weights, by a plan `one` on a single device. What
/// llama.cpp puts there of tensors and caches is the same however layers are dealt out; servers cut tensors, whose
/// rounding differs, so for them it is the inventory that counts.
int devices_that_hold(const Inputs& inputs, const Plan& one) {
  Bytes bytes;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    if (!is_llamacpp(one.placed[i].engine)) bytes += weight_bytes(inputs.models[i], Part::text);
  }
  for (const Entry& entry : one.ledger) {
    const bool of_llamacpp = is_llamacpp(one.placed[static_cast<std::size_t>(entry.deployment)].engine);
    if (of_llamacpp && entry.on(0) && entry.certainty == Certainty::exact) bytes += entry.likely;
  }
  const Count needed = ceil_div(Count(bytes.value()), Count(inputs.accelerator.usable().value()));
  return static_cast<int>(std::min<std::uint64_t>(needed.value(), kMostDevices + 1));
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

/// The largest value of a field of the scenario that fits.
template <class Object>
std::int64_t largest_of(Inputs& tried, Object& object, std::int64_t Object::*member, std::int64_t most) {
  const std::int64_t original = object.*member;
  const std::int64_t found = largest(most, [&](std::int64_t value) {
    object.*member = value;
    return missing(tried);
  });
  object.*member = original;
  return found;
}

std::int64_t field_limit(std::string_view key) { return static_cast<std::int64_t>(find_field(key)->most); }

/// The model's own longest text, where it is known; otherwise what the field can say.
std::int64_t length_bound(const Model& model, std::string_view field) {
  const auto own = static_cast<std::int64_t>(model.dims.max_position_embeddings);
  return own > 0 ? own : field_limit(field);
}

void find_training_limits(Limits& limits, Inputs tried) {
  Scenario& scenario = tried.scenario;
  const auto own = static_cast<std::int64_t>(tried.models.front().dims.max_position_embeddings);
  limits.longest_sequence =
      largest_of(tried, scenario, &Scenario::sequence, length_bound(tried.models.front(), "seq"));
  limits.sequence_is_models_own = own > 0 && limits.longest_sequence == own;
  limits.most_micro_batch = largest_of(tried, scenario, &Scenario::micro_batch, field_limit("micro"));
  limits.micro_batch_at_field_limit = limits.most_micro_batch == field_limit("micro");
}

}  // namespace

std::optional<int> least_devices(const Inputs& inputs) {
  Inputs tried = inputs;
  int devices = 1;
  const bool alike = !trains(tried.scenario) && tried.scenario.offload == "no" && tried.others.empty();
  if (alike) {
    tried.scenario.devices = 1;
    const Plan one = leanest_plan(tried);
    if (one.refusal) return std::nullopt;  // of settings, whatever the devices
    if (shortage_of(tried, one) <= 0) return 1;
    devices = std::max(2, devices_that_hold(tried, one));
  }
  for (; devices <= kMostDevices; ++devices) {
    tried.scenario.devices = devices;
    if (missing(tried) <= 0) return devices;
  }
  return std::nullopt;
}

std::int64_t longest_context(const Inputs& inputs, std::size_t deployment, std::int64_t bound) {
  Inputs tried = inputs;
  return largest_of(tried, tried.scenario.deployments[deployment], &Deployment::context, bound);
}

std::int64_t longest_context(const Inputs& inputs, std::size_t deployment) {
  return longest_context(inputs, deployment, length_bound(inputs.models[deployment], "ctx"));
}

std::int64_t most_users(const Inputs& inputs, std::size_t deployment) {
  Inputs tried = inputs;
  Deployment& changed = tried.scenario.deployments[deployment];
  changed.peak_users = 0;
  return largest_of(tried, changed, &Deployment::users, field_limit("users"));
}

std::vector<FrontierPoint> context_by_users(const Inputs& inputs, std::size_t deployment) {
  std::vector<FrontierPoint> points;
  if (trains(inputs.scenario) || !inputs.models[deployment].generates) return points;
  Inputs tried = inputs;
  Deployment& changed = tried.scenario.deployments[deployment];
  changed.peak_users = 0;
  for (changed.users = 1; changed.users <= 128; changed.users *= 2) {
    points.push_back({changed.users, longest_context(tried, deployment)});
  }
  return points;
}

Limits find_limits(const Inputs& inputs, std::size_t deployment) {
  Limits limits;
  if (deployment >= inputs.models.size()) return limits;
  if (trains(inputs.scenario)) {
    find_training_limits(limits, inputs);
  } else {
    const Model& model = inputs.models[deployment];
    const auto own = static_cast<std::int64_t>(model.dims.max_position_embeddings);
    limits.longest_context = longest_context(inputs, deployment, length_bound(model, "ctx"));
    limits.context_is_models_own = own > 0 && limits.longest_context == own;
    limits.most_users = most_users(inputs, deployment);
    limits.users_at_field_limit = limits.most_users == field_limit("users");
  }
  limits.least_devices = least_devices(inputs);
  return limits;
}

}  // namespace vram
