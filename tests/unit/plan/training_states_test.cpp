// Bytes of model states, against what allocators reported after a step and at its peak.
#include <gtest/gtest.h>

#include "core/plan/training/training.h"
#include "core/plan/training/states.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

using sample::Shape;

constexpr Shape kMistral7B{32, 4096, 14336, 32, 8, 128, 32000};
constexpr double kParameters = 7241732096;

TrainingSettings fms_full(int devices) {
  TrainingSettings s;
  s.framework = TrainingFramework::fms;
  s.weights = FormatId::bf16;
  s.recompute = Recompute::full;
  s.attention = AttentionKernel::flash_attention;
  s.kernels.fused_norm = s.kernels.loss_in_place = true;
  s.micro_batch = 4;
  s.sequence = 4096;
  s.era = Era::current;
  s.split.data = devices;
  if (devices > 1) s.split.fsdp = Fsdp::full_shard;
  return s;
}

double bytes(Bytes b) { return static_cast<double>(b.value()); }

TEST(TrainingStates, AForeachStepHoldsTenBytesAParameter) {
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), fms_full(1), Bytes(0));
  EXPECT_EQ(plan.fullest, TrainingPhase::step);
  EXPECT_NEAR(bytes(plan.allocated.likely) / kParameters, 10.002, 0.002);  // fms, Mistral-7B, one A100
  EXPECT_NEAR(bytes(plan.steady.likely) / kParameters, 6.0023, 0.002);
}

TEST(TrainingStates, AccelerateUnderFsdpHoldsTwenty) {
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), fms_full(2), Bytes(0));
  EXPECT_NEAR(bytes(plan.allocated.likely) * 2 / kParameters, 20.0048, 0.004);
  EXPECT_NEAR(bytes(plan.steady.likely) * 2 / kParameters, 16.0048, 0.004);
}

TEST(TrainingStates, OlderAccelerateLeftTheWeightsInSixteenBits) {
  TrainingSettings s = fms_full(2);
  s.era = Era::mid_2024;
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  EXPECT_NEAR(bytes(plan.allocated.likely) * 2 / kParameters, 10.0048, 0.004);
  EXPECT_NEAR(bytes(plan.steady.likely) * 2 / kParameters, 8.0048, 0.004);
}

TEST(TrainingStates, AnUnstatedVersionWidensTheBandDownToTheOlderOne) {
  TrainingSettings s = fms_full(2);
  s.era.reset();
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  EXPECT_NEAR(bytes(plan.steady.low) * 2 / kParameters, 8.0, 0.05);
}

TEST(TrainingStates, LoraStatesAreTwelveBytesAnAdapterAndSixteenUnderFsdp) {
  TrainingSettings s = fms_full(1);
  s.method = TrainingMethod::lora;
  s.adapters = {16, {"q", "k", "v", "o"}, {}, 20};
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 14664508928.0, 1e6);
  s.split.data = 2;
  s.split.fsdp = Fsdp::full_shard;
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 7368243200.0, 1e6);
  s.split.data = 4;
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 3692847104.0, 1e6);
}

TEST(TrainingStates, QuantisedWeightsKeepTheirScalesOnEveryRank) {
  TrainingSettings s = fms_full(1);
  s.method = TrainingMethod::qlora;
  s.weights = FormatId::nf4_dq;
  s.adapters = {16, {"q", "k", "v", "o"}, {}, 20};
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 4306496512.0, 2e6);
  s.split.data = 2;
  s.split.fsdp = Fsdp::full_shard;
  s.micro_batch = 2;
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 2244525568.0, 3e6);
  s.weights = FormatId::gptq_int4;
  s.split.data = 4;
  s.micro_batch = 4;
  EXPECT_NEAR(bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).steady.likely), 1250976768.0, 6e6);
}

