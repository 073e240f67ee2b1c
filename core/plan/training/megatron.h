// Megatron-LM's own theoretical memory, as its start-up report prints it: the same terms, the same omissions.
//
// For those who want to compare with the log line "Theoretical memory footprints: weight and optimizer=…". The plan of
// training.h is the better answer; this one is the familiar one, exact to the byte of that report's arithmetic.
//
//   7B (32 layers, hidden 4096, 8 groups of queries, ffn 16384, 131,073 words), tp 4, dp 2, micro-batch 2, 8192 tokens:
//     weights and optimizer 18.76 GiB, activations 34.85 GiB (measured: 19.22 and 34.97)
#pragma once
#include <cstdint>

#include "core/model/model.h"
#include "core/plan/training/settings.h"
#include "core/units/bytes.h"

namespace vram {

/// Arguments of a Megatron run that its formula looks at, by the names of its command line.
struct MegatronArguments {
  double num_layers = 0, hidden_size = 0, ffn_hidden_size = 0, num_attention_heads = 0, num_query_groups = 0,
         kv_channels = 0;
  double padded_vocab_size = 0, seq_length = 0, micro_batch_size = 1;
  bool swiglu = true, rms_norm = true, untie_embeddings_and_output_weights = true;
  double num_experts = 0, moe_ffn_hidden_size = 0, moe_shared_expert_intermediate_size = 0, num_moe_layers = 0;
  double mtp_num_layers = 0;
  bool multi_latent_attention = false;
  double q_lora_rank = 0, kv_lora_rank = 0, qk_head_dim = 0, qk_pos_emb_head_dim = 0, v_head_dim = 0;
  double tensor_model_parallel_size = 1, pipeline_model_parallel_size = 1, data_parallel_size = 1;
  double virtual_pipeline_model_parallel_size = 0;  ///< 0 = not interleaved
  double num_microbatches = 0;                      ///< 0 = not known
  bool use_distributed_optimizer = false, sequence_parallel = false, recompute_selective = false;
};

struct MegatronTheory {
  double parameters = 0, parameters_on_most_loaded_shard = 0;
  double weight_and_optimizer = 0, activation = 0;  ///< bytes, fractions kept
  Bytes total() const { return bytes_from(weight_and_optimizer + activation); }
};

MegatronTheory megatron_theory(const MegatronArguments& arguments);
/// The arguments that a model and settings stand for; the vocabulary is padded to a multiple of 128 × tensor parallel.
MegatronArguments megatron_arguments(const Model& model, const TrainingSettings& settings);

}  // namespace vram
