// Sizes of adapters, against counts that their makers print.
#include <gtest/gtest.h>

#include "core/plan/training/adapters.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

using sample::Shape;

constexpr Shape kLlama2_7B{32, 4096, 11008, 32, 32, 128, 32000};
constexpr Shape kLlama2_13B{40, 5120, 13824, 40, 40, 128, 32000};
constexpr Shape kLlama32_3B{28, 3072, 8192, 24, 8, 128, 128256, true};

double trained(const Shape& shape, TrainingMethod method, int rank, std::vector<std::string> targets) {
  TrainingSettings settings;
  settings.method = method;
  settings.adapters.rank = rank;
  settings.adapters.targets = std::move(targets);
  return count_adapters(sample::dense(shape), settings).trained;
}

struct Published {
  Shape shape;
  TrainingMethod method;
  int rank;
  std::vector<std::string> targets;
  double parameters;
  const char* source;
};

TEST(TrainingAdapters, CountsAreThoseTheirMakersPrint) {
  const Published table[] = {
      {kLlama2_7B, TrainingMethod::lora, 8, {"q", "v"}, 4194304, "litgpt resource tables"},
      {kLlama2_13B, TrainingMethod::lora, 8, {"q", "v"}, 6553600, "litgpt resource tables"},
      {kLlama32_3B, TrainingMethod::lora, 32, {"q", "v"}, 9175040, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::lora, 64, {"q", "v"}, 18350080, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::lora, 10, {"gate", "up", "down"}, 9461760, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::dora, 32, {"q", "v"}, 9289728, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::lora_fa, 32, {"q", "v"}, 3670016, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::ia3, 0, {"k", "v", "down"}, 286720, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::ln_tuning, 0, {}, 175104, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::vera, 256, {"q", "v"}, 129024, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::lokr, 32, {"q", "v"}, 2294656, "PEFT MetaMathQA"},
      {kLlama32_3B, TrainingMethod::oft, 32, {"q", "v"}, 8171520, "PEFT MetaMathQA"},
      {kLlama2_7B, TrainingMethod::llama_adapter, 0, {}, 1229760, "litgpt adapter table"},
      {kLlama2_7B, TrainingMethod::llama_adapter_v2, 0, {}, 4279744, "litgpt adapter table"},
      {sample::kLlama8B, TrainingMethod::lora, 16, {"q", "k", "v", "o"}, 13631488, "fms rows"},
  };
  for (const Published& row : table) {
    EXPECT_EQ(trained(row.shape, row.method, row.rank, row.targets), row.parameters)
        << key_of(row.method) << ", " << row.source;
  }
}

TEST(TrainingAdapters, AFusedQueryKeyValueIsOneMatrix) {
  // r (h + q + 2 kv) instead of three pairs
  EXPECT_EQ(trained(kLlama2_7B, TrainingMethod::lora, 8, {"qkv"}), 32.0 * 8 * (4096 + 3 * 4096));
}

TEST(TrainingAdapters, ATargetTheModelDoesNotHaveAddsNothing) {
  EXPECT_EQ(trained(kLlama2_7B, TrainingMethod::lora, 8, {"experts"}), 0);
}

TEST(TrainingAdapters, ModulesToSaveAreWholeMatrices) {
  TrainingSettings settings;
  settings.method = TrainingMethod::lora;
  settings.adapters.rank = 8;
  settings.adapters.modules_to_save = {"embedding", "lm_head"};
  EXPECT_EQ(count_adapters(sample::dense(kLlama2_7B), settings).saved_whole, 2.0 * 32000 * 4096);
}

}  // namespace
}  // namespace vram
