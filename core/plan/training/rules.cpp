#include "core/plan/training/rules.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

constexpr double kHalf = 2;  // bytes of a value in half precision
constexpr double kFullLow = 12, kFullHigh = 20, kOptimizerLow = 2, kOptimizerHigh = 4;
constexpr double kSeveralLow = 3, kSeveralHigh = 10;  // "several times less"

double number(Bytes bytes) { return static_cast<double>(bytes.value()); }

double of_phase(const TrainingPlan& plan, std::initializer_list<Term> terms) {
  double bytes = 0;
  for (const Term term : terms) bytes += number(plan.of(TrainingPhase::step, term).likely);
  return bytes;
}
double on_host(const TrainingPlan& plan, Term term) {
  double bytes = 0;
  for (const TrainingEntry& entry : plan.host) {
    if (entry.term == term) bytes += number(entry.likely);
  }
  return bytes;
}

TrainingRule rule(std::string_view key, double low, double high, double of, double exact) {
  TrainingRule made;
  made.key = key;
  made.low = low;
  made.high = high;
  made.of = bytes_from(of);
  made.rule_low = bytes_from(low * of);
  made.rule_high = bytes_from(high * of);
  made.exact = bytes_from(exact);
  return made;
}

}  // namespace

double TrainingRule::factor() const { return of > Bytes(0) ? number(exact) / number(of) : 0; }

std::vector<TrainingRule> training_rules(const Model& model, const TrainingSettings& settings,
                                        const TrainingPlan& plan) {
  std::vector<TrainingRule> rules;
  const double devices = settings.split.devices();
  const double weights = plan.whole_values * kHalf;
  const double peak = number(plan.allocated.likely) * devices;
  const double states = of_phase(plan, {Term::weights, Term::adapters, Term::master_weights,
                                        Term::gradients, Term::optimizer}) *
                        devices;
  const double bytes_a_value = plan.whole_values > 0 ? states / plan.whole_values : 0;
  const double activations = std::max(0.0, peak - states);

  if (!trains_adapters(settings.method)) {
    TrainingRule full = rule("full_training", kFullLow, kFullHigh, weights, peak);
    // Which of the two parts makes the difference: states that are leaner than the rule supposes, or what comes and
    // goes.
    const bool above = full.exact > full.rule_high, below = full.exact < full.rule_low;
    const std::string_view cause = above ? "more_comes_and_goes" : below ? "leaner_states" : "within";
    full.reason = Message(std::string("training_reason.") + std::string(cause))
                      .with("bytes_a_value", bytes_a_value)
                      .with("states", bytes_from(states))
                      .with("rest", bytes_from(activations));
    rules.push_back(std::move(full));

    const double optimizer = of_phase(plan, {Term::optimizer, Term::master_weights}) * devices +
                             on_host(plan, Term::optimizer);
    TrainingRule states_rule = rule("optimizer", kOptimizerLow, kOptimizerHigh, weights, optimizer);
    const double factor = states_rule.factor();
    states_rule.reason = Message(factor < kOptimizerLow    ? "training_reason.small_optimizer_states"
                                 : factor > kOptimizerHigh ? "training_reason.states_and_master_copy"
                                                           : "training_reason.within")
                             .with("bytes_a_value", plan.whole_values > 0 ? optimizer / plan.whole_values : 0)
                             .with("states", bytes_from(optimizer))
                             .with("rest", Bytes(0));
    rules.push_back(std::move(states_rule));

    const double gradients = of_phase(plan, {Term::gradients}) * devices;
    TrainingRule same = rule("gradients", 1, 1, weights, gradients);
    same.reason = Message(same.factor() > 1.05   ? "training_reason.gradients_in_fp32"
                          : same.factor() < 0.95 ? "training_reason.gradients_at_once"
                                                 : "training_reason.within")
                      .with("bytes_a_value", plan.whole_values > 0 ? gradients / plan.whole_values : 0)
                      .with("states", bytes_from(gradients))
                      .with("rest", Bytes(0));
    rules.push_back(std::move(same));
    return rules;
  }

  TrainingSettings whole = settings;
  whole.method = TrainingMethod::full;
  whole.weights.reset();
  const TrainingPlan full = plan_training(model, whole, Bytes(0));
  const double full_peak = number(full.allocated.likely) * devices;
  TrainingRule adapters = rule("adapters", 1 / kSeveralHigh, 1 / kSeveralLow, full_peak, peak);
  adapters.reason =
      Message(adapters.exact > adapters.rule_high ? "training_reason.activations_stay" : "training_reason.within")
          .with("bytes_a_value", bytes_a_value)
          .with("states", bytes_from(states))
          .with("rest", bytes_from(activations));
  rules.push_back(std::move(adapters));
  return rules;
}

}  // namespace vram
