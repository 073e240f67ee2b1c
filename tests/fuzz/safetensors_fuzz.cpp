#include "core/import/checkpoint.h"
#include "core/import/safetensors.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  fuzz::as_files(data, size, [](const fuzz::Source& source) {
    SafetensorsReader reader({"x.safetensors", source.size});
    fuzz::drive(reader, source);
    const auto file = reader.take();
    if (!file) return;
    fuzz::require(file.value().tensors.bytes() <= Bytes(source.size));
    Model model;
    const TensorList* lists[] = {&file.value().tensors};
    if (add_inventory(model, lists, Naming::hugging_face)) return;
    fuzz::require(weight_bytes(model) == file.value().tensors.bytes());
    deduce_dimensions(model);
    deduce_caches(model);
    (void)count_parameters(model);
  });
  return 0;
}
