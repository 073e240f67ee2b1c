// Opened files are handles: bytes are read where the interface asks for them, never the whole of a file.
#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

extern "C" {
void js_pick_files();
void js_paste();
void js_read_file(std::uint32_t file, double offset, std::uint32_t length);
void js_close_files();
}

namespace platform {

void pick_files() { js_pick_files(); }
void paste() { js_paste(); }

void read_file(std::uint32_t file, std::uint64_t offset, std::uint32_t length) {
  js_read_file(file, static_cast<double>(offset), length);  // exact up to 2^53
}

void close_files() { js_close_files(); }

}  // namespace platform

namespace platform::browser {
namespace {

std::vector<ui::OpenedFile> opening;

}  // namespace
}  // namespace platform::browser

using namespace platform::browser;

extern "C" {

EMSCRIPTEN_KEEPALIVE void browser_file_opened(std::uint32_t id, double size) {
  opening.push_back({id, taken(), static_cast<std::uint64_t>(size)});
}

EMSCRIPTEN_KEEPALIVE void browser_files_opened() { app().files_opened(std::exchange(opening, {})); }

EMSCRIPTEN_KEEPALIVE void browser_bytes_read(std::uint32_t file, double offset) {
  const std::string bytes = taken();
  app().bytes_read(file, static_cast<std::uint64_t>(offset), std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // extern "C"
