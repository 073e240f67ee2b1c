#include "web/ui/results.h"

#include <algorithm>
#include <array>

#include "core/report/advise.h"
#include "core/report/side_by_side.h"
#include "core/report/help.h"
#include "web/ui/exports.h"
#include "web/ui/form.h"
#include "web/ui/measuring.h"
#include "web/ui/presets.h"
#include "web/ui/recent.h"
#include "web/ui/words.h"

namespace ui {
namespace {

vram::Json table_json(const vram::Table& table) {
  return {{"caption", table.caption}, {"head", table.head}, {"rows", table.rows}};
}

vram::Json section_json(const vram::Section& section) {
  vram::Json json = {{"heading", section.heading}, {"paragraphs", section.paragraphs}};
  if (!section.lines.empty()) json["lines"] = section.lines;
  if (!section.table.rows.empty()) json["table"] = table_json(section.table);
  if (section.depth) json["print"] = "no";  // a report of two pages; the text version has all of it
  return json;
}

/// The table's headings that sort it, as buttons in their columns.
vram::Json sorts_json(const Session& session, const vram::Table& table) {
  vram::Json sorts = vram::Json::array();
  for (std::size_t i = 0; i < table.head.size(); ++i) sorts.push_back(nullptr);
  const bool up = vram::is_ascending(session.sort, vram::trains(session.scenario));
  for (int i = 0; i < static_cast<int>(vram::OptionOrder::count_); ++i) {
    const auto order = static_cast<vram::OptionOrder>(i);
    const std::size_t column = vram::column_of(order);
    sorts[column] = {{"id", "sort." + std::string(vram::order_key(order))},
                     {"label", table.head[column]},
                     {"sorted", session.sort.by != order ? "none" : up ? "ascending" : "descending"}};
  }
  return sorts;
}

/// What to buy: the suggestions once they are found, everything once it is, and until then a button for it.
void add_options(vram::Json& sections, const Session& session) {
  if (session.buying && session.buying->enough()) {
    for (const vram::Section& section :
         vram::options_sections(session.buying->search, session.language(), session.sort)) {
      sections.push_back(section_json(section));
      const bool sortable = section.heading == session.word("options.all") && !section.table.rows.empty();
      if (sortable) sections.back()["table"]["sorts"] = sorts_json(session, section.table);
    }
  }
  if (session.buying && session.buying->finished) return;
  const vram::Json button = {{"id", "find_options"}, {"label", session.word("options.find")}};
  sections.push_back({{"heading", session.word("options.all")}, {"print", "no"}, {"actions", {button}}});
}

vram::Json band_json(const vram::Band& band) {
  return {{"low", band.low.value()}, {"likely", band.likely.value()}, {"high", band.high.value()}};
}

/// Where the answer comes from and whom to ask: the address, the link, version and date of the data, the company.
vram::Json about_json(const Session& session) {
  const Site& site = session.site;
  vram::Json json = {{"heading", site.company.empty() ? session.word("page.send_heading") : site.company},
                     {"paragraphs", vram::Json::array()},
                     {"links", vram::Json::array()}};
  for (const std::string& line : {site.phone, site.legal_note}) {
    if (!line.empty()) json["paragraphs"].push_back(line);
  }
  json["paragraphs"].push_back(session.origin());
  json["links"].push_back({{"text", session.word("page.send") + ": " + session.sales_address},
                           {"href", vram::mailto(session.letter())}});
  json["links"].push_back({{"text", session.word("export.link")},
                           {"href", "#" + vram::to_link(session.scenario)},
                           {"print", session.link()}});
  return json;
}

/// Examples and what this browser calculated before, as links that the page opens in place.
vram::Json examples_json(const Session& session) {
  vram::Json links = vram::Json::array();
  for (const Preset& preset : presets()) {
    links.push_back({{"text", session.word("preset." + std::string(preset.key))}, {"href", "#" + std::string(preset.link)}});
  }
  for (const Recent& recent : recents(session)) {
    links.push_back({{"text", session.say(vram::Message("page.recent").with("what", recent.name + ", " + recent.note))},
                     {"href", "#" + recent.link}});
  }
  return {{"heading", session.word("page.examples")}, {"paragraphs", vram::Json::array()}, {"links", std::move(links)},
          {"print", "no"}};
}

/// What the figures of the plan were checked on, each once, with the way to its table.
vram::Json accuracy_json(const Session& session) {
  const vram::Plan& plan = session.answered->plan;
  vram::Json json = {{"heading", session.word("accuracy.heading")}, {"paragraphs", vram::Json::array()}, {"print", "no"}};
  std::vector<const vram::AccuracyFigure*> said;
  const auto say = [&](const vram::AccuracyFigure* figure, const std::string& what) {
    if (figure == nullptr || std::find(said.begin(), said.end(), figure) != said.end()) return;
    said.push_back(figure);
    json["paragraphs"].push_back(what + ": " + vram::accuracy_sentence(*figure, session.language()));
    const std::string address = accuracy_address(session, *figure);
    if (address.empty()) return;
    json["links"].push_back({{"text", session.word("accuracy.table") + ": " + what}, {"href", address}});
  };
  for (const vram::Entry& entry : plan.ledger) {
    const std::string term(vram::term_key(entry.term));
    say(vram::accuracy_of(session.accuracy, plan, entry),
        session.word(plan.training ? "page.likely_total" : "term." + term));
  }
  if (session.answered->speed) {
    say(vram::find_figure(session.accuracy, "speed.ttft"), session.word("speed.first_token"));
    say(vram::find_figure(session.accuracy, "speed.tpot"), session.word("speed.per_token"));
    say(vram::find_figure(session.accuracy, "speed.output_tps"), session.word("speed.total"));
  }
  return json;
}

}  // namespace

std::string results_json(const Session& session) {
  const vram::Answer said = session.report();
  vram::Json sections = vram::Json::array();
  for (const vram::Section& section : said.sections) sections.push_back(section_json(section));
  for (const vram::Section& section : vram::side_by_side_sections(session.beside, session.language())) {
    sections.push_back(section_json(section));
  }
  add_options(sections, session);
  for (const vram::Section& section : measured_sections(session)) sections.push_back(section_json(section));
  sections.push_back(accuracy_json(session));
  if (sections.back()["paragraphs"].empty()) sections.erase(sections.size() - 1);
  sections.push_back(section_json(session.test_plan()));
  sections.back()["print"] = "test_plan";
  for (const vram::Section& section : vram::help_sections(session.language())) {
    sections.push_back(section_json(section));
    sections.back()["print"] = "no";
  }
  sections.push_back(examples_json(session));
  sections.push_back(about_json(session));
  const vram::Json json = {{"title", session.word("page.title")},
                           {"verdict", said.verdict},
                           {"summary", said.summary},
                           {"form", form_json(session)},
                           {"actions", export_actions(session)},
                           {"sections", std::move(sections)}};
  return vram::to_text(json);
}

std::string state_json(const Session& session) {
  constexpr std::array<std::string_view, 3> widths = {"phone", "tablet", "desktop"};
  vram::Json json = {{"language", std::string(vram::tongue_code(session.tongue))},
                     {"theme", session.ui.dark ? "dark" : "light"},
                     {"width", std::string(widths[static_cast<std::size_t>(session.ui.width)])},
                     {"scenario", vram::to_json(session.scenario)},
                     {"link", vram::to_link(session.scenario, session.kept)},
                     {"kept", vram::Json::array()}};
  for (const vram::KeptPlan& one : session.kept) json["kept"].push_back(one.name);
  if (session.answered) {
    const Answered& answered = *session.answered;
    const vram::Plan& plan = answered.plan;
    json["model"] = session.model().name;
    json["verdict"] = std::string(vram::verdict_key(plan.verdict));
    json["verdict_words"] = answered.words.verdict;
    json["summary"] = answered.words.summary;
    json["usable"] = plan.usable().value();
    json["fullest"] = plan.fullest;
    json["total"] = band_json(plan.of(plan.fullest));
    for (int i = 0; i < static_cast<int>(vram::Category::count_); ++i) {
      const auto category = static_cast<vram::Category>(i);
      json["categories"][std::string(vram::category_key(category))] =
          band_json(vram::total(plan.ledger, plan.fullest, category));
    }
    json["limits"] = {{"longest_context", answered.limits.longest_context},
                      {"most_users", answered.limits.most_users},
                      {"least_devices", answered.limits.least_devices.value_or(0)}};
  }
  vram::Json notices = vram::Json::array();
  for (const Notice& notice : session.notices) notices.push_back(session.say(notice));
  json["notices"] = std::move(notices);
  json["errors"] = vram::Json::object();
  for (const auto& [key, message] : session.field_errors) json["errors"][key] = session.say(message);
  json["items"] = items_json(session.ui.items);
  return vram::to_text(json);
}

}  // namespace ui
