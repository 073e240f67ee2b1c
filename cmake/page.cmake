# The page: the program for the browser, packed with shell.html into the one file build/web/index.html.
file(GLOB browser_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/platform/browser/*.cpp")
file(GLOB browser_libraries CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/platform/browser/*.js")

# What unpacks the program in the browser: a module without a library, exporting its memory and three functions. Its
# sizes are the least that hold its tables; boot.js makes room for the rest.
add_executable(unpack "${CMAKE_SOURCE_DIR}/web/unpack.cpp")
set_target_properties(unpack PROPERTIES SUFFIX .wasm)
target_link_libraries(unpack PRIVATE vram_dialect vram_warnings)
target_link_options(unpack PRIVATE --no-entry -sSTANDALONE_WASM -sEXPORTED_FUNCTIONS=_bytes,_unpack,_join
                    -sTOTAL_STACK=4096 -sINITIAL_MEMORY=65536 -sALLOW_MEMORY_GROWTH=1)

# vram_page(NAME UI OUTPUT): packs the page that the library UI draws.
function(vram_page name ui output)
  add_executable(${name}_program ${browser_sources})
  target_compile_definitions(${name}_program PRIVATE VRAM_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name}_program PRIVATE vram_dialect ${ui} vram_imgui vram_sdl2 vram_font vram_warnings)
  target_link_options(${name}_program PRIVATE
    -sENVIRONMENT=web -sMODULARIZE=1 -sEXPORT_NAME=createApp -sINVOKE_RUN=0 -sFILESYSTEM=0 -sMALLOC=emmalloc
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=268435456 -sTOTAL_STACK=1048576
    -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
    -sBINARYEN_EXTRA_PASSES=--merge-similar-functions,-Oz  # templates for many types: 2 KB of the packed page
    # ImGui needs none of the extensions; asking for all of them was a fifth of the start without a GPU.
    -sGL_SUPPORT_AUTOMATIC_ENABLE_EXTENSIONS=0
    -sDYNAMIC_EXECUTION=0  # the page's policy forbids eval
    -sEXPORTED_RUNTIME_METHODS=callMain,UTF8ToString,stringToUTF8,lengthBytesUTF8)
  foreach(library IN LISTS browser_libraries)
    target_link_options(${name}_program PRIVATE "SHELL:--js-library \"${library}\"")
  endforeach()
  set_target_properties(${name}_program PROPERTIES LINK_DEPENDS "${browser_libraries}")

  set(program "${CMAKE_BINARY_DIR}/${name}_program")
  set(parts shell.html web/boot.js LICENSE NOTICE)
  list(TRANSFORM parts PREPEND "${CMAKE_SOURCE_DIR}/")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${VRAM_NODE}" "${CMAKE_SOURCE_DIR}/web/pack.mjs" ${parts} "$<TARGET_FILE:unpack>" "${program}.js"
            "${program}.wasm" "${output}"
    DEPENDS ${name}_program unpack ${parts} "${CMAKE_SOURCE_DIR}/web/pack.mjs" "${CMAKE_SOURCE_DIR}/web/split.mjs"
            "${CMAKE_SOURCE_DIR}/web/text.mjs"
    COMMENT "Packing ${output}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${output}")
endfunction()

if(TARGET vram_ui)
  vram_page(index vram_ui "${CMAKE_BINARY_DIR}/index.html")
endif()

# A page with a few widgets, on which tests/browser tries the platform by itself.
add_library(vram_fixture_ui STATIC EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tests/browser/fixture.cpp")
target_include_directories(vram_fixture_ui PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(vram_fixture_ui PRIVATE vram_dialect vram_imgui vram_font vram_json vram_warnings)
vram_page(fixture vram_fixture_ui "${CMAKE_BINARY_DIR}/fixture.html")
