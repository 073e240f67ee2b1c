// Activations, logits and gathered weights, against the lines that published sweeps lie on.
#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/training/training.h"
#include "core/plan/training/activations.h"
#include "core/plan/training/loss.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

using sample::Shape;

constexpr Shape kMistral7B{32, 4096, 14336, 32, 8, 128, 32000};
constexpr double kGiBd = 1073741824.0;

TrainingSettings fms(TrainingMethod method, int devices, bool liger) {
  TrainingSettings s;
  s.framework = TrainingFramework::fms;
  s.method = method;
  s.weights = method == TrainingMethod::qlora ? FormatId::nf4_dq : FormatId::bf16;
  s.adapters = {16, {"q", "k", "v", "o"}, {}, 20};
  s.recompute = Recompute::full;
  s.attention = AttentionKernel::flash_attention;
  s.kernels.fused_norm = s.kernels.loss_in_place = true;
  s.kernels.liger = liger;
  s.sequence = 4096;
  s.era = Era::current;
  s.split.data = devices;
  if (devices > 1) s.split.fsdp = Fsdp::full_shard;
  return s;
}

double peak(const Shape& shape, TrainingSettings s, int micro_batch) {
  s.micro_batch = micro_batch;
  return static_cast<double>(plan_training(sample::dense(shape), s, Bytes(0)).allocated.likely.value());
}
double bytes_a_token(const Shape& shape, const TrainingSettings& s) {
  return (peak(shape, s, 8) - peak(shape, s, 4)) / (4 * 4096);
}

struct Slope {
  Shape shape;
  TrainingMethod method;
  int devices;
  bool liger;
  double bytes_a_token;  // facts/training.md §5
};

TEST(TrainingActivations, LoraPeaksRiseAlongThePublishedLines) {
  const Slope table[] = {
      {kMistral7B, TrainingMethod::lora, 1, true, 540960},
      {sample::kLlama8B, TrainingMethod::lora, 1, true, 528670},
      {sample::kLlama8B, TrainingMethod::lora, 1, false, 1304530},  // the logits are the peak
      {sample::kLlama8B, TrainingMethod::lora, 2, true, 774432},
      {sample::kLlama8B, TrainingMethod::lora, 4, true, 774432},  // more devices change nothing
      {sample::kLlama8B, TrainingMethod::lora, 2, false, 1304530},
      {kMistral7B, TrainingMethod::lora, 2, true, 786720},
      {sample::kLlama8B, TrainingMethod::qlora, 1, true, 520352},
      {sample::kLlama8B, TrainingMethod::qlora, 2, true, 766100},
      {sample::kLlama8B, TrainingMethod::qlora, 1, false, 1304530},
  };
  for (const Slope& row : table) {
    const double ours = bytes_a_token(row.shape, fms(row.method, row.devices, row.liger));
    EXPECT_NEAR(ours / row.bytes_a_token, 1, 0.025)
        << key_of(row.method) << " on " << row.devices << (row.liger ? " liger" : "");
  }
}

TEST(TrainingActivations, UpcastHiddenStatesDoubleTheCheckpoints) {
  TrainingSettings plain = fms(TrainingMethod::qlora, 1, false), upcast = plain;
  upcast.kernels.kbit_upcast = true;
  // prepare_model_for_kbit_training: exactly 2 h L bytes a token more (fms: 262,144)
  EXPECT_NEAR(bytes_a_token(kMistral7B, upcast) - bytes_a_token(kMistral7B, plain), 2.0 * 4096 * 32, 1);
}

TEST(TrainingActivations, FsdpGathersTheRootAndOneLayer) {
  TrainingSettings s = fms(TrainingMethod::lora, 2, true);
  s.micro_batch = 4;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, Bytes(0));
  EXPECT_NEAR(gibibytes(plan.of(TrainingPhase::backward, Term::gathered).likely), 2.36, 0.01);  // facts §1.6
}

TEST(TrainingActivations, TheLossOrTheLayersAreThePeakNeverBoth) {
  TrainingSettings s = fms(TrainingMethod::lora, 1, false);
  s.micro_batch = 8;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, Bytes(0));
  EXPECT_EQ(plan.fullest, TrainingPhase::loss);
  EXPECT_EQ(plan.of(TrainingPhase::loss, Term::layer).likely, Bytes(0));
  EXPECT_EQ(plan.of(TrainingPhase::backward, Term::logits).likely, Bytes(0));
  EXPECT_NEAR(gibibytes(plan.allocated.likely), 54.96, 0.6);  // fms, Llama-3-8B LoRA, batch 8
}

TEST(TrainingActivations, WithoutRecomputeALlamaLayerKeepsTwentyEightHiddenWidths) {
  // stas00's measurement: 28.0 for Llama-3.1-8B and Mistral-7B in eager mode, full training
  TrainingSettings s;
  s.framework = TrainingFramework::huggingface;
  s.weights = FormatId::bf16;
  s.recompute = Recompute::none;
  s.micro_batch = 1;
  s.sequence = 4096;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, Bytes(0));
  const double kept = static_cast<double>(plan.of(TrainingPhase::loss, Term::kept).likely.value());
  EXPECT_NEAR(kept / (32.0 * 4096 * 2 * 4096), 28, 0.6);
}

