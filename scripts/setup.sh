#!/usr/bin/env bash
# Installs what building and testing need and is missing, and fetches the sources of ImGui and SDL2. Run again, it does
# nothing. Debian and Ubuntu: through apt. Elsewhere it names the tools and leaves installing them to you.
#
#   scripts/setup.sh [build|test]     build: enough for the page; test (default): browsers too
set -Eeuo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-test}
third_party=build/third_party
step="set-up"
trap 'echo "setup: failed while $step" >&2' ERR

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Commands with the packages that bring them, and packages by name alone.
commands=(g++:g++ cmake:cmake ninja:ninja-build emcc:emscripten xz:xz-utils node:nodejs npm:npm)
packages=(nlohmann-json3-dev libgtest-dev libbenchmark-dev fonts-inter python3-fonttools)
if [ "$purpose" = test ]; then
  commands+=(chromium:chromium firefox-esr:firefox-esr xvfb-run:xvfb xauth:xauth clang++:clang
             WebKitWebDriver:webkit2gtk-driver)
  packages+=(libgl1-mesa-dri libegl1 libclang-rt-dev)
fi

install_missing() {
  local missing=() known=() need
  for need in "${commands[@]}"; do
    command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
  done
  for need in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$need" 2>/dev/null)" = installed ] || missing+=("$need")
  done
  [ ${#missing[@]} = 0 ] && return
  step="updating apt's lists (apt-get update)"
  as_root apt-get update -qq
  for need in "${missing[@]}"; do
    # Ubuntu has no firefox-esr, and its chromium is not a program but a snap: the tests that need them say so.
    if apt-cache show "$need" >/dev/null 2>&1; then known+=("$need"); else echo "setup: no package $need here"; fi
  done
  [ ${#known[@]} = 0 ] && return
  echo "setup: installing ${known[*]}"
  step="installing ${known[*]} (apt-get install)"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${known[@]}" >/dev/null
}

# Debian carries ImGui and SDL2 for other machines than wasm, so only their source packages serve. They come from newer
# suites than the system's, through an apt configuration of their own: nothing of the system's is touched. apt checks
# the archives against the suite's signature.
fetch_sources() {
  [ -f "$third_party/imgui/imgui.h" ] && [ -f "$third_party/sdl2/include/SDL.h" ] && return
  step="finding the machine's Debian mirror (apt-get indextargets)"
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg apt=$PWD/$third_party/apt
  # Of all lines the plain Debian archive: its release is not a security or an updates one.
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && $2 == "Debian" {print $3; exit}')
  if [ -z "$mirror" ] || [ ! -f "$keyring" ]; then
    echo "setup: no Debian archive here; CMake will fetch ImGui and SDL2 from their projects"
    return
  fi
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  printf 'Types: deb-src\nURIs: %s\nSuites: forky trixie\nComponents: main\nSigned-By: %s\n' "$mirror" "$keyring" \
    > "$apt/debian.sources"
  local own=(-o "Dir::Etc::sourcelist=$apt/debian.sources" -o Dir::Etc::sourceparts=/nonexistent
             -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  step="reading the lists of Debian's source packages (apt-get update with a configuration of its own)"
  apt-get "${own[@]}" update -qq
  unpack_source imgui forky 'imgui_1.92.*.orig.tar.*' imgui
  unpack_source libsdl2 trixie 'libsdl2_2.32.*.orig.tar.*' sdl2
  rm -rf "$apt"
}

# unpack_source PACKAGE SUITE ARCHIVE FOLDER: downloads a source package, records what it was, unpacks upstream's part.
unpack_source() {
  local package=$1 suite=$2 pattern=$3 folder=$third_party/$4 download
  download=$(mktemp -d "$PWD/$third_party/download.XXXXXX")
  step="downloading $package from Debian $suite (apt-get source)"
  (cd "$download" && apt-get "${own[@]}" source --download-only -qq "$package/$suite" >/dev/null)
  step="unpacking $package"
  local archive
  archive=$(find "$download" -name "$pattern")
  [ -n "$archive" ] || { echo "setup: $suite has another $package: $(ls "$download")" >&2; return 1; }
  (cd "$download" && sha256sum ./*.orig.tar.*) >> "$third_party/VERSIONS"
  rm -rf "$folder"
  mkdir -p "$folder.new"
  tar -xf "$archive" -C "$folder.new" --strip-components=1
  mv "$folder.new" "$folder"
  rm -rf "$download"
}

install_node_packages() {
  cmp -s package-lock.json node_modules/.installed-lock && return
  step="installing the minifier and the browser tests' tools (npm ci)"
  npm ci --silent --no-audit --no-fund
  cp package-lock.json node_modules/.installed-lock
}

if command -v apt-get >/dev/null; then
  install_missing
  mkdir -p "$third_party"
  fetch_sources
else
  missing=()
  for tool in cmake ninja emcc node npm python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if [ ${#missing[@]} != 0 ]; then
    echo "setup: this system has no apt; please install: ${missing[*]}" >&2
    echo "setup: also needed: a C++20 compiler, Python's fontTools, Inter's .otf files (-DVRAM_INTER_FOLDER=…), and" \
         "Chromium for the browser tests (VRAM_CHROMIUM=…). CMake fetches ImGui, SDL2, GoogleTest and json itself." >&2
    exit 1
  fi
fi
install_node_packages
