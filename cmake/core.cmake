# core/: the calculation, and the command `vram`.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/core/*.cpp")
file(GLOB cli_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/core/cli/*.cpp")
if(cli_sources)
  list(REMOVE_ITEM core_sources ${cli_sources})
endif()

if(core_sources)
  add_library(vram_core STATIC ${core_sources})
  target_link_libraries(vram_core PUBLIC vram_dialect vram_assets vram_json PRIVATE vram_warnings)
  target_include_directories(vram_core PUBLIC "${CMAKE_SOURCE_DIR}")
  # Half of the build was parsing this one header.
  target_precompile_headers(vram_core PRIVATE <nlohmann/json.hpp>)
endif()

if(cli_sources AND NOT EMSCRIPTEN)
  add_executable(vram ${cli_sources})
  target_link_libraries(vram PRIVATE vram_core vram_warnings)
  target_precompile_headers(vram PRIVATE <nlohmann/json.hpp>)
  set_source_files_properties("${CMAKE_SOURCE_DIR}/core/cli/main.cpp" PROPERTIES
                              COMPILE_DEFINITIONS VRAM_VERSION="${PROJECT_VERSION}")
  set_target_properties(vram PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
endif()
