/* What SDL's video part refers to and this page has no use for: SDL's own events of a canvas (web/platform/browser
 * listens by itself), its cursor, surfaces and renderers. The files that do it are not compiled (../sdl2.cmake). */
#include "SDL_internal.h"

#include "SDL_events.h"
#include "SDL_touch.h"
#include "events/SDL_gesture_c.h"
#include "events/SDL_touch_c.h"
#include "render/SDL_sysrender.h"
#include "video/emscripten/SDL_emscriptenevents.h"
#include "video/emscripten/SDL_emscriptenframebuffer.h"
#include "video/emscripten/SDL_emscriptenmouse.h"

void Emscripten_RegisterEventHandlers(SDL_WindowData* data) {}
void Emscripten_UnregisterEventHandlers(SDL_WindowData* data) {}
EM_BOOL Emscripten_HandleCanvasResize(int type, const void* reserved, void* user) { return 0; }

void Emscripten_InitMouse(void) {}
void Emscripten_FiniMouse(void) {}

int Emscripten_CreateWindowFramebuffer(_THIS, SDL_Window* window, Uint32* format, void** pixels, int* pitch) { return -1; }
int Emscripten_UpdateWindowFramebuffer(_THIS, SDL_Window* window, const SDL_Rect* rects, int count) { return -1; }
void Emscripten_DestroyWindowFramebuffer(_THIS, SDL_Window* window) {}
SDL_Surface* SDL_ConvertSurfaceFormat(SDL_Surface* surface, Uint32 format, Uint32 flags) { return NULL; }

SDL_Renderer* SDL_GetRenderer(SDL_Window* window) { return NULL; }
void SDL_DestroyRendererWithoutFreeing(SDL_Renderer* renderer) {}

int SDL_TouchInit(void) { return 0; }
void SDL_TouchQuit(void) {}
int SDL_AddTouch(SDL_TouchID id, SDL_TouchDeviceType type, const char* name) { return -1; }
int SDL_SendTouchMotion(SDL_TouchID id, SDL_FingerID finger, SDL_Window* window, float x, float y, float pressure) {
  return 0;
}
void SDL_GestureProcessEvent(SDL_Event* event) {}
