#!/usr/bin/env bash
# Puts what a release consists of into build/release, from what test.sh has built: the page, the command, the list of what
# is in them, and the SHA-256 of all three.
#
#   scripts/release.sh [TAG]     fails when TAG is not the version that CMakeLists.txt names
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(vram VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tag=${1:-v$version}
[ "$tag" = "v$version" ] || { echo "release: the tag is $tag, the version $version" >&2; exit 1; }
[ "$(build/native/vram --version)" = "vram $version" ] || { echo "release: build/native/vram is another version" >&2; exit 1; }

out=build/release
rm -rf "$out"
mkdir -p "$out"
cp build/web/index.html "$out/index.html"
cp build/native/vram "$out/vram"
strip "$out/vram"
node scripts/sbom.mjs --with "index.html=$out/index.html" "vram=$out/vram" > "$out/sbom.spdx.json"
(cd "$out" && sha256sum index.html vram sbom.spdx.json > SHA256SUMS)
ls -l "$out"
