// Advice for machines.
#include "core/advise/performance.h"
#include "core/report/advise.h"
#include "core/report/json_parts.h"

namespace vram {
namespace {

Json known_json(const std::optional<speed::Band>& band) { return band ? band_json(*band) : Json(nullptr); }

Json messages_json(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(message_json(message));
  return list;
}

Json option_json(const Option& option) {
  Json json = {{"gpu", option.accelerator},
               {"vendor", option.vendor},
               {"devices", option.devices},
               {"nodes", option.nodes},
               {"bought", option.bought},
               {"tensor_parallel", option.split.tensor_parallel},
               {"pipeline_parallel", option.split.pipeline_parallel},
               {"replicas", option.split.replicas},
               {"verdict", verdict_key(option.verdict)},
               {"headroom_share", option.headroom_share},
               {"weight_bits", option.weight_bits},
               {"cache_bits", option.cache_bits},
               {"to_pilot", option.to_pilot}};
  json["first_token_s"] = known_json(option.first_token_s);
  json["tokens_per_s_user"] = known_json(option.per_user);
  json["tokens_per_s_total"] = known_json(option.total);
  json["hours"] = known_json(option.hours);
  json["load_kw"] = range_json(option.load_kw);
  json["nameplate_kw"] = range_json(option.nameplate_kw);
  json["notes"] = messages_json(option.notes);
  json["link"] = to_link(option.scenario);
  return json;
}

}  // namespace

Json speed_json(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect) {
  Json json = Json::object();
  if (const std::optional<speed::TrainingTime> time = job_time(inputs, plan)) {
    json["hours"] = band_json(speed::Band{time->hours_low, time->hours, time->hours_high});
    json["tokens_per_s"] = time->tokens_a_second;
    json["energy_kwh"] = time->energy_kwh ? Json(*time->energy_kwh) : Json(nullptr);
    json["measured_on_this_gpu"] = time->share_is_measured;
    return json;
  }
  const Result<speed::Speed> speed = performance(inputs, plan, interconnect);
  if (!speed) {
    json["unknown"] = message_json(speed.error());
    return json;
  }
  json["first_token_s"] = band_json(speed.value().first_token);
  json["tokens_per_s_user"] = band_json(speed.value().per_user);
  json["tokens_per_s_total"] = band_json(speed.value().total);
  json["limits"] = Json::object();
  for (const speed::Limit& limit : speed.value().limits)
    json["limits"][std::string(speed::cause_key(limit.cause))] = limit.share;
  if (const auto holding = bottleneck(inputs, plan, speed.value())) {
    json["holds_back"] = {{"what", holding_key(holding->holding)}, {"share", holding->share}};
  }
  if (const auto load = workload(inputs, interconnect)) {
    json["workload"] = {{"requests_per_s", load->requests_a_second},
                        {"seconds", load->seconds},
                        {"at_once", load->at_once},
                        {"users", load->users},
                        {"saturated", load->saturated}};
  }
  return json;
}

Json facility_json(const FacilityPlan& plan, const RackAnswer& rack) {
  const facility::RoomPlan& room = plan.room;
  Json json = {{"node", plan.platform.id},
               {"nodes", plan.nodes},
               {"spare_nodes", plan.spare},
               {"cards_in_node", plan.cards_in_node},
               {"cards", plan.cards_bought()},
               {"racks", room.racks},
               {"nodes_in_rack", room.nodes_in_rack},
               {"cooling", facility::cooling_way_key(room.cooling)}};
  json["nameplate_kw"] = range_json(room.nameplate_kw);
  json["load_kw"] = range_json(room.load_kw);
  json["idle_kw"] = range_json(room.idle_kw);
  json["heat_btu_h"] = range_json(room.heat_btu_h);
  json["air_m3_h"] = range_json(room.air_m3_h);
  json["kwh_year"] = range_json(room.kwh_year);
  json["fits_node"] = plan.findings.empty()
                          ? Json(nullptr)
                          : Json(std::string(facility::fits_key(facility::verdict_of(plan.findings))));
  json["findings"] = Json::array();
  for (const facility::Finding& finding : plan.findings) {
    json["findings"].push_back({{"aspect", facility::aspect_key(finding.aspect)},
                                {"fits", facility::fits_key(finding.fits)},
                                {"message", message_json(finding.message)}});
  }
  std::vector<Message> notes = plan.notes;
  notes.insert(notes.end(), room.notes.begin(), room.notes.end());
  json["notes"] = messages_json(notes);
  json["rack"] = {{"kw", rack.kilowatts ? Json(*rack.kilowatts) : Json(nullptr)},
                  {"nodes", rack.nodes},
                  {"devices", rack.devices},
                  {"users", rack.users},
                  {"limit", facility::rack_limit_key(rack.limit)}};
  return json;
}

Json options_json(const OptionSearch& search) {
  Json json = {{"planned", search.planned()}};
  const Suggestions named = search.suggestions();
  const auto one = [](const std::optional<Option>& option) { return option ? option_json(*option) : Json(nullptr); };
  json["suggestions"] = {{"least", one(named.least)}, {"balanced", one(named.balanced)}, {"grows", one(named.grows)}};
  json["makers"] = Json::array();
  for (const Option& option : search.best_of_vendors()) json["makers"].push_back(option_json(option));
  json["options"] = Json::array();
  for (const Option& option : search.front()) json["options"].push_back(option_json(option));
  json["ruled_out"] = Json::array();
  for (const RuledOut& out : search.ruled_out()) {
    json["ruled_out"].push_back(
        {{"gpu", out.accelerator}, {"hurdle", hurdle_key(out.hurdle)}, {"reason", message_json(out.reason)}});
  }
  return json;
}

}  // namespace vram
