// Text entry: a field draws a box, and while it is edited the platform's real <input> lies over it.
#pragma once
#include "web/platform/platform.h"
#include "web/ui/session.h"
#include "web/ui/widgets.h"

namespace ui {

/// Number of a text field for the platform, the same every time.
std::uint32_t field_id(std::string_view name);

struct TextField {
  std::string_view id;                      ///< as other controls' ids
  const vram::Field* field = nullptr;       ///< null = the line of the form that `id` names (form.h), or
  bool search = false;                      ///< the search of the open overlay
  std::string label, shown, text;           ///< `shown` while at rest, `text` to edit
  platform::TextKind kind = platform::TextKind::text;
};
void text_field(Session& session, Rect rect, const TextField& what);

/// Opens the real field at `rect` without a press, as when a picker opens.
void begin_editing(Session& session, Rect rect, const TextField& what);
/// Keeps the real field over `rect`; to be called in each frame of an open field.
void keep_editing(Session& session, Rect rect, const TextField& what);
/// Once a frame, after everything is drawn: a field that is no longer there takes its text entry with it.
void settle_editing(Session& session);

void text_changed(Session& session, std::uint32_t id, const std::string& text);
void text_ended(Session& session, std::uint32_t id, const std::string& text, TextEnd how);

}  // namespace ui
