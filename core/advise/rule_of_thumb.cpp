#include "core/advise/rule_of_thumb.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vram {
namespace {

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }
Bytes times(Bytes bytes, double factor) { return bytes_from(exact(bytes) * factor); }
double ratio(Bytes one, Bytes other) { return other > Bytes(0) ? exact(one) / exact(other) : 0; }

/// The first deployment's, summed over its devices.
Bytes sum_of(const Plan& plan, bool (*counts)(Term)) {
  Bytes sum;
  for (const Entry& entry : plan.ledger) {
    if (entry.deployment != 0 || entry.term == Term::reserve || !counts(entry.term)) continue;
    sum += Count(static_cast<std::uint64_t>(entry.last - entry.device + 1)) * entry.likely;
  }
  return sum;
}
bool is_any(Term) { return true; }
bool is_weight(Term term) { return term == Term::weights; }
bool is_cache(Term term) { return term == Term::kv_cache || term == Term::state; }
bool is_optimizer(Term term) { return term == Term::optimizer; }
bool is_gradient(Term term) { return term == Term::gradients; }
bool is_master(Term term) { return term == Term::master_weights; }
bool is_activation(Term term) { return category_of(term) == Category::activations; }

/// How far a rule and the plan may be apart and still be called the same.
constexpr double kSame = 0.02;
bool differs(Bytes naive, Bytes real) { return std::abs(ratio(naive, real) - 1) > kSame; }

// ---- serving ---------------------------------------------------------------------------------------------

RuleOfThumb total_rule(const Inputs& inputs, const Plan& plan) {
  const Deployment& deployment = inputs.scenario.deployments.front();
  RuleOfThumb rule{.key = "total", .rule = Message("rule.total"), .why = {}, .low = {}, .high = {}, .real = {}};
  const Bytes weights = weight_bytes(inputs.models.front());
  rule.low = times(weights, 1.2);
  rule.high = times(weights, 1.3);
  rule.real = sum_of(plan, is_any);
  const Bytes cache = sum_of(plan, is_cache);
  if (rule.agrees()) rule.why = Message("rule_why.agrees");
  else if (rule.real < rule.low) rule.why = Message("rule_why.little_cache").with("cache", cache);
  else if (plan.placed.front().split.replicas > 1 && sum_of(plan, is_weight) > times(weights, 1.5)) {
    rule.why = Message("rule_why.copies").with("copies", std::int64_t{plan.placed.front().split.replicas});
  } else if (cache > times(weights, 0.15)) {
    rule.why = Message("rule_why.much_cache")
                   .with("cache", cache)
                   .with("context", deployment.context)
                   .with("users", std::max(deployment.users, deployment.peak_users));
  } else {
    rule.why = Message("rule_why.overhead_of_devices").with("count", std::int64_t{plan.devices});
  }
  return rule;
}

RuleOfThumb buffers_rule(const Plan& plan) {
  RuleOfThumb rule{.key = "buffers", .rule = Message("rule.buffers"), .why = {}, .low = kGB, .high = kGB * Count(2),
                   .real = {}};
  const Bytes activations = total(plan.ledger, plan.fullest, Category::activations).likely;
  const Bytes runtime = total(plan.ledger, plan.fullest, Category::runtime).likely;
  rule.real = activations + runtime;
  if (rule.agrees()) rule.why = Message("rule_why.agrees");
  else if (rule.real < rule.low) rule.why = Message("rule_why.few_buffers");
  else rule.why = Message("rule_why.many_buffers").with("activations", activations).with("runtime", runtime);
  return rule;
}

/// Bits of the format that most parameters are stored in.
double nominal_bits(const Model& model) {
  double most = 0, bits = 16;
  for (std::size_t i = 0; i < static_cast<std::size_t>(FormatId::count_); ++i) {
    double here = 0;
    for (const Tensor& tensor : model.tensors) {
      if (!tensor.stored || static_cast<std::size_t>(tensor.format) != i) continue;
      here += static_cast<double>((tensor.parameters() * Count(model.layers_of(tensor.layer_set))).value());
    }
    if (here <= most) continue;
    most = here;
    bits = storage_format(static_cast<FormatId>(i)).bits;
  }
  return bits;
}

void add_naive(std::vector<RuleOfThumb>& rules, std::string key, Bytes naive, Bytes real, Message why) {
  if (!differs(naive, real)) return;
  Message rule("rule." + key);
  rules.push_back({.key = std::move(key), .rule = std::move(rule), .why = std::move(why), .low = naive, .high = naive,
                   .real = real});
}

bool has_cache(const Model& model, bool (*is_it)(const Cache&)) {
  return std::any_of(model.caches.begin(), model.caches.end(), is_it);
}

