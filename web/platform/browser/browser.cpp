// The program's table of contents: open the window, start the page, draw when asked.
#include "web/platform/browser/browser.h"

#include <SDL_version.h>
#include <imgui.h>

#include "web/platform/platform.h"

extern "C" {
bool js_can_draw();
void js_listen(const char* version, bool draws);
void js_wake(int frames);
void js_work();
}

namespace platform {

void wake(int frames) { js_wake(frames); }
void work() { js_work(); }

namespace browser {
namespace {

std::string incoming, field_key;

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

EMSCRIPTEN_KEEPALIVE const char* browser_results() {
  static std::string results;
  results = platform::browser::app().results_json();
  return results.c_str();
}

EMSCRIPTEN_KEEPALIVE void browser_print_begins() { platform::browser::app().print_begins(); }
EMSCRIPTEN_KEEPALIVE bool browser_work() { return platform::browser::app().work(); }
EMSCRIPTEN_KEEPALIVE void browser_act() { platform::browser::app().act(platform::browser::taken()); }

/// The form's key was given before; the text is given now.
EMSCRIPTEN_KEEPALIVE void browser_field_key() { platform::browser::field_key = platform::browser::taken(); }
EMSCRIPTEN_KEEPALIVE void browser_field_changed(std::uint32_t deployment) {
  platform::browser::app().field_changed(platform::browser::field_key, deployment, platform::browser::taken());
}

EMSCRIPTEN_KEEPALIVE void browser_preferences_changed() { platform::browser::app().preferences_changed(); }
EMSCRIPTEN_KEEPALIVE void browser_link_changed() { platform::browser::app().link_changed(platform::browser::taken()); }

}  // extern "C"

/// Without WebGL 2 nothing is drawn, and the text version is the whole page.
int main() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  if (js_can_draw()) platform::browser::open_window();
  platform::browser::app().start();
  js_listen(platform::browser::kVersion, platform::browser::window_is_open());
  platform::wake();
  return 0;
}
