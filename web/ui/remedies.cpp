// What would make it fit: each change with what it brings and what it costs, and a press that makes it.
#include <cmath>

#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

void draw_fix(Session& session, Column& column, const vram::Fix& fix, std::size_t index) {
  Ui& ui = session.ui;
  const std::string apply = session.word("page.apply");
  const float wide = button_width(ui, apply);
  const bool beside = column.width >= 420;
  const float room = beside ? column.width - wide - 16 : column.width;
  const std::string saves =
      session.say(vram::Message(fix.fits ? "page.fix_fits" : "page.fix_saves").with("saved", fix.saved));
  Column words{column.x, column.y + 10, room};
  paragraph(ui, words, session.say(fix.what), strong(ui));
  words.gap(2);
  paragraph(ui, words, saves, caption(ui).with(fix.fits ? ui.palette.fits : ui.palette.soft));
  paragraph(ui, words, session.say(fix.cost), caption(ui));
  Rect button_at{column.x, words.y + 8, column.width, ui.sizes.field};
  if (beside) button_at = {column.x + column.width - wide, (column.y + words.y + 10) / 2 - ui.sizes.field / 2, wide, ui.sizes.field};
  const vram::Scenario next = fix.scenario;
  const bool pressed = button(ui, "fix." + std::to_string(index), button_at, apply);
  column.y = (beside ? words.y : button_at.bottom()) + 10;
  hairline(ui, column.x, column.y, column.width);
  if (pressed) session.ask(next);
}

}  // namespace

void draw_fixes(Session& session, Column& column) {
  if (session.answered->fixes.empty()) return;
  Ui& ui = session.ui;
  column.gap(20);
  paragraph(ui, column, session.word("page.fixes"), strong(ui), Role::heading);
  column.gap(4);
  const std::vector<vram::Fix> fixes = session.answered->fixes;  // applying one makes others
  for (std::size_t i = 0; i < fixes.size(); ++i) draw_fix(session, column, fixes[i], i);
}

}  // namespace ui
