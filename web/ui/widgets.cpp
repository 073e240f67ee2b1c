#include "web/ui/widgets.h"

#include <cmath>

namespace ui {

void laid_over(Ui& ui, Rect rect, const Press& state, float radius) {
  if (state.held) fill(ui, rect, ui.palette.pressed, radius);
  else if (state.hovered) fill(ui, rect, ui.palette.hover, radius);
}

void caption_of(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align) {
  const std::size_t control = ui.items.size() - 1;
  put(ui, rect, text, style, align);
  const bool clipped = ui.items.back().clipped;
  ui.items.pop_back();
  ui.items[control].clipped = ui.items[control].clipped || clipped;
}

namespace {

/// The name of what has no words of its own, while the mouse or the keyboard is on it.
void name_tag(Ui& ui, Rect rect, std::string_view label) {
  const Style style{ui.sizes.caption, ui.palette.page};
  const float width = std::ceil(width_of(ui, label, style)) + 20;
  const float x = std::clamp(rect.centre() - width / 2, 8.0f, ImGui::GetIO().DisplaySize.x - width - 8);
  const Rect tag{x, rect.bottom() + 6, width, style.size + 12};
  ImDrawList* const below = ui.draw;
  ui.draw = ImGui::GetForegroundDrawList();
  fill(ui, tag, ui.palette.ink, 6);
  put(ui, tag, label, style, Align::centre);
  ui.items.pop_back();  // the control has said it
  ui.draw = below;
}

}  // namespace

Press press(Ui& ui, std::string_view id, Rect rect, Role role, std::string_view label, std::string_view value,
            bool chosen) {
  Item item;
  item.role = role;
  item.layer = ui.layer;
  item.id = id;
  item.label = label;
  item.value = value;
  item.rect = rect;
  item.chosen = chosen;
  ui.items.push_back(item);

  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushID(id.data(), id.data() + id.size());
  Press state;
  state.pressed = ImGui::InvisibleButton("press", ImVec2(std::max(1.0f, rect.width), std::max(1.0f, rect.height)),
                                         ImGuiButtonFlags_EnableNav);
  state.hovered = ImGui::IsItemHovered() && !ui.coarse;
  state.held = ImGui::IsItemActive();
  state.focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  ImGui::PopID();
  if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return state;
}

void focus_ring(Ui& ui, Rect rect, const Press& state, float radius) {
  if (state.focused) outline(ui, rect.inset(-3, -3), ui.palette.accent, radius + 3, 2);
}

float button_width(const Ui& ui, std::string_view label) { return std::ceil(width_of(ui, label, strong(ui))) + 40; }

bool button(Ui& ui, std::string_view id, Rect rect, std::string_view label, ButtonKind kind) {
  const Press state = press(ui, id, rect, Role::button, label);
  Style style = body(ui);
  if (kind == ButtonKind::primary) {
    fill(ui, rect, ui.palette.accent, kRadius);
    style = strong(ui).with(ui.palette.on_accent);
  } else if (kind == ButtonKind::secondary) {
    fill(ui, rect, ui.palette.field, kRadius);
    outline(ui, rect, state.hovered ? ui.palette.border_strong : ui.palette.border);
  }
  if (kind == ButtonKind::primary && (state.hovered || state.held)) {
    fill(ui, rect, with_alpha(ui.palette.on_accent, state.held ? 50 : 28), kRadius);
  } else {
    laid_over(ui, rect, state);
  }
  caption_of(ui, rect.inset(8, 0), label, style, Align::centre);
  focus_ring(ui, rect, state);
  return state.pressed;
}

bool icon_button(Ui& ui, std::string_view id, Rect rect, Icon which, std::string_view label) {
  const Press state = press(ui, id, rect, Role::button, label);
  laid_over(ui, rect, state);
  icon(ui, which, rect.centre(), rect.middle(), 20, ui.palette.ink);
  focus_ring(ui, rect, state);
  if (state.hovered || state.focused) name_tag(ui, rect, label);
  return state.pressed;
}

bool link(Ui& ui, std::string_view id, float x, float y, std::string_view text, const Style& style) {
  const Rect words{x, y, std::ceil(width_of(ui, text, style)), line_height(style)};
  const Press state = press(ui, id, words.at_least(ui.sizes.target), Role::link, text);
  caption_of(ui, words, text, state.hovered ? style.with(ui.palette.ink) : style, Align::left);
  dotted_line(ui, words.x, words.bottom() - 2, words.width, state.hovered ? ui.palette.ink : ui.palette.faint);
  focus_ring(ui, words, state, 2);
  return state.pressed;
}

bool pressable_amount(Ui& ui, std::string_view id, Rect rect, std::string_view amount, std::string_view label,
                      const Style& style) {
  const float width = std::min(rect.width, std::ceil(width_of(ui, amount, style)) + 4);
  const Rect words{rect.right() - width, rect.y, width, rect.height};
  const Press state = press(ui, id, words.at_least(ui.sizes.target), Role::link, label, amount);
  const std::size_t control = ui.items.size() - 1;
  put_amount(ui, rect, amount, style);
  const Item text = ui.items.back();
  ui.items.pop_back();
  ui.items[control].clipped = text.clipped;
  dotted_line(ui, text.rect.x, text.rect.bottom() + 1, text.rect.width,
              state.hovered ? ui.palette.ink : ui.palette.faint);
  focus_ring(ui, words, state, 2);
  return state.pressed;
}

namespace {

float segment_width(const Ui& ui, const std::string& label) {
  constexpr float kPad = 12;
  return std::ceil(width_of(ui, label, strong(ui))) + 2 * kPad;
}

}  // namespace

float segmented_width(const Ui& ui, std::span<const std::string> labels) {
  float all = 0;
  for (const std::string& label : labels) all += segment_width(ui, label);
  return all;
}

int segmented(Ui& ui, std::string_view id, Rect rect, std::span<const std::string> labels, int chosen,
              std::string_view label) {
  int picked = -1;
  fill(ui, rect, ui.palette.track, kRadius);
  // Equal parts where the longest words have room in one, otherwise as wide as their words.
  const float equal = rect.width / static_cast<float>(labels.size());
  const bool alike = std::all_of(labels.begin(), labels.end(),
                                 [&](const std::string& words) { return segment_width(ui, words) <= equal; });
  const float spare = (rect.width - segmented_width(ui, labels)) / static_cast<float>(labels.size());
  float x = rect.x;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const std::string& words = labels[static_cast<std::size_t>(i)];
    const Rect part{x, rect.y, alike ? equal : segment_width(ui, words) + spare, rect.height};
    x = part.right();
    const Press state = press(ui, std::string(id) + "." + std::to_string(i), part.at_least(ui.sizes.target),
                              Role::radio, std::string(label) + ": " + words, {}, i == chosen);
    const Rect pill = part.inset(3, 3);
    if (i == chosen) {
      fill(ui, pill, ui.palette.sheet, kRadius - 2);
      outline(ui, pill, ui.palette.border, kRadius - 2);
    } else {
      laid_over(ui, pill, state, kRadius - 2);
    }
    caption_of(ui, part.inset(4, 0), words, i == chosen ? strong(ui) : soft(ui), Align::centre);
    focus_ring(ui, pill, state, kRadius - 2);
    if (state.pressed) picked = i;
  }
  return picked;
}

