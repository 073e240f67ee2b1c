#include "core/advise/workload.h"

#include <algorithm>
#include <cmath>

#include "core/advise/performance.h"

namespace vram {
namespace {

/// More than any device has: the pool must not decide.
constexpr double kNoLimit = 1e18;

}  // namespace

std::optional<Workload> workload(const Inputs& inputs, const Interconnect& interconnect, std::size_t deployment) {
  const Deployment& used = inputs.scenario.deployments[deployment];
  if (!(used.rate > 0) || trains(inputs.scenario)) return std::nullopt;
  const Plan plan = make_plan(inputs);
  speed::Case one = speed_case(inputs, plan, interconnect, deployment);
  one.pool_bytes = kNoLimit;
  one.load.concurrency.reset();
  one.load.rate = used.rate / 60;
  const Result<speed::Speed> speed = speed::serving_speed(one);
  if (!speed) return std::nullopt;
  Workload found;
  found.requests_a_second = used.rate / 60;
  found.saturated = speed.value().saturated;
  // From being taken in to the last token; the way through the front does not occupy a sequence.
  found.seconds = speed.value().first_token.likely - speed::Constants{}.front +
                  speed.value().per_token.likely * (one.load.output_tokens - 1);
  found.at_once = found.saturated ? speed.value().running * std::max(1, one.split.data)
                                  : found.requests_a_second * found.seconds;
  const auto most = static_cast<std::int64_t>(find_field("users")->most);
  found.users = std::clamp(static_cast<std::int64_t>(std::ceil(found.at_once - 1e-6)), std::int64_t{1}, most);
  return found;
}

Scenario with_concurrency(const Inputs& inputs, const Interconnect& interconnect) {
  Scenario scenario = inputs.scenario;
  for (std::size_t i = 0; i < scenario.deployments.size(); ++i) {
    if (const std::optional<Workload> found = workload(inputs, interconnect, i)) {
      scenario.deployments[i].users = found->users;
    }
  }
  return scenario;
}

}  // namespace vram
