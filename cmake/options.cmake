# What every source file of ours is compiled with. Third-party code is compiled without the warnings.

# One dialect of arithmetic on both compilers: wasm has no fused multiply-add, so the native build uses none either.
add_library(vram_dialect INTERFACE)
target_compile_features(vram_dialect INTERFACE cxx_std_20)
target_compile_options(vram_dialect INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti> -ffp-contract=off)

add_library(vram_warnings INTERFACE)
target_compile_options(vram_warnings INTERFACE
  -Werror -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Wundef
  # GCC 12 wants every member in a designated initialiser, which defeats defaults. Its warnings by flow analysis report
  # libstdc++'s own strings and variants where nothing is wrong (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105329,
  # 105562); the asan preset looks for the real ones.
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow -Wno-stringop-overread;-Wno-maybe-uninitialized>)