/// Why a cache is smaller, or larger, than keys and values of the whole hidden size in every layer.
Message cache_reason(const Model& model) {
  const bool latent = has_cache(model, [](const Cache& c) { return c.kind == CacheKind::latent; });
  if (latent) return Message("rule_why.latent_cache");
  const bool recurrent = has_cache(model, [](const Cache& c) { return c.kind == CacheKind::recurrent; });
  if (recurrent) return Message("rule_why.recurrent_layers");
  const bool windows = has_cache(
      model, [](const Cache& c) { return c.kind == CacheKind::sliding || c.kind == CacheKind::chunked; });
  if (windows) return Message("rule_why.window_layers");
  if (model.dims.num_key_value_heads < model.dims.num_attention_heads) {
    return Message("rule_why.grouped_heads")
        .with("heads", std::int64_t{model.dims.num_attention_heads})
        .with("groups", std::int64_t{model.dims.num_key_value_heads});
  }
  return Message("rule_why.cache_format");
}

void add_model_rules(std::vector<RuleOfThumb>& rules, const Inputs& inputs, const Plan& plan) {
  const Model& model = inputs.models.front();
  const Deployment& deployment = inputs.scenario.deployments.front();
  const ParameterCounts counts = count_parameters(model);
  const double parameters = static_cast<double>(counts.total.value());
  const Bytes weights = weight_bytes(model);
  const double bits = nominal_bits(model);
  add_naive(rules, "nominal_bits", bytes_from(parameters * bits / 8), weights,
            Message("rule_why.scales_and_layers").with("bits", bits));
  if (model.dims.num_experts > 0 && counts.total.value() > 0) {
    const double share = static_cast<double>(counts.active.value()) / parameters;
    add_naive(rules, "active_parameters", times(weights, share), weights,
              Message("rule_why.all_experts").with("experts", std::int64_t{model.dims.num_experts}));
  }
  const Bytes cache = sum_of(plan, is_cache);
  if (!model.generates || cache == Bytes(0) || model.dims.hidden_size == 0) return;
  const double sequences = static_cast<double>(std::max(deployment.users, deployment.peak_users));
  const double naive = 2.0 * model.dims.num_hidden_layers * model.dims.hidden_size * 2 *
                       static_cast<double>(deployment.context) * sequences;
  add_naive(rules, "cache_of_hidden_size", bytes_from(naive), cache, cache_reason(model));
}

// ---- training --------------------------------------------------------------------------------------------

void add_training_rules(std::vector<RuleOfThumb>& rules, const Inputs& inputs, const Plan& plan) {
  const TrainingPlan& job = *plan.training;
  const Bytes half = bytes_from(2 * static_cast<double>(count_parameters(inputs.models.front()).total.value()));
  const Bytes real = sum_of(plan, is_any);
  if (inputs.scenario.task == "tune") {
    Inputs full = inputs;
    full.scenario.task = "train";
    const Bytes whole = sum_of(make_plan(full), is_any);
    rules.push_back({.key = "adapters", .rule = Message("rule.adapters"),
                     .why = Message("rule_why.few_values_trained")
                                .with("trained", job.trained_values / 1e6)
                                .with("whole", job.whole_values / 1e6)
                                .with("times", ratio(whole, real)),
                     .low = times(whole, 0.1), .high = times(whole, 0.5), .real = real});
    return;
  }
  RuleOfThumb training{.key = "training", .rule = Message("rule.training"), .why = {}, .low = times(half, 12),
                       .high = times(half, 20), .real = real};
  const int copies = plan.placed.front().split.replicas;
  if (training.agrees()) training.why = Message("rule_why.agrees");
  else if (real > training.high && copies > 1) {
    training.why = Message("rule_why.every_device_holds_all").with("copies", std::int64_t{copies});
  } else {
    training.why = Message("rule_why.training_parts")
                       .with("gradients", sum_of(plan, is_gradient))
                       .with("optimizer", sum_of(plan, is_optimizer) + sum_of(plan, is_master))
                       .with("activations", sum_of(plan, is_activation));
  }
  rules.push_back(std::move(training));

  const Bytes weights = sum_of(plan, is_weight), states = sum_of(plan, is_optimizer) + sum_of(plan, is_master);
  RuleOfThumb optimizer{.key = "optimizer", .rule = Message("rule.optimizer"), .why = {}, .low = times(weights, 2),
                        .high = times(weights, 4), .real = states};
  optimizer.why = optimizer.agrees() ? Message("rule_why.agrees")
                                     : Message("rule_why.optimizer").with("times", ratio(states, weights));
  rules.push_back(std::move(optimizer));

  const Bytes gradients = sum_of(plan, is_gradient);
  const bool more = gradients > half;
  add_naive(rules, "gradients", half, gradients,
            more && copies > 1 ? Message("rule_why.every_device_holds_all").with("copies", std::int64_t{copies})
                               : Message(more ? "rule_why.gradients_in_fp32" : "rule_why.gradients_at_once"));
}

}  // namespace

std::vector<RuleOfThumb> rules_of_thumb(const Inputs& inputs, const Plan& plan) {
  std::vector<RuleOfThumb> rules;
  if (plan.training) {
    add_training_rules(rules, inputs, plan);
    return rules;
  }
  rules.push_back(total_rule(inputs, plan));
  rules.push_back(buffers_rule(plan));
  add_model_rules(rules, inputs, plan);
  return rules;
}

}  // namespace vram
