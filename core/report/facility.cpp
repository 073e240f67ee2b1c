// The room of a plan, in words.
#include "core/report/advise.h"

#include <algorithm>
#include <cmath>

namespace vram {
namespace {

std::string quantity(const std::optional<Range>& range, int decimals, std::string_view unit, const Language& language) {
  if (!range) return language.word("facility.ask_supplier");
  return range_text(three_figures(range->low), three_figures(range->high), decimals, language) + "\xC2\xA0" + language.word(unit);
}

std::string word_of(std::string_view prefix, std::string_view key, const Language& language) {
  return language.word(std::string(prefix) + std::string(key));
}

Section room_section(const FacilityPlan& plan, const Language& language) {
  Section section{.heading = language.word("facility.title"), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  section.table.head = {language.word("report.field"), language.word("report.value")};
  const auto row = [&](std::string_view key, std::string value) {
    section.table.rows.push_back({language.word(key), std::move(value)});
  };
  const facility::RoomPlan& room = plan.room;
  const std::string node =
      plan.platform.name.empty()
          ? language.text(Message("facility.any_node").with("places", std::int64_t{plan.platform.cards}))
          : plan.platform.name;
  row("facility.node", node);
  row("facility.nodes", language.number(std::int64_t{plan.nodes}));
  if (plan.spare > 0) row("facility.spare", language.number(std::int64_t{plan.spare}));
  row("facility.cards", language.number(std::int64_t{plan.cards_bought()}));
  row("facility.nameplate", quantity(room.nameplate_kw, 1, "facility.unit.kw", language) + ", " +
                                word_of("facility.basis.", facility::basis_key(room.node.nameplate.basis), language));
  row("facility.load", quantity(room.load_kw, 1, "facility.unit.kw", language) + ", " +
                           word_of("facility.basis.", facility::basis_key(room.node.load.basis), language));
  row("facility.idle", quantity(room.idle_kw, 1, "facility.unit.kw", language));
  row("facility.heat", quantity(room.heat_btu_h, 0, "facility.unit.btu_h", language));
  row("facility.air", quantity(room.air_m3_h, 0, "facility.unit.m3_h", language));
  section.table.rows.push_back({language.text(Message("facility.energy")
                                                  .with("pue", language.number(room.pue, 1))
                                                  .with("busy", language.percent(room.busy_share))),
                                quantity(room.kwh_year, 0, "facility.unit.kwh", language)});
  row("facility.racks", language.number(std::int64_t{room.racks}));
  row("facility.nodes_in_rack", language.number(std::int64_t{room.nodes_in_rack}));
  if (room.units_in_rack) {
    row("facility.height",
        language.number(*room.units_in_rack, 0) + "\xC2\xA0" + language.word("facility.unit.rack_units"));
  }
  if (room.kg_in_rack) {
    row("facility.weight", language.number(*room.kg_in_rack, 0) + "\xC2\xA0" + language.word("facility.unit.kg"));
  }
  if (room.load_kw)
    row("facility.cooling", word_of("facility.cooling.", facility::cooling_way_key(room.cooling), language));
  for (const Message& note : plan.notes) section.paragraphs.push_back(language.text(note));
  for (const std::string& note : plan.platform.notes) {
    section.paragraphs.push_back(language.word("platform.note." + note));
  }
  for (const Message& note : room.notes) section.paragraphs.push_back(language.text(note));
  return section;
}

Section fit_section(const FacilityPlan& plan, const Language& language) {
  Section section{.heading = language.word("facility.fit"), .paragraphs = {}, .table = {}, .depth = true};
  section.table.caption = section.heading;
  section.table.head = {language.word("facility.aspect"), language.word("facility.finding")};
  for (const facility::Finding& finding : plan.findings) {  // aspects of which the same is to be said share a row
    const std::string aspect = word_of("facility.aspect.", facility::aspect_key(finding.aspect), language);
    const std::string said = language.text(finding.message);
    const auto same = std::find_if(section.table.rows.begin(), section.table.rows.end(),
                                   [&](const std::vector<std::string>& row) { return row[1] == said; });
    if (same != section.table.rows.end()) same->front() += ", " + aspect;
    else section.table.rows.push_back({capitalised(aspect), said});
  }
  return section;
}

Section rack_section(const RackAnswer& rack, bool height_known, const Language& language) {
  Section section{.heading = language.word("facility.rack"), .paragraphs = {}, .table = {}};
  if (!rack.kilowatts) return section;
  Message said(rack.nodes == 0  ? "facility.rack_none"
               : !height_known  ? "facility.rack_by_power"
               : rack.users > 0 ? "facility.rack_serves"
                                : "facility.rack_holds");
  said.with("kw", rate_text(*rack.kilowatts, language)).with("nodes", std::int64_t{rack.nodes});
  said.with("devices", std::int64_t{rack.devices}).with("users", rack.users);
  said.with("limit", MessageKey{"facility.limit." + std::string(facility::rack_limit_key(rack.limit))});
  section.paragraphs.push_back(language.text(said));
  return section;
}

}  // namespace

double three_figures(double value) {
  if (!(std::abs(value) >= 1000)) return value;
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  return std::round(value / step) * step;
}

std::vector<Section> room_sections(const Inputs& inputs, const Platforms& platforms, const Language& language) {
  const Result<FacilityPlan> plan = plan_facility(inputs, platforms);
  std::vector<Section> sections;
  if (plan) sections = facility_sections(plan.value(), rack_answer(inputs, plan.value(), platforms.facility), language);
  else sections.push_back({language.word("facility.title"), {language.text(plan.error())}, {}});
  if (inputs.scenario.accelerator != "custom") sections.push_back(card_section(inputs.accelerator, language));
  for (const CardGroup& group : inputs.others) sections.push_back(card_section(group.card, language));
  return sections;
}

std::vector<Section> facility_sections(const FacilityPlan& plan, const RackAnswer& rack, const Language& language) {
  std::vector<Section> sections{room_section(plan, language)};
  if (!plan.findings.empty()) sections.push_back(fit_section(plan, language));
  if (rack.kilowatts) sections.push_back(rack_section(rack, plan.room.fit.by_height.has_value(), language));
  return sections;
}

}  // namespace vram
