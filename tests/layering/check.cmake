# Fails when a folder includes one to its right, so that data keeps flowing one way: cmake -DROOT=… -P check.cmake
#
# The order is ARCHITECTURE.md's. What a folder may include: itself, every folder to its left, the standard library;
# the core also nlohmann-json and assets/. Nothing of the page in the core, nothing of the core in web/platform except
# through the page's App.
set(order core/units core/model core/import core/hardware core/scenario core/plan core/speed core/facility core/advise
    core/report core/check core/cli)
set(page_libraries "^(web/|imgui|imgui_internal|SDL|emscripten|GLES|EGL)")
set(violations)

# "core/plan/server/vllm.h" stands in the room "core/plan", however deep.
function(room_of path result)
  cmake_path(GET path PARENT_PATH folder)
  string(REGEX REPLACE "^(core/[^/]+)/.*" "\\1" folder "${folder}")
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(check file position)
  file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "[<\"]([^>\"]+)[>\"]")
      continue()
    endif()
    set(included "${CMAKE_MATCH_1}")
    set(wrong FALSE)
    if(file MATCHES "^core/")
      room_of("${included}" folder)
      list(FIND order "${folder}" other)
      if(other GREATER position OR included MATCHES "${page_libraries}")
        set(wrong TRUE)
      elseif(included MATCHES "^core/" AND other EQUAL -1)
        set(wrong TRUE)  # a folder that has no place in the order yet
      endif()
    elseif(file MATCHES "^web/ui/")
      if(included MATCHES "^core/cli/" OR included MATCHES "^(SDL|emscripten|GLES|EGL)" OR
         (included MATCHES "^web/platform/" AND NOT included STREQUAL "web/platform/platform.h"))
        set(wrong TRUE)
      endif()
    elseif(included MATCHES "^(core|assets)/" OR
           (included MATCHES "^web/ui/" AND NOT included MATCHES "^web/ui/(app|font)\\.h$"))
      set(wrong TRUE)
    endif()
    if(wrong)
      list(APPEND violations "${file} includes ${included}")
    endif()
  endforeach()
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/core/*.h" "${ROOT}/core/*.cpp" "${ROOT}/web/*.h" "${ROOT}/web/*.cpp")
foreach(file IN LISTS files)
  room_of("${file}" folder)
  list(FIND order "${folder}" position)
  if(file MATCHES "^core/" AND position EQUAL -1)
    list(APPEND violations "${file} is in a folder that has no place in the order")
    continue()
  endif()
  check("${file}" ${position})
endforeach()

if(violations)
  list(JOIN violations "\n  " text)
  message(FATAL_ERROR "Data flows one way (tests/layering/check.cmake):\n  ${text}")
endif()
