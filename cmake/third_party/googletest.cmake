# GoogleTest, built from source with our own flags for both compilers: without exceptions and without threads, which
# Debian's built library has and wasm has not.
vram_prefer_local(GOOGLETEST /usr/src/googletest)
vram_fetch(googletest
  URL https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
  URL_HASH SHA256=81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)

set(gtest_folder "${googletest_SOURCE_DIR}/googletest")
add_library(vram_gtest STATIC EXCLUDE_FROM_ALL "${gtest_folder}/src/gtest-all.cc" "${gtest_folder}/src/gtest_main.cc")
target_include_directories(vram_gtest SYSTEM PUBLIC "${gtest_folder}/include" PRIVATE "${gtest_folder}")
target_compile_definitions(vram_gtest PUBLIC GTEST_HAS_PTHREAD=0)
target_link_libraries(vram_gtest PRIVATE vram_dialect)
