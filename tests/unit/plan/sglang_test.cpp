// SGLang's pools against published logs.
#include "core/plan/server/sglang.h"

#include <gtest/gtest.h>

#include <string>

#include "assets/assets.h"
#include "core/import/catalogue.h"

namespace vram {
namespace {

constexpr double kGiBf = 1073741824.0;

Model model(const std::string& id) {
  static const auto* const rows = new auto(models_from_json(assets::file("models.json")));
  const CatalogueModel* row = *rows ? find_model(rows->value(), id) : nullptr;
  EXPECT_NE(row, nullptr) << id;
  if (row == nullptr) return {};
  auto read = model_of(*row);
  return read ? std::move(read).value() : Model{};
}

Accelerator card(const std::string& id) {
  static const auto* const all = new auto(accelerators_from_json(assets::file("accelerators.json")));
  const Accelerator* found = *all ? find_accelerator(all->value(), id) : nullptr;
  return found == nullptr ? Accelerator{} : *found;
}

ServerSettings sglang(const char* version, int tensor_parallel = 1) {
  ServerSettings s;
  s.engine = Engine::sglang;
  s.version = parse_engine_version(Engine::sglang, version);
  s.tensor_parallel = tensor_parallel;
  return s;
}

double tokens_of(const ServerSettings& s, const Model& m, double gib) {
  return sglang_plan(s, m, card("h100-sxm"), gib * kGiBf).tokens.likely;
}

TEST(SglangShare, IsAFixedOneUntilJune2025) {
  const Model llama = model("meta-llama/Llama-3.1-8B-Instruct");
  EXPECT_EQ(sglang_default_fraction(sglang("0.4.4"), llama, 81559), 0.88);
  EXPECT_EQ(sglang_default_fraction(sglang("0.4.4", 2), llama, 81559), 0.87);
  EXPECT_EQ(sglang_default_fraction(sglang("0.4.4", 8), llama, 81559), 0.81);
}

TEST(SglangShare, IsWhatTheReserveLeavesSinceSeptember2025) {
  // 512 + 1.5 × 8192 + 1024/8 + 2 × 256 = 13,440 MiB of 81,559
  EXPECT_NEAR(sglang_default_fraction(sglang("0.5.6"), model("meta-llama/Llama-3.1-8B-Instruct"), 81559), 0.835, 0.001);
}

TEST(SglangShare, LeavesMoreToTheEncodersOfMultimodalModels) {
  EXPECT_NEAR(sglang_default_fraction(sglang("0.4.4"), model("google/gemma-3-4b-it"), 143771), 0.88 * 0.95, 1e-9);
}

TEST(SglangPool, IsAShareOfFreeMemoryLessTheWeights) {
  const ServerPlan plan =
      sglang_plan(sglang("0.4.4"), model("meta-llama/Llama-3.1-8B-Instruct"), card("h100-sxm"), std::nullopt);
  EXPECT_NEAR(plan.pool.likely / kGiBf, 54.04, 0.15);
  const ServerPlan gemma = sglang_plan(sglang("0.4.4"), model("google/gemma-3-4b-it"), card("h200-sxm"), std::nullopt);
  EXPECT_NEAR(gemma.pool.likely / kGiBf, 108.24, 0.3);
}

TEST(SglangPool, HoldsTokensOfTheLoggedSize) {
  EXPECT_NEAR(tokens_of(sglang("0.4.4"), model("meta-llama/Llama-3.1-8B-Instruct"), 54.04), 442750, 90);
  EXPECT_NEAR(tokens_of(sglang("0.4.7", 4), model("Qwen/Qwen3-235B-A22B"), 16.46), 367404, 250);
  EXPECT_NEAR(tokens_of(sglang("0.4.4"), model("google/gemma-3-4b-it"), 108.24), 834615, 80)
      << "windows are kept whole";
}

TEST(SglangPool, KeepsWindowLayersInASecondPoolWithLayersThatBorrow) {
  ServerSettings s = sglang("2026-06");
  const ServerPlan plan = sglang_plan(s, model("google/gemma-4-E4B-it"), card("rtx3090"), 10.24 * kGiBf);
  EXPECT_NEAR(plan.tokens.likely / 127866, 1, 0.001);
  EXPECT_NEAR(plan.window_tokens.likely / 102292, 1, 0.001);
}

TEST(SglangPool, CountsOnlyAttentionLayersOfAHybrid) {
  EXPECT_NEAR(tokens_of(sglang("0.5.17"), model("Qwen/Qwen3.6-27B"), 10.44), 171008, 170);
}

TEST(SglangState, ASlotOfTheTwentySevenBHoldsSeventyFiveMegabytes) {
  const ServerPlan plan = sglang_plan(sglang("0.5.17"), model("Qwen/Qwen3.6-27B"), card("h100-sxm"), std::nullopt);
  EXPECT_NEAR(plan.state.likely * 44 / kGiBf, 3.09, 0.01);
}

TEST(SglangLatent, IsTheSameOnEveryDeviceAndItsIndexerComesOnTop) {
  ServerSettings s = sglang("0.5.3", 8);
  s.data_parallel = 8;
  s.cache = CacheFormat::fp8_ds_mla;
  EXPECT_EQ(sglang_plan(s, model("deepseek-ai/DeepSeek-V3.2"), card("b200"), 43.67 * kGiBf).bytes_per_token.likely,
            61 * (656 + 132));
}

TEST(SglangPool, EveryStageHoldsItsOwnLayersAndTheFullestDecides) {
  const Model llama = model("meta-llama/Llama-3.1-8B-Instruct");
  ServerSettings cut = sglang("0.5.6");
  cut.pipeline_parallel = 3;  // 10, 10 and 12 layers, and the head
  const ServerPlan plan = sglang_plan(cut, llama, card("h100-sxm"), std::nullopt);
  ASSERT_EQ(plan.stages.size(), 3u);
  EXPECT_GT(plan.stages[2].loaded.total(), plan.stages[1].loaded.total());
  EXPECT_EQ(plan.stages[1].block_bytes * 12, plan.stages[2].block_bytes * 10);
  EXPECT_EQ(plan.bytes_per_token.likely, plan.stages[2].block_bytes);
  EXPECT_EQ(plan.pool.likely, plan.stages[2].pool.likely);
}

}  // namespace
}  // namespace vram
