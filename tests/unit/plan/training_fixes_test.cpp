// What would make a job fit.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/training/fixes.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

const Bytes kA100 = bytes_from_gib(79.15);

TrainingSettings full(int batch) {
  TrainingSettings s;
  s.framework = TrainingFramework::huggingface;
  s.weights = FormatId::bf16;
  s.recompute = Recompute::none;
  s.attention = AttentionKernel::flash_attention;
  s.micro_batch = batch;
  s.sequence = 4096;
  return s;
}
const TrainingFix* find(const std::vector<TrainingFix>& fixes, std::string_view key) {
  const auto found = std::find_if(fixes.begin(), fixes.end(), [&](const TrainingFix& fix) { return fix.key == key; });
  return found == fixes.end() ? nullptr : &*found;
}

TEST(TrainingFixes, EveryFixSavesWhatPlanningItSays) {
  const Model model = sample::dense(sample::kLlama8B);
  const Bytes now = plan_training(model, full(4), kA100).needed;
  const auto fixes = training_fixes(model, full(4), kA100);
  ASSERT_GE(fixes.size(), 6u);
  for (const TrainingFix& fix : fixes) {
    EXPECT_EQ(plan_training(model, fix.settings, kA100).needed, fix.needed) << fix.key;
    EXPECT_EQ(now - fix.needed, fix.saved) << fix.key;
    EXPECT_GT(fix.saved, Bytes(0)) << fix.key;
  }
}

TEST(TrainingFixes, RecomputeSavesMostOfTheActivations) {
  const Model model = sample::dense(sample::kLlama8B);
  const TrainingFix* fix = find(training_fixes(model, full(4), kA100), "recompute");
  ASSERT_NE(fix, nullptr);
  EXPECT_GT(gibibytes(fix->saved), 80);  // 28 hidden widths a layer become one
}

TEST(TrainingFixes, AnEightBitOptimizerSavesItsStates) {
  TrainingSettings s = full(1);
  s.recompute = Recompute::full;
  const Model model = sample::dense(sample::kLlama8B);
  const TrainingFix* fix = find(training_fixes(model, s, kA100), "eight_bit_optimizer");
  ASSERT_NE(fix, nullptr);
  EXPECT_NEAR(gibibytes(fix->saved), 8.03e9 * 4 / 1073741824, 2.5);  // two bytes of states and two of temporaries
}

TEST(TrainingFixes, OffLoadNamesTheHostsBill) {
  const Model model = sample::dense(sample::kLlama8B);
  const TrainingFix* fix = find(training_fixes(model, full(1), kA100), "optimizer_to_host");
  ASSERT_NE(fix, nullptr);
  EXPECT_GT(gibibytes(fix->host), 40);
}

TEST(TrainingFixes, WhatIsAlreadyDoneIsNotOffered) {
  TrainingSettings s = full(1);
  s.recompute = Recompute::full;
  s.kernels.expandable_segments = s.kernels.loss_from_hidden = true;
  s.method = TrainingMethod::lora;
  s.adapters = {16, {"q", "v"}, {}, 20};
  const auto fixes = training_fixes(sample::dense(sample::kLlama8B), s, kA100);
  for (const std::string_view key :
       {"recompute", "expandable_segments", "loss_from_hidden", "adapters", "one_sequence"}) {
    EXPECT_EQ(find(fixes, key), nullptr) << key;
  }
}

}  // namespace
}  // namespace vram
