#include "web/ui/controls.h"

#include <array>
#include <cmath>

#include "core/hardware/card_list.h"
#include "web/ui/editing.h"
#include "web/ui/overlay.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

using vram::FieldKind;

/// Fields that a slider suits, and where it stops. What lies between is typed.
using Stops = std::vector<std::int64_t>;
constexpr std::array<std::int64_t, 13> kUserStops = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
constexpr std::array<std::int64_t, 15> kContextStops = {1024,  2048,   4096,   8192,   12288,  16384,  24576, 32768,
                                                        49152, 65536, 98304, 131072, 262144, 524288, 1048576};

Stops stops_of(const Session& session, const vram::Field& field) {
  if (field.unit == vram::Unit::users) return {kUserStops.begin(), kUserStops.end()};
  if (field.key != "ctx") return {};
  const std::int64_t longest = session.model().dims.max_position_embeddings;
  Stops stops;
  for (const std::int64_t stop : kContextStops) {
    if (longest == 0 || stop < longest) stops.push_back(stop);
  }
  if (longest > 0) stops.push_back(longest);
  return stops;
}

std::int64_t whole_value(const Session& session, const vram::Field& field) {
  const vram::Value value = session.value(field);
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? *whole : 0;
}

/// Where a value stands among the stops, 0…1: between two of them in the measure of its logarithm.
float position_of(const Stops& stops, std::int64_t value) {
  if (stops.size() < 2) return 0;
  const auto last = static_cast<float>(stops.size() - 1);
  if (value <= stops.front()) return 0;
  for (std::size_t i = 1; i < stops.size(); ++i) {
    if (value > stops[i]) continue;
    const float from = std::log(static_cast<float>(stops[i - 1])), to = std::log(static_cast<float>(stops[i]));
    return (static_cast<float>(i - 1) + (std::log(static_cast<float>(value)) - from) / (to - from)) / last;
  }
  return 1;
}

TextField text_field_of(const Session& session, const vram::Field& field, std::string_view id) {
  TextField what{.id = id, .field = &field, .label = field_word(session, field)};
  what.shown = value_word(session, field);
  what.text = vram::text_of(session.value(field));
  what.kind = field.kind == FieldKind::real ? platform::TextKind::decimal : platform::TextKind::integer;
  return what;
}

void number_control(Session& session, Column& column, const vram::Field& field) {
  Ui& ui = session.ui;
  const std::string id(field.key);
  Rect row = column.take(ui.sizes.field);
  const Stops stops = stops_of(session, field);
  const TextField what = text_field_of(session, field, id);
  const float wanted = std::ceil(width_of(ui, what.shown, body(ui))) + 32;
  if (stops.empty()) {
    text_field(session, row.cut_left(std::min(row.width, std::max(132.0f, wanted))), what);
    return;
  }
  text_field(session, row.cut_left(std::max(112.0f, wanted), 12), what);
  float position = position_of(stops, whole_value(session, field));
  const bool moved = slider(ui, id + ".slider", row, field_word(session, field), value_word(session, field),
                            static_cast<int>(stops.size()), position);
  if (!moved) return;
  const auto index = static_cast<std::size_t>(std::lround(position * static_cast<float>(stops.size() - 1)));
  session.field_errors.erase(error_place(field, session.current));
  session.set_field(field, stops[index]);
}

void text_control(Session& session, Column& column, const vram::Field& field) {
  TextField what = text_field_of(session, field, field.key);
  what.kind = platform::TextKind::text;
  text_field(session, column.take(session.ui.sizes.field), what);
}

/// A square that counts up or down.
bool step_button(Session& session, std::string_view id, std::string_view name, Rect rect, std::string_view what) {
  Ui& ui = session.ui;
  const Icon which = name == "one_more" ? Icon::plus : name == "less" ? Icon::minus : Icon::close;
  const Press state = press(ui, std::string(id) + "." + std::string(name), rect, Role::button,
                            session.word("page." + std::string(name)) + ": " + std::string(what));
  fill(ui, rect, ui.palette.field, kRadius);
  if (state.held || state.hovered) fill(ui, rect, state.held ? ui.palette.pressed : ui.palette.hover, kRadius);
  outline(ui, rect, ui.palette.border);
  icon(ui, which, rect.centre(), rect.middle(), 16, ui.palette.ink);
  focus_ring(ui, rect, state);
  return state.pressed;
}

void stepper_control(Session& session, Column& column, const vram::Field& field) {
  Ui& ui = session.ui;
  const std::string id(field.key);
  Rect row = column.take(ui.sizes.field);
  if (!ui.phone()) row.width = std::min(row.width, 200.0f);
  const Rect less = row.cut_left(ui.sizes.field, 6), more = row.cut_right(ui.sizes.field, 6);
  const std::int64_t value = whole_value(session, field);
  const auto step = [&](std::string_view name, Rect rect, std::int64_t next) {
    if (!step_button(session, id, name, rect, field_word(session, field))) return;
    session.field_errors.erase(error_place(field, session.current));
    vram::Scenario changed = session.scenario;
    if (!vram::set(changed, field, next, session.current)) session.ask(std::move(changed));
  };
  step("less", less, value - 1);
  text_field(session, row, text_field_of(session, field, id));
  step("one_more", more, value + 1);
}

