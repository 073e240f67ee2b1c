# Finds the Emscripten toolchain file that belongs to the emcc in PATH, so that `cmake --preset web` is enough.
#
# 2026-11: Debian's emcc runs its JavaScript optimiser with `node` and finds its modules only beside Debian's own node;
# with any other node they have to be named (https://bugs.debian.org/emscripten, "Cannot find module 'acorn'").
if(NOT DEFINED ENV{NODE_PATH} AND EXISTS /usr/share/nodejs/acorn)
  set(ENV{NODE_PATH} /usr/share/nodejs)
  set(CMAKE_C_LINKER_LAUNCHER "${CMAKE_COMMAND};-E;env;NODE_PATH=/usr/share/nodejs")
  set(CMAKE_CXX_LINKER_LAUNCHER "${CMAKE_C_LINKER_LAUNCHER}")
endif()

# Instructions that every browser with WebGL 2 has had since 2021, and emcc leaves out unless told: a conversion to an
# integer is one of them instead of a dozen, which makes ImGui's code 2.5 % smaller.
set(CMAKE_C_FLAGS_INIT "-mnontrapping-fptoint -msign-ext -mbulk-memory")
# Optimised as one at the link: the packed page is 4 % smaller, and a link takes half a minute longer.
string(APPEND CMAKE_C_FLAGS_INIT " -flto")
# For small code emcc forbids LLVM to inline and leaves that to Binaryen, which comes too late for what follows from it:
# with it the page is 3 % smaller and a plan takes a quarter of the time (2026-12,
# https://github.com/emscripten-core/emscripten/blob/3.1.6/emcc.py, "-fno-inline-functions").
string(APPEND CMAKE_C_FLAGS_INIT " -finline-functions")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")

find_program(VRAM_EMCC emcc REQUIRED)
file(REAL_PATH "${VRAM_EMCC}" emcc_path)
cmake_path(GET emcc_path PARENT_PATH emcc_folder)
foreach(folder "${emcc_folder}" /usr/share/emscripten "${emcc_folder}/../libexec" "$ENV{EMSDK}/upstream/emscripten")
  if(EXISTS "${folder}/cmake/Modules/Platform/Emscripten.cmake")
    include("${folder}/cmake/Modules/Platform/Emscripten.cmake")
    return()
  endif()
endforeach()
message(FATAL_ERROR "emcc is ${emcc_path}, but its cmake/Modules/Platform/Emscripten.cmake was not found")
