/* SDL's configuration for Emscripten without the parts that this page does not use. */
#ifndef SDL_config_h_
#define SDL_config_h_

#include "SDL_config_emscripten.h"

#undef SDL_AUDIO_DRIVER_DISK
#undef SDL_AUDIO_DRIVER_DUMMY
#undef SDL_AUDIO_DRIVER_EMSCRIPTEN
#define SDL_AUDIO_DISABLED 1

#undef SDL_JOYSTICK_EMSCRIPTEN
#define SDL_JOYSTICK_DISABLED 1

#undef SDL_SENSOR_DUMMY
#define SDL_SENSOR_DISABLED 1

#undef SDL_LOADSO_DLOPEN
#define SDL_LOADSO_DUMMY 1

#undef SDL_POWER_EMSCRIPTEN
#define SDL_POWER_DISABLED 1

#undef SDL_FILESYSTEM_EMSCRIPTEN
#define SDL_FILESYSTEM_DUMMY 1

#undef SDL_VIDEO_RENDER_OGL_ES2
#define SDL_RENDER_DISABLED 1

#endif /* SDL_config_h_ */
