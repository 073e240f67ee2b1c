#!/usr/bin/env bash
# Builds the page and serves it on http://localhost:8080.   serve.sh [--build-only]
set -euo pipefail
cd "$(dirname "$0")"

step="setting up"
trap 'echo "serve.sh: failed while $step" >&2' ERR

scripts/setup.sh build
step="configuring the page (cmake --preset web)"
cmake --preset web >build/configure-web.log || { cat build/configure-web.log; false; }
step="building the page (cmake --build --preset web --target index)"
cmake --build --preset web --target index
echo "The page: $PWD/build/web/index.html"
[ "${1:-}" = --build-only ] && exit

echo "Served on http://localhost:8080 (Ctrl+C ends it)"
exec node scripts/serve.mjs build/web/index.html 8080
