#include "core/plan/training/formulas.h"

#include <array>

namespace vram {
namespace {

constexpr std::array<Formula, 26> kFormulas = {{
    {"training_weights", "values * value_bytes / shards", "ZeRO (arXiv 1910.02054), section 3.1"},
    {"training_frozen",
     "(quantised * code_bytes + plain * plain_bytes) / shards + quantised * scale_value_bytes / scale_shards",
     "QLoRA (arXiv 2305.14314), section 3; fms-acceleration, scripts/benchmarks/refs"},
    {"training_master", "values * value_bytes / shards", "ZeRO (arXiv 1910.02054), section 3.1"},
    {"training_gradients", "values * share * value_bytes / shards",
     "Megatron-LM, theoretical_memory_usage.py; DeepSpeed, docs/memory.rst"},
    {"training_optimizer", "values * share * value_bytes / shards",
     "AdamW (arXiv 1711.05101); bitsandbytes, torchao, Muon: READMEs"},
    {"training_step", "values * share * value_bytes / shards",
     "PyTorch, torch/optim/adamw.py: foreach; DeepSpeed, docs/memory.rst"},
    {"training_workspace", "handles * workspace + batch_tokens * batch_bytes",
     "PyTorch, CUDABlas.cpp: cuBLAS workspaces of 8.125 MiB; Hugging Face Trainer: 24 B × token"},
    {"training_gathered", "root + layer + layer_gradients",
     "PyTorch FSDP; fms-acceleration, scripts/benchmarks/refs"},
    {"training_buckets", "buckets", "DeepSpeed, config-json.md: allgather_bucket_size, reduce_bucket_size"},
    {"training_checkpoints", "batch_tokens * layers * (copies * hidden / hidden_shards + mixer_values) * value_bytes"
     " * in_flight",
     "Chen et al. 2016 (arXiv 1604.06174)"},
    {"training_kept",
     "layers * batch_tokens * in_flight * value_bytes * (hidden_copies * hidden / hidden_shards + query_copies * query"
     " + kv_copies * key_value + ffn_copies * ffn + expert_copies * expert_width * experts_per_token + mixer_values + "
     "adapter_values)",
     "Korthikanti et al. 2022 (arXiv 2205.05198), section 4"},
    {"training_layer",
     "batch_tokens * value_bytes * (hidden_copies * hidden / hidden_shards + query_copies * query + kv_copies * "
     "key_value"
     " + ffn_copies * ffn + expert_copies * expert_width * experts_per_token + mixer_values + adapter_values)",
     "Korthikanti et al. 2022 (arXiv 2205.05198), section 5; fms-acceleration, scripts/benchmarks/refs"},
    {"training_input_gradients", "batch_tokens * value_bytes * hidden * (layers - 2)",
     "fms-acceleration, scripts/benchmarks/refs: LoRA, FSDP"},
    {"training_scores", "layers * in_flight * score_bytes * heads * sequences * tokens * tokens / context_shards",
     "Korthikanti et al. 2022 (arXiv 2205.05198), section 4: 5 a s / h"},
    {"training_logits",
     "logit_tokens * vocab * logit_bytes + batch_tokens * hidden_copies * hidden * value_bytes + head_gradient",
     "Liger-Kernel, benchmark/data/all_benchmark_data.csv; fms-acceleration, scripts/benchmarks/refs"},
    {"training_held_logits", "mean_tokens * vocab * value_bytes",
     "PEFT, method_comparison/MetaMathQA/run.py"},
    {"training_head_gradient", "values * value_bytes", "PyTorch autograd; Liger-Kernel, fused_linear_cross_entropy.py"},
    {"training_reference", "values * value_bytes / shards", "DPO (arXiv 2305.18290); TRL, DPOTrainer: ref_model"},
    {"training_rollout", "values * value_bytes + rollout_pool",
     "TRL, GRPOTrainer: vllm_mode; verl, rollout"},
    {"training_load", "whole", "PyTorch FSDP; litgpt, tutorials/resource-tables.md"},
    {"training_save", "root + layer", "PyTorch FSDP: FullStateDictConfig(offload_to_cpu)"},
    {"training_host_states", "values * share * value_bytes / shards * devices",
     "ZeRO-Offload (arXiv 2101.06840)"},
    {"training_host_weights", "values * value_bytes / shards * devices", "ZeRO-Infinity (arXiv 2104.07857)"},
    {"training_host_checkpoints", "kept * devices",
     "torchtune, activation offloading; Unsloth, gradient checkpointing"},
    {"training_fragments",
     "min(coming_and_going * share + gradients * gradient_share + unpacked * unpacked_share, room)",
     "PyTorch, CUDACachingAllocator.cpp"},
    {"training_context", "context + network", "CUDA, NCCL"},
}};

}  // namespace

std::span<const Formula> training_formulas() { return kFormulas; }

}  // namespace vram
