// Megatron-LM's own report, to the byte.
#include <gtest/gtest.h>

#include "core/plan/training/megatron.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

/// Of the CI job gpt3_7b_tp4_pp1_memory_speed.
MegatronArguments seven_billion() {
  MegatronArguments a;
  a.num_layers = 32;
  a.hidden_size = 4096;
  a.ffn_hidden_size = 16384;
  a.num_attention_heads = 32;
  a.num_query_groups = 8;
  a.kv_channels = 128;
  a.padded_vocab_size = 131584;
  a.seq_length = 8192;
  a.micro_batch_size = 2;
  a.swiglu = false;
  a.rms_norm = false;
  a.tensor_model_parallel_size = 4;
  a.data_parallel_size = 2;
  a.use_distributed_optimizer = true;
  return a;
}

TEST(MegatronTheory, SevenBillionOverFourIsTheReportsFigure) {
  const MegatronTheory theory = megatron_theory(seven_billion());
  // by hand: a layer is 2·4096·(16384 + 2) + 2·4096²·(1 + 8/32) = 176,177,152; the block 32 of them and 8,192
  EXPECT_EQ(theory.parameters, 32.0 * 176177152 + 8192 + 2.0 * 4096 * 131584);
  EXPECT_EQ(theory.weight_and_optimizer, (32.0 * 176177152 + 8192 + 2.0 * 4096 * 131584) / 4 * 12);
  EXPECT_NEAR(theory.weight_and_optimizer / 1073741824, 18.763, 0.001);
  EXPECT_NEAR(theory.activation / 1073741824, 34.851, 0.001);  // measured 34.97
}

TEST(MegatronTheory, PipelineAndInterleavingAreTheReportsFigures) {
  MegatronArguments a = seven_billion();
  a.tensor_model_parallel_size = 1;
  a.pipeline_model_parallel_size = 4;
  a.virtual_pipeline_model_parallel_size = 8;
  a.padded_vocab_size = 131200;
  a.micro_batch_size = 1;
  const MegatronTheory theory = megatron_theory(a);
  EXPECT_NEAR(theory.weight_and_optimizer / 1073741824, 21.757, 0.001);
  EXPECT_NEAR(theory.activation / 1073741824, 39.191, 0.001);  // measured 33.4: its interleaving factor is too large
}

TEST(MegatronTheory, SequenceParallelWithSelectiveRecomputeIsTableTwo) {
  MegatronArguments a = seven_billion();
  a.sequence_parallel = a.recompute_selective = true;
  const double sbh = 8192.0 * 2 * 4096;
  const double layers = 32 * sbh * 34, embedding = 8.0 * 8192 * 2 + sbh, output = 4 * sbh * (1 + 131584.0 / 4096);
  EXPECT_EQ(megatron_theory(a).activation, (layers + embedding + output) / 4);
}

TEST(MegatronTheory, WithoutDistributedOptimizerAParameterIsEighteenBytes) {
  MegatronArguments a = seven_billion();
  a.use_distributed_optimizer = false;
  EXPECT_EQ(megatron_theory(a).weight_and_optimizer, megatron_theory(a).parameters_on_most_loaded_shard * 18);
}

TEST(MegatronTheory, ArgumentsComeFromTheInventory) {
  TrainingSettings s;
  s.framework = TrainingFramework::megatron;
  s.micro_batch = 1;
  s.sequence = 4096;
  s.split.tensor = 8;
  const MegatronArguments a = megatron_arguments(sample::dense(sample::kLlama70B), s);
  EXPECT_EQ(a.padded_vocab_size, 129024);  // 128,256 rounded up to a multiple of 1,024
  EXPECT_TRUE(a.swiglu && a.rms_norm && a.untie_embeddings_and_output_weights);
  // The report leaves out nothing of a Llama but the padding: 70,553,706,496 and 2 · 768 · 8192 more.
  EXPECT_EQ(megatron_theory(a).parameters, 70553706496.0 + 2.0 * 768 * 8192);
}

}  // namespace
}  // namespace vram
