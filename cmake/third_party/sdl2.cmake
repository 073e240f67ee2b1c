# The part of SDL2 that a canvas with WebGL needs: video, events, timer. SDL's own CMake takes minutes under emcmake,
# so its sources are listed here.
vram_prefer_local(SDL2 "${CMAKE_SOURCE_DIR}/build/third_party/sdl2")
vram_fetch(sdl2
  URL https://github.com/libsdl-org/SDL/releases/download/release-2.32.4/SDL2-2.32.4.tar.gz
  URL_HASH SHA256=f15b478253e1ff6dac62257ded225ff4e7d0c5230204ac3450f1144ee806f934)

# SDL's headers include SDL_config.h from their own folder, so ours has to lie beside them.
set(sdl2_include "${CMAKE_BINARY_DIR}/sdl2/include")
file(COPY "${sdl2_SOURCE_DIR}/include/" DESTINATION "${sdl2_include}" FILES_MATCHING PATTERN "*.h"
     PATTERN SDL_config.h EXCLUDE)
configure_file("${CMAKE_CURRENT_LIST_DIR}/sdl2/SDL_config.h" "${sdl2_include}/SDL_config.h" COPYONLY)

set(sdl2_folders . atomic cpuinfo events file stdlib libm thread thread/generic timer timer/unix locale
    locale/emscripten misc misc/emscripten loadso/dummy filesystem/dummy video
    video/emscripten)
set(sdl2_sources)
foreach(folder IN LISTS sdl2_folders)
  file(GLOB found "${sdl2_SOURCE_DIR}/src/${folder}/*.c")
  list(APPEND sdl2_sources ${found})
endforeach()

# A third of its code would handle what the page handles by itself or has not got: see sdl2/left_out.c.
list(FILTER sdl2_sources EXCLUDE REGEX "SDL_emscripten(events|mouse|framebuffer)\\.c$")
list(FILTER sdl2_sources EXCLUDE REGEX "SDL_(render|yuv|yuv_sw|d3dmath|blit.*|RLEaccel|stretch|bmp|fillrect|surface|shape)\\.c$")
list(FILTER sdl2_sources EXCLUDE REGEX "SDL_(gesture|touch|dropevents|clipboard|clipboardevents|vulkan_utils)\\.c$")
list(APPEND sdl2_sources "${CMAKE_CURRENT_LIST_DIR}/sdl2/left_out.c")

add_library(vram_sdl2 STATIC EXCLUDE_FROM_ALL ${sdl2_sources})
target_include_directories(vram_sdl2 SYSTEM PUBLIC "${sdl2_include}" PRIVATE "${sdl2_SOURCE_DIR}/src")
target_compile_definitions(vram_sdl2 PUBLIC SDL_LEAN_AND_MEAN=1)
target_compile_options(vram_sdl2 PRIVATE -w -include "${CMAKE_CURRENT_LIST_DIR}/sdl2/em_js_deps.h")
