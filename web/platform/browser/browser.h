// What the files of the browser platform share. Each pairs a .cpp (ImGui's side) with a .js of the same name (the
// page's side, an Emscripten library). Functions that begin with js_ are written in JavaScript; functions that begin
// with browser_ are called from there.
//
// Why not SDL's own events: on the web they prevent every browser shortcut, lose input methods and soft keyboards, do
// not see the system's clipboard and round away fractions of the device pixel ratio. SDL makes the window and the
// WebGL2 context; the page's events come straight from the document.
#pragma once
#include <emscripten/emscripten.h>

#include <string>

#include "web/ui/app.h"

namespace platform::browser {

ui::App& app();

/// The text that JavaScript handed over last (`give()` in strings.js).
std::string taken();

void open_window();  ///< the canvas, WebGL2, ImGui's renderer; false in `window_is_open()` when there is none
bool window_is_open();
void scroll_inertia(float seconds);  ///< lets a flung list run on; called before each frame

}  // namespace platform::browser
