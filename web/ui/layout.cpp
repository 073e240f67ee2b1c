// The page at the width of the window: two columns, or one with a strip at the bottom that keeps the answer in view.
#include <cmath>

#include "web/platform/platform.h"
#include "web/ui/overlay.h"
#include "web/ui/panels.h"

namespace ui {
namespace {

constexpr float kTaskWidth = 388, kNextWidth = 360, kBetween = 48, kSheetPad = 32;
constexpr float kThreeColumns = 1600;     ///< px of the page from which there are three

void begin_window(Ui& ui, const char* name, Rect area, bool scrolls) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                           ImGuiWindowFlags_NoBringToFrontOnFocus;
  if (scrolls && !ui.coarse) flags &= ~ImGuiWindowFlags_NoScrollbar;
  ImGui::Begin(name, nullptr, flags);
  ui.draw = ImGui::GetWindowDrawList();
}

/// Tells Dear ImGui how far the content goes, so that it scrolls.
void end_content(float bottom) {
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetWindowPos().x, bottom - 1));
  ImGui::Dummy(ImVec2(1, 1));
}

void draw_answer_parts(Session& session, Column& column) {
  Ui& ui = session.ui;
  draw_answer(session, column);
  column.gap(24);
  draw_suggestions(session, column);
  column.gap(24);
  draw_actions(session, column);
  column.gap(ui.phone() ? 28 : 24);
  draw_details(session, column);
  column.gap(28);
  draw_footer(session, column);
}

/// What to buy and how to ask for it, in a column of their own on a wide window.
void draw_next_step(Session& session, Column& column) {
  draw_suggestions(session, column);
  column.gap(24);
  draw_actions(session, column);
}

void draw_answer_alone(Session& session, Column& column) {
  draw_answer(session, column);
  column.gap(28);
  draw_details(session, column);
  column.gap(28);
  draw_footer(session, column);
}

/// Top of a column beside the answer: it stays in view while the answer scrolls, if it is no higher than the window.
float top_beside(float top, float height) {
  constexpr float kTop = 24;
  const bool stays = height > 0 && height + 2 * kTop < ImGui::GetWindowSize().y;
  return stays ? std::max(top, kTop) : top;
}

float draw_columns(Session& session, Column page) {
  Ui& ui = session.ui;
  const bool wide = page.width >= kThreeColumns;
  const float right = wide ? kNextWidth + kBetween : 0;
  Column task{page.x, top_beside(page.y, session.task_height), kTaskWidth};
  Column next{page.x + page.width - kNextWidth, top_beside(page.y, session.next_height), kNextWidth};
  const float task_top = task.y, next_top = next.y;
  Column answer{page.x + kTaskWidth + kBetween + kSheetPad, page.y + kSheetPad,
                page.width - kTaskWidth - kBetween - right - 2 * kSheetPad};

  // The sheet lies under the answer, whose height is known when it is drawn: two layers of one window.
  ImDrawListSplitter layers;
  layers.Split(ui.draw, 2);
  layers.SetCurrentChannel(ui.draw, 1);
  draw_task(session, task);
  session.task_height = task.y - task_top;
  if (wide) draw_answer_alone(session, answer);
  else draw_answer_parts(session, answer);
  answer.gap(kSheetPad);
  if (wide) draw_next_step(session, next);
  session.next_height = next.y - next_top;
  layers.SetCurrentChannel(ui.draw, 0);
  const Rect sheet{answer.x - kSheetPad, page.y, answer.width + 2 * kSheetPad, answer.y - page.y};
  fill(ui, sheet, ui.palette.sheet, kRadius);
  outline(ui, sheet, ui.palette.hairline);
  layers.Merge(ui.draw);
  // What stays in view has no place of its own in the page.
  const auto end_of = [&](float from, const Column& column) { return from > page.y ? page.y : column.y; };
  return std::max({end_of(task_top, task), end_of(next_top, next), answer.y});
}

float draw_one_column(Session& session, Column page) {
  Ui& ui = session.ui;
  draw_task(session, page);
  page.gap(28);
  hairline(ui, page.x, page.y, page.width);
  page.gap(28);
  if (session.to_answer) {
    ImGui::SetScrollY(page.y - 16 - ImGui::GetWindowPos().y + ImGui::GetScrollY());
    session.to_answer = false;
    platform::wake();
  }
  draw_answer_parts(session, page);
  return page.y;
}

}  // namespace

void draw_page(Session& session) {
  Ui& ui = session.ui;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const bool columns = ui.width == Width::desktop;
  const bool with_strip = !columns && !session.answer_in_view && session.editing.id == 0;
  const float strip = with_strip ? strip_height(session) : 0;

  begin_window(ui, "page", {0, 0, window.x, window.y - strip}, true);
  if (session.answered) {
    const float room = window.x - 2 * ui.sizes.margin;
    const float width = std::min(room >= kThreeColumns ? kWidestPage : kPageWidth, room);
    Column page{std::floor((window.x - width) / 2), -ImGui::GetScrollY(), width};
    if (!session.embedded) draw_header(session, page);
    draw_notices(session, page);
    const float bottom = columns ? draw_columns(session, page) : draw_one_column(session, page);
    Column below{page.x, bottom + 16, page.width};
    paragraph(ui, below, session.origin(), caption(ui));
    end_content(below.y + 32);
    draw_overlay(session);
  }
  ImGui::End();

  if (with_strip && session.answered) {
    begin_window(ui, "strip", {0, window.y - strip, window.x, strip}, false);
    ui.layer = Layer::bar;
    draw_strip(session, {0, window.y - strip, window.x, strip});
    ui.layer = Layer::page;
    ImGui::End();
  }
}

}  // namespace ui
