#include "core/import/safetensors.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const auto index = parse_safetensors_index({reinterpret_cast<const char*>(data), size});
  if (!index) return 0;
  std::uint64_t tensors = 0;
  for (const std::uint32_t count : index.value().tensors_in) tensors += count;
  fuzz::require(tensors == index.value().tensors && index.value().files.size() == index.value().tensors_in.size());
  return 0;
}
