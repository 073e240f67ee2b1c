// Title, language, theme and saving; notices below them.
#include "web/platform/platform.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

void draw_switches(Session& session, Rect row) {
  Ui& ui = session.ui;
  const float side = std::max(ui.sizes.target, 36.0f);
  row = {row.x, row.middle() - side / 2, row.width, side};
  if (icon_button(ui, "save", row.cut_right(side, 4), Icon::save, session.word("page.save"))) platform::save_page();
  if (icon_button(ui, "theme", row.cut_right(side, 12), Icon::contrast,
                  session.word(ui.dark ? "page.theme_light" : "page.theme_dark"))) {
    session.set_dark(!ui.dark);
  }
  const std::vector<vram::Tongue>& offered = session.site.languages;
  if (offered.size() < 2) return;
  std::vector<std::string> names;
  int chosen = 0;
  for (const vram::Tongue one : offered) {
    if (one == session.tongue) chosen = static_cast<int>(names.size());
    names.push_back(one == vram::Tongue::ru ? "RU" : one == vram::Tongue::kk ? "KK" : "EN");
  }
  const Rect languages = row.cut_right((ui.coarse ? 52.0f : 46.0f) * static_cast<float>(names.size()));
  const Rect pill{languages.x, languages.middle() - 18, languages.width, 36};
  const int picked = segmented(ui, "language", pill, names, chosen, session.word("page.language"));
  if (picked >= 0) session.speak(offered[static_cast<std::size_t>(picked)]);
}

}  // namespace

void draw_header(Session& session, Column& column) {
  Ui& ui = session.ui;
  const Style style{ui.sizes.title, ui.palette.ink, true};
  const std::string title = session.word("page.title");
  if (ui.width == Width::desktop || ui.width == Width::tablet) {
    const float switches = 250;
    const float height = std::max(72.0f, height_of(ui, title, style, column.width - switches - 24) + 24);
    Rect row = column.take(height);
    draw_switches(session, {row.right() - switches, row.y, switches, row.height});
    const float width = balanced(ui, title, style, row.width - switches - 24);
    const float lines = height_of(ui, title, style, width);
    put_lines(ui, {row.x, row.middle() - lines / 2, width, 0}, title, style, Align::left, Role::heading);
    hairline(ui, column.x, column.y, column.width);
    column.gap(ui.width == Width::desktop ? 24 : 20);
    return;
  }
  column.gap(4);
  draw_switches(session, column.take(std::max(ui.sizes.target, 44.0f)));
  column.gap(12);
  Column words{column.x, column.y, balanced(ui, title, style, column.width)};
  paragraph(ui, words, title, style, Role::heading);
  column.y = words.y + 16;
}

void draw_notices(Session& session, Column& column) {
  Ui& ui = session.ui;
  for (std::size_t i = 0; i < session.notices.size(); ++i) {
    const std::string words = session.say(session.notices[i]);
    const float side = std::max(ui.sizes.target, 32.0f), width = column.width - 52 - side - 8;
    const float height = std::max(side, height_of(ui, words, body(ui), width)) + 20;
    const Rect row = column.take(height);
    fill(ui, row, ui.palette.sheet, kRadius);
    outline(ui, row, ui.palette.border);
    icon(ui, Icon::warning, row.x + 26, row.y + 10 + std::max(side, line_height(body(ui))) / 2, 20, ui.palette.tight);
    const float lines = height_of(ui, words, body(ui), width);
    put_lines(ui, {row.x + 52, row.middle() - lines / 2, width, 0}, words, body(ui));
    const bool dismissed = icon_button(ui, "notice." + std::to_string(i) + ".close",
                                       {row.right() - side - 8, row.middle() - side / 2, side, side}, Icon::close,
                                       session.word("page.dismiss"));
    column.gap(8);
    if (dismissed) {
      session.notices.erase(session.notices.begin() + static_cast<std::ptrdiff_t>(i));
      platform::wake();
      break;
    }
  }
  if (!session.notices.empty()) column.gap(8);
}

}  // namespace ui
