// An option as a card: how full, how fast, how much power, and a press that makes it the plan.
#include <cmath>

#include "web/ui/buying.h"
#include "web/ui/session.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

constexpr float kCardPad = 16, kMeter = 6;

std::string pace_of(const Session& session, const vram::Option& option) {
  const vram::Language language = session.language();
  if (option.per_user) {
    return session.say(vram::Message("page.pace").with("rate", language.number(option.per_user->likely, 0)));
  }
  if (option.hours) {
    return session.say(vram::Message("page.job_hours").with("hours", language.number(option.hours->likely, 1)));
  }
  return "";
}

std::string power_of(const Session& session, const vram::Option& option) {
  if (!option.load_kw) return session.word("page.power_unknown");
  const vram::Language language = session.language();
  return session.say(vram::Message("page.draws").with("kw", language.number(option.load_kw->middle(), 1)));
}

std::string free_of(const Session& session, const vram::Option& option) {
  return session.say(vram::Message("page.option_free").with("percent", session.language().number(option.headroom_share * 100, 0)));
}

/// How full the fullest device is.
void draw_meter(Ui& ui, Rect rect, double used) {
  fill(ui, rect, ui.palette.track, 3);
  fill(ui, {rect.x, rect.y, rect.width * static_cast<float>(std::min(1.0, used)), rect.height}, ui.palette.weights, 3);
}

std::vector<std::string> lines_of(const Session& session, const vram::Option& option) {
  std::vector<std::string> lines{formats_of(session, option)};
  if (option.bought > option.devices) {
    lines.push_back(at_work(session, option));
  }
  if (option.split.replicas > 1) {
    lines.push_back(session.say(vram::Message("page.copies")
                                    .with("count", std::int64_t{option.split.replicas})
                                    .with("each", std::int64_t{option.devices / option.split.replicas})));
  }
  if (const std::string pace = pace_of(session, option); !pace.empty()) lines.push_back(pace);
  lines.push_back(power_of(session, option));
  lines.push_back(free_of(session, option));
  if (option.to_pilot) lines.push_back(session.word("page.to_pilot"));
  return lines;
}

/// What a press does, or that it has been pressed: at the card's foot.
void draw_foot(Session& session, Rect line, bool current, bool hovered) {
  Ui& ui = session.ui;
  if (current) icon(ui, Icon::tick, line.cut_left(14, 6).centre(), line.middle(), 14, ui.palette.ink);
  const std::string words = session.word(current ? "page.option_in_use" : "page.use_option");
  const Style style = caption(ui).with(current || hovered ? ui.palette.ink : ui.palette.soft);
  put(ui, line, words, style);
  if (current) return;
  const float width = std::min(line.width, width_of(ui, words, style));
  dotted_line(ui, line.x, line.bottom() - 2, width, hovered ? ui.palette.ink : ui.palette.faint);
}

}  // namespace

float card_height(const Session& session, const std::string& title, const vram::Option& option, float card_width) {
  const Ui& ui = session.ui;
  const float width = card_width - 2 * kCardPad;
  float height = 2 * kCardPad + height_of(ui, title, caption(ui), width) + 6 + height_of(ui, name_of(option), strong(ui), width) + 10;
  for (const std::string& line : lines_of(session, option)) height += height_of(ui, line, caption(ui), width) + 2;
  return height + kMeter + 8 + 8 + line_height(caption(ui));
}

/// One suggestion: pressing it makes it the plan.
void draw_card(Session& session, Rect rect, std::string_view id, const std::string& title, const vram::Option& option) {
  Ui& ui = session.ui;
  const bool current = session.is_current(option.scenario);
  const Press state = press(ui, id, rect, Role::button, title + ": " + name_of(option), session.word("page.take_option"),
                            current);
  fill(ui, rect, ui.palette.field, kRadius);
  laid_over(ui, rect, state);
  outline(ui, rect, current ? ui.palette.accent : state.hovered ? ui.palette.border_strong : ui.palette.border, kRadius,
          current ? 2.0f : 1.0f);
  Column column{rect.x + kCardPad, rect.y + kCardPad, rect.width - 2 * kCardPad};
  const std::size_t control = ui.items.size();
  paragraph(ui, column, title, caption(ui));
  column.gap(6);
  paragraph(ui, column, name_of(option), strong(ui));
  column.gap(10);
  draw_meter(ui, column.take(kMeter), 1 - option.headroom_share);
  column.gap(8);
  for (const std::string& line : lines_of(session, option)) {
    paragraph(ui, column, line, caption(ui));
    column.gap(2);
  }
  const float foot = line_height(caption(ui));
  draw_foot(session, {column.x, rect.bottom() - kCardPad - foot, column.width, foot}, current, state.hovered);
  bool clipped = false;
  for (std::size_t i = control; i < ui.items.size(); ++i) clipped = clipped || ui.items[i].clipped;
  ui.items.resize(control);  // the control has said it
  ui.items.back().clipped = clipped;
  focus_ring(ui, rect, state);
  if (state.pressed) session.ask(option.scenario);
}

}  // namespace ui
