// Mouse, wheel and finger.
//
// A finger is not a mouse: most touches scroll. So nothing is pressed while a finger only rests; a tap is pressed and
// released when it lifts, a drag scrolls the window under it (and lets it run on), and only a sideways drag on
// something that shows the ↔ cursor, or on an ImGui slider, is handed over as a mouse drag. ImGui has no scrolling by
// drag of its own (2026-11, https://github.com/ocornut/imgui/issues/3379).
#include <imgui.h>
#include <imgui_internal.h>

#include <cfloat>
#include <cmath>

#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

namespace platform::browser {
namespace {

constexpr float kTapRadius = 8;        ///< CSS pixels a finger may move and still tap
constexpr float kFlingDecay = 0.325f;  ///< seconds until a fling has slowed to 1/e
constexpr float kFlingStop = 12;       ///< pixels per second that are no longer worth a frame
constexpr double kFlingPause = 80;     ///< milliseconds of rest before lifting, after which nothing is flung

enum class Touch { none, resting, scrolling, dragging };

Touch touch = Touch::none;
ImVec2 start, last;
double last_time = 0;
ImVec2 velocity;  ///< pixels per second, smoothed
bool flinging = false;
ImGuiWindow* touched = nullptr;

/// The innermost window from `window` outwards that can scroll by `delta` along an axis (0: x, 1: y).
ImGuiWindow* scrollable(ImGuiWindow* window, int axis, float delta) {
  for (; window != nullptr; window = window->ParentWindow) {
    const bool refuses = (window->Flags & ImGuiWindowFlags_NoScrollWithMouse) != 0;
    const float now = window->Scroll[axis], most = window->ScrollMax[axis];
    if (!refuses && most > 0 && (delta < 0 ? now > 0 : now < most)) return window;
    if ((window->Flags & ImGuiWindowFlags_ChildWindow) == 0) return nullptr;
  }
  return nullptr;
}

/// Scrolls by CSS pixels, exactly as far as the finger or the wheel went. False when nothing there can scroll so.
bool scroll_by(ImGuiWindow* from, float dx, float dy) {
  bool moved = false;
  if (ImGuiWindow* const window = dy == 0 ? nullptr : scrollable(from, 1, dy)) {
    ImGui::SetScrollY(window, window->Scroll.y + dy);
    moved = true;
  }
  if (ImGuiWindow* const window = dx == 0 ? nullptr : scrollable(from, 0, dx)) {
    ImGui::SetScrollX(window, window->Scroll.x + dx);
    moved = true;
  }
  return moved;
}

/// Leaves no hover behind where the finger was.
void move_mouse_away() { ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX); }

bool takes_sideways_drags() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  constexpr ImU32 sideways = (1u << ImGuiDir_Left) | (1u << ImGuiDir_Right);
  return ImGui::GetMouseCursor() == ImGuiMouseCursor_ResizeEW ||
         (g.ActiveId != 0 && (g.ActiveIdUsingNavDirMask & sideways) == sideways);
}

}  // namespace

void scroll_inertia(float seconds) {
  if (!flinging) return;
  const bool moved = scroll_by(touched, velocity.x * seconds, velocity.y * seconds);
  const float slower = std::exp(-seconds / kFlingDecay);
  velocity.x *= slower;
  velocity.y *= slower;
  flinging = moved && std::hypot(velocity.x, velocity.y) > kFlingStop;
  if (flinging) wake(2);
}

}  // namespace platform::browser

using namespace platform::browser;

extern "C" {

EMSCRIPTEN_KEEPALIVE void browser_mouse_moved(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
EMSCRIPTEN_KEEPALIVE void browser_mouse_left() { move_mouse_away(); }

EMSCRIPTEN_KEEPALIVE void browser_mouse_button(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
}

/// False when nothing scrolled: then the wheel belongs to the page that embeds this one.
EMSCRIPTEN_KEEPALIVE bool browser_wheel(float dx, float dy) {
  flinging = false;
  return scroll_by(ImGui::GetCurrentContext()->HoveredWindow, dx, dy);
}

/// The frame after this one finds out what lies under the finger.
EMSCRIPTEN_KEEPALIVE void browser_touch_started(float x, float y, double milliseconds) {
  touch = flinging ? Touch::scrolling : Touch::resting;  // a touch that stops a fling is no tap
  flinging = false;
  velocity = ImVec2(0, 0);
  start = last = ImVec2(x, y);
  last_time = milliseconds;
  ImGui::GetIO().AddMousePosEvent(x, y);
}

/// Asked once for each touch, when the finger has left the tap's circle. True: press, draw a frame, and call
/// browser_touch_decided; false: go on with browser_touch_moved.
EMSCRIPTEN_KEEPALIVE bool browser_touch_may_drag(float x, float y) {
  if (touch != Touch::resting || std::hypot(x - start.x, y - start.y) <= kTapRadius) return false;
  touched = ImGui::GetCurrentContext()->HoveredWindow;
  touch = Touch::scrolling;
  last = ImVec2(x, y);
  if (std::abs(y - start.y) >= std::abs(x - start.x)) return false;
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  return true;
}

EMSCRIPTEN_KEEPALIVE void browser_touch_decided() {
  if (takes_sideways_drags()) {
    touch = Touch::dragging;
    return;
  }
  move_mouse_away();  // released over nothing: no click
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, false);
}

EMSCRIPTEN_KEEPALIVE void browser_touch_moved(float x, float y, double milliseconds) {
  if (touch == Touch::dragging) ImGui::GetIO().AddMousePosEvent(x, y);
  if (touch == Touch::scrolling) {
    const float dx = last.x - x, dy = last.y - y;
    const auto seconds = static_cast<float>((milliseconds - last_time) / 1000);
    if (touched != nullptr) scroll_by(touched, dx, dy);
    if (seconds > 0) {
      velocity.x = velocity.x * 0.4f + dx / seconds * 0.6f;
      velocity.y = velocity.y * 0.4f + dy / seconds * 0.6f;
    }
    last = ImVec2(x, y);
    last_time = milliseconds;
  }
}

/// True when it was a tap.
EMSCRIPTEN_KEEPALIVE bool browser_touch_ended(double milliseconds) {
  ImGuiIO& io = ImGui::GetIO();
  const Touch ended = touch;
  touch = Touch::none;
  if (ended == Touch::resting) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, true);
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  }
  if (ended == Touch::dragging) io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  if (ended == Touch::scrolling) {
    flinging = touched != nullptr && milliseconds - last_time < kFlingPause &&
               !platform::preferences().reduced_motion && std::hypot(velocity.x, velocity.y) > kFlingStop;
  }
  move_mouse_away();
  return ended == Touch::resting;
}

/// The browser took the touch for itself, to pinch.
EMSCRIPTEN_KEEPALIVE void browser_touch_cancelled() {
  if (touch == Touch::dragging) ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  touch = Touch::none;
  move_mouse_away();
}

}  // extern "C"
