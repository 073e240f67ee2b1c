// Several files at once: each is a byte for its name, two for its length, and its content.
#include <array>
#include <string>

#include "core/import/open.h"
#include "tests/fuzz/drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  constexpr std::array<const char*, 8> names = {"config.json",
                                                "hf_quant_config.json",
                                                "model.safetensors.index.json",
                                                "model.safetensors",
                                                "model-00001-of-00002.safetensors",
                                                "model-00002-of-00002.safetensors",
                                                "m-00001-of-00002.gguf",
                                                "m.gguf"};
  std::vector<FileInfo> infos;
  std::vector<fuzz::Source> sources;
  const std::span<const std::byte> all = fuzz::as_bytes(data, size);
  for (std::size_t at = 0; at + 3 <= size && infos.size() < 8;) {
    const std::size_t length = std::min<std::size_t>(data[at + 1] + 256U * data[at + 2], size - at - 3);
    sources.push_back({all.subspan(at + 3, length), length});
    infos.push_back({names[data[at] % names.size()], length});
    at += 3 + length;
  }
  Opening opening(infos);
  while (const auto request = opening.wants()) opening.give(sources[request->file].read(request->range));
  const auto opened = opening.take();
  if (opened) (void)count_parameters(opened.value().model);
  return 0;
}
