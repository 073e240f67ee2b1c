// TensorRT-LLM and LMDeploy against published logs.
#include "core/plan/server/trtllm.h"

#include <gtest/gtest.h>

#include "core/import/config.h"

namespace vram {
namespace {

constexpr double kGiBf = 1073741824.0;

Model model(const char* config) {
  auto read = model_from_config_text(config);
  EXPECT_TRUE(read);
  return read ? std::move(read).value() : Model{};
}

constexpr const char* kLlama2 =
    R"({"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"intermediate_size":11008,)"
    R"("num_attention_heads":32,"vocab_size":32000,"max_position_embeddings":4096})";
constexpr const char* kTinyLlama =
    R"({"model_type":"llama","num_hidden_layers":22,"hidden_size":2048,"intermediate_size":5632,)"
    R"("num_attention_heads":32,"num_key_value_heads":4,"vocab_size":32000,"max_position_embeddings":2048})";

ServerSettings settings(Engine engine, const char* version) {
  ServerSettings s;
  s.engine = engine;
  s.version = parse_engine_version(engine, version);
  return s;
}

TEST(TensorRtLlm, TakesWholeBlocksOfSixtyFourTokensBeforeOneDotZero) {
  const ServerPlan plan =
      trtllm_plan(settings(Engine::tensorrt_llm, "0.8"), model(kLlama2), custom_accelerator(79.15), 69524783104.0);
  EXPECT_EQ(plan.bytes_per_token.likely, 524288);
  EXPECT_EQ(plan.tokens.likely, 132608);
  EXPECT_EQ(plan.block_tokens, 64U);
}

TEST(TensorRtLlm, TakesWholeBlocksOfThirtyTwoSince) {
  const ServerPlan plan =
      trtllm_plan(settings(Engine::tensorrt_llm, ""), model(kTinyLlama), custom_accelerator(79.15), 78.30 * kGiBf);
  EXPECT_EQ(plan.block_tokens, 32U);
  EXPECT_NEAR(plan.tokens.likely / 3731744, 1, 0.0002);
}

TEST(TensorRtLlm, KeepsATenthOfWhatIsFreeFree) {
  const ServerPlan plan =
      trtllm_plan(settings(Engine::tensorrt_llm, "0.8"), model(kLlama2), custom_accelerator(79.15), std::nullopt);
  EXPECT_GT(plan.pool.likely, 56 * kGiBf);
  EXPECT_LT(plan.pool.likely, 0.9 * (79.15 - 12.5) * kGiBf);
}

TEST(TensorRtLlm, EveryStageHoldsItsOwnLayersAndTheFullestDecides) {
  ServerSettings cut = settings(Engine::tensorrt_llm, "1.0");
  cut.pipeline_parallel = 2;
  const Model llama = model(kLlama2);
  const ServerPlan plan = trtllm_plan(cut, llama, custom_accelerator(79.15), std::nullopt);
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(plan.bytes_per_token.likely, 524288 / 2) << "16 of 32 layers each";
  EXPECT_EQ(plan.stages[0].loaded.total() + Bytes(8192), plan.stages[1].loaded.total())
      << "embedding here, head and last norm there";
  const double whole = trtllm_plan(settings(Engine::tensorrt_llm, "1.0"), llama, custom_accelerator(79.15), std::nullopt)
                           .tokens.likely;
  EXPECT_GT(plan.tokens.likely, 2 * whole);
}

TEST(LmDeploy, TakesFourFifthsOfWhatIsFreeInBlocksOfSixtyFour) {
  const ServerPlan plan =
      trtllm_plan(settings(Engine::lmdeploy, "0.7"), model(kLlama2), custom_accelerator(79.15), std::nullopt);
  EXPECT_EQ(plan.block_tokens, 64U);
  EXPECT_EQ(plan.settings.memory_share, 0.8);
}

}  // namespace
}  // namespace vram
