# Dear ImGui, SDL2, GoogleTest and nlohmann-json: one description, wherever the sources come from.
#
# `scripts/setup.sh` puts Debian's source packages into build/third_party/ and Debian's packages provide the rest. Where
# a local copy is missing, FetchContent gets the upstream release, pinned by its hash. CMake's own switch
# FETCHCONTENT_SOURCE_DIR_<NAME> names any other copy.
include(FetchContent)

# A local copy that exists is taken unless the user named another.
macro(vram_prefer_local name folder)
  if(NOT FETCHCONTENT_SOURCE_DIR_${name} AND EXISTS "${folder}")
    set(FETCHCONTENT_SOURCE_DIR_${name} "${folder}")
  endif()
endmacro()

# Only the sources are wanted: these projects' own CMake files are not run (SDL's takes minutes under emcmake, nearly
# all of it in try_compile; ImGui has none). SOURCE_SUBDIR names a folder without a CMakeLists.txt on purpose.
macro(vram_fetch name)
  FetchContent_Declare(${name} ${ARGN} SOURCE_SUBDIR sources-only DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
  FetchContent_MakeAvailable(${name})
endmacro()

include(third_party/json)
include(third_party/googletest)
include(third_party/imgui)
if(EMSCRIPTEN)
  include(third_party/sdl2)
endif()
