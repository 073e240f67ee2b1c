// Hours and energy of training.
#include <gtest/gtest.h>

#include "core/speed/training_time.h"
#include "tests/unit/plan/sample.h"

namespace vram::speed {
namespace {

Accelerator a100() {
  Accelerator card;
  card.id = "a100-80-sxm";
  card.tflops.bf16 = 312;
  card.tdp_w = 400;
  return card;
}
TrainingSettings full(int devices) {
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.recompute = Recompute::none;
  s.sequence = 4096;
  s.split.data = devices;
  return s;
}
constexpr double kActive = 8030261248.0 - 128256.0 * 4096;  // without the embedding's look-up

TEST(TrainingTime, FullTrainingIsSixOperationsAParameterAndToken) {
  const TrainingWork work = training_work(sample::dense(sample::kLlama8B), full(1));
  EXPECT_EQ(work.parameters, kActive);
  EXPECT_EQ(work.attention_a_token, 6.0 * 32 * 4096 * 4096);  // 6 L h s, causal
  EXPECT_EQ(work.model_a_token, 6 * kActive + work.attention_a_token);
  EXPECT_EQ(work.machine_a_token, work.model_a_token);
}

TEST(TrainingTime, FullRecomputeAddsAForwardPassToTheMachineAlone) {
  TrainingSettings s = full(1);
  s.recompute = Recompute::full;
  const TrainingWork work = training_work(sample::dense(sample::kLlama8B), s);
  EXPECT_EQ(work.machine_a_token - work.model_a_token, 2 * kActive + 2.0 * 32 * 4096 * 4096);
}

TEST(TrainingTime, AdaptersSkipTheGradientsOfTheWeights) {
  TrainingSettings s = full(1);
  s.method = TrainingMethod::lora;
  const TrainingWork work = training_work(sample::dense(sample::kLlama8B), s);
  EXPECT_EQ(work.model_a_token - work.attention_a_token, 4 * kActive);
}

TEST(TrainingTime, HoursAreOperationsOverWhatWasMeasured) {
  const auto time = training_time(sample::dense(sample::kLlama8B), full(8), a100(), {1e9, 1});
  ASSERT_TRUE(time);
  EXPECT_TRUE(time->share_is_measured);
  EXPECT_EQ(time->run, TrainingRun::pre_training);
  EXPECT_NEAR(time->hours, time->operations / (8 * 312e12 * time->share.likely) / 3600, 1e-9);
  EXPECT_LT(time->hours_low, time->hours);
  EXPECT_GT(time->hours_high, time->hours);
  ASSERT_TRUE(time->energy_kwh);
  EXPECT_NEAR(*time->energy_kwh, time->hours * 8 * 0.4, 1e-9);
}

TEST(TrainingTime, LoraOnAnA100IsAsFastAsItsRowsSay) {
  // fms, Mistral-7B and Llama-3-8B LoRA with recompute, batch 8 × 4096: 3,200 to 3,700 tokens a second
  TrainingSettings s = full(1);
  s.framework = TrainingFramework::fms;
  s.method = TrainingMethod::lora;
  s.recompute = Recompute::full;
  const auto time = training_time(sample::dense(sample::kLlama8B), s, a100(), {1e9, 1});
  ASSERT_TRUE(time);
  EXPECT_GT(time->tokens_a_second, 2900);
  EXPECT_LT(time->tokens_a_second, 4000);
}

TEST(TrainingTime, TwoEpochsTakeTwiceAsLong) {
  const auto one = training_time(sample::dense(sample::kLlama8B), full(8), a100(), {1e9, 1});
  const auto two = training_time(sample::dense(sample::kLlama8B), full(8), a100(), {1e9, 2});
  EXPECT_DOUBLE_EQ(two->hours, 2 * one->hours);
}

TEST(TrainingTime, ACardNobodyMeasuredTakesTheRangeOfAllAndSaysSo) {
  Accelerator card = a100();
  card.id = "metax-c550";
  const auto time = training_time(sample::dense(sample::kLlama8B), full(8), card, {1e9, 1});
  ASSERT_TRUE(time);
  EXPECT_FALSE(time->share_is_measured);
  card.tflops.bf16.reset();
  EXPECT_FALSE(training_time(sample::dense(sample::kLlama8B), full(8), card, {1e9, 1}));
}

TEST(TrainingTime, EveryShareHasAnOrderAndASource) {
  for (const MeasuredShare& row : measured_shares()) {
    EXPECT_LT(row.low, row.likely) << row.source;
    EXPECT_LT(row.likely, row.high) << row.source;
    EXPECT_FALSE(row.source.empty());
  }
}

}  // namespace
}  // namespace vram::speed
