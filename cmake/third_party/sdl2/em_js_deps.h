/* 2026-11: SDL 2.28.4 and newer use EM_JS_DEPS, which Emscripten has since 3.1.24 and Debian 12's 3.1.6 has not. What
   the macro asks for is always present there (https://github.com/libsdl-org/SDL/pull/11874, closed unmerged). */
#include <emscripten/emscripten.h>
#ifndef EM_JS_DEPS
#define EM_JS_DEPS(tag, deps) extern int em_js_deps_unused_##tag
#endif
