// The window: SDL2's canvas and WebGL2 context, ImGui's renderer, one frame.
#include <GLES3/gl3.h>
#include <SDL.h>
#include <emscripten/html5.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

extern "C" {
void js_cursor(int cursor);

// SDL asks for GL functions by name though the page links against them; without this stub Emscripten would keep a
// wrapper for each of them (13 KB of JavaScript).
void* emscripten_GetProcAddress(const char*) { return nullptr; }

// ImGui's renderer asks WebGL for two dozen states in every frame and puts them back at its end. Each question waits for
// everything drawn so far (20–70 ms a frame without a GPU, 2026-12). Nobody else draws on this canvas, so the answer is
// known: nothing is bound, nothing is switched on. What is asked of the context itself, it answers.
// https://developer.mozilla.org/docs/Web/API/WebGL_API/WebGL_best_practices, "Avoid blocking API calls"
void browser_gl_integer(GLenum name, GLint* value) {
  switch (name) {
    case GL_MAJOR_VERSION:
    case GL_MINOR_VERSION:
    case GL_MAX_TEXTURE_SIZE:
    case GL_NUM_EXTENSIONS: return glGetIntegerv(name, value);
    case GL_ACTIVE_TEXTURE: *value = GL_TEXTURE0; return;
    case GL_BLEND_EQUATION_RGB:
    case GL_BLEND_EQUATION_ALPHA: *value = GL_FUNC_ADD; return;
    case GL_VIEWPORT:
    case GL_SCISSOR_BOX: std::fill_n(value, 4, 0); return;
    default: *value = 0;
  }
}
GLboolean browser_gl_enabled(GLenum) { return GL_FALSE; }
}

namespace platform::browser {
namespace {

bool open = false;
int pixel_width = 1, pixel_height = 1;
float pixel_ratio = 1;
double last_frame = 0;
ImGuiMouseCursor cursor = ImGuiMouseCursor_Arrow;

void set_clipboard(ImGuiContext*, const char* text) { copy_text(text); }

}  // namespace

bool window_is_open() { return open; }

void open_window() {
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_STENCIL_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_ALPHA_SIZE, 0);
  SDL_Window* const window = SDL_CreateWindow("", 0, 0, 1, 1, SDL_WINDOW_OPENGL);
  if (window == nullptr || SDL_GL_CreateContext(window) == nullptr) return;

  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendPlatformName = "browser";
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  ImGui::GetPlatformIO().Platform_SetClipboardTextFn = set_clipboard;
  open = ImGui_ImplOpenGL3_Init("#version 300 es");
}

}  // namespace platform::browser

using namespace platform::browser;

extern "C" {

/// Device pixels and their ratio to CSS pixels, exact: the canvas is never resampled.
EMSCRIPTEN_KEEPALIVE void browser_resized(int width, int height, double ratio) {
  pixel_width = std::max(width, 1);
  pixel_height = std::max(height, 1);
  pixel_ratio = static_cast<float>(ratio);
}

/// Draws; returns whether ImGui keeps back events that need a further frame.
EMSCRIPTEN_KEEPALIVE bool browser_frame(double milliseconds) {
  ImGuiIO& io = ImGui::GetIO();
  // Between two frames lies anything from a moment to a night: animations must neither stop nor jump.
  io.DeltaTime = static_cast<float>(std::clamp((milliseconds - last_frame) / 1000, 0.0001, 0.1));
  last_frame = milliseconds;
  io.DisplaySize =
      ImVec2(static_cast<float>(pixel_width) / pixel_ratio, static_cast<float>(pixel_height) / pixel_ratio);
  io.DisplayFramebufferScale = ImVec2(pixel_ratio, pixel_ratio);
  scroll_inertia(io.DeltaTime);

  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  app().frame();
  ImGui::Render();

  glViewport(0, 0, pixel_width, pixel_height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());

  if (ImGui::GetMouseCursor() != cursor) {
    cursor = ImGui::GetMouseCursor();
    js_cursor(cursor);
  }
  return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
}

/// A lost context took every GL object with it; ImGui 1.92 makes its textures anew by itself
/// (https://github.com/ocornut/imgui/issues/4737).
EMSCRIPTEN_KEEPALIVE void browser_context_restored() {
  ImGui_ImplOpenGL3_DestroyDeviceObjects();
  ImGui_ImplOpenGL3_CreateDeviceObjects();
}

}  // extern "C"
