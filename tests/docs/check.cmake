# Fails when a generated file is not what the program prints. With -DWRITE=ON it writes the files instead.
file(GLOB rows LIST_DIRECTORIES false "${ROOT}/tests/accuracy/*/rows.jsonl")
list(SORT rows)

# check(FILE ARGUMENTS…): FILE is what `vram document ARGUMENTS…` prints.
function(check page)
  execute_process(COMMAND "${VRAM}" document ${ARGN} OUTPUT_VARIABLE fresh RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "vram document ${ARGN} failed: ${failed}")
  endif()
  if(WRITE)
    file(WRITE "${ROOT}/${page}" "${fresh}")
    return()
  endif()
  set(published "")
  if(EXISTS "${ROOT}/${page}")
    file(READ "${ROOT}/${page}" published)
  endif()
  if(NOT published STREQUAL fresh)
    message(SEND_ERROR "${page} is out of date. Write it again: "
                       "cmake -DVRAM=build/native/vram -DROOT=. -DWRITE=ON -P tests/docs/check.cmake")
  endif()
endfunction()

check(docs/MODELS.md models "${ROOT}/tests/data/models_expected.json")
check(docs/REFERENCE.md reference)
check(docs/ACCURACY.md accuracy ${rows})
check(assets/accuracy.json figures ${rows})
