# assets/: the JSON files, compiled into the program (assets/assets.h); and the font (web/ui/font.h).
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/assets/*.json")
set(generated "${CMAKE_BINARY_DIR}/generated")

# What only the command uses would be 5 KB of the page, compressed.
set(assets_left_out "")
if(EMSCRIPTEN)
  set(assets_left_out models_measured.json strings/cli.json)
endif()

add_custom_command(
  OUTPUT "${generated}/assets.cpp"
  COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${CMAKE_SOURCE_DIR}/assets" "-DOUTPUT=${generated}/assets.cpp"
          "-DLEFT_OUT=${assets_left_out}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_assets.cmake"
  DEPENDS ${asset_files} "${CMAKE_SOURCE_DIR}/cmake/embed_assets.cmake"
  COMMENT "Embedding assets"
  VERBATIM)
add_library(vram_assets STATIC "${generated}/assets.cpp")
target_include_directories(vram_assets PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(vram_assets PRIVATE vram_dialect)

# Inter, cut down to the page's signs; two weights. Elsewhere than on Debian: -DVRAM_INTER_FOLDER=… with the .otf files.
find_path(VRAM_INTER_FOLDER Inter-Regular.otf PATHS /usr/share/fonts/opentype/inter /usr/share/fonts/inter
          NO_CMAKE_FIND_ROOT_PATH REQUIRED)

# A Python that has fontTools: Debian's own comes first, since a version manager's python3 does not see its packages.
foreach(python /usr/bin/python3 python3 python)
  execute_process(COMMAND ${python} -c "import fontTools" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    set(font_python ${python})
    break()
  endif()
endforeach()
if(NOT font_python)
  message(FATAL_ERROR "No Python with fontTools found: apt-get install python3-fonttools, or pip install fonttools")
endif()

set(fonts)
foreach(weight Regular SemiBold)
  add_custom_command(
    OUTPUT "${generated}/${weight}.otf"
    COMMAND ${font_python} "${CMAKE_SOURCE_DIR}/scripts/font.py" "${VRAM_INTER_FOLDER}/Inter-${weight}.otf"
            "${generated}/${weight}.otf"
    DEPENDS "${CMAKE_SOURCE_DIR}/scripts/font.py"
    COMMENT "Subsetting Inter ${weight}"
    VERBATIM)
  list(APPEND fonts "${generated}/${weight}.otf")
endforeach()
add_custom_command(
  OUTPUT "${generated}/font.cpp"
  COMMAND "${CMAKE_COMMAND}" "-DREGULAR=${generated}/Regular.otf" "-DSEMIBOLD=${generated}/SemiBold.otf"
          "-DOUTPUT=${generated}/font.cpp" -P "${CMAKE_SOURCE_DIR}/cmake/embed_font.cmake"
  DEPENDS ${fonts} "${CMAKE_SOURCE_DIR}/cmake/embed_font.cmake"
  COMMENT "Embedding the font"
  VERBATIM)
add_library(vram_font STATIC "${generated}/font.cpp")
target_include_directories(vram_font PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(vram_font PRIVATE vram_dialect)
