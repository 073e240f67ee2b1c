# Fails when a generated page of docs/ is not what the program prints. With -DWRITE=ON it writes the pages instead.
file(GLOB rows LIST_DIRECTORIES false "${ROOT}/tests/accuracy/*/rows.jsonl")
list(SORT rows)

# check(PAGE ARGUMENTS…): docs/PAGE is what `vram document ARGUMENTS…` prints.
function(check page)
  execute_process(COMMAND "${VRAM}" document ${ARGN} OUTPUT_VARIABLE fresh RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "vram document ${ARGN} failed: ${failed}")
  endif()
  if(WRITE)
    file(WRITE "${ROOT}/docs/${page}" "${fresh}")
    return()
  endif()
  set(published "")
  if(EXISTS "${ROOT}/docs/${page}")
    file(READ "${ROOT}/docs/${page}" published)
  endif()
  if(NOT published STREQUAL fresh)
    message(SEND_ERROR "docs/${page} is out of date. Write it again: "
                       "cmake -DVRAM=build/native/vram -DROOT=. -DWRITE=ON -P tests/docs/check.cmake")
  endif()
endfunction()

check(MODELS.md models "${ROOT}/tests/data/models_expected.json")
check(REFERENCE.md reference)
check(ACCURACY.md accuracy ${rows})