void choice_control(Session& session, Column& column, const vram::Field& field) {
  Ui& ui = session.ui;
  const std::string chosen = vram::text_of(session.value(field));
  const std::vector<Choice> choices = choices_of(session, field);
  std::vector<std::string> labels;
  int index = -1;
  for (const Choice& choice : choices) {
    if (choice.id == chosen) index = static_cast<int>(labels.size());
    labels.push_back(choice.words);
  }
  const float wanted = segmented_width(ui, labels);
  if (labels.size() <= 3 && wanted <= column.width) {
    const Rect row = column.take(ui.sizes.field);
    const float roomy = wanted + 16 * static_cast<float>(labels.size());
    const Rect part{row.x, row.y, ui.phone() ? row.width : std::min(row.width, std::max(roomy, 220.0f)), row.height};
    const int picked = segmented(ui, field.key, part, labels, index, field_word(session, field));
    if (picked >= 0) session.set_field(field, choices[static_cast<std::size_t>(picked)].id);
    return;
  }
  const std::string shown = value_word(session, field);
  const Rect row = column.take(field_height(ui, shown, column.width));
  const bool open = session.overlay.kind == Overlay::Kind::choices && session.overlay.field == &field;
  const Press state = field_box(ui, field.key, row, Role::combobox, field_word(session, field), shown, false, false);
  if (open) outline(ui, row, ui.palette.accent, kRadius, 2);
  if (state.pressed) open_list(session, Overlay::Kind::choices, field, row);
}

/// A list that is searched; `chosen` is what it begins with.
void picker_control(Session& session, Column& column, const vram::Field& field, const std::string& shown,
                    const std::string& chosen) {
  Ui& ui = session.ui;
  const Rect row = column.take(field_height(ui, shown, column.width));
  const Overlay::Kind kind = field.kind == FieldKind::model ? Overlay::Kind::models : Overlay::Kind::accelerators;
  const bool open = session.overlay.kind == kind && session.overlay.field == &field;
  const bool typed_here = open && !ui.phone();
  const Press state = field_box(ui, field.key, row, Role::combobox, field_word(session, field), shown, typed_here,
                                false);
  const std::string search_id = std::string(field.key) + ".search";
  const TextField search{.id = search_id, .search = true, .label = field_word(session, field), .shown = shown,
                         .text = chosen, .kind = platform::TextKind::search};
  if (state.pressed && !open) {
    open_list(session, kind, field, row);
    begin_editing(session, row, search);
  } else if (typed_here) {
    session.overlay.anchor = row;
    keep_editing(session, row, search);
  }
}

/// Cards beside those of the plan, each with its number, and a list to add one.
void cards_control(Session& session, Column& column, const vram::Field& field) {
  Ui& ui = session.ui;
  std::vector<vram::CardCount> cards;
  for (const vram::CardGroup& one : session.answered->inputs.others) cards.push_back({one.card.id, one.count});
  const auto set = [&] { session.set_field(field, vram::cards_text(cards)); };
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const std::string name = card_name(session, session.answered->inputs.others[i].card);
    const std::string id = "card." + std::to_string(i), count = session.language().number(cards[i].count);
    const float side = ui.sizes.field, figure = std::ceil(width_of(ui, count, body(ui))) + 20;
    Rect row = column.take(std::max(side, height_of(ui, name, body(ui), column.width - 2 * side - figure - 12)));
    const Rect more = row.cut_right(side), number = row.cut_right(figure), less = row.cut_right(side, 12);
    const float lines = height_of(ui, name, body(ui), row.width);
    put_lines(ui, {row.x, row.middle() - lines / 2, row.width, 0}, name, body(ui));
    put(ui, number, count, body(ui), Align::centre);
    column.gap(8);
    const bool last = cards[i].count == 1;
    if (step_button(session, id, last ? "take_out" : "less", {less.x, less.middle() - side / 2, side, side}, name)) {
      if (last) cards.erase(cards.begin() + static_cast<std::ptrdiff_t>(i));
      else --cards[i].count;
      return set();
    }
    if (step_button(session, id, "one_more", {more.x, more.middle() - side / 2, side, side}, name)) {
      ++cards[i].count;
      return set();
    }
  }
  picker_control(session, column, field, session.word("page.add_card"), "");
}

void control_of_kind(Session& session, Column& column, const vram::Field& field) {
  switch (field.kind) {
    case FieldKind::integer:
      if (field.unit == vram::Unit::devices) stepper_control(session, column, field);
      else number_control(session, column, field);
      return;
    case FieldKind::real: number_control(session, column, field); return;
    case FieldKind::choice:
    case FieldKind::platform: choice_control(session, column, field); return;
    case FieldKind::model:
    case FieldKind::accelerator: {
      const std::string shown = value_word(session, field);
      return picker_control(session, column, field, shown, shown);
    }
    case FieldKind::cards: cards_control(session, column, field); return;
    case FieldKind::text: text_control(session, column, field); return;
    case FieldKind::config: return;  // comes from a file
  }
}

}  // namespace

void field_control(Session& session, Column& column, const vram::Field& field) {
  paragraph(session.ui, column, field_word(session, field), caption(session.ui));
  column.gap(4);
  control_of_kind(session, column, field);
  const auto wrong = session.field_errors.find(error_place(field, session.current));
  if (wrong == session.field_errors.end()) return;
  column.gap(4);
  paragraph(session.ui, column, session.say(wrong->second), caption(session.ui).with(session.ui.palette.no));
}

void group_controls(Session& session, Column& column, vram::Group group) {
  for (const vram::Field& field : vram::fields()) {
    if (field.group != group || !field.shown(session.scenario)) continue;
    column.gap(16);
    field_control(session, column, field);
    column.gap(4);
    paragraph(session.ui, column, field_hint(session, field), caption(session.ui));
  }
}

}  // namespace ui
