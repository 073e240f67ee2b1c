// Options in rows under headings that sort them: how full, how quick, how much power, each with a bar.
#include <array>
#include <cmath>

#include "core/report/advise.h"
#include "core/report/side_by_side.h"
#include "web/ui/buying.h"
#include "web/ui/exports.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

constexpr std::size_t kFigures = static_cast<std::size_t>(vram::OptionOrder::count_);
constexpr float kBetween = 14, kArrow = 16, kBar = 4, kPad = 10, kKeep = 44;

vram::OptionOrder order_of(std::size_t figure) { return static_cast<vram::OptionOrder>(figure); }

std::string heading_of(const Session& session, vram::OptionOrder order) {
  const bool hours = order == vram::OptionOrder::speed && vram::trains(session.scenario);
  return session.word("options.short." + std::string(hours ? "hours" : vram::order_key(order)));
}

std::string figure_text(const Session& session, const vram::Option& option, vram::OptionOrder order) {
  const vram::Language language = session.language();
  const auto figure = vram::figure_of(option, order);
  if (!figure) return "\xE2\x80\x93";
  switch (order) {
    case vram::OptionOrder::devices: return std::to_string(option.bought);
    case vram::OptionOrder::headroom: return language.percent(*figure);
    case vram::OptionOrder::speed: return vram::rate_text(*figure, language);
    default: return language.number(*figure, 1);
  }
}

/// Widths from left to right: the name (0 = it stands above the figures), each figure, the mark to keep.
struct Places {
  float name = 0, left = 0;
  std::array<float, kFigures> widths{};
};

Places places_for(const Session& session, float width) {
  const Ui& ui = session.ui;
  Places places;
  float all = kKeep;
  for (std::size_t i = 0; i < kFigures; ++i) {
    places.widths[i] = std::ceil(width_of(ui, heading_of(session, order_of(i)), strong(ui))) + kArrow;
    all += places.widths[i] + kBetween;
  }
  const float rest = width - all;
  if (rest >= 240) {
    const float more = std::floor(std::min(24.0f, (rest - 240) / kFigures));
    for (float& one : places.widths) one += more;
    places.name = rest - more * kFigures;
    places.left = places.name + kBetween;
  } else {  // below the name and its mark there is the whole width
    const float more = std::floor((rest + kKeep + kBetween) / kFigures);
    for (float& one : places.widths) one += std::max(0.0f, more);
  }
  return places;
}

void draw_arrow(Ui& ui, float x, float y, bool up) {
  const float tip = up ? -4.0f : 4.0f;
  const ImVec2 left(x - 4.5f, y - tip / 2), right(x + 4.5f, y - tip / 2), point(x, y + tip);
  ui.draw->AddTriangleFilled(up ? right : left, up ? left : right, point, ui.palette.ink);
}

void draw_headings(Session& session, Column& column, const Places& places) {
  Ui& ui = session.ui;
  const Rect line = column.take(std::max(ui.sizes.target, 32.0f));
  float x = line.x + places.left;
  for (std::size_t i = 0; i < kFigures; ++i) {
    const vram::OptionOrder order = order_of(i);
    const bool on = session.sort.by == order, up = vram::is_ascending(session.sort, vram::trains(session.scenario));
    const std::string words = heading_of(session, order);
    const Rect rect{x, line.y, places.widths[i], line.height};
    const std::string id = "sort." + std::string(vram::order_key(order));
    const Press state = press(ui, id, rect, Role::button,
                              session.say(vram::Message("options.sort_by").with("what", words)),
                              on ? up ? "ascending" : "descending" : "", on);
    const Style style{caption(ui).size, on || state.hovered ? ui.palette.ink : ui.palette.soft, on};
    caption_of(ui, rect, words, style, Align::left);
    if (on) draw_arrow(ui, rect.x + std::ceil(width_of(ui, words, style)) + 9, rect.middle(), up);
    focus_ring(ui, rect, state, 2);
    if (state.pressed) perform(session, id);
    x += places.widths[i] + kBetween;
  }
  hairline(ui, column.x, column.y, column.width);
}

/// What a figure's bar is measured against: of memory the device, of the others the most there is.
using Most = std::array<double, kFigures>;

