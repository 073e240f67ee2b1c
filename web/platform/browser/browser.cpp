// The program's table of contents: open the window, start the page, draw when asked.
#include "web/platform/browser/browser.h"

#include <SDL_version.h>
#include <imgui.h>

#include "web/platform/platform.h"

extern "C" {
void js_listen(const char* version);
void js_wake(int frames);
}

namespace platform {

void wake(int frames) { js_wake(frames); }

namespace browser {
namespace {

std::string incoming;

/// What this page was built from.
#define VRAM_TEXT(x) #x
#define VRAM_NUMBER(x) VRAM_TEXT(x)
constexpr const char* kVersion = VRAM_VERSION
    " (Dear ImGui " IMGUI_VERSION
    ", SDL " VRAM_NUMBER(SDL_MAJOR_VERSION) "." VRAM_NUMBER(SDL_MINOR_VERSION) "." VRAM_NUMBER(SDL_PATCHLEVEL)
    ", Emscripten " VRAM_NUMBER(__EMSCRIPTEN_major__) "." VRAM_NUMBER(__EMSCRIPTEN_minor__) "."
    VRAM_NUMBER(__EMSCRIPTEN_tiny__) ")";
#undef VRAM_NUMBER
#undef VRAM_TEXT

}  // namespace

ui::App& app() {
  static ui::App instance;
  return instance;
}

std::string taken() { return std::move(incoming); }

}  // namespace browser
}  // namespace platform

extern "C" {

EMSCRIPTEN_KEEPALIVE char* browser_incoming(std::size_t size) {
  platform::browser::incoming.assign(size, '\0');
  return platform::browser::incoming.data();
}

EMSCRIPTEN_KEEPALIVE const char* browser_state() {
  static std::string state;
  state = platform::browser::app().state_json();
  return state.c_str();
}

EMSCRIPTEN_KEEPALIVE void browser_preferences_changed() { platform::browser::app().preferences_changed(); }
EMSCRIPTEN_KEEPALIVE void browser_link_changed() { platform::browser::app().link_changed(platform::browser::taken()); }

}  // extern "C"

/// Not 0: there is no WebGL2 context, and boot.js says so in words.
int main() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  platform::browser::open_window();
  if (!platform::browser::window_is_open()) return 1;
  platform::browser::app().start();
  js_listen(platform::browser::kVersion);
  platform::wake();
  return 0;
}
