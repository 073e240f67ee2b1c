// A training plan as a whole: phases, what is shown and what is needed.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/training/training.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

const Bytes kA100 = bytes_from_gib(79.15);

TrainingSettings usual() {
  TrainingSettings s;
  s.framework = TrainingFramework::huggingface;
  s.weights = FormatId::bf16;
  s.recompute = Recompute::full;
  s.attention = AttentionKernel::flash_attention;
  s.micro_batch = 1;
  s.sequence = 4096;
  return s;
}
TrainingSettings with_lora(TrainingSettings s) {
  s.method = TrainingMethod::lora;
  s.adapters = {16, {"q", "k", "v", "o"}, {}, 20};
  return s;
}
bool says(const TrainingPlan& plan, std::string_view key) {
  return std::any_of(plan.notes.begin(), plan.notes.end(), [&](const Message& note) { return note.key == key; });
}

TEST(TrainingPlan, ThePeakIsTheLargestPhaseNotTheirSum) {
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), usual(), kA100);
  Bytes largest;
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    largest = std::max(largest, plan.of(static_cast<TrainingPhase>(i)).likely);
  }
  EXPECT_EQ(plan.allocated.likely, largest);
  EXPECT_EQ(plan.of(plan.fullest).likely, largest);
}

TEST(TrainingPlan, EveryPhaseIsThere) {
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), usual(), kA100);
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    EXPECT_GT(plan.of(static_cast<TrainingPhase>(i)).likely, Bytes(0)) << key_of(static_cast<TrainingPhase>(i));
  }
}

TEST(TrainingPlan, TheDriverShowsMoreThanTheAllocatorAndTheRunNeedsLess) {
  TrainingSettings s = with_lora(usual());
  s.micro_batch = 8;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  EXPECT_GT(plan.reserved.likely, plan.allocated.likely);
  EXPECT_GT(plan.shown.likely, plan.reserved.likely);
  EXPECT_GT(plan.needed, plan.allocated.likely);
  EXPECT_LT(plan.needed, plan.shown.likely);
}

TEST(TrainingPlan, NoDriverShowsMoreThanThereIs) {
  TrainingSettings s = usual();
  s.kernels.fused_norm = s.kernels.loss_in_place = true;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  EXPECT_LE(gibibytes(plan.shown.high), 79.6);
}

TEST(TrainingPlan, TheVerdictIsOnTheNeedOfARunThatSucceeds) {
  // fms, Llama-3-8B LoRA with fused kernels: batch 8 ran on an A100 with 54.96 GiB, batch 16 ran out
  TrainingSettings s = with_lora(usual());
  s.framework = TrainingFramework::fms;
  s.kernels.fused_norm = s.kernels.loss_in_place = true;
  s.micro_batch = 8;
  EXPECT_EQ(plan_training(sample::dense(sample::kLlama8B), s, kA100).verdict, TrainingVerdict::fits);
  s.micro_batch = 16;
  EXPECT_EQ(plan_training(sample::dense(sample::kLlama8B), s, kA100).verdict, TrainingVerdict::does_not_fit);
}

TEST(TrainingPlan, ExpandableSegmentsLowerTheNeed) {
  TrainingSettings s = with_lora(usual());
  s.micro_batch = 8;
  const TrainingPlan before = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  s.kernels.expandable_segments = true;
  const TrainingPlan after = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  EXPECT_EQ(after.allocated.likely, before.allocated.likely);
  EXPECT_LT(after.needed, before.needed);
  EXPECT_LT(after.shown.likely, before.shown.likely);
}

TEST(TrainingPlan, WhatWasNotStatedIsNamedAndWidensTheBand) {
  TrainingSettings stated = with_lora(usual()), unstated = stated;
  unstated.recompute.reset();
  const TrainingPlan a = plan_training(sample::dense(sample::kLlama8B), stated, kA100);
  const TrainingPlan b = plan_training(sample::dense(sample::kLlama8B), unstated, kA100);
  EXPECT_EQ(a.allocated.likely, b.allocated.likely);  // the framework's default is full recompute
  EXPECT_LT(b.allocated.low, a.allocated.low);
  EXPECT_TRUE(says(b, "training.assumed"));
  EXPECT_FALSE(says(a, "training.assumed"));
}

TEST(TrainingPlan, TheFullestStageIsNamed) {
  TrainingSettings s = usual();
  s.framework = TrainingFramework::megatron;
  s.recompute = Recompute::none;
  s.split.pipeline = 4;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama70B), s, kA100);
  EXPECT_EQ(plan.stage, 0);  // it keeps most micro-batches
  EXPECT_TRUE(says(plan, "training.fullest_stage"));
}

TEST(TrainingPlan, DpoReadsTwoSequencesAndAFullOneNeedsAReference) {
  TrainingSettings s = usual();
  const TrainingPlan sft = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  s.objective = TrainingObjective::dpo;
  const TrainingPlan dpo = plan_training(sample::dense(sample::kLlama8B), s, kA100);
  EXPECT_EQ(dpo.of(TrainingPhase::loss, Term::kept).likely,
            Count(2) * sft.of(TrainingPhase::loss, Term::kept).likely);
  EXPECT_EQ(dpo.of(TrainingPhase::loss, Term::reference).likely, Bytes(2) * Count(8030261248));
  EXPECT_EQ(plan_training(sample::dense(sample::kLlama8B), with_lora(s), kA100)
                .of(TrainingPhase::loss, Term::reference)
                .likely,
            Bytes(0));
}

TEST(TrainingPlan, NothingOverflowsOnAbsurdNumbers) {
  TrainingSettings s = usual();
  s.micro_batch = 1 << 30;
  s.sequence = 1 << 30;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama70B), s, kA100);
  EXPECT_EQ(plan.verdict, TrainingVerdict::does_not_fit);
  EXPECT_TRUE(plan.allocated.likely.overflowed());  // said, not wrapped around
  EXPECT_FALSE(plan_training(Model{}, usual(), kA100).allocated.likely.overflowed());
}

}  // namespace
}  // namespace vram
