# web/ui: the page's drawing. It is compiled for the page, and natively against the null platform for its tests.
file(GLOB ui_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/ui/*.cpp")

if(ui_sources AND TARGET vram_core)
  add_library(vram_ui STATIC ${ui_sources})
  target_link_libraries(vram_ui PUBLIC vram_core vram_imgui vram_font PRIVATE vram_warnings)
  target_precompile_headers(vram_ui PRIVATE <imgui.h> <nlohmann/json.hpp>)
  set_source_files_properties("${CMAKE_SOURCE_DIR}/web/ui/session.cpp" PROPERTIES
                              COMPILE_DEFINITIONS VRAM_VERSION="${PROJECT_VERSION}")
endif()

if(NOT EMSCRIPTEN)
  add_library(vram_null_platform STATIC "${CMAKE_SOURCE_DIR}/web/platform/null.cpp")
  target_include_directories(vram_null_platform PUBLIC "${CMAKE_SOURCE_DIR}")
  target_link_libraries(vram_null_platform PRIVATE vram_dialect vram_warnings)
endif()
