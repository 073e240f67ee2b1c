// A start-up log: whatever the bytes are, what comes out is bounded and each value stands in a line of the text.
#include <algorithm>

#include "core/import/engine_log.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<EngineLog> log = read_engine_log(text);
  (void)looks_like_engine_log(text.substr(0, 4096));
  if (!log) return 0;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  fuzz::require(!log.value().measured.empty());
  fuzz::require(log.value().starts >= 1);
  for (const Measured& one : log.value().measured) {
    fuzz::require(one.line >= 1 && one.line <= lines);
    fuzz::require(one.text.size() <= kMostLogLine);
    fuzz::require(one.device >= kLogOtherNode);
  }
  for (const LogFlag& flag : log.value().flags) fuzz::require(flag.value.size() <= kMostLogLine);
  return 0;
}
