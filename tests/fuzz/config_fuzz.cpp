#include "core/import/config_trim.h"
#include "core/import/describe.h"
#include "core/model/model_json.h"
#include "tests/fuzz/drive.h"

// A config.json, or an inventory as a link carries it: whatever it is, counting it ends, and what was read reads again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const auto model = described_model({reinterpret_cast<const char*>(data), size});
  if (!model) return 0;
  (void)count_parameters(model.value());
  (void)weight_bytes(model.value());
  for (const FormatId format : {FormatId::bf16, FormatId::awq_int4, FormatId::q4_k}) {
    (void)weight_bytes(with_weight_format(model.value(), format));
  }
  const auto again = model_from_json(model_to_json(model.value()));
  fuzz::require(!again || again.value().tensors == model.value().tensors);
  return 0;
}
