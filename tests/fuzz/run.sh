#!/usr/bin/env bash
# Fuzzes with the sanitizers: tests/fuzz/run.sh MINUTES [TARGET…]. Needs clang (Debian: apt-get install clang).
#
# Each target runs for MINUTES (fractions are fine), from the seeds in tests/fuzz/corpus and from what earlier runs found
# in build/fuzz/found. An input that breaks a promise is left in build/fuzz/ and its path printed.
set -euo pipefail
cd "$(dirname "$0")/../.."

minutes=${1:?minutes, for example 0.2}
shift
readers=(safetensors gguf index open catalogue config link log)
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=("${readers[@]}" scenario site); fi
compiler=${CXX:-$(command -v clang++ || command -v clang++-14)}
out=build/fuzz
mkdir -p "$out/objects"
json=/usr/include/nlohmann/json.hpp
flags=(-std=c++20 -O1 -g1 -fno-exceptions -fno-rtti -DJSON_NOEXCEPTION -fconstexpr-steps=100000000 -I. -isystem build/third_party/imgui
       -fsanitize=address,undefined -fno-sanitize-recover=all)

# Readers know nothing of plans: where only they are fuzzed, less is compiled.
sources=(core/units/*.cpp core/model/*.cpp core/hardware/*.cpp core/import/*.cpp core/scenario/*.cpp)
if [[ " ${targets[*]} " =~ \ (scenario|site)\  ]]; then
  sources+=(core/{plan,speed,facility,advise,report}/*.cpp core/plan/*/*.cpp web/ui/site.cpp "$out/assets.cpp")
  if [ -z "$(find "$out/assets.cpp" -newer assets/models.json 2>/dev/null)" ] ||
     [ -n "$(find assets -newer "$out/assets.cpp" -print -quit)" ]; then
    cmake "-DFOLDER=$PWD/assets" "-DOUTPUT=$PWD/$out/assets.cpp" -DLEFT_OUT= -P cmake/embed_assets.cmake
  fi
fi

# Half of the time would go into reading this one header.
[ "$out/json.pch" -nt "$json" ] ||
  "$compiler" "${flags[@]}" -fsanitize=fuzzer-no-link -x c++-header "$json" -o "$out/json.pch"

compile() {  # source object: only when the source or a header is newer
  if [ ! -e "$2" ] || [ -n "$(find "$1" core tests/fuzz -newer "$2" \( -name '*.h' -o -path "$1" \) -print -quit)" ]; then
    "$compiler" "${flags[@]}" -fsanitize=fuzzer-no-link -include-pch "$out/json.pch" -c "$1" -o "$2"
  fi
}
objects=()
for source in "${sources[@]}"; do
  object="$out/objects/$(echo "$source" | tr / _).o"
  objects+=("$object")
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done  # a compiler that failed ends the script here
  compile "$source" "$object" &
done
while [ -n "$(jobs -rp)" ]; do wait -n; done
rm -f "$out/core.a"
ar rcs "$out/core.a" "${objects[@]}"
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 < 1 ? 1 : $minutes * 60 }")
for target in "${targets[@]}"; do
  "$compiler" "${flags[@]}" -fsanitize=fuzzer "tests/fuzz/${target}_fuzz.cpp" "$out/core.a" \
    -o "$out/$target"
  mkdir -p "$out/found/$target"
  echo "fuzzing $target for $seconds s"
  "$out/$target" -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10 -max_len=65536 \
    -print_final_stats=0 -verbosity=0 -artifact_prefix="$out/" "$out/found/$target" "tests/fuzz/corpus/$target"
done
echo "fuzzing found nothing"
