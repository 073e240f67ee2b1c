#include "core/import/checkpoint.h"
#include "core/import/gguf.h"
#include "core/import/gguf_model.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  fuzz::as_files(data, size, [](const fuzz::Source& source) {
    GgufReader reader({"x.gguf", source.size});
    fuzz::drive(reader, source);
    const auto file = reader.take();
    if (!file) return;
    fuzz::require(file.value().tensors.bytes() <= Bytes(source.size));
    Model model = model_from_gguf_metadata(file.value());
    const TensorList* lists[] = {&file.value().tensors};
    if (add_inventory(model, lists, Naming::gguf)) return;
    fuzz::require(weight_bytes(model) == file.value().tensors.bytes());
    deduce_dimensions(model);
  });
  return 0;
}