float Flow::place(float width) {
  if (x > column.x && x + width > column.x + column.width) {
    x = column.x;
    column.y += step;
  }
  const float left = x;
  x += width + between;
  return left;
}

int links(Ui& ui, Column& column, std::span<const LinkWords> list, const Style& style) {
  const float line = line_height(style), step = std::max(ui.sizes.target, line + 8);
  Flow flow{column, 24, step};
  int picked = -1;
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    const LinkWords& one = list[static_cast<std::size_t>(i)];
    const float x = flow.place(std::ceil(width_of(ui, one.words, style)));
    if (link(ui, one.id, x, column.y + (step - line) / 2, one.words, style)) picked = i;
  }
  column.y += step;
  return picked;
}

int chips(Ui& ui, std::string_view id, Column& column, std::span<const std::string> labels, int chosen,
          std::string_view label) {
  int picked = -1;
  const float height = std::max(ui.sizes.target, 36.0f);
  Flow flow{column, 8, height + 8};
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const std::string& words = labels[static_cast<std::size_t>(i)];
    const float width = std::ceil(width_of(ui, words, strong(ui))) + 24;
    const float x = flow.place(width);  // moves the column to the row
    const Rect part{x, column.y, width, height};
    const bool on = i == chosen;
    const Press state = press(ui, std::string(id) + "." + std::to_string(i), part, Role::radio,
                              std::string(label) + ": " + words, {}, on);
    const Rect pill = part.inset(0, (height - 32) / 2);
    laid_over(ui, pill, state);
    outline(ui, pill, on ? ui.palette.accent : ui.palette.border, kRadius, on ? 2.0f : 1.0f);
    caption_of(ui, part.inset(4, 0), words, on ? strong(ui) : soft(ui), Align::centre);
    focus_ring(ui, pill, state);
    if (state.pressed) picked = i;
  }
  column.y += height;
  return picked;
}

bool expander(Ui& ui, std::string_view id, Column& column, std::string_view label, bool open) {
  const Rect row = column.take(std::max(ui.sizes.target, 32.0f));
  const Rect part{row.x, row.y, std::ceil(width_of(ui, label, strong(ui))) + 28, row.height};
  const Press state = press(ui, id, part, Role::button, label, open ? "open" : "closed");
  const Colour colour = state.hovered ? ui.palette.ink : ui.palette.soft;
  ImDrawList& draw = *ui.draw;
  const float x = row.x + 7, y = row.middle();
  if (open) draw.AddTriangleFilled(ImVec2(x - 5, y - 3), ImVec2(x + 5, y - 3), ImVec2(x, y + 4), colour);
  else draw.AddTriangleFilled(ImVec2(x - 3, y - 5), ImVec2(x + 4, y), ImVec2(x - 3, y + 5), colour);
  caption_of(ui, {row.x + 22, row.y, part.width - 22, row.height}, label, strong(ui), Align::left);
  focus_ring(ui, part, state, 4);
  return state.pressed;
}

}  // namespace ui
