// Limits of a training job: the longest sequence and the largest micro-batch, found by planning.
#include <gtest/gtest.h>

#include "core/advise/limits.h"
#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;

bool fits(const Inputs& inputs) { return make_plan(inputs).verdict != Verdict::does_not_fit; }

TEST(TrainingLimits, TheLongestSequenceFitsAndALongerOneDoesNot) {
  Inputs inputs = from_fields("v=1&task=tune&model=meta-llama/Llama-3.1-8B-Instruct&gpu=rtx4090");
  const Limits limits = find_limits(inputs);
  ASSERT_GT(limits.longest_sequence, 0);
  ASSERT_FALSE(limits.sequence_is_models_own);
  inputs.scenario.sequence = limits.longest_sequence;
  EXPECT_TRUE(fits(inputs));
  inputs.scenario.sequence = limits.longest_sequence + 1;
  EXPECT_FALSE(fits(inputs));
}

TEST(TrainingLimits, OneMoreSequenceOnADeviceThanTheMostDoesNotFit) {
  Inputs inputs = from_fields("v=1&task=tune&model=meta-llama/Llama-3.1-8B-Instruct&gpu=a100-80-sxm");
  const Limits limits = find_limits(inputs);
  ASSERT_GT(limits.most_micro_batch, 1);
  inputs.scenario.micro_batch = limits.most_micro_batch;
  EXPECT_TRUE(fits(inputs));
  inputs.scenario.micro_batch = limits.most_micro_batch + 1;
  EXPECT_FALSE(fits(inputs));
}

TEST(TrainingLimits, AJobHasNoContextAndNoUsers) {
  const Limits limits = find_limits(from_fields("v=1&task=train&gpu=h100-sxm&n=8"));
  EXPECT_EQ(limits.longest_context, 0);
  EXPECT_EQ(limits.most_users, 0);
  EXPECT_TRUE(limits.least_devices);
}

TEST(TrainingLimits, ADividedJobTakesMoreThanOneDevice) {  // DeepSpeed, memory.rst: 18 bytes a value
  const Limits limits = find_limits(from_fields("v=1&task=train&model=meta-llama/Llama-3.1-70B-Instruct&gpu=h100-sxm"));
  ASSERT_TRUE(limits.least_devices);
  EXPECT_GE(*limits.least_devices, 15);  // 70.6e9 × 18 B / 85 GB, and what is gathered and computed besides
  EXPECT_LE(*limits.least_devices, 24);
}

}  // namespace
}  // namespace vram
