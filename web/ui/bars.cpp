// Memory of each device, drawn against what a program can use of it.
#include <array>
#include <cmath>

#include "web/ui/overlay.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr int kMostGroups = 8;

constexpr std::array<vram::Category, 5> kCategories = {vram::Category::weights, vram::Category::kv,
                                                       vram::Category::activations, vram::Category::optimizer,
                                                       vram::Category::runtime};

float size_of(vram::Bytes bytes) { return static_cast<float>(vram::gibibytes(bytes)); }

/// Pixels per GiB: all bars have one scale, so that they can be compared.
float scale_for(const vram::Plan& plan, float width) {
  const float longest = reach_of(plan);
  return longest > 0 ? width / longest : 0;
}

void draw_device(Session& session, Column& column, const vram::DeviceGroup& group, float scale_end) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const vram::Band band = plan.of(group.first);
  const vram::Language language = session.language();
  Rect words = column.take(line_height(body(ui)));
  const std::string amount = language.memory_range(band);
  const Rect at_right = words.cut_right(std::min(words.width * 0.6f, width_of(ui, amount, strong(ui)) + 8));
  std::string name = device_name(group);
  const std::string each = session.say(vram::Message("page.each").with("devices", name));
  if (group.first != group.last && width_of(ui, each, soft(ui)) <= words.width) name = each;
  if (pressable_amount(ui, "bar." + std::to_string(group.first), at_right, amount, name, strong(ui))) {
    open_explanation(session, {.kind = Subject::Kind::total, .device = group.first}, at_right);
  }
  put(ui, words, name, soft(ui));
  column.gap(6);
  const Rect bar = column.take(ui.phone() ? 24.0f : 28.0f);
  draw_bar(session, {bar.x, bar.y, scale_end, bar.height}, group.first);
}

}  // namespace

float reach_of(const vram::Plan& plan) {
  float longest = 0;
  for (const vram::DeviceGroup& group : vram::alike_devices(plan)) {
    const float used = size_of(plan.of(group.first).high) * 1.01f;
    longest = std::max({longest, size_of(plan.usable(group.first)) * 1.04f, used});
  }
  return longest;
}

float draw_bar(Session& session, Rect rect, int device) {
  const vram::Plan& plan = session.answered->plan;
  return draw_bar(session.ui, rect, plan, device, scale_for(plan, rect.width));
}

float draw_bar(Ui& ui, Rect rect, const vram::Plan& plan, int device, float scale) {
  const vram::Band band = plan.of(device);
  const float usable = rect.x + size_of(plan.usable(device)) * scale;
  const float tall = rect.height;

  // Free memory, up to the usable line; what is filled, term by term; the spread of the estimate.
  fill(ui, {rect.x, rect.y, usable - rect.x, tall}, ui.palette.track);
  float x = rect.x;
  for (const vram::Category category : kCategories) {
    const float width = size_of(vram::total(plan.ledger, device, category).likely) * scale;
    if (width <= 0) continue;
    const float shown = std::max(1.5f, width);
    patterned(ui, {x, rect.y, shown, tall}, ui.palette.of(category), pattern_of(category));
    x += width;
    if (width > 4) fill(ui, {x - 1, rect.y, 1, tall}, ui.palette.sheet);
  }
  const float high = rect.x + size_of(band.high) * scale;
  if (high - x > 1.5f) patterned(ui, {x, rect.y, high - x, tall}, ui.palette.border_strong, Pattern::spread);

  // What the engine leaves free is no room for anything else.
  const float reserve = size_of(vram::reserved(plan.ledger, device)) * scale;
  const float from = std::max({usable - reserve, x, high});
  if (usable - from > 2) {
    patterned(ui, {from, rect.y, usable - from, tall}, ui.palette.border_strong, Pattern::kept_free);
  }

  // The line, and what lies beyond it.
  const float beyond = std::max(x, high);
  if (beyond > usable + 1) {
    fill(ui, {usable, rect.bottom() + 3, beyond - usable, 2}, ui.palette.no);
  }
  fill(ui, {usable - 1, rect.y - 5, 2, tall + 10}, ui.palette.ink);
  return usable;
}

void draw_bars(Session& session, Column& column) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const auto groups = vram::alike_devices(plan);
  int shown = 0;
  for (const vram::DeviceGroup& group : groups) {
    if (shown++ == kMostGroups) break;
    if (shown > 1) column.gap(14);
    draw_device(session, column, group, column.width);
  }
  if (static_cast<int>(groups.size()) > kMostGroups) {
    column.gap(8);
    paragraph(ui, column,
              session.say(vram::Message("page.more_devices")
                              .with("count", static_cast<std::int64_t>(groups.size()) - kMostGroups)),
              caption(ui));
  }

  // The figure of the usable line stands under it.
  const float scale = scale_for(plan, column.width);
  const float line = column.x + size_of(plan.usable()) * scale;
  column.gap(8);
  const Rect row = column.take(line_height(caption(ui)));
  const std::string words = session.say(vram::Message("page.usable_line").with("usable", plan.usable()));
  const Style style = caption(ui);
  const float width = width_of(ui, words, style);
  const float left = std::clamp(line - width, row.x, std::max(row.x, row.right() - width));
  if (link(ui, "usable", left, row.y, words, style)) {
    open_explanation(session, {.kind = Subject::Kind::usable}, {left, row.y, width, row.height});
  }
}

}  // namespace ui
