#include "core/plan/training/formulas.h"

#include <array>

namespace vram {
namespace {

constexpr std::array<Formula, 26> kFormulas = {{
    {"training_weights", "values * value_bytes / shards", "bytes of one value times values on this device: facts §2"},
    {"training_frozen",
     "(quantised * code_bytes + plain * plain_bytes) / shards + quantised * scale_value_bytes / scale_shards",
     "QLoRA paper, section 3; fms rows: scales stay whole on every rank"},
    {"training_master", "values * value_bytes / shards", "ZeRO paper, section 3.1: fp32 copy for the optimizer"},
    {"training_gradients", "values * share * value_bytes / shards", "as the weights; Megatron and DeepSpeed: facts §2"},
    {"training_optimizer", "values * share * value_bytes / shards", "AdamW: two moments; others: facts §2"},
    {"training_step", "values * share * value_bytes / shards",
     "foreach AdamW: one temporary (fms 10.002 and 20.005 bytes a value); DeepSpeed: fp32 gradients (memory.rst)"},
    {"training_workspace", "handles * workspace + batch_tokens * batch_bytes",
     "two cuBLAS workspaces of 8.125 MiB; token, mask and label of 8 bytes each (fms: 24 bytes a token)"},
    {"training_gathered", "root + layer + layer_gradients",
     "FSDP root unit and one layer whole (fms: Llama-3-8B 2.36 GiB = 1.957 + 0.406)"},
    {"training_buckets", "buckets", "DeepSpeed: allgather and reduce buckets of 5e8 values"},
    {"training_checkpoints", "batch_tokens * layers * hidden * copies * value_bytes * in_flight / hidden_shards",
     "each layer's input; facts §4"},
    {"training_kept",
     "layers * batch_tokens * in_flight * value_bytes * (hidden_copies * hidden / hidden_shards + query_copies * query"
     " + kv_copies * key_value + ffn_copies * ffn + expert_copies * expert_width * experts_per_token + mixer_values + "
     "adapter_values)",
     "Korthikanti et al. 2022, section 4, by width; copies of each framework: frameworks.cpp"},
    {"training_layer",
     "batch_tokens * value_bytes * (hidden_copies * hidden / hidden_shards + query_copies * query + kv_copies * "
     "key_value"
     " + ffn_copies * ffn + expert_copies * expert_width * experts_per_token + mixer_values + adapter_values)",
     "one layer computed again, and gradients that come and go: 28.5 hidden widths on Llama-3-8B (fms)"},
    {"training_input_gradients", "batch_tokens * value_bytes * hidden * (layers - 2)",
     "fms, LoRA under FSDP: 30 hidden widths more on 32 layers, 78 on 80; facts §1.6"},
    {"training_scores", "layers * in_flight * score_bytes * heads * sequences * tokens * tokens / context_shards",
     "eager attention keeps its scores: Korthikanti et al., 5 a s / h"},
    {"training_logits",
     "logit_tokens * vocab * logit_bytes + batch_tokens * hidden_copies * hidden * value_bytes + head_gradient",
     "fms slopes and Liger's benchmark: facts §3"},
    {"training_held_logits", "mean_tokens * vocab * value_bytes",
     "PEFT comparison: the loop still holds the last outputs"},
    {"training_head_gradient", "values * value_bytes", "the head runs backwards before the layers"},
    {"training_reference", "values * value_bytes / shards", "DPO, PPO: frozen copies of the model"},
    {"training_rollout", "values * value_bytes + rollout_pool",
     "an inference engine beside the trainer: its weights and cache"},
    {"training_load", "whole", "FSDP: every rank holds the whole model before it is cut (litgpt, facts §1.7)"},
    {"training_save", "root + layer", "one unit at a time is gathered and sent to host memory"},
    {"training_host_states", "values * share * value_bytes / shards * devices",
     "optimizer off-load: states and master copy"},
    {"training_host_weights", "values * value_bytes / shards * devices", "parameter off-load"},
    {"training_host_checkpoints", "kept * devices", "checkpoints sent to host memory"},
    {"training_fragments",
     "min(coming_and_going * share + gradients * gradient_share + unpacked * unpacked_share, room)",
     "what the allocator keeps beyond its peak: facts §6"},
    {"training_context", "context + network", "CUDA context, kernels and NCCL: facts §6"},
}};

}  // namespace

std::span<const Formula> training_formulas() { return kFormulas; }

}  // namespace vram
