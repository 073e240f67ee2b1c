#include "core/advise/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/advise/option_formats.h"
#include "core/plan/engine.h"
#include "core/units/order.h"

namespace vram {
namespace {

constexpr double kSmallestGib = 0.01;

struct Step {
  std::string_view field;
  std::function<void(Scenario&)> move;
};

std::vector<Step> serving_steps(const Inputs& inputs, const Model& stored) {
  std::vector<Step> steps;
  const Deployment& now = inputs.scenario.deployments.front();
  steps.push_back({"users", [](Scenario& s) { s.deployments.front().users *= 2; }});
  steps.push_back({"ctx", [](Scenario& s) { s.deployments.front().context *= 2; }});
  if (now.peak_users > now.users) {
    steps.push_back({"peak", [](Scenario& s) { s.deployments.front().peak_users *= 2; }});
  }
  const bool by_llamacpp = is_llamacpp(engine_of(now, inputs.scenario, inputs.models.front()));
  const double bits = stored_bits(inputs.models.front());
  Scenario any = inputs.scenario;
  any.least_bits = 1;
  for (const WeightChoice& choice : weight_choices(any, stored)) {
    if (choice.bits >= bits || !runs_weights(inputs.accelerator, choice, stored)) continue;
    const std::string weights(choice.weights);
    steps.push_back({"weights", [weights](Scenario& s) { s.deployments.front().weights = weights; }});
    break;
  }
  if (now.kv == "auto" || now.kv == "bf16" || now.kv == "fp32") {
    const std::string kv = by_llamacpp ? "q8_0" : "fp8";
    steps.push_back({"kv", [kv](Scenario& s) { s.deployments.front().kv = kv; }});
  }
  return steps;
}

std::vector<Step> training_steps(const Inputs& inputs) {
  std::vector<Step> steps;
  const Scenario& now = inputs.scenario;
  steps.push_back({"seq", [](Scenario& s) { s.sequence *= 2; }});
  steps.push_back({"micro", [](Scenario& s) { s.micro_batch *= 2; }});
  if (now.task == "tune") steps.push_back({"rank", [](Scenario& s) { s.rank *= 2; }});
  if (now.optimizer == "adamw") steps.push_back({"optimizer", [](Scenario& s) { s.optimizer = "adamw_8bit"; }});
  if (now.task == "tune" && now.method == "lora") {
    steps.push_back({"method", [](Scenario& s) { s.method = "qlora"; }});
  }
  const std::string recompute = now.recompute == "none" || now.recompute == "selective" ? "full" : "none";
  steps.push_back({"recompute", [recompute](Scenario& s) { s.recompute = recompute; }});
  return steps;
}

double gib_of(const Plan& plan) {
  return static_cast<double>(plan.of(plan.fullest).likely.value()) / static_cast<double>(kGiB.value());
}

}  // namespace

std::vector<Moved> sensitivity(const Inputs& inputs, const Plan& plan, const Library& library,
                               const std::vector<Model>& stored_models) {
  std::vector<Step> steps =
      trains(inputs.scenario) ? training_steps(inputs) : serving_steps(inputs, stored_models.front());
  steps.push_back({"n", [](Scenario& s) { s.devices *= 2; }});
  std::vector<Moved> moved;
  for (const Step& step : steps) {
    Scenario scenario = inputs.scenario;
    step.move(scenario);
    const Result<Inputs> then = resolve(scenario, library, stored_models);
    if (!then) continue;
    const Plan other = make_plan(then.value());
    const double gib = gib_of(other) - gib_of(plan);
    if (std::abs(gib) >= kSmallestGib) moved.push_back({step.field, std::move(scenario), gib, other.verdict});
  }
  sort_stably(moved,
                   [](const Moved& a, const Moved& b) { return std::abs(a.gib) > std::abs(b.gib); });
  return moved;
}

}  // namespace vram
