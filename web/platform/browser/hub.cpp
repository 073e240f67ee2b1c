// Requests to a hub: parts of files, asked for by address.
#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

extern "C" {
void js_fetch(std::uint32_t id, const char* address, double offset, std::uint32_t length);
void js_stop_fetches();
}

namespace platform {

void fetch(std::uint32_t id, const std::string& address, std::uint64_t offset, std::uint32_t length) {
  js_fetch(id, address.c_str(), static_cast<double>(offset), length);  // exact up to 2^53
}

void stop_fetches() { js_stop_fetches(); }

namespace browser {
namespace {

ui::Fetched answer;

}  // namespace
}  // namespace browser
}  // namespace platform

using namespace platform::browser;

extern "C" {

/// What the answer's headers say is given first, then its bytes.
EMSCRIPTEN_KEEPALIVE void browser_fetched_commit() { answer.commit = taken(); }
EMSCRIPTEN_KEEPALIVE void browser_fetched_code() { answer.code = taken(); }

EMSCRIPTEN_KEEPALIVE void browser_fetched(std::uint32_t id, int end, int status, double size) {
  const std::string bytes = taken();
  answer.end = static_cast<ui::Fetched::End>(end);
  answer.status = status;
  answer.size = static_cast<std::uint64_t>(size);
  answer.bytes = std::as_bytes(std::span(bytes.data(), bytes.size()));
  app().fetched(id, answer);
  answer = {};
}

}  // extern "C"
