#include "core/hardware/platform.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto accelerators = accelerators_from_json(text)) {
    for (const Accelerator& a : accelerators.value()) (void)a.usable();
    (void)search_accelerators(accelerators.value(), "h200");
  }
  (void)platforms_from_json(text);
  return 0;
}
