# Dear ImGui 1.92.x. Natively its assertions stay on, so that tests find a missing End or two widgets with one ID.
vram_prefer_local(IMGUI "${CMAKE_SOURCE_DIR}/build/third_party/imgui")
vram_fetch(imgui  # v1.92.2b
  URL https://codeload.github.com/ocornut/imgui/tar.gz/45acd5e0e82f4c954432533ae9985ff0e1aad6d5
  URL_HASH SHA256=97484925aec2f4d3e913d6644d46b234f8d6d8d98c6aa9c50109e0f0df772090)

set(imgui_sources imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp)
if(EMSCRIPTEN)
  list(APPEND imgui_sources backends/imgui_impl_opengl3.cpp)
endif()
list(TRANSFORM imgui_sources PREPEND "${imgui_SOURCE_DIR}/")
# What it asks WebGL for in every frame is answered by web/platform/browser/canvas.cpp, which says why.
set_source_files_properties("${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp" PROPERTIES COMPILE_DEFINITIONS
  "glGetIntegerv=browser_gl_integer;glIsEnabled=browser_gl_enabled")

add_library(vram_imgui STATIC EXCLUDE_FROM_ALL ${imgui_sources})
target_include_directories(vram_imgui SYSTEM PUBLIC "${imgui_SOURCE_DIR}" "${imgui_SOURCE_DIR}/backends")
target_compile_definitions(vram_imgui PUBLIC
  IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DISABLE_DEBUG_TOOLS IMGUI_DISABLE_DEFAULT_FONT IMGUI_DISABLE_FILE_FUNCTIONS
  IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_IMPL_OPENGL_ES3)
target_link_libraries(vram_imgui PRIVATE vram_dialect)
