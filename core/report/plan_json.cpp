// The plan for machines.
#include "core/plan/formula.h"
#include "core/report/json_parts.h"
#include "core/report/report.h"

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

}  // namespace

Json plan_json(const Inputs& inputs, const Plan& plan, const Limits& limits) {
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
  json["devices"] = Json::array();
  for (int device = 0; device < plan.devices; ++device) json["devices"].push_back(band_json(plan.of(device)));
  json["host"] = band_json(plan.of(kHost));
  json["limits"] = {{"longest_context", limits.longest_context},
                    {"context_is_models_own", limits.context_is_models_own},
                    {"most_users", limits.most_users},
                    {"least_devices", limits.least_devices ? Json(*limits.least_devices) : Json(nullptr)}};
  json["ledger"] = Json::array();
  for (const Entry& entry : plan.ledger) json["ledger"].push_back(entry_json(entry));
  json["notes"] = Json::array();
  for (const Message& note : plan.notes) json["notes"].push_back(message_json(note));
  return json;
}

}  // namespace vram
