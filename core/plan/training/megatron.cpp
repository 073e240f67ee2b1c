#include "core/plan/training/megatron.h"

#include <algorithm>
#include <cmath>

#include "core/plan/training/frameworks.h"

namespace vram {
namespace {

constexpr double kVocabularyMultiple = 128;
constexpr double kOverheadWithoutSequenceParallel = 1.05;  // "5% overhead" for temporaries

double attention_parameters(const MegatronArguments& a, double norm_size) {
  if (!a.multi_latent_attention) {
    const double query_ratio = a.kv_channels * a.num_attention_heads / a.hidden_size;
    return 2 * a.hidden_size * a.hidden_size * ((1 + a.num_query_groups / a.num_attention_heads) * query_ratio);
  }
  const double rotated = a.qk_head_dim + a.qk_pos_emb_head_dim;
  const double query = a.q_lora_rank > 0 ? a.q_lora_rank * (a.hidden_size + a.num_attention_heads * rotated + norm_size)
                                         : a.hidden_size * a.num_attention_heads * rotated;
  return query + a.kv_lora_rank * (a.hidden_size + a.num_attention_heads * (a.qk_head_dim + a.v_head_dim) + norm_size) +
         a.hidden_size * a.qk_pos_emb_head_dim + a.num_attention_heads * a.v_head_dim * a.hidden_size;
}

/// What the report multiplies and adds for pipeline schedules. `activation` is of all layers, embedding included.
double with_schedule(const MegatronArguments& a, double activation) {
  const double stages = a.pipeline_model_parallel_size;
  if (a.virtual_pipeline_model_parallel_size > 0) {
    return activation * (1 + (stages - 1) / (stages * a.virtual_pipeline_model_parallel_size));
  }
  if (stages > 1 && a.num_microbatches > 0) return activation * std::min(1.0, a.num_microbatches / stages);
  return activation;
}

double with_embedding(const MegatronArguments& a, double activation) {
  const double stages = a.pipeline_model_parallel_size;
  activation += 8 * a.seq_length * a.micro_batch_size * stages;
  return activation + a.seq_length * a.micro_batch_size * a.hidden_size * stages;
}

/// Sequence parallel and selective recompute.
double activation_memory(const MegatronArguments& a) {
  double activation =
      a.seq_length * a.micro_batch_size * a.hidden_size * (18 + 4 * (a.ffn_hidden_size / a.hidden_size));
  activation = with_schedule(a, with_embedding(a, activation * a.num_layers));
  if (a.pipeline_model_parallel_size == 1) {
    activation += a.seq_length * a.micro_batch_size * a.hidden_size * 4 * (1 + a.padded_vocab_size / a.hidden_size);
  }
  return activation / a.tensor_model_parallel_size;
}

double activation_memory_without_sequence_parallel(const MegatronArguments& a) {
  const double layer = a.seq_length * a.micro_batch_size * a.hidden_size * (10 + 24 / a.tensor_model_parallel_size);
  double activation = with_schedule(a, with_embedding(a, layer * a.num_layers));
  if (a.pipeline_model_parallel_size == 1) {
    const double logits = a.seq_length * a.micro_batch_size * a.padded_vocab_size / a.tensor_model_parallel_size;
    activation += (logits + a.seq_length * a.micro_batch_size * a.hidden_size) * 2;
  }
  return activation * kOverheadWithoutSequenceParallel;
}

}  // namespace

MegatronTheory megatron_theory(const MegatronArguments& a) {
  MegatronTheory theory;
  if (!(a.hidden_size > 0 && a.num_attention_heads > 0)) return theory;
  const double gated = a.swiglu ? 1.5 : 1, norm_size = a.rms_norm ? 1 : 2;
  const double attention = attention_parameters(a, norm_size);
  const double dense = 2 * a.hidden_size * (a.ffn_hidden_size * gated + norm_size) + attention;
  const double experts = std::max(1.0, a.num_experts);
  const double moe =
      2 * a.hidden_size *
          (a.moe_ffn_hidden_size * experts * gated + a.moe_shared_expert_intermediate_size * gated + norm_size) +
      attention;
  const double dense_layers = a.num_layers - a.num_moe_layers;
  const double block = dense * dense_layers + moe * a.num_moe_layers + norm_size * a.hidden_size;
  const double draft = (a.num_moe_layers > 0 ? moe : dense) * a.mtp_num_layers;
  const double embedding = a.hidden_size * a.padded_vocab_size;
  theory.parameters = block + draft + embedding * (a.untie_embeddings_and_output_weights ? 2 : 1);
  double most = (block / a.pipeline_model_parallel_size + draft + embedding) / a.tensor_model_parallel_size;
  if (a.untie_embeddings_and_output_weights && a.pipeline_model_parallel_size == 1)
    most += embedding / a.tensor_model_parallel_size;
  theory.parameters_on_most_loaded_shard = most;
  theory.weight_and_optimizer = most * (a.use_distributed_optimizer ? 6 + 12 / a.data_parallel_size : 18);
  theory.activation = a.sequence_parallel && a.recompute_selective ? activation_memory(a)
                                                                   : activation_memory_without_sequence_parallel(a);
  return theory;
}

MegatronArguments megatron_arguments(const Model& model, const TrainingSettings& stated) {
  const TrainingSettings s = complete_settings(stated).settings;
  const Dimensions& d = model.dims;
  MegatronArguments a;
  a.num_layers = d.num_hidden_layers;
  a.hidden_size = d.hidden_size;
  a.ffn_hidden_size = d.intermediate_size > 0 ? d.intermediate_size : d.moe_intermediate_size;
  a.num_attention_heads = d.num_attention_heads;
  a.num_query_groups = d.num_key_value_heads > 0 ? d.num_key_value_heads : d.num_attention_heads;
  a.kv_channels = d.head_dim;
  const double multiple = kVocabularyMultiple * std::max(1, s.split.tensor);
  a.padded_vocab_size = std::ceil(d.vocab_size / multiple) * multiple;
  a.seq_length = *s.sequence;
  a.micro_batch_size = *s.micro_batch;
  a.num_experts = d.num_experts;
  a.moe_ffn_hidden_size = d.moe_intermediate_size;
  bool gate = false;
  a.untie_embeddings_and_output_weights = false;
  for (const Tensor& tensor : model.tensors) {
    gate = gate || tensor.role == Role::ffn_gate || tensor.role == Role::expert_gate;
    if (tensor.role == Role::head && tensor.stored) a.untie_embeddings_and_output_weights = true;
    if (tensor.role == Role::expert_up) a.num_moe_layers = static_cast<double>(model.layers_of(tensor.layer_set));
    if (tensor.role == Role::shared_expert_up)
      a.moe_shared_expert_intermediate_size += static_cast<double>(tensor.outputs.value());
  }
  // Models without a gate are of the LayerNorm generation.
  a.swiglu = gate;
  a.rms_norm = gate;
  a.multi_latent_attention = d.kv_lora_rank > 0;
  a.q_lora_rank = d.q_lora_rank;
  a.kv_lora_rank = d.kv_lora_rank;
  a.qk_head_dim = d.qk_nope_head_dim;
  a.qk_pos_emb_head_dim = d.qk_rope_head_dim;
  a.v_head_dim = d.v_head_dim;
  a.tensor_model_parallel_size = std::max(1, s.split.tensor);
  a.pipeline_model_parallel_size = std::max(1, s.split.pipeline);
  a.data_parallel_size = std::max(1, s.split.data * s.split.context);
  a.virtual_pipeline_model_parallel_size = s.split.virtual_stages > 1 ? s.split.virtual_stages : 0;
  a.use_distributed_optimizer = s.split.zero != ZeroStage::none;
  a.sequence_parallel = s.split.sequence;
  a.recompute_selective = *s.recompute == Recompute::selective;
  if (s.accumulation && *s.accumulation > 1) a.num_microbatches = *s.accumulation;
  return a;
}

}  // namespace vram
