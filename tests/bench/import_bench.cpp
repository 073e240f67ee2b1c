// How fast headers are read. tests/bench/peers.mjs runs this and npm packages on the same two files.
//
// VRAM_BENCH_GGUF, VRAM_BENCH_SAFETENSORS: files to read instead of those made here.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "assets/assets.h"
#include "core/hardware/accelerator.h"
#include "core/import/checkpoint.h"
#include "core/import/gguf.h"
#include "core/import/safetensors.h"
#include "tests/unit/import/checkpoint_files.h"

namespace {

using namespace vram;
using namespace vram::testing_files;

/// The header of a file on disk; its data is taken to be there.
Sparse from_disk(const char* variable) {
  const char* path = std::getenv(variable);
  if (path == nullptr) return {};
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(in)), {});
  Bytes8 bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return Sparse(std::move(bytes), std::uint64_t{1} << 50);
}

/// 1,100 tensors behind a vocabulary of 150,000 words.
const Sparse& gguf_file() {
  static const Sparse file = [] {
    if (std::getenv("VRAM_BENCH_GGUF") != nullptr) return from_disk("VRAM_BENCH_GGUF");
    GgufWriter w;
    std::vector<std::string> words, merges;
    for (int i = 0; i < 150000; ++i) {
      words.push_back("token" + std::to_string(i));
      merges.push_back("a" + std::to_string(i) + " b" + std::to_string(i));
    }
    w.text("general.architecture", "llama").integer("llama.block_count", 122).texts("tokenizer.ggml.tokens", words);
    w.numbers("tokenizer.ggml.token_type", std::vector<std::uint64_t>(150000, 1))
        .texts("tokenizer.ggml.merges", merges);
    for (int i = 0; i < 1100; ++i) {
      w.tensor("blk." + std::to_string(i / 9) + ".part" + std::to_string(i % 9) + ".weight", 12, {4096, 4096},
               4096 * 4096 / 256 * 144);
    }
    return w.finish();
  }();
  return file;
}

/// 90,000 tensors, as DeepSeek-V3 has them.
const Sparse& safetensors_file() {
  static const Sparse file = [] {
    if (std::getenv("VRAM_BENCH_SAFETENSORS") != nullptr) {
      Sparse disk = from_disk("VRAM_BENCH_SAFETENSORS");
      disk.size = std::strtoull(std::getenv("VRAM_BENCH_SAFETENSORS_SIZE"), nullptr, 10);
      return disk;
    }
    return safetensors(deepseek_v3(61, 3).tensors);
  }();
  return file;
}

void gguf_header(benchmark::State& state) {
  const Sparse& file = gguf_file();
  for (auto _ : state) {
    GgufReader reader({"m.gguf", file.size});
    feed(reader, file);
    auto result = reader.take();
    if (!result) state.SkipWithError(result.error().key.c_str());
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK(gguf_header)->Unit(benchmark::kMillisecond);

void safetensors_header(benchmark::State& state) {
  const Sparse& file = safetensors_file();
  for (auto _ : state) {
    SafetensorsReader reader({"m.safetensors", file.size});
    feed(reader, file);
    auto result = reader.take();
    if (!result) state.SkipWithError(result.error().key.c_str());
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK(safetensors_header)->Unit(benchmark::kMillisecond);

void safetensors_inventory(benchmark::State& state) {
  const Sparse& file = safetensors_file();
  SafetensorsReader reader({"m.safetensors", file.size});
  feed(reader, file);
  const auto read = reader.take();
  for (auto _ : state) {
    Model model;
    const TensorList* lists[] = {&read.value().tensors};
    benchmark::DoNotOptimize(add_inventory(model, lists, Naming::hugging_face));
  }
}
BENCHMARK(safetensors_inventory)->Unit(benchmark::kMillisecond);

void accelerator_catalogue(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(accelerators_from_json(assets::file("accelerators.json")));
}
BENCHMARK(accelerator_catalogue)->Unit(benchmark::kMillisecond);

}  // namespace
