#include "web/ui/editing.h"

#include "imgui_internal.h"
#include "web/ui/form.h"
#include "web/ui/overlay.h"

namespace ui {
namespace {

constexpr float kInset = 12;

/// Reached with Tab: a person expects to type at once.
bool reached_by_tab() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return g.NavJustMovedToId == ImGui::GetItemID() && g.NavJustMovedToIsTabbing;
}

platform::TextEntry entry_at(const Session& session, Rect rect, const TextField& what) {
  platform::TextEntry entry;
  entry.id = field_id(what.id);
  entry.x = rect.x + kInset;
  entry.y = rect.y + 2;
  entry.width = rect.width - 2 * kInset;
  entry.height = rect.height - 4;
  entry.font_size = session.ui.sizes.body;
  entry.kind = what.kind;
  entry.text = what.text;
  entry.label = what.label;
  entry.text_rgb = to_rgb(session.ui.palette.ink);
  entry.background_rgb = to_rgb(session.ui.palette.field);
  return entry;
}

bool same_place(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

/// What is typed counts at once; what cannot be is said under the field and the last good state stays.
void apply(Session& session, const std::string& text) {
  if (session.editing.field == nullptr) return change_field(session, session.editing.line, 0, text);
  session.set_text(*session.editing.field, text, session.current);
}

/// On from the field that was edited. Without a visible cursor the first Tab would only show it.
void send_tab(bool backwards) {
  ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNavCursorVisible(true);
  if (backwards) io.AddKeyEvent(ImGuiMod_Shift, true);
  io.AddKeyEvent(ImGuiKey_Tab, true);
  io.AddKeyEvent(ImGuiKey_Tab, false);
  if (backwards) io.AddKeyEvent(ImGuiMod_Shift, false);
}

}  // namespace

std::uint32_t field_id(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash | 1U;
}

void begin_editing(Session& session, Rect rect, const TextField& what) {
  session.editing = {};
  session.editing.id = field_id(what.id);
  session.editing.field = what.field;
  if (what.field == nullptr && !what.search) session.editing.line = std::string(what.id);
  session.editing.text_before = what.text;
  session.editing.before = session.scenario;
  session.editing.rect = rect;
  session.editing.drawn = true;
  if (what.field != nullptr) session.field_errors.erase(error_place(*what.field, session.current));
  platform::edit_text(entry_at(session, rect, what));
}

void keep_editing(Session& session, Rect rect, const TextField& what) {
  if (!same_place(rect, session.editing.rect)) platform::edit_text(entry_at(session, rect, what));
  session.editing.rect = rect;
  session.editing.drawn = true;
}

void text_field(Session& session, Rect rect, const TextField& what) {
  const bool open = session.editing.id == field_id(what.id);
  const bool wrong = what.field != nullptr && session.field_errors.count(error_place(*what.field, session.current)) > 0;
  const Press state = field_box(session.ui, what.id, rect, Role::textbox, what.label, what.shown, open, wrong);
  if (!open && (state.pressed || reached_by_tab())) begin_editing(session, rect, what);
  else if (open) keep_editing(session, rect, what);
}

void settle_editing(Session& session) {
  if (session.editing.id != 0 && !session.editing.drawn) {
    session.editing = {};
    platform::end_text();
  }
  session.editing.drawn = false;
}

void text_changed(Session& session, std::uint32_t id, const std::string& text) {
  if (session.editing.id != id) return;
  if (!session.editing.searches()) {
    apply(session, text);
  } else {
    session.overlay.query = text;
    session.overlay.marked = 0;
    session.overlay.marked_moved = true;
  }
}

void text_ended(Session& session, std::uint32_t id, const std::string& text, TextEnd how) {
  if (session.editing.id != id) return;
  const bool is_search = session.editing.searches();
  if (!session.editing.line.empty()) {
    apply(session, how == TextEnd::cancelled ? session.editing.text_before : text);
  } else if (!is_search && how == TextEnd::cancelled) {
    session.field_errors.erase(error_place(*session.editing.field, session.current));
    session.ask(session.editing.before);
  } else if (!is_search) {
    apply(session, text);
  }
  session.editing = {};
  if (is_search) close_overlay(session);  // whatever was chosen has been chosen: the list had the key or press first
  if (how == TextEnd::next || how == TextEnd::previous) send_tab(how == TextEnd::previous);
}

}  // namespace ui
