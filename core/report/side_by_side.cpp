#include "core/report/side_by_side.h"

#include <array>
#include <utility>

#include "core/report/advise.h"
#include "core/report/json_parts.h"

namespace vram {
namespace {

constexpr const char* kDash = "\xE2\x80\x93";
constexpr const char* kTimes = "\xC2\xA0\xC3\x97\xC2\xA0";
constexpr const char* kDot = " \xC2\xB7 ";

std::string rates(const speed::Band& band, const Language& language) {
  return range_text(band.low, band.high, band.likely < 0.995 ? 2 : band.likely < 9.95 ? 1 : 0, language);
}

std::string devices_text(const PlanColumn& column, const Language& language) {
  return cards_name(column.inputs, language);
}

std::string room_text(const PlanColumn& column, const Language& language) {
  const Plan& plan = column.plan;
  const Bytes missing = plan.shortage();
  if (missing > Bytes(0)) return "\xE2\x88\x92" + language.memory(missing);
  return language.memory(plan.headroom()) + kDot + language.percent(plan.headroom_share());
}

/// "64,000", "100,000 or more" at the end of what the scenario can say, a dash for nothing.
std::string limit_text(std::int64_t value, bool at_least, const Language& language) {
  if (value == 0) return kDash;
  return at_least ? "\xE2\x89\xA5\xC2\xA0" + language.number(value) : language.number(value);
}

/// What a row says of a plan; "" = nothing.
using TextOf = std::string (*)(const PlanColumn& column, const Language& language);

struct Row {
  std::string_view label;   ///< key of a string
  TextOf text_of;
};

std::string memory_text(const PlanColumn& column, const Language& language) {
  return language.memory_range(column.plan.of(column.plan.fullest)) + " / " + language.memory(column.plan.usable());
}

template <Category category>
std::string category_text(const PlanColumn& column, const Language& language) {
  const Bytes likely = total(column.plan.ledger, column.plan.fullest, category).likely;
  return likely > Bytes(0) ? language.memory(likely) : std::string();
}

std::string context_text(const PlanColumn& column, const Language& language) {
  const bool says = !column.plan.training && column.inputs.models[column.deployment].generates;
  return says ? limit_text(column.limits.longest_context, false, language) : std::string();
}

std::string users_text(const PlanColumn& column, const Language& language) {
  if (column.plan.training) return {};
  return limit_text(column.limits.most_users, column.limits.users_at_field_limit, language);
}

std::string sequence_text(const PlanColumn& column, const Language& language) {
  return column.plan.training ? limit_text(column.limits.longest_sequence, false, language) : std::string();
}

/// Of plans that fit: what does not start is not quick.
template <speed::Band speed::Speed::*member>
std::string speed_text(const PlanColumn& column, const Language& language) {
  const bool says = column.speed && column.plan.verdict != Verdict::does_not_fit;
  return says ? rates((*column.speed).*member, language) : std::string();
}

std::string hours_text(const PlanColumn& column, const Language& language) {
  return column.time ? range_text(column.time->hours_low, column.time->hours_high, 1, language) : std::string();
}

std::string power_text(const PlanColumn& column, const Language& language) {
  if (!column.facility || !column.facility->room.load_kw) return {};
  const Range load = *column.facility->room.load_kw;
  return range_text(load.low, load.high, 1, language);
}

std::string nodes_text(const PlanColumn& column, const Language& language) {
  return column.facility ? language.number(std::int64_t{column.facility->nodes}) : std::string();
}

std::string verdict_text(const PlanColumn& column, const Language& language) {
  return language.word("verdict_short." + std::string(verdict_key(column.plan.verdict)));
}

constexpr std::array<Row, 18> kRows = {{
    {"beside.verdict", verdict_text},
    {"beside.devices", devices_text},
    {"beside.fullest", memory_text},
    {"category.weights", category_text<Category::weights>},
    {"category.kv", category_text<Category::kv>},
    {"category.activations", category_text<Category::activations>},
    {"category.optimizer", category_text<Category::optimizer>},
    {"category.runtime", category_text<Category::runtime>},
    {"report.free", room_text},
    {"page.longest_context", context_text},
    {"beside.most_users", users_text},
    {"beside.longest_sequence", sequence_text},
    {"speed.per_user", speed_text<&speed::Speed::per_user>},
    {"speed.total", speed_text<&speed::Speed::total>},
    {"beside.first_token", speed_text<&speed::Speed::first_token>},
    {"beside.hours", hours_text},
    {"options.power", power_text},
    {"facility.nodes", nodes_text},
}};

/// A row that no column has anything to say in is left out.
void add_row(Table& table, const Row& row, const SideBySide& beside, const Language& language) {
  std::vector<std::string> cells{language.word(row.label)};
  bool says = false;
  for (const PlanColumn& column : beside.columns) {
    cells.push_back(row.text_of(column, language));
    says = says || !cells.back().empty();
    if (cells.back().empty()) cells.back() = kDash;
  }
  if (says) table.rows.push_back(std::move(cells));
}

std::string value_text(const PlanColumn& column, const Difference& difference, const Value& value,
                       const Language& language) {
  const Field& field = *difference.field;
  if (field.kind == FieldKind::model) return column.inputs.models[difference.deployment].name;
  if (field.kind == FieldKind::accelerator) return column.inputs.accelerator.name;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return language.number(*whole);
  if (const auto* real = std::get_if<double>(&value)) return rate_text(*real, language);
  const std::string& text = *std::get_if<std::string>(&value);
  return field.kind == FieldKind::choice ? language.word(field.words_of(text)) : text;
}

Section differences_section(const SideBySide& beside, const Language& language) {
  Section section{.heading = language.word("beside.differences"), .paragraphs = {}, .table = {}};
  if (beside.differences.empty()) {
    section.paragraphs.push_back(language.word("beside.same_question"));
    return section;
  }
  section.table.caption = section.heading;
  section.table.head = names_of(beside, language);
  section.table.head.insert(section.table.head.begin(), language.word("report.field"));
  for (const Difference& difference : beside.differences) {
    std::string label = language.word("field." + std::string(difference.field->key));
    if (difference.deployment > 0) label += kDot + std::to_string(difference.deployment + 1);
    std::vector<std::string> row{std::move(label)};
    for (std::size_t i = 0; i < beside.columns.size(); ++i) {
      const std::optional<Value>& value = difference.values[i];
      row.push_back(value ? value_text(beside.columns[i], difference, *value, language) : kDash);
      if (row.back().empty()) row.back() = kDash;
    }
    section.table.rows.push_back(std::move(row));
  }
  return section;
}

Json column_json(const PlanColumn& column) {
  const Plan& plan = column.plan;
  Json json = {{"name", column.of.name},
               {"link", to_link(column.of.scenario)},
               {"verdict", verdict_key(plan.verdict)},
               {"devices", plan.devices},
               {"gpu", column.inputs.scenario.accelerator}};
  for (int i = 0; i < static_cast<int>(Category::count_); ++i) {
    const auto category = static_cast<Category>(i);
    json["memory"][std::string(category_key(category))] =
        total(plan.ledger, plan.fullest, category).likely.value();
  }
  json["usable"] = plan.usable().value();
  json["headroom_share"] = plan.headroom_share();
  json["longest_context"] = column.limits.longest_context;
  json["most_users"] = column.limits.most_users;
  if (column.speed) {
    json["tokens_per_s_user"] = band_json(column.speed->per_user);
    json["tokens_per_s_total"] = band_json(column.speed->total);
    json["first_token_s"] = band_json(column.speed->first_token);
  }
  if (column.time) json["hours"] = column.time->hours;
  if (column.facility) {
    json["nodes"] = column.facility->nodes;
    json["load_kw"] = range_json(column.facility->room.load_kw);
  }
  return json;
}

}  // namespace

std::string plan_name(const Scenario& scenario, int devices, std::string_view gpu, const Language& language) {
  const std::string format = trains(scenario)
                                 ? language.word(scenario.task == "tune" ? "training_method." + scenario.method
                                                                         : "choice.task." + scenario.task)
                                 : language.word("choice.weights." + scenario.deployments.front().weights);
  return std::to_string(devices) + kTimes + std::string(gpu) + kDot + format;
}

std::vector<std::string> names_of(const SideBySide& beside, const Language& language) {
  std::vector<std::string> names;
  for (const PlanColumn& column : beside.columns) {
    names.push_back(column.of.name.empty() ? language.word("beside.current") : column.of.name);
  }
  return names;
}

std::vector<Section> side_by_side_sections(const SideBySide& beside, const Language& language) {
  if (beside.columns.empty()) return {};
  Section figures{.heading = language.word("beside.title"), .paragraphs = {}, .table = {}};
  figures.table.caption = figures.heading;
  figures.table.head = names_of(beside, language);
  figures.table.head.insert(figures.table.head.begin(), language.word("beside.figure"));
  for (const Row& row : kRows) add_row(figures.table, row, beside, language);
  std::vector<Section> sections{std::move(figures)};
  if (beside.columns.size() > 1) sections.push_back(differences_section(beside, language));
  return sections;
}

Json side_by_side_json(const SideBySide& beside) {
  Json plans = Json::array(), differences = Json::array();
  for (const PlanColumn& column : beside.columns) plans.push_back(column_json(column));
  for (const Difference& difference : beside.differences) {
    Json values = Json::array();
    for (const std::optional<Value>& value : difference.values) {
      values.push_back(value ? Json(text_of(*value)) : Json(nullptr));
    }
    differences.push_back({{"field", std::string(difference.field->key)},
                           {"deployment", difference.deployment},
                           {"values", std::move(values)}});
  }
  return {{"plans", std::move(plans)}, {"differences", std::move(differences)}};
}

}  // namespace vram
