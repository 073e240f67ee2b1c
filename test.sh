#!/usr/bin/env bash
# Sets up, builds natively and for the browser, runs every test. Ends with CTest's summary.
set -euo pipefail
cd "$(dirname "$0")"

step="setting up"
trap 'echo "test.sh: failed while $step" >&2' ERR

scripts/setup.sh test
for preset in native web; do
  step="configuring ($preset)"
  cmake --preset "$preset" >"build/configure-$preset.log" || { cat "build/configure-$preset.log"; false; }
  step="building ($preset)"
  cmake --build --preset "$preset"
done
step="testing (ctest --preset native)"
ctest --preset native
