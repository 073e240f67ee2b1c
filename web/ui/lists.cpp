// Lists to choose from: models, accelerators, the choices of a field.
#include <cmath>

#include "imgui_internal.h"
#include "web/ui/editing.h"
#include "web/ui/overlay.h"
#include "web/ui/presets.h"
#include "web/ui/recent.h"
#include "web/ui/words.h"

namespace ui {
namespace {

struct Row {
  std::string id, name, note, aside;        ///< note: a second line; aside: at the right end
};

bool in_view(Rect rect) {
  const ImRect& clip = ImGui::GetCurrentWindow()->ClipRect;
  return rect.bottom() > clip.Min.y && rect.y < clip.Max.y;
}

constexpr float kRowSide = 12, kTick = 16 + 8;

/// Of its words; on a narrow phone a name or a note may take two lines.
float words_height(const Session& session, const Row& row, float width) {
  const Ui& ui = session.ui;
  const float name = height_of(ui, row.name, body(ui), width);
  return row.note.empty() ? name : name + height_of(ui, row.note, caption(ui), width);
}

float row_height(const Session& session, const Row& row, float width) {
  const float least = std::max(40.0f, session.ui.sizes.row);
  if (!row.aside.empty()) return least;
  return std::max(least, words_height(session, row, width - 2 * kRowSide - kTick) + (row.note.empty() ? 12 : 14));
}

/// Where a long name leaves no room beside it, what stands at its right end goes below it.
Row arranged(const Session& session, Row row, float width) {
  const float room = width - 2 * kRowSide - kTick - 12 - width_of(session.ui, row.aside, caption(session.ui));
  if (row.note.empty() && !row.aside.empty() && width_of(session.ui, row.name, body(session.ui)) > room) {
    std::swap(row.note, row.aside);
  }
  return row;
}

/// One row; returns whether it was pressed.
bool draw_row(Session& session, Rect rect, const Row& row, bool chosen, bool marked) {
  if (!in_view(rect)) return false;
  Ui& ui = session.ui;
  std::string value = row.note;
  if (!row.aside.empty()) value += (value.empty() ? "" : " · ") + row.aside;
  const Press state = press(ui, "option." + row.id, rect, Role::option, row.name, value, chosen);
  if (marked || state.hovered || state.held) fill(ui, rect, state.held ? ui.palette.pressed : ui.palette.hover, 6);
  focus_ring(ui, rect.inset(3, 3), state, 4);

  const std::size_t control = ui.items.size();
  Rect words = rect.inset(kRowSide, 0);
  if (chosen) {
    const Rect mark = words.cut_right(16, 8);
    icon(ui, Icon::tick, mark.centre(), mark.middle(), 16, ui.palette.ink);
  }
  if (!row.aside.empty()) {
    const float width = std::ceil(width_of(ui, row.aside, caption(ui)));
    put(ui, words.cut_right(width, 12), row.aside, caption(ui), Align::right);
  }
  if (!row.aside.empty()) {
    put(ui, words, row.name, body(ui));
  } else {
    Column lines{words.x, 0, rect.width - 2 * kRowSide - kTick};
    lines.y = words.middle() - words_height(session, row, lines.width) / 2;
    paragraph(ui, lines, row.name, body(ui));
    paragraph(ui, lines, row.note, caption(ui));
  }
  bool clipped = false;
  for (std::size_t i = control; i < ui.items.size(); ++i) clipped = clipped || ui.items[i].clipped;
  ui.items.resize(control);
  ui.items.back().clipped = clipped;
  return state.pressed;
}

/// Arrows move a mark through the found rows and Enter takes it; the text field keeps the focus.
int moved_mark(Session& session, int count) {
  Overlay& overlay = session.overlay;
  if (overlay.marked >= count) overlay.marked = count - 1;
  const auto move = [&](ImGuiKey key, int by) {
    if (count == 0 || !ImGui::IsKeyPressed(key)) return;
    overlay.marked = std::clamp(overlay.marked + by, 0, count - 1);
    overlay.marked_moved = true;
  };
  move(ImGuiKey_DownArrow, 1);
  move(ImGuiKey_UpArrow, -1);
  move(ImGuiKey_PageDown, 6);
  move(ImGuiKey_PageUp, -6);
  const bool taken = ImGui::IsKeyPressed(ImGuiKey_Enter, false) && session.editing.id != 0 && overlay.marked >= 0;
  return taken ? overlay.marked : -1;
}

int draw_rows(Session& session, Column& column, const std::vector<Row>& rows, const std::string& chosen) {
  Overlay& overlay = session.overlay;
  int picked = moved_mark(session, static_cast<int>(rows.size()));
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const Row row = arranged(session, rows[static_cast<std::size_t>(i)], column.width);
    const Rect rect = column.take(row_height(session, row, column.width));
    const bool marked = i == overlay.marked;
    if (marked && overlay.marked_moved && !in_view(rect.inset(0, rect.height / 2))) {
      ImGui::SetScrollFromPosY(rect.middle() - ImGui::GetWindowPos().y, 0.5f);
      platform::wake();
    }
    if (draw_row(session, rect, row, row.id == chosen, marked)) picked = i;
  }
  overlay.marked_moved = false;
  return picked;
}

std::vector<Row> found_rows(const Session& session) {
  std::vector<Row> rows;
  const vram::Language language = session.language();
  if (session.overlay.kind == Overlay::Kind::models) {
    for (const vram::CatalogueModel* model : vram::search_models(session.library.models, session.overlay.query)) {
      rows.push_back({model->id, model->name, model_facts(*model, language), ""});
    }
  } else {
    const auto& cards = session.library.accelerators;
    for (const vram::Accelerator* one : vram::search_accelerators(cards, session.overlay.query)) {
      rows.push_back({one->id, one->name, "", language.memory(one->usable())});
    }
  }
  return rows;
}

std::vector<Row> choice_rows(const Session& session) {
  std::vector<Row> rows;
  for (Choice& choice : choices_of(session, *session.overlay.field)) {
    rows.push_back({std::move(choice.id), std::move(choice.words), "", ""});
  }
  return rows;
}

std::string chosen_of(const Session& session) {
  return vram::text_of(session.value(*session.overlay.field));
}

}  // namespace

