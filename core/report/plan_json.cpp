// The plan for machines.
#include "core/plan/formula.h"
#include "core/report/json_parts.h"
#include "core/report/advise.h"
#include "core/report/report.h"
#include "core/scenario/scenario.h"

namespace vram {
namespace {

Json entry_json(const Entry& entry) {
  Json values = Json::object();
  for (const NamedValue& value : entry.derivation.values) values[std::string(value.name)] = value.value;
  const Formula* formula = find_formula(entry.derivation.formula);
  Json json = {{"device", entry.device == kHost ? Json("host") : Json(entry.device)},
               {"last_device", entry.last == kHost ? Json("host") : Json(entry.last)},
               {"deployment", entry.deployment},
               {"term", term_key(entry.term)},
               {"certainty", certainty_key(entry.certainty)},
               {"bytes", band_json({entry.low, entry.likely, entry.high})}};
  json["derivation"] = {{"formula", entry.derivation.formula},
                        {"expression", formula != nullptr ? formula->expression : ""},
                        {"source", formula != nullptr ? formula->source : ""},
                        {"values", std::move(values)}};
  return json;
}

Json messages_json(const std::vector<Message>& messages) {
  Json json = Json::array();
  for (const Message& message : messages) json.push_back(message_json(message));
  return json;
}

Json support_json(const Support& support) {
  return {{"level", support_key(support.level)}, {"why", message_json(support.why)}, {"source", support.source}};
}

Json figures_json(const EngineFigures& figures) {
  return {{"pool", figures.pool.value()},         {"pool_tokens", figures.pool_tokens},
          {"concurrency", figures.concurrency},   {"longest", figures.longest},
          {"block_tokens", figures.block_tokens}, {"max_sequences", figures.max_sequences},
          {"batch_tokens", figures.batch_tokens}, {"memory_share", figures.memory_share}};
}

Json deployment_json(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Placed& placed = plan.placed[i];
  const StartUp start = start_up(inputs, plan, i);
  Json json = {{"model", inputs.models[i].name},
               {"engine", engine_id_key(placed.engine)},
               {"engine_version", version_in_force(placed.engine, inputs.scenario.deployments[i].engine_version)},
               {"first_device", placed.first},
               {"devices", placed.devices},
               {"sequences", placed.sequences},
               {"layers_on_host", placed.layers_on_host},
               {"experts_on_host", placed.host_experts.size()},
               {"cache_on_host", placed.cache_on_host}};
  json["figures"] = placed.figures ? figures_json(*placed.figures) : Json(nullptr);
  json["support"] = support_json(support_of(inputs, plan, i));
  json["command"] = start.lines;
  json["command_notes"] = messages_json(start.notes);
  json["log"] = start.log;
  return json;
}

Json training_json(const Inputs& inputs, const Plan& plan) {
  const TrainingPlan& job = *plan.training;
  Json json = {{"command", training_start_up(inputs, plan).lines},
               {"stage", job.stage},
               {"stages", job.stages},
               {"fullest_phase", key_of(job.fullest)},
               {"steady", band_json(job.steady)},
               {"allocated", band_json(job.allocated)},
               {"reserved", band_json(job.reserved)},
               {"nvidia_smi", band_json(job.shown)},
               {"needed", job.needed.value()}};
  json["phases"] = Json::object();
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    const auto phase = static_cast<TrainingPhase>(i);
    json["phases"][std::string(key_of(phase))] = band_json(job.of(phase));
  }
  return json;
}

Json fix_json(const Fix& fix) {
  return {{"key", fix.key},
          {"saved", fix.saved.value()},
          {"host", fix.host.value()},
          {"fits", fix.fits},
          {"verdict", verdict_key(fix.verdict)},
          {"what", message_json(fix.what)},
          {"cost", message_json(fix.cost)},
          {"link", to_link(fix.scenario)}};
}

Json rule_json(const RuleOfThumb& rule) {
  return {{"key", rule.key},
          {"rule", {{"low", rule.low.value()}, {"high", rule.high.value()}}},
          {"plan", rule.real.value()},
          {"why", message_json(rule.why)}};
}

}  // namespace

Json plan_json(const Inputs& inputs, const Plan& plan, const Limits& limits, const std::vector<Fix>& fixes) {
  Json json = {{"units", "bytes"}, {"scenario", to_json(inputs.scenario)}};
  json["accelerator"] = {{"id", inputs.accelerator.id},
                         {"name", inputs.accelerator.name},
                         {"usable", plan.usable().value()},
                         {"usable_is", usable_is_key(inputs.accelerator.usable_is())}};
  json["verdict"] = verdict_key(plan.verdict);
  json["fullest"] = plan.fullest;
  json["headroom"] = {{"bytes", plan.headroom().value()}, {"share", plan.headroom_share()}};
  json["shortage"] = plan.shortage().value();
  json["layers_on_host"] = plan.layers_on_host;
  json["splits"] = Json::array();
  for (const Placed& placed : plan.placed) {
    const Split& split = placed.split;
    json["splits"].push_back(
        {{"tensor_parallel", split.tensor_parallel}, {"pipeline_parallel", split.pipeline_parallel}});
  }
  json["deployments"] = Json::array();
  for (std::size_t i = 0; i < inputs.models.size() && !plan.training; ++i) {
    json["deployments"].push_back(deployment_json(inputs, plan, i));
  }
  json["training"] = plan.training ? training_json(inputs, plan) : Json(nullptr);
  json["refusal"] = plan.refusal ? message_json(*plan.refusal) : Json(nullptr);
  json["devices"] = Json::array();
  for (int device = 0; device < plan.devices; ++device) json["devices"].push_back(band_json(plan.of(device)));
  json["host"] = band_json(plan.of(kHost));
  json["limits"] = {{"longest_context", limits.longest_context},
                    {"context_is_models_own", limits.context_is_models_own},
                    {"most_users", limits.most_users},
                    {"longest_sequence", limits.longest_sequence},
                    {"most_micro_batch", limits.most_micro_batch},
                    {"least_devices", limits.least_devices ? Json(*limits.least_devices) : Json(nullptr)}};
  json["ledger"] = Json::array();
  for (const Entry& entry : plan.ledger) json["ledger"].push_back(entry_json(entry));
  json["notes"] = messages_json(plan.notes);
  json["fixes"] = Json::array();
  for (const Fix& fix : fixes) json["fixes"].push_back(fix_json(fix));
  json["rules_of_thumb"] = Json::array();
  for (const RuleOfThumb& rule : rules_of_thumb(inputs, plan)) json["rules_of_thumb"].push_back(rule_json(rule));
  return json;
}

}  // namespace vram