void draw_figures(Session& session, Rect area, const Places& places, const vram::Option& option, const Most& most) {
  Ui& ui = session.ui;
  const std::array<Colour, kFigures> colours = {ui.palette.faint, ui.palette.weights, ui.palette.accent,
                                                ui.palette.optimizer};
  float x = area.x;
  for (std::size_t i = 0; i < kFigures; ++i) {
    const vram::OptionOrder order = order_of(i);
    const std::string text = figure_text(session, option, order);
    put(ui, {x, area.y, places.widths[i], line_height(body(ui))}, text, body(ui));
    const auto figure = vram::figure_of(option, order);
    const bool memory = order == vram::OptionOrder::headroom;
    const double share = !figure || most[i] <= 0 ? 0 : memory ? *figure : *figure / most[i];
    const Rect bar{x, area.bottom() - kBar, places.widths[i], kBar};
    fill(ui, bar, ui.palette.track, 2);
    fill(ui, {bar.x, bar.y, bar.width * static_cast<float>(share), kBar}, colours[i], 2);
    x += places.widths[i] + kBetween;
  }
}

void draw_keep(Session& session, Rect rect, const vram::Option& option, const std::string& number) {
  Ui& ui = session.ui;
  const std::string name = vram::plan_name(option.scenario, option.devices, option.gpu, session.language());
  if (session.keeps(option.scenario)) {
    icon(ui, Icon::tick, rect.centre(), rect.middle(), 18, ui.palette.soft);
    return;
  }
  if (session.kept.size() == vram::kMostKept) return;
  const std::string words = session.say(vram::Message("beside.keep_option").with("name", name));
  if (icon_button(ui, "keep_option." + number, rect, Icon::plus, words)) session.keep(name, option.scenario);
}

void draw_option(Session& session, Column& column, const Places& places, const vram::Option& option,
                 const Most& most, const std::string& number) {
  Ui& ui = session.ui;
  const bool above = places.name == 0;
  const std::string name = name_of(option);
  std::string about = formats_of(session, option);
  if (option.bought > option.devices) about += " \xC2\xB7 " + at_work(session, option);
  if (option.to_pilot) about += " \xC2\xB7 " + session.word("page.to_pilot");
  const float wide = above ? column.width - kKeep : places.name;
  const float words = height_of(ui, name, strong(ui), wide) + 2 + height_of(ui, about, caption(ui), wide);
  const float figures = line_height(body(ui)) + 6 + kBar;
  Rect row = column.take(2 * kPad + (above ? words + 10 + figures : std::max(words, figures)));
  const Rect whole = row;
  Rect at_right = row.cut_right(kKeep);
  if (above) at_right.height = std::max(kKeep, words + kPad);
  const Press state = press(ui, "option_of." + number, row, Role::button, name, session.word("page.take_option"),
                            session.is_current(option.scenario));
  if (session.is_current(option.scenario)) {
    fill(ui, {whole.x - 8, whole.y + 6, 3, whole.height - 12}, ui.palette.accent, 1);
  }
  laid_over(ui, row, state);
  const std::size_t control = ui.items.size();
  Column left{row.x, row.y + kPad, wide};
  paragraph(ui, left, name, strong(ui));
  left.gap(2);
  paragraph(ui, left, about, caption(ui));
  const float top = above ? left.y + 10 : row.middle() - figures / 2;
  draw_figures(session, {row.x + places.left, top, 0, figures}, places, option, most);
  bool clipped = false;
  for (std::size_t i = control; i < ui.items.size(); ++i) clipped = clipped || ui.items[i].clipped;
  ui.items.resize(control);  // the control has said it
  ui.items.back().clipped = clipped;
  focus_ring(ui, row, state);
  hairline(ui, whole.x, whole.bottom() - 1, whole.width);
  draw_keep(session, at_right, option, number);
  if (state.pressed) session.ask(option.scenario);
}

}  // namespace

void draw_option_rows(Session& session, Column& column, const std::vector<vram::Option>& options) {
  const Places places = places_for(session, column.width);
  Most most{};
  for (const vram::Option& option : options) {
    for (std::size_t i = 0; i < kFigures; ++i) {
      most[i] = std::max(most[i], vram::figure_of(option, order_of(i)).value_or(0));
    }
  }
  draw_headings(session, column, places);
  const std::vector<vram::Option> shown = vram::sorted(options, session.sort);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    draw_option(session, column, places, shown[i], most, std::to_string(i));
  }
}

}  // namespace ui
