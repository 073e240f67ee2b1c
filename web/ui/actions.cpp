// What a visitor does with the answer.
#include <array>
#include <cmath>

#include "web/platform/platform.h"
#include "web/ui/exports.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

std::string words_of(const Session& session, std::string_view id) {
  const bool done = (id == "copy_letter" && session.copied == Copied::letter) ||
                    (id == "copy_link" && session.copied == Copied::link);
  return session.word(done ? "page.copied" : "page." + std::string(id));
}

}  // namespace

void draw_actions(Session& session, Column& column) {
  Ui& ui = session.ui;
  const std::string send = session.word("page.send");
  const float height = std::max(ui.sizes.field, 44.0f);
  const float width = ui.phone() || column.width < 420 ? column.width : std::max(240.0f, button_width(ui, send));
  const Rect row = column.take(height);
  if (button(ui, "send", {row.x, row.y, width, height}, send, ButtonKind::primary)) {
    send_letter(session);
  }
  // The others are words: beside the button when all of them fit there, else in rows below it.
  constexpr std::array<std::string_view, 4> kOthers = {"copy_letter", "copy_link", "save_page", "text_version"};
  const Style style = ui.phone() ? caption(ui) : soft(ui);
  const auto room_for = [&](std::string_view id) {  // also for "copied"
    return std::ceil(std::max(width_of(ui, words_of(session, id), style),
                              width_of(ui, session.word("page." + std::string(id)), style)));
  };
  constexpr float kBetween = 24;
  float all = width + kBetween;
  for (const std::string_view id : kOthers) all += room_for(id) + kBetween;
  const bool beside = !ui.phone() && all - kBetween <= column.width;
  const float line = line_height(style), step = std::max(ui.sizes.target, line + 8);
  Column area{column.x, beside ? row.middle() - line / 2 : row.bottom() + 8 + (step - line) / 2, column.width};
  Flow flow{area, kBetween, step, beside ? row.x + width + kBetween : column.x};
  for (const std::string_view id : kOthers) {
    const float x = flow.place(room_for(id));
    if (link(ui, id, x, area.y, words_of(session, id), style)) perform(session, id);
  }
  column.y = std::max(row.bottom(), area.y + line);
}

}  // namespace ui
