#include "core/advise/growth.h"

#include <cmath>

#include "core/advise/limits.h"

namespace vram {
namespace {

std::int64_t more(std::int64_t value, std::int64_t per_cent) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(value) * (1 + static_cast<double>(per_cent) / 100)));
}

}  // namespace

bool has_growth(const Scenario& scenario) { return scenario.growth_users > 0 || scenario.growth_context > 0; }

Scenario grown(const Scenario& scenario, int usual) {
  Scenario then = scenario;
  if (trains(scenario)) return then;
  const std::int64_t users = has_growth(scenario) ? scenario.growth_users : usual;
  for (Deployment& deployment : then.deployments) {
    deployment.users = more(deployment.users, users);
    deployment.peak_users = more(deployment.peak_users, users);
    deployment.rate *= 1 + static_cast<double>(users) / 100;
    deployment.context = more(deployment.context, scenario.growth_context);
  }
  then.growth_users = then.growth_context = 0;
  return then;
}

std::optional<Growth> plan_growth(const Inputs& inputs) {
  if (!has_growth(inputs.scenario) || trains(inputs.scenario)) return std::nullopt;
  Growth growth;
  growth.then = inputs;
  growth.then.scenario = grown(inputs.scenario);
  growth.plan = make_plan(growth.then);
  growth.holds = growth.plan.verdict != Verdict::does_not_fit;
  growth.devices = least_devices(growth.then);
  return growth;
}

}  // namespace vram