TEST(TrainingActivations, MegatronKeepsThirtyFourBytesAHiddenValue) {
  // Korthikanti et al.: s b h · 34 without recompute of flash attention, where queries, keys and values are as wide
  constexpr Shape kGpt{24, 2048, 8192, 16, 16, 128, 50304};
  Model model = sample::dense(kGpt);
  std::erase_if(model.tensors, [](const Tensor& t) { return t.role == Role::ffn_gate; });
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.recompute = Recompute::none;
  s.attention = AttentionKernel::te_fused;
  s.micro_batch = 1;
  s.sequence = 2048;
  const TrainingPlan plan = plan_training(model, s, Bytes(0));
  const double kept = static_cast<double>(plan.of(TrainingPhase::loss, Term::kept).likely.value());
  EXPECT_NEAR(kept / (24.0 * 2048 * 2048), 34, 0.5);
}

TEST(TrainingActivations, EagerAttentionKeepsItsScores) {
  TrainingSettings s = fms(TrainingMethod::full, 1, false);
  s.recompute = Recompute::none;
  s.attention = AttentionKernel::eager;
  s.micro_batch = 2;
  const TrainingPlan plan = plan_training(sample::dense(kMistral7B), s, Bytes(0));
  EXPECT_EQ(plan.of(TrainingPhase::loss, Term::scores).likely.value(),
            std::uint64_t{32} * 6 * 32 * 2 * 4096 * 4096);
}

TEST(TrainingActivations, OffLoadedCheckpointsAreOnTheHost) {
  TrainingSettings s = fms(TrainingMethod::lora, 1, true);
  s.micro_batch = 4;
  s.recompute = Recompute::full_offload;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama8B), s, Bytes(0));
  EXPECT_EQ(plan.of(TrainingPhase::loss, Term::kept).likely, Bytes(0));
  EXPECT_NEAR(gibibytes(plan.host_total().likely), 4.0, 0.01);  // 32 layers · 16,384 tokens · 8,192 bytes
}

TEST(TrainingActivations, SequenceParallelCutsWhatTensorParallelDoesNot) {
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.micro_batch = 1;
  s.sequence = 8192;
  s.split.tensor = 4;
  const auto kept = [&] {
    return static_cast<double>(plan_training(sample::dense(sample::kLlama8B), s, Bytes(0))
                                   .of(TrainingPhase::loss, Term::kept)
                                   .likely.value());
  };
  const double without = kept();
  s.split.sequence = true;
  EXPECT_NEAR(without - kept(), 32.0 * 8192 * 2 * 5 * 4096 * 0.75, 1e6);
}

TEST(TrainingActivations, TheFirstPipelineStageKeepsMostMicroBatches) {
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.micro_batch = 1;
  s.sequence = 4096;
  s.split.pipeline = 4;
  const TrainingPlan plan = plan_training(sample::dense(sample::kLlama70B), s, Bytes(0));
  EXPECT_EQ(plan.stages, 4);
  const auto kept = [&](int stage) {
    return plan_training_stage(sample::dense(sample::kLlama70B), s, Bytes(0), stage)
        .of(TrainingPhase::loss, Term::kept)
        .likely;
  };
  EXPECT_EQ(kept(0), Count(4) * kept(3));
}

TEST(TrainingActivations, LengthsOfAMeanHideLongerBatches) {
  // fms padding-free sweep: means of padded batches of 2, 4 and 8 were 738, 887 and 1,049 tokens, the longest always
  // 2,300
  constexpr double kSweep[][2] = {{2, 738}, {4, 887}, {8, 1049}};
  for (const auto& [batch, mean] : kSweep) {
    EXPECT_NEAR(longest_batch_tokens(batch, mean, false) / batch, 2300, 40);
  }
}

struct Kernel {
  const char* key;
  double tokens, vocab, gib;  // Liger-Kernel all_benchmark_data.csv; hidden 4096
};
TEST(TrainingLoss, KernelsHoldWhatLigerMeasured) {
  const Kernel table[] = {
      {"cross_entropy_torch", 16384, 131072, 40.0},
      {"cross_entropy_torch", 16384, 32768, 10.0},
      {"cross_entropy_liger", 16384, 65536, 4.0},
      {"linear_cross_entropy_torch", 8192, 128256, 8.948},
      {"linear_cross_entropy_torch", 32768, 128256, 26.936},
      {"linear_cross_entropy_liger", 8192, 128256, 4.362},
      {"linear_cross_entropy_liger", 16384, 128256, 4.795},
      {"linear_cross_entropy_liger", 32768, 128256, 5.659},
      {"grpo_torch", 2048, 128256, 8.87},
      {"grpo_torch", 4096, 128256, 12.83},
      {"distillation_torch", 1024, 128256, 10.36},
      {"distillation_torch", 8192, 128256, 55.047},
  };
  for (const Kernel& row : table) {
    const LossKernel* kernel = find_loss_kernel(row.key);
    ASSERT_NE(kernel, nullptr);
    EXPECT_NEAR(loss_kernel_bytes(*kernel, row.tokens, 4096, row.vocab) / kGiBd / row.gib, 1, 0.015)
        << row.key << " " << row.tokens;
  }
}

}  // namespace
}  // namespace vram
