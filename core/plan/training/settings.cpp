#include "core/plan/training/settings.h"

#include <array>

namespace vram {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(TrainingMethod::count_)> kMethods = {"full",
                                                                                                     "lora",
                                                                                                     "qlora",
                                                                                                     "dora",
                                                                                                     "lora_fa",
                                                                                                     "adalora",
                                                                                                     "loha",
                                                                                                     "lokr",
                                                                                                     "vera",
                                                                                                     "oft",
                                                                                                     "boft",
                                                                                                     "ia3",
                                                                                                     "ln_tuning",
                                                                                                     "prompt_tuning",
                                                                                                     "prefix_tuning",
                                                                                                     "llama_adapter",
                                                                                                     "llama_adapter_v2",
                                                                                                     "llamapro",
                                                                                                     "lisa",
                                                                                                     "full_blockwise",
                                                                                                     "mezo"};
constexpr std::array<std::string_view, static_cast<std::size_t>(TrainingObjective::count_)> kObjectives = {
    "sft", "pretrain", "dpo", "simpo", "grpo", "ppo"};
constexpr std::array<std::string_view, static_cast<std::size_t>(TrainingOptimizer::count_)> kOptimizers = {
    "adamw", "adamw_8bit", "adamw_4bit", "paged_adamw",  "paged_adamw_8bit",  "sgd",      "sgd_momentum",
    "lion",  "adafactor",  "muon",       "galore_adamw", "galore_adamw_8bit", "q_galore", "q_apollo_mini",
    "badam", "lora_fa",    "none"};
constexpr std::array<std::string_view, static_cast<std::size_t>(Recompute::count_)> kRecompute = {
    "none", "selective", "full", "full_offload"};
constexpr std::array<std::string_view, static_cast<std::size_t>(AttentionKernel::count_)> kAttention = {
    "eager", "sdpa", "flash_attention", "flash_attention_3", "flex_attention", "te_fused"};
constexpr std::array<std::string_view, static_cast<std::size_t>(TrainingFramework::count_)> kFrameworks = {
    "huggingface",   "fms",       "peft_script",     "trl",        "axolotl",
    "llama_factory", "unsloth",   "qwen_finetune",   "ms_swift",   "ms_swift_megatron",
    "litgpt",        "torchtune", "torchtitan",      "fsdp_qlora", "deepspeed",
    "galore",        "megatron",  "megatron_bridge", "verl"};

template <class Enum, std::size_t n>
std::optional<Enum> find_in(const std::array<std::string_view, n>& keys, std::string_view key) {
  for (std::size_t i = 0; i < n; ++i) {
    if (keys[i] == key) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view key_of(TrainingMethod method) { return kMethods[static_cast<std::size_t>(method)]; }
std::string_view key_of(TrainingObjective objective) { return kObjectives[static_cast<std::size_t>(objective)]; }
std::string_view key_of(TrainingOptimizer optimizer) { return kOptimizers[static_cast<std::size_t>(optimizer)]; }
std::string_view key_of(Recompute recompute) { return kRecompute[static_cast<std::size_t>(recompute)]; }
std::string_view key_of(AttentionKernel attention) { return kAttention[static_cast<std::size_t>(attention)]; }
std::string_view key_of(TrainingFramework framework) { return kFrameworks[static_cast<std::size_t>(framework)]; }

std::optional<TrainingMethod> find_training_method(std::string_view key) {
  return find_in<TrainingMethod>(kMethods, key);
}
std::optional<TrainingObjective> find_training_objective(std::string_view key) {
  return find_in<TrainingObjective>(kObjectives, key);
}
std::optional<TrainingOptimizer> find_training_optimizer(std::string_view key) {
  return find_in<TrainingOptimizer>(kOptimizers, key);
}
std::optional<Recompute> find_recompute(std::string_view key) { return find_in<Recompute>(kRecompute, key); }
std::optional<AttentionKernel> find_attention_kernel(std::string_view key) {
  return find_in<AttentionKernel>(kAttention, key);
}
std::optional<TrainingFramework> find_training_framework(std::string_view key) {
  return find_in<TrainingFramework>(kFrameworks, key);
}

bool is_megatron(TrainingFramework framework) {
  return framework == TrainingFramework::megatron || framework == TrainingFramework::megatron_bridge ||
         framework == TrainingFramework::ms_swift_megatron;
}

bool trains_adapters(TrainingMethod method) {
  switch (method) {
    case TrainingMethod::full:
    case TrainingMethod::lisa:
    case TrainingMethod::full_blockwise:
    case TrainingMethod::llamapro:
    case TrainingMethod::mezo:
      return false;
    default:
      return true;
  }
}

}  // namespace vram
