#!/usr/bin/env bash
# Fuzzes the parsers: tests/fuzz/run.sh MINUTES [TARGET…]. Needs clang (Debian: apt-get install clang).
#
# Each target runs for MINUTES (fractions are fine), from the seeds in tests/fuzz/corpus and from what earlier runs found
# in build/fuzz/found. An input that breaks a promise is left in build/fuzz/ and its path printed.
set -euo pipefail
cd "$(dirname "$0")/../.."

minutes=${1:?minutes, for example 0.2}
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(safetensors gguf index open catalogue config link log); fi
compiler=${CXX:-$(command -v clang++ || command -v clang++-14)}
out=build/fuzz
mkdir -p "$out/objects" "$out/json"
ln -sfn /usr/include/nlohmann "$out/json/nlohmann"
flags=(-std=c++20 -O1 -g1 -fno-exceptions -fno-rtti -DJSON_NOEXCEPTION -I. -isystem "$out/json"
       -fsanitize=address,undefined -fno-sanitize-recover=all)

compile() {  # source object: only when the source or a header is newer
  if [ ! -e "$2" ] || [ -n "$(find "$1" core tests/fuzz -newer "$2" \( -name '*.h' -o -path "$1" \) -print -quit)" ]; then
    "$compiler" "${flags[@]}" -fsanitize=fuzzer-no-link -c "$1" -o "$2"
  fi
}
objects=()
for source in core/units/*.cpp core/model/*.cpp core/hardware/*.cpp core/import/*.cpp core/scenario/*.cpp; do
  case $source in */catalogue*.cpp) continue ;; esac  # needs the assets
  object="$out/objects/$(echo "$source" | tr / _).o"
  objects+=("$object")
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done  # a compiler that failed ends the script here
  compile "$source" "$object" &
done
while [ -n "$(jobs -rp)" ]; do wait -n; done
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 < 1 ? 1 : $minutes * 60 }")
for target in "${targets[@]}"; do
  "$compiler" "${flags[@]}" -fsanitize=fuzzer "tests/fuzz/${target}_fuzz.cpp" "${objects[@]}" -o "$out/$target"
  mkdir -p "$out/found/$target"
  echo "fuzzing $target for $seconds s"
  "$out/$target" -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10 -max_len=65536 \
    -print_final_stats=0 -verbosity=0 -artifact_prefix="$out/" "$out/found/$target" "tests/fuzz/corpus/$target"
done
echo "fuzzing found nothing"
