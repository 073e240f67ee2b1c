#include "web/ui/overlay.h"

#include <cmath>

#include "imgui_internal.h"
#include "web/ui/editing.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr const char* kPopup = "overlay";
constexpr float kPad = 8;
constexpr float kMostList = 600, kMostUpwards = 464;  ///< px; upwards a list leaves the page's title free

using Kind = Overlay::Kind;

bool is_search(const Overlay& overlay) { return overlay.kind == Kind::models || overlay.kind == Kind::accelerators; }
bool is_sheet(const Session& session) { return session.ui.phone(); }

float clamped(float value, float least, float most) { return std::max(least, std::min(value, most)); }

/// Where the overlay goes, from what it belongs to and how high its content turned out to be.
Rect place(const Session& session) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const Overlay& overlay = session.overlay;
  const Rect& anchor = overlay.anchor;
  if (is_sheet(session)) {
    const float most = is_search(overlay) ? window.y : window.y * 0.85f;
    const float height = is_search(overlay) ? most : std::min(overlay.height, most);
    return {0, window.y - height, window.x, height};
  }
  const bool explains = overlay.kind == Kind::explanation;
  const float width = explains ? std::min(480.0f, window.x - 32) : wanted_list_width(session);
  const float below = window.y - anchor.bottom() - 16, above = anchor.y - 16;
  const float most = explains ? window.y * 0.7f : kMostList;
  float wanted = std::min(overlay.height, most);
  const bool upwards = below < wanted && above > below;
  if (upwards && !explains) wanted = std::min(wanted, kMostUpwards);
  const float left = clamped(explains ? anchor.right() - width : anchor.x, 16, window.x - width - 16);
  if (explains) {  // never half over what it explains: below, above, else at its left
    const float beside = anchor.x - 12 - width;
    const bool fits = wanted <= (upwards ? above : below);
    const float top = upwards ? anchor.y - 6 - wanted : anchor.bottom() + 6;
    return {fits || beside < 16 ? left : beside, clamped(top, 16, window.y - wanted - 16), width, wanted};
  }
  float height = std::min(wanted, upwards ? above : below);
  if (height < overlay.height) {  // half a row at the end shows that there are more
    const float row = std::max(40.0f, session.ui.sizes.row);
    height = std::min(height, kPad + (std::floor((height - kPad) / row - 0.5f) + 0.5f) * row);
  }
  return {left, upwards ? anchor.y - 6 - height : anchor.bottom() + 6, width, height};
}

void draw_surface(Ui& ui, const Session& session, Rect area) {
  ui.draw->PushClipRectFullScreen();
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  if (is_sheet(session)) {
    fill(ui, {0, 0, window.x, window.y}, ui.palette.shade);
  } else {
    for (int i = 1; i <= 8; ++i) {  // a soft shadow
      const auto spread = static_cast<float>(i) * 2;
      fill(ui, {area.x - spread, area.y - spread + 6, area.width + 2 * spread, area.height + 2 * spread},
           rgb(0x0B1016, ui.dark ? 20 : 4), kRadius + spread);
    }
  }
  const bool full = area.y <= 0;
  const float below = is_sheet(session) ? kRadius : 0;  // a sheet's lower corners lie outside the window
  fill(ui, {area.x, area.y, area.width, area.height + below}, ui.palette.sheet, full ? 0 : kRadius);
  if (!is_sheet(session)) outline(ui, area, ui.palette.border);
  ui.draw->PopClipRect();
}

void draw_search_field(Session& session, Column& column) {
  Ui& ui = session.ui;
  Rect row = column.take(ui.sizes.field);
  const Rect back = row.cut_left(ui.sizes.field, 4);
  const bool left = icon_button(ui, "overlay.back", back, Icon::back, session.word("page.close"));
  const std::string id = std::string(session.overlay.field->key) + ".search";
  const TextField what{.id = id,
                       .search = true,
                       .label = session.word("page.search"),
                       .shown = session.overlay.query,
                       .text = session.overlay.query,
                       .kind = platform::TextKind::search};
  text_field(session, row, what);
  if (left) close_overlay(session);
  column.gap(8);
}

