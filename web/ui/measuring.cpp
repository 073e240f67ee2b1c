#include "web/ui/measuring.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/advise/comparison.h"
#include "core/report/comparison.h"
#include "core/scenario/measured.h"
#include "web/ui/exports.h"
#include "web/ui/sections.h"
#include "web/ui/tabs.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

vram::Comparison compared(const Session& session) {
  return vram::compare_calculated(session.answered->inputs, *session.log, session.current);
}

bool has_log(const Session& session) { return session.log && !session.answered->plan.training; }

struct Button {
  std::string_view id, word;
  bool (*shown)(const Session&);
};
bool always(const Session&) { return true; }
constexpr std::array<Button, 4> kButtons = {{{"use_measured", "comparison.use", may_use_measured},
                                             {"drop_measured", "comparison.drop", uses_measured},
                                             {"paste", "comparison.paste", always},
                                             {"open_file", "comparison.open", always}}};

}  // namespace

std::vector<vram::Section> measured_sections(const Session& session) {
  if (!has_log(session)) return {};
  return vram::comparison_sections(compared(session), *session.log, session.language());
}

bool may_use_measured(const Session& session) { return has_log(session) && !compared(session).calibration.empty(); }

bool uses_measured(const Session& session) {
  return vram::has_measured(session.scenario.deployments[session.current]);
}

void use_measured(Session& session) {
  if (!has_log(session)) return;
  session.ask(vram::calibrated(session.scenario, session.answered->plan, compared(session), session.current));
}

void drop_measured(Session& session) {
  vram::Scenario next = session.scenario;
  vram::drop_measured(next.deployments[session.current]);
  session.ask(std::move(next));
}

void draw_measured(Session& session, Column& column) {
  Ui& ui = session.ui;
  if (!has_log(session)) {
    paragraph(ui, column, session.word("comparison.paste_hint"), body(ui));
    column.gap(12);
  }
  if (uses_measured(session)) {
    paragraph(ui, column, session.word("comparison.in_use"), strong(ui));
    column.gap(8);
  }
  std::string_view pressed;
  Flow flow{column, 12, ui.sizes.field + 8};
  for (const Button& one : kButtons) {
    if (!one.shown(session)) continue;
    const std::string words = session.word(one.word);
    const float width = ui.phone() ? column.width : button_width(ui, words);
    const float x = flow.place(width);
    if (button(ui, "measured." + std::string(one.id), {x, column.y, width, ui.sizes.field}, words)) pressed = one.id;
  }
  column.gap(ui.sizes.field);
  draw_sections(ui, column, sections_of(session, Tab::comparison));
  if (!pressed.empty()) perform(session, pressed);
}

vram::Json paste_json(const Session& session) {
  vram::Json json = {{"id", "paste"},
                     {"legend", session.word("comparison.paste")},
                     {"hint", session.word("comparison.paste_hint")},
                     {"fields", vram::Json::array()},
                     {"actions", vram::Json::array()}};
  json["fields"].push_back({{"key", "paste"},
                            {"deployment", 0},
                            {"label", session.word("paste.name")},
                            {"kind", "paste"},
                            {"value", ""}});
  for (const Button& one : kButtons) {
    if (one.id == "open_file" || !one.shown(session)) continue;  // stands with the models
    const bool reads = one.id == "paste";
    json["actions"].push_back({{"id", std::string(one.id)}, {"label", session.word(reads ? "paste.read" : one.word)}});
  }
  return json;
}

}  // namespace ui
