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
done
# Both at once: the page is linked as one program, a minute in which the other core would wait.
cmake --build --preset web >build/build-web.log 2>&1 &
web=$!
step="building (native)"
cmake --build --preset native || { kill "$web" 2>/dev/null; false; }
step="building (web)"
wait "$web" || { cat build/build-web.log; false; }
step="testing (ctest --preset native)"
ctest --preset native
