# nlohmann-json, header only. A folder with a link to it, because -I/usr/include would put the host's headers before
# Emscripten's.
find_path(VRAM_JSON_FOLDER nlohmann/json.hpp PATHS /usr/include /usr/local/include /opt/homebrew/include
          NO_CMAKE_FIND_ROOT_PATH)
if(VRAM_JSON_FOLDER)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/json")
  file(CREATE_LINK "${VRAM_JSON_FOLDER}/nlohmann" "${CMAKE_BINARY_DIR}/json/nlohmann" COPY_ON_ERROR SYMBOLIC)
  set(json_include "${CMAKE_BINARY_DIR}/json")
else()
  vram_fetch(json
    URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
    URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
  set(json_include "${json_SOURCE_DIR}/include")
endif()

add_library(vram_json INTERFACE)
target_include_directories(vram_json SYSTEM INTERFACE "${json_include}")
target_compile_definitions(vram_json INTERFACE JSON_NOEXCEPTION)
