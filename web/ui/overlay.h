// What lies over the page: lists to choose from and explanations. On a wide page beside what it belongs to, on a phone
// at the bottom. It closes with a press beside it or with Escape.
#pragma once
#include "web/ui/session.h"

namespace ui {

void open_list(Session& session, Overlay::Kind kind, const vram::Field& field, Rect anchor);
void open_presets(Session& session, Rect anchor);
void open_explanation(Session& session, const Subject& subject, Rect anchor);
void close_overlay(Session& session);
void draw_overlay(Session& session);

/// Contents; each fills the column and leaves it at its end.
void draw_choices(Session& session, Column& column);                  // lists.cpp
void draw_presets(Session& session, Column& column);                  // lists.cpp
void draw_found(Session& session, Column& column);                    // lists.cpp: models or accelerators that match
float wanted_list_width(const Session& session);                      // lists.cpp
void draw_explanation(Session& session, Column& column);              // explanation.cpp

}  // namespace ui
