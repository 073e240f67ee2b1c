// The row of tabs: in rows where a mouse points, one row that a finger swipes.
#include <cmath>

#include "web/ui/widgets.h"

namespace ui {
namespace {

bool draw_tab(Ui& ui, const std::string& id, Rect part, const std::string& words, bool on) {
  const Press state = press(ui, id, part, Role::tab, words, {}, on);
  const Style shown{strong(ui).size, on || state.hovered ? ui.palette.ink : ui.palette.soft, on};
  caption_of(ui, part, words, shown, Align::left);
  if (on) fill(ui, {part.x, part.bottom() - 2, part.width, 2}, ui.palette.accent);
  focus_ring(ui, part, state, 2);
  return state.pressed;
}

float tab_width(const Ui& ui, const std::string& words) { return std::ceil(width_of(ui, words, strong(ui))); }

struct Place {
  int row = 0;
  float x = 0, width = 0;        ///< within the row
};

/// In rows of a width, so far from each other.
std::vector<Place> placed(const Ui& ui, std::span<const std::string> labels, float room, float between) {
  std::vector<Place> places;
  Place next;
  for (const std::string& words : labels) {
    next.width = tab_width(ui, words);
    if (next.x > 0 && next.x + next.width > room) next = {next.row + 1, 0, next.width};
    places.push_back(next);
    next.x += next.width + between;
  }
  return places;
}

/// Where a row goes on beyond the window's edge, it fades.
void fade(Ui& ui, Rect edge, bool to_the_right) {
  const Colour solid = ui.palette.page, clear = with_alpha(solid, 0);
  const Colour left = to_the_right ? clear : solid, right = to_the_right ? solid : clear;
  ui.draw->AddRectFilledMultiColor(ImVec2(edge.x, edge.y), ImVec2(edge.right(), edge.bottom()), left, right, right,
                                   left);
}

/// The window scrolls so far that the tab is seen whole, with a part of its neighbour.
void show_tab(Rect tab, Rect view, float neighbour) {
  const float scroll = ImGui::GetScrollX();
  if (tab.x - neighbour < view.x) ImGui::SetScrollX(std::max(0.0f, scroll + tab.x - neighbour - view.x));
  else if (tab.right() + neighbour > view.right()) ImGui::SetScrollX(scroll + tab.right() + neighbour - view.right());
}

/// One row from edge to edge of the window that a finger swipes.
int swiped_tabs(Ui& ui, std::string_view id, Rect row, std::span<const std::string> labels, int chosen, float between) {
  const float side = row.x;
  const Rect view{0, row.y, row.width + 2 * side, row.height};
  ImGui::SetCursorScreenPos(ImVec2(view.x, view.y));
  const std::string name(id);
  ImGui::BeginChild(name.c_str(), ImVec2(view.width, view.height), ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground);
  ImDrawList* const below = ui.draw;
  ui.draw = ImGui::GetWindowDrawList();
  int picked = -1;
  int* const seen = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("seen"), 0);
  float x = side - ImGui::GetScrollX();
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const std::string& words = labels[static_cast<std::size_t>(i)];
    const Rect part{x, row.y, tab_width(ui, words), row.height};
    if (draw_tab(ui, name + "." + std::to_string(i), part, words, i == chosen)) picked = i;
    if (i == chosen && *seen != chosen) show_tab(part, view, side + between);
    x += part.width + between;
  }
  *seen = chosen;
  ImGui::SetCursorScreenPos(ImVec2(x - between + side - 1, row.y));
  ImGui::Dummy(ImVec2(1, 1));
  if (ImGui::GetScrollX() > 0) fade(ui, {view.x, view.y, side * 2, view.height - 2}, false);
  if (x - between + side > view.right() + 1) {
    fade(ui, {view.right() - side * 2, view.y, side * 2, view.height - 2}, true);
  }
  ImGui::EndChild();
  ui.draw = below;
  return picked;
}

}  // namespace

int tabs(Ui& ui, std::string_view id, Column& column, std::span<const std::string> labels, int chosen) {
  int picked = -1;
  const float height = std::max(ui.sizes.target, 40.0f);
  float between = ui.phone() ? 20.0f : 28.0f;
  float all = -between;
  for (const std::string& words : labels) all += tab_width(ui, words) + between;
  Rect row = column.take(height);
  if (all > column.width && ui.coarse && ui.width != Width::desktop) {
    picked = swiped_tabs(ui, id, row, labels, chosen, between);
    hairline(ui, row.x, row.bottom() - 1, row.width);
    return picked;
  }
  if (all > column.width) {  // as many rows as they take; closer together when that saves one
    between = placed(ui, labels, column.width, 12).back().row < placed(ui, labels, column.width, 18).back().row ? 12 : 18;
  }
  const std::vector<Place> places = placed(ui, labels, column.width, between);
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    if (i > 0 && place.row != places[static_cast<std::size_t>(i) - 1].row) row = column.take(height);
    const Rect part{row.x + place.x, row.y, place.width, height};
    const std::string& words = labels[static_cast<std::size_t>(i)];
    if (draw_tab(ui, std::string(id) + "." + std::to_string(i), part, words, i == chosen)) picked = i;
  }
  hairline(ui, row.x, row.bottom() - 1, row.width);
  return picked;
}

}  // namespace ui
