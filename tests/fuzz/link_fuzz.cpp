#include "core/scenario/scenario.h"
#include "tests/fuzz/drive.h"

// A link or a saved scenario: what was understood of it is a scenario that its own link and JSON open again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ScenarioReading read = from_link(text);
  const ScenarioReading again = from_link(to_link(read.scenario));
  fuzz::require(again.problems.empty() && again.scenario == read.scenario);
  if (const auto json = parse_json(text)) {
    const ScenarioReading saved = from_json(json.value());
    const ScenarioReading back = from_json(to_json(saved.scenario));
    fuzz::require(back.problems.empty() && back.scenario == saved.scenario);
  }
  return 0;
}
