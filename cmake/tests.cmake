# Every test. Natively CTest runs all of them, those of the web build included, so that there is one summary.
include(GoogleTest)

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/unit/*_test.cpp")
if(EMSCRIPTEN)
  # Measured rows are the command's: their models are not in the page's assets. Advice does nothing but plan.
  list(FILTER unit_sources EXCLUDE REGEX "/tests/unit/(check|advise|facility)/")
endif()
file(GLOB ui_test_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/ui/*.cpp")
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/bench/*_bench.cpp")
file(GLOB browser_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/browser/*_test.mjs")

# Test data lies beside the tests and is read from there; under wasm the same paths are reached through Node.
function(vram_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE vram_core vram_gtest vram_warnings)
  target_compile_definitions(${name} PRIVATE VRAM_SOURCE_FOLDER="${CMAKE_SOURCE_DIR}")
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
  target_compile_options(${name} PRIVATE -O0)  # what takes time while testing is the core; here, it is the compiler
endfunction()

if(EMSCRIPTEN)
  add_executable(plan_bench EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tests/bench/plan_wasm.cpp")
  target_link_libraries(plan_bench PRIVATE vram_core vram_warnings)
  target_link_options(plan_bench PRIVATE -sENVIRONMENT=node -sSINGLE_FILE=1 -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH=1
                      -sTOTAL_STACK=1048576)
  if(unit_sources AND TARGET vram_core)
    vram_test_program(core_tests_wasm ${unit_sources})
    # Tests make small files and may count them in 64 bits; the core itself must say where it narrows for 32.
    set_source_files_properties(${unit_sources} PROPERTIES COMPILE_OPTIONS -Wno-shorten-64-to-32)
    # SINGLE_FILE: Node 18 and newer have fetch, which makes emcc 3.1.6 believe it is in a browser and ask for the .wasm
    # by address (2022-05, https://github.com/emscripten-core/emscripten/issues/16913).
    target_link_options(core_tests_wasm PRIVATE -O1 -sENVIRONMENT=node -sSINGLE_FILE=1 -sNODERAWFS=1 -sEXIT_RUNTIME=1
                        -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=1048576)
  endif()
  return()
endif()

if(unit_sources AND TARGET vram_core)
  vram_test_program(unit_tests ${unit_sources})
  gtest_discover_tests(unit_tests DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit)
  # The compilers differ in sizes of types and in rounding, which these show; the searches and the many drawn scenarios,
  # two thirds of the time, run natively only.
  add_test(NAME core_tests_wasm COMMAND "${VRAM_NODE}" "${CMAKE_SOURCE_DIR}/build/web/core_tests_wasm.js"
           --gtest_filter=-Options*:Any*:EveryModelOfTheCatalogue*)
  set_tests_properties(core_tests_wasm PROPERTIES LABELS wasm)
endif()

if(ui_test_sources AND TARGET vram_ui)
  vram_test_program(ui_tests ${ui_test_sources})
  target_link_libraries(ui_tests PRIVATE vram_ui vram_null_platform)
  gtest_discover_tests(ui_tests DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ui)
endif()

find_package(benchmark QUIET)
if(bench_sources AND benchmark_FOUND AND TARGET vram_core)
  add_executable(bench ${bench_sources})
  target_link_libraries(bench PRIVATE vram_core benchmark::benchmark_main vram_warnings)
endif()

add_test(NAME layering COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}"
         -P "${CMAKE_SOURCE_DIR}/tests/layering/check.cmake")
add_test(NAME layering_finds_a_violation COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}/tests/layering/wrong"
         -P "${CMAKE_SOURCE_DIR}/tests/layering/check.cmake")
set_tests_properties(layering_finds_a_violation PROPERTIES
  PASS_REGULAR_EXPRESSION "core/units/early.h includes core/plan/late.h")
set_tests_properties(layering layering_finds_a_violation PROPERTIES LABELS unit)

# A short run of every fuzz target, in the program as it is built for the other tests: with the sanitizers the core would
# be compiled a second time, four minutes of the twenty. tests/fuzz/run.sh is that run; the workflow has a job for it.
if(TARGET vram_core)
  add_library(fuzz_driver OBJECT "${CMAKE_SOURCE_DIR}/tests/fuzz/standalone.cpp")
  target_link_libraries(fuzz_driver PRIVATE vram_core vram_warnings)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp")
  foreach(source IN LISTS fuzz_sources)
    cmake_path(GET source STEM name)
    string(REPLACE "_fuzz" "" target "${name}")
    add_executable(${name} "${source}" $<TARGET_OBJECTS:fuzz_driver>)
    target_link_libraries(${name} PRIVATE vram_core vram_warnings)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    set(inputs 50000)
    if(target STREQUAL scenario)  # each goes through the whole calculation
      set(inputs 300)
    elseif(target STREQUAL site)  # or through a whole page
      set(inputs 2000)
    endif()
    add_test(NAME fuzz.${target} COMMAND ${name} ${inputs} "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${target}")
    set_tests_properties(fuzz.${target} PROPERTIES LABELS fuzz TIMEOUT 300)
  endforeach()
  target_link_libraries(site_fuzz PRIVATE vram_ui)
endif()

# Generated pages are committed; a change of what they are generated from has to come with them.
if(TARGET vram)
  add_test(NAME docs_generated COMMAND "${CMAKE_COMMAND}" "-DVRAM=$<TARGET_FILE:vram>" "-DROOT=${CMAKE_SOURCE_DIR}"
           -P "${CMAKE_SOURCE_DIR}/tests/docs/check.cmake")
  set_tests_properties(docs_generated PROPERTIES LABELS unit)
endif()

add_test(NAME sbom COMMAND "${VRAM_NODE}" "${CMAKE_SOURCE_DIR}/scripts/sbom.mjs" --check
         "${CMAKE_SOURCE_DIR}/docs/sbom.spdx.json")
add_test(NAME strings_asked_for COMMAND "${VRAM_NODE}" tests/strings/asked_for.mjs WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
set_tests_properties(sbom strings_asked_for PROPERTIES LABELS unit)

# One browser at a time: two would make each other slow on two cores. They begin first, so that the other tests run beside
# them and not before them.
foreach(test IN LISTS browser_tests)
  cmake_path(GET test STEM name)
  add_test(NAME browser.${name} COMMAND "${VRAM_NODE}" "${test}")
  set_tests_properties(browser.${name} PROPERTIES LABELS browser RESOURCE_LOCK browser TIMEOUT 900 COST 1000
    ENVIRONMENT "VRAM_PAGE=${CMAKE_SOURCE_DIR}/build/web/index.html")
endforeach()