float wanted_list_width(const Session& session) {
  const Overlay& overlay = session.overlay;
  if (overlay.kind != Overlay::Kind::choices) return std::max(overlay.anchor.width, 440.0f);
  float widest = 0;
  const Style style = body(session.ui);
  for (const Row& row : choice_rows(session)) widest = std::max(widest, width_of(session.ui, row.name, style));
  return std::max(overlay.anchor.width, std::ceil(widest) + 72);
}

void draw_found(Session& session, Column& column) {
  const std::vector<Row> rows = found_rows(session);
  if (rows.empty()) {
    column.gap(8);
    Column words{column.x + 12, column.y, column.width - 24};
    paragraph(session.ui, words, session.say(vram::Message("page.nothing_found").with("query", session.overlay.query)),
              soft(session.ui));
    column.y = words.y + 8;
    return;
  }
  const int picked = draw_rows(session, column, rows, chosen_of(session));
  if (picked < 0) return;
  const vram::Field& field = *session.overlay.field;
  const std::string id = rows[static_cast<std::size_t>(picked)].id;
  close_overlay(session);
  if (field.kind == vram::FieldKind::cards) session.set_text(field, session.scenario.more_cards + "," + id);
  else session.set_field(field, id);
}

void draw_presets(Session& session, Column& column) {
  std::vector<Row> rows;
  for (const Preset& preset : presets()) {
    const std::string key(preset.key);
    rows.push_back({key, session.word("preset." + key), session.word("preset_hint." + key), ""});
  }
  const std::vector<Recent> earlier = recents(session);
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    rows.push_back({"recent." + std::to_string(i), earlier[i].name,
                    session.say(vram::Message("page.recent").with("what", earlier[i].note)), ""});
  }
  const int picked = draw_rows(session, column, rows, "");
  if (picked < 0) return;
  close_overlay(session);
  session.field_errors.clear();
  session.recent.clear();
  const auto index = static_cast<std::size_t>(picked);
  const std::string_view link = index < presets().size() ? presets()[index].link : earlier[index - presets().size()].link;
  session.ask(vram::from_link(link).scenario);
}

void draw_choices(Session& session, Column& column) {
  const std::vector<Row> rows = choice_rows(session);
  const int picked = draw_rows(session, column, rows, chosen_of(session));
  if (picked < 0) return;
  const vram::Field& field = *session.overlay.field;
  close_overlay(session);
  session.set_field(field, rows[static_cast<std::size_t>(picked)].id);
}

}  // namespace ui