struct Optimizer {
  TrainingOptimizer optimizer;
  double full, bytes;
  const char* source;
};
TEST(TrainingStates, OptimizersHoldWhatTheirPapersSay) {
  const Optimizer table[] = {
      {TrainingOptimizer::adamw, 4, 8, "two fp32 moments"},
      {TrainingOptimizer::adamw, 2, 4, "two bf16 moments"},
      {TrainingOptimizer::adamw_8bit, 4, 2.0039, "bitsandbytes, blocks of 2048"},
      {TrainingOptimizer::adamw_4bit, 4, 1.0625, "torchao, blocks of 128"},
      {TrainingOptimizer::sgd, 4, 0, "nothing"},
      {TrainingOptimizer::lion, 4, 4, "one moment"},
      {TrainingOptimizer::muon, 4, 4.4, "one moment for the matrices, nine tenths of the values"},
  };
  for (const Optimizer& row : table) {
    EXPECT_NEAR(optimizer_state_bytes(row.optimizer, row.full, 4096), row.bytes, 1e-3)
        << key_of(row.optimizer) << ": " << row.source;
  }
}

TEST(TrainingStates, MegatronHoldsEighteenBytesAndSixPlusTwelveOverReplicas) {
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.micro_batch = 1;
  s.sequence = 128;
  const auto per_value = [&](int replicas, ZeroStage zero) {
    s.split.data = replicas;
    s.split.zero = zero;
    const TrainingPlan plan = plan_training(sample::dense(kMistral7B), s, Bytes(0));
    return (bytes(plan.steady.likely) - 2 * 8519680) / kParameters;
  };
  EXPECT_NEAR(per_value(1, ZeroStage::none), 18, 0.01);
  EXPECT_NEAR(per_value(2, ZeroStage::one), 12, 0.01);
  EXPECT_NEAR(per_value(8, ZeroStage::one), 7.5, 0.01);
}

TEST(TrainingStates, OffLoadMovesStatesToTheHostAndNamesTheBill) {
  TrainingSettings s = fms_full(8);
  s.framework = TrainingFramework::deepspeed;
  s.split.fsdp = Fsdp::none;
  s.split.zero = ZeroStage::two;
  const TrainingPlan before = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  s.split.offload_optimizer = true;
  const TrainingPlan after = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  EXPECT_LT(after.steady.likely, before.steady.likely);
  EXPECT_EQ(before.host_total().likely, Bytes(0));
  // Eight GPUs of one server share 16-bit gradients, two moments and the master copy: 14 bytes a parameter.
  EXPECT_NEAR(bytes(after.host_total().likely) / kParameters, 14, 0.01);
  EXPECT_EQ(after.of(TrainingPhase::step, Term::optimizer).likely, Bytes(0));
}

TEST(TrainingStates, PagedStatesAreInNoAllocator) {
  TrainingSettings s = fms_full(1);
  s.optimizer = TrainingOptimizer::paged_adamw;
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  EXPECT_EQ(plan.of(TrainingPhase::step, Term::optimizer).likely, Bytes(0));
  EXPECT_GT(plan.host_total().likely, Bytes(0));
}

TEST(TrainingStates, ZeroStagesShardOneThingMoreEach) {
  TrainingSettings s = fms_full(8);
  s.framework = TrainingFramework::deepspeed;
  s.split.fsdp = Fsdp::none;
  const auto at = [&](ZeroStage zero, Term term) {
    s.split.zero = zero;
    return bytes(plan_training(sample::dense(kMistral7B), s, Bytes(0)).of(TrainingPhase::step, term).likely) /
           kParameters;
  };
  EXPECT_NEAR(at(ZeroStage::one, Term::optimizer), 1, 1e-6);  // 8 bytes over 8 devices
  EXPECT_NEAR(at(ZeroStage::one, Term::gradients), 2, 1e-6);
  EXPECT_NEAR(at(ZeroStage::two, Term::gradients), 0.25, 1e-6);
  EXPECT_NEAR(at(ZeroStage::two, Term::weights), 2, 1e-6);
  EXPECT_NEAR(at(ZeroStage::three, Term::weights), 0.25, 1e-6);
}

}  // namespace
}  // namespace vram
