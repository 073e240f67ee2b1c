// What a training job is: method, optimizer, formats, recompute, batch, split, framework. One plain value.
//
// A field that is empty was not stated. The framework's default is put in its place (frameworks.h) and the
// plan says so; nothing here has a hidden default that differs from framework to framework.
//
//   TrainingSettings s;
//   s.framework = TrainingFramework::trl;
//   s.method = TrainingMethod::lora;
//   s.adapters = {.rank = 16, .targets = {"q", "k", "v", "o"}};
//   s.micro_batch = 4; s.sequence = 4096;
//   plan_training(model, s, usable)            // training.h
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/format.h"

namespace vram {

enum class TrainingMethod : std::uint8_t {
  full,
  lora,
  qlora,
  dora,
  lora_fa,
  adalora,
  loha,
  lokr,
  vera,
  oft,
  boft,
  ia3,
  ln_tuning,
  prompt_tuning,
  prefix_tuning,
  llama_adapter,
  llama_adapter_v2,
  llamapro,        ///< new blocks trained, the old ones frozen
  lisa,            ///< full weights, a few layers at a time
  full_blockwise,  ///< BAdam: one block at a time
  mezo,            ///< forward passes only
  count_
};
enum class TrainingObjective : std::uint8_t { sft, pretrain, dpo, simpo, grpo, ppo, count_ };
enum class TrainingOptimizer : std::uint8_t {
  adamw,
  adamw_8bit,
  adamw_4bit,
  paged_adamw,
  paged_adamw_8bit,
  sgd,
  sgd_momentum,
  lion,
  adafactor,
  muon,
  galore_adamw,
  galore_adamw_8bit,
  q_galore,
  q_apollo_mini,
  badam,
  lora_fa,
  none,
  count_
};
enum class Recompute : std::uint8_t {
  none,
  selective,     ///< attention core, or every second matrix product (torchtitan's "op")
  full,          ///< only each layer's input is kept
  full_offload,  ///< as full, the inputs kept in host memory
  count_
};
enum class AttentionKernel : std::uint8_t {
  eager,
  sdpa,
  flash_attention,
  flash_attention_three,
  flex_attention,
  te_fused,
  count_
};
enum class ZeroStage : std::uint8_t { none, one, two, three };
enum class Fsdp : std::uint8_t { none, full_shard, shard_grad_op, no_shard };
enum class PipelineSchedule : std::uint8_t { one_forward_one_backward, interleaved, gpipe };
/// What the stated length is: of every step, the longest allowed, or the mean over steps whose batches are padded.
enum class LengthIs : std::uint8_t { exact, limit, mean };

enum class TrainingFramework : std::uint8_t {
  huggingface,  ///< Trainer with accelerate, peft, bitsandbytes
  fms,          ///< the same with IBM's fms-acceleration
  peft_script,  ///< PEFT's own comparison: a plain loop
  trl,
  axolotl,
  llama_factory,
  unsloth,
  qwen_finetune,
  ms_swift,
  ms_swift_megatron,  ///< on transformers and DeepSpeed; on Megatron-LM core
  litgpt,
  torchtune,
  torchtitan,
  fsdp_qlora,
  deepspeed,
  galore,
  megatron,  ///< Megatron-LM core
  megatron_bridge,
  verl,
  count_
};
/// Versions whose memory differs by more than a rounding: facts §1.12, fms sweeps of May and of November 2024.
enum class Era : std::uint8_t { current, mid_2024 };

std::string_view key_of(TrainingMethod);
std::string_view key_of(TrainingObjective);
std::string_view key_of(TrainingOptimizer);
std::string_view key_of(Recompute);
std::string_view key_of(AttentionKernel);
std::string_view key_of(TrainingFramework);
std::optional<TrainingMethod> find_training_method(std::string_view key);
std::optional<TrainingObjective> find_training_objective(std::string_view key);
std::optional<TrainingOptimizer> find_training_optimizer(std::string_view key);
std::optional<Recompute> find_recompute(std::string_view key);
std::optional<AttentionKernel> find_attention_kernel(std::string_view key);
std::optional<TrainingFramework> find_training_framework(std::string_view key);

/// True where Megatron-LM core trains: one buffer of fp32 gradients, its own layers and schedules.
bool is_megatron(TrainingFramework framework);
/// True where the base weights stay frozen and small new ones are trained beside them.
bool trains_adapters(TrainingMethod method);

struct AdapterSettings {
  std::optional<int> rank;
  std::vector<std::string> targets;  ///< q k v o qkv gate up down lm_head shared_expert experts; empty = default
  std::vector<std::string> modules_to_save;  ///< "embedding", "lm_head": copied and trained whole
  int virtual_tokens = 20;                   ///< prompt and prefix tuning (PEFT's default in its comparison)
};

/// Kernels and extensions that change what is kept. Names as projects call them: facts §3, §4.
struct TrainingKernels {
  bool fused_norm = false;             ///< RMSNorm and RoPE in one kernel, no fp32 copies (foak, unsloth, liger, TE)
  bool loss_in_place = false;          ///< cross entropy writes its gradient over the logits (foak, unsloth)
  bool loss_from_hidden = false;       ///< fused linear cross entropy, cut cross entropy, chunked: no full logits
  bool compile = false;                ///< torch.compile
  bool low_precision_compute = false;  ///< fp8 and below matrix products
  bool padding_free = false;           ///< sequences laid end to end: no padding
  bool packing = false;                ///< filled up to the full length
  bool expandable_segments = false;    ///< PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  bool kbit_upcast = false;            ///< prepare_model_for_kbit_training: norms and embeddings in fp32
  bool fused_optimizer = false;        ///< one kernel, no step temporaries
  bool liger = false;  ///< all of Liger: norm, RoPE, SwiGLU and the loss from hidden states
};

struct TrainingParallelism {
  int data = 1, tensor = 1, pipeline = 1, context = 1, expert = 1, expert_tensor = 1;
  ZeroStage zero = ZeroStage::none;
  Fsdp fsdp = Fsdp::none;
  int fsdp_version = 1;
  bool sequence = false;   ///< Megatron's sequence parallel
  int virtual_stages = 1;  ///< model chunks a device in interleaved schedules
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  bool offload_optimizer = false, offload_parameters = false;
  bool offload_to_disk = false;  ///< NVMe: host memory only passes it on
  int devices() const { return data * tensor * pipeline * context; }
};

struct TrainingSettings {
  TrainingFramework framework = TrainingFramework::huggingface;
  std::optional<Era> era;
  TrainingMethod method = TrainingMethod::full;
  TrainingObjective objective = TrainingObjective::sft;
  TrainingOptimizer optimizer = TrainingOptimizer::adamw;
  std::optional<FormatId> weights;  ///< as stored on the device; base weights of adapters
  std::optional<FormatId> compute;  ///< of activations, when it differs from the weights
  std::optional<FormatId> gradients;
  std::optional<FormatId> optimizer_states;  ///< of 32- and 16-bit optimizers
  std::optional<bool> master_weights;        ///< an fp32 copy besides the compute weights
  bool optimizer_in_backward = false;        ///< each gradient is used and freed at once
  std::optional<Recompute> recompute;
  std::optional<AttentionKernel> attention;
  TrainingKernels kernels;
  AdapterSettings adapters;
  std::optional<int> micro_batch, sequence;  ///< sequences on a device; tokens
  LengthIs length_is = LengthIs::exact;
  std::optional<int> accumulation;    ///< micro-batches a step
  int completions = 8;                ///< GRPO: answers to one question
  std::optional<double> rollout_gib;  ///< an inference engine on the same devices: its pool
  TrainingParallelism split;
  int gpus_per_node = 8;
};

}  // namespace vram
