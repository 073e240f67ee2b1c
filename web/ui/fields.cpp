// Controls that hold a value: the box of a field, the slider.
#include <cmath>

#include "imgui_internal.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

constexpr float kFieldLeft = 12, kFieldRight = 34;

/// An arrow key that belongs to the control just made instead of to Dear ImGui's way through the page.
int arrow_pressed(ImGuiKey key) {
  const ImGuiID owner = ImGui::GetItemID();
  ImGui::SetKeyOwner(key, owner);
  return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner) ? 1 : 0;
}

}  // namespace

float field_height(const Ui& ui, std::string_view value, float width) {
  const float lines = height_of(ui, value, body(ui), width - kFieldLeft - kFieldRight);
  return lines > line_height(body(ui)) ? std::max(ui.sizes.field, lines + 18) : ui.sizes.field;
}

Press field_box(Ui& ui, std::string_view id, Rect rect, Role role, std::string_view label, std::string_view value,
                bool open, bool wrong) {
  const Press state = press(ui, id, rect, role, label, value);
  if (state.hovered && role == Role::textbox) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  fill(ui, rect, ui.palette.field, kRadius);
  const Colour edge = wrong ? ui.palette.no : open ? ui.palette.accent
                      : state.hovered ? ui.palette.border_strong : ui.palette.border;
  outline(ui, rect, edge, kRadius, open || wrong ? 2.0f : 1.0f);
  if (!open) {
    const float room = rect.width - kFieldLeft - (role == Role::textbox ? kFieldLeft : kFieldRight);
    const float lines = height_of(ui, value, body(ui), room);
    if (lines <= line_height(body(ui)) || lines > rect.height) {
      caption_of(ui, {rect.x + kFieldLeft, rect.y, room, rect.height}, value, body(ui), Align::left);
    } else {
      put_lines(ui, {rect.x + kFieldLeft, rect.middle() - lines / 2, room, 0}, value, body(ui));
      ui.items.pop_back();
    }
  }
  if (role != Role::textbox) field_chevron(ui, rect);
  focus_ring(ui, rect, state);
  return state;
}

void field_chevron(Ui& ui, Rect rect) {
  icon(ui, Icon::chevron, rect.right() - 18, rect.middle(), 16, ui.palette.soft);
}

bool slider(Ui& ui, std::string_view id, Rect rect, std::string_view label, std::string_view value, int stops,
            float& position) {
  const Press state = press(ui, id, rect.at_least(ui.sizes.target), Role::slider, label, value);
  const float knob = ui.coarse ? 12.0f : 9.0f;
  const Rect track{rect.x + knob, rect.middle() - 2, rect.width - 2 * knob, 4};
  bool changed = false;
  const float step = stops > 1 ? 1.0f / static_cast<float>(stops - 1) : 1.0f;
  if (state.held && ImGui::IsMouseDown(ImGuiMouseButton_Left) && track.width > 0) {
    const float wanted = std::clamp((ImGui::GetIO().MousePos.x - track.x) / track.width, 0.0f, 1.0f);
    const float stepped = std::round(wanted / step) * step;
    changed = std::abs(stepped - position) > step / 4;
    if (changed) position = stepped;
  }
  if (state.focused) {  // arrows step it; up and down go on through the page
    const int by = arrow_pressed(ImGuiKey_RightArrow) - arrow_pressed(ImGuiKey_LeftArrow);
    if (by != 0) {
      const float at = position / step;
      const float next = by > 0 ? std::floor(at + 0.01f) + 1 : std::ceil(at - 0.01f) - 1;
      position = std::clamp(next * step, 0.0f, 1.0f);
      changed = true;
    }
  }
  if (state.hovered || state.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

  const float x = track.x + track.width * std::clamp(position, 0.0f, 1.0f);
  fill(ui, track, ui.palette.track, 2);
  for (int i = 0; i < stops && stops <= 16; ++i) {
    const float mark = track.x + track.width * step * static_cast<float>(i);
    fill(ui, {mark - 0.5f, track.bottom() + 5, 1, 4}, ui.palette.border);
  }
  fill(ui, {track.x, track.y, x - track.x, track.height}, ui.palette.accent, 2);
  ui.draw->AddCircleFilled(ImVec2(x, track.middle()), knob, ui.palette.sheet, 32);
  ui.draw->AddCircle(ImVec2(x, track.middle()), knob - 1, ui.palette.accent, 32,
                     state.held || state.hovered ? 3.0f : 2.0f);
  if (state.focused) ui.draw->AddCircle(ImVec2(x, track.middle()), knob + 3, ui.palette.accent, 32, 2);
  return changed;
}

}  // namespace ui
