// The letter to sales: what the supplier asks for, who asks, the letter itself, and other ways to hand it over.
#include <algorithm>
#include <vector>

#include "core/report/request.h"
#include "web/ui/editing.h"
#include "web/ui/exports.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

/// A line of `Session::contact`, under its words.
void contact_field(Session& session, Column& column, std::string_view key, const std::string& label) {
  paragraph(session.ui, column, label, caption(session.ui));
  column.gap(4);
  const std::string id = "contact." + std::string(key), text = *vram::contact_line(session.contact, key);
  text_field(session, column.take(session.ui.sizes.field), {.id = id, .label = label, .shown = text, .text = text});
}

/// What the scenario says is ticked; the rest can be said in words.
void draw_checklist(Session& session, Column& column) {
  Ui& ui = session.ui;
  paragraph(ui, column, session.word("request.heading"), strong(ui), Role::heading);
  column.gap(4);
  paragraph(ui, column, session.word("request.hint"), caption(ui));
  for (const vram::ChecklistItem& item : vram::checklist(session.answered->inputs)) {
    const std::string key(vram::request_item_key(item.item)), asked = session.word(vram::request_string("request.", item.item, session.scenario));
    column.gap(12);
    if (item.known.empty()) {
      contact_field(session, column, "added." + key, asked);
      continue;
    }
    icon(ui, Icon::tick, column.x + 8, column.y + line_height(body(ui)) / 2, 16, ui.palette.fits);
    Column words{column.x + 28, column.y, column.width - 28};
    paragraph(ui, words, vram::capitalised(vram::known_words(item, session.language())), body(ui));
    paragraph(ui, words, asked, caption(ui));
    column.y = words.y;
  }
}

/// Two beside each other where there is room.
void draw_contact(Session& session, Column& column) {
  paragraph(session.ui, column, session.word("contact.heading"), strong(session.ui), Role::heading);
  constexpr float kBetween = 16;
  const bool beside = column.width >= 480;
  const float width = beside ? (column.width - kBetween) / 2 : column.width;
  bool left = true;
  float bottom = column.y;
  for (const char* key : {"name", "company", "phone", "city", "date", "note"}) {
    if (left) column.y = bottom + 12;
    Column cell{column.x + (left ? 0 : width + kBetween), column.y, width};
    contact_field(session, cell, key, session.word("contact." + std::string(key)));
    bottom = std::max(bottom, cell.y);
    left = !beside || !left;
  }
  column.y = bottom;
}

/// What is not in the row of actions, which stands on every tab.
void draw_other_ways(Session& session, Column& column) {
  Ui& ui = session.ui;
  paragraph(ui, column, session.word("page.hand_over"), strong(ui), Role::heading);
  column.gap(4);
  std::vector<LinkWords> list;
  for (const vram::Json& one : export_actions(session)) {
    const std::string id = one.value("id", "");
    if (id == "send" || id == "copy_letter" || id == "copy_link" || id == "save_page") continue;
    list.push_back({id, one.value("label", "")});
  }
  const int picked = links(ui, column, list, soft(ui));
  if (picked >= 0) perform(session, list[static_cast<std::size_t>(picked)].id);
}

}  // namespace

void draw_letter(Session& session, Column& column) {
  Ui& ui = session.ui;
  draw_checklist(session, column);
  column.gap(24);
  draw_contact(session, column);
  column.gap(24);
  const vram::Letter letter = session.letter();
  paragraph(ui, column, session.say(vram::Message("page.letter_to").with("address", letter.to)), caption(ui));
  column.gap(8);
  paragraph(ui, column, letter.subject, strong(ui));
  column.gap(10);
  paragraph(ui, column, letter_text(session), body(ui));
  column.gap(16);
  draw_other_ways(session, column);
}

}  // namespace ui