/// What a sheet is for, and the way out.
void draw_sheet_head(Session& session, Column& column) {
  Ui& ui = session.ui;
  Rect row = column.take(ui.sizes.target);
  const Rect close = row.cut_right(ui.sizes.target, 4);
  const bool shut = icon_button(ui, "overlay.close", close, Icon::close, session.word("page.close"));
  const vram::Field* const field = session.overlay.field;
  put(ui, row.inset(12, 0), field != nullptr ? field_word(session, *field) : session.word("page.examples"), strong(ui));
  if (shut) close_overlay(session);
}

void draw_content(Session& session, Column& column) {
  switch (session.overlay.kind) {
    case Kind::models:
    case Kind::accelerators: draw_found(session, column); return;
    case Kind::choices: draw_choices(session, column); return;
    case Kind::presets: draw_presets(session, column); return;
    case Kind::explanation: draw_explanation(session, column); return;
    case Kind::none: return;
  }
}

}  // namespace

void open_list(Session& session, Kind kind, const vram::Field& field, Rect anchor) {
  session.overlay = {};
  session.overlay.kind = kind;
  session.overlay.field = &field;
  session.overlay.anchor = anchor;
  session.overlay.marked = -1;
}

void open_presets(Session& session, Rect anchor) {
  session.overlay = {};
  session.overlay.kind = Kind::presets;
  session.overlay.anchor = anchor;
  session.overlay.marked = -1;
}

void open_explanation(Session& session, const Subject& subject, Rect anchor) {
  session.overlay = {};
  session.overlay.kind = Kind::explanation;
  session.overlay.subject = subject;
  session.overlay.anchor = anchor;
}

void close_overlay(Session& session) {
  session.overlay = {};
  platform::wake();
}

void draw_overlay(Session& session) {
  Overlay& overlay = session.overlay;
  if (overlay.kind == Kind::none) {
    if (ImGui::IsPopupOpen(kPopup)) ImGui::ClosePopupToLevel(0, true);  // closed from outside a frame
    return;
  }
  if (overlay.frames == 0) {
    ImGui::OpenPopup(kPopup);
  } else if (!ImGui::IsPopupOpen(kPopup)) {  // a press beside it, or Escape
    close_overlay(session);
    return;
  }

  Ui& ui = session.ui;
  // The first frame only finds out the height; nobody sees it.
  const bool measuring = overlay.frames == 0 && !(is_search(overlay) && is_sheet(session));
  const Rect area = measuring ? Rect{-20000, 0, place(session).width, 600} : place(session);
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, std::max(1.0f, area.height)));
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                           ImGuiWindowFlags_NoBackground;
  flags &= ~ImGuiWindowFlags_NoScrollbar;
  if (ui.coarse) flags |= ImGuiWindowFlags_NoScrollbar;
  if (is_search(overlay)) flags |= ImGuiWindowFlags_NoNavInputs;
  if (ImGui::BeginPopupEx(ImGui::GetID(kPopup), flags)) {
    ImDrawList* const below = ui.draw;
    ui.draw = ImGui::GetWindowDrawList();
    ui.layer = Layer::overlay;
    draw_surface(ui, session, area);
    Column column{area.x + kPad, area.y + kPad - ImGui::GetScrollY(), area.width - 2 * kPad};
    if (is_search(overlay) && is_sheet(session)) draw_search_field(session, column);
    const Kind kind = overlay.kind;
    if (is_sheet(session) && (kind == Kind::choices || kind == Kind::presets)) draw_sheet_head(session, column);
    if (overlay.kind == kind) draw_content(session, column);
    const bool still_open = session.overlay.kind == kind;  // a choice closes it
    const float height = column.y + kPad + ImGui::GetScrollY() - area.y;
    ImGui::SetCursorScreenPos(ImVec2(area.x, column.y + kPad - 1));
    ImGui::Dummy(ImVec2(1, 1));
    if (still_open && (overlay.frames == 0 || overlay.height != height)) platform::wake();
    overlay.height = height;
    ++overlay.frames;
    if (!still_open) {
      overlay = {};
      ImGui::CloseCurrentPopup();
    }
    ui.layer = Layer::page;
    ui.draw = below;
    ImGui::EndPopup();
  }
}

}  // namespace ui
