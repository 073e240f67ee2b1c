#include "core/plan/training/frameworks.h"

#include <algorithm>
#include <array>

namespace vram {
namespace {

// Where the copies come from (facts/training.md §4 and §5, decomposed on the fms sweeps, whose lines are exact):
//   fused, Llama-3-8B full, FSDP:  28.5 h = 5 h + 2 q + 2 kv + 6 f   (f = 3.5 h)
//     kept 3 h + 2 q + 2 kv + 3 f: norm outputs, query, key, value, attention output, residual; gate, its activation,
//     up comes and goes 2 h + 3 f: gradients of the block's output and of three feed-forward tensors
//   norms written out add exactly 2 h each (QLoRA 31.5 → 35.5): one fp32 copy
//   adapters on q, k, v, o add 4 h fused and 7 h otherwise; on quantised base weights 3 h
// Without recompute, measured on Llama, Mistral, Qwen3 and SmolLM2 (stas00): 10 h + 3 q + 3 kv + 4 f in eager mode.
constexpr KeptCopies kEager{3, 3.5, 3, 4, 2};
constexpr KeptCopies kEagerFrozen{3, 2, 2, 3, 1};

constexpr std::size_t kCount = static_cast<std::size_t>(TrainingFramework::count_);

TrainingProfile transformers(TrainingFramework framework, std::string_view source) {
  TrainingProfile profile;
  profile.framework = framework;
  profile.source = source;
  profile.recompute = Recompute::full;  // every published script of the family turns it on
  profile.upcasts_under_fsdp = true;
  profile.trained = kEager;
  profile.frozen = kEagerFrozen;
  profile.adapter_input = 1.75;
  profile.gradients_of_inputs_stay = true;
  profile.fragmentation = -1;
  return profile;
}

std::array<TrainingProfile, kCount> make_profiles() {
  std::array<TrainingProfile, kCount> all;
  const auto put = [&](TrainingProfile profile) { all[static_cast<std::size_t>(profile.framework)] = profile; };

  put(transformers(TrainingFramework::huggingface, "transformers Trainer, accelerate, peft"));
  {
    TrainingProfile p = transformers(TrainingFramework::fms, "fms-acceleration benchmark csv files, A100-80");
    p.activation_low = 0.93;
    p.activation_high = 1.12;
    put(p);
  }
  {
    TrainingProfile p = transformers(TrainingFramework::peft_script, "peft method_comparison/MetaMathQA");
    p.recompute = Recompute::none;
    p.gradients_stay = true;  // measured after backward, before zero_grad
    p.outputs_stay = true;    // mean allocated is 0.31 GiB above the states for every method alike: the last logits
    p.adapter_input = 1.1;
    p.fragmentation = 0.06;
    put(p);
  }
  put(transformers(TrainingFramework::trl, "trl"));
  {
    TrainingProfile p = transformers(TrainingFramework::axolotl, "axolotl examples: rounded, metric not stated");
    p.fused_optimizer = true;
    put(p);
  }
  put(transformers(TrainingFramework::llama_factory, "LLaMA-Factory on transformers"));
  {
    TrainingProfile p = transformers(TrainingFramework::unsloth, "unsloth: off-loaded checkpoints, fused kernels");
    p.recompute = Recompute::full_offload;
    p.adapter_input = 1;
    put(p);
  }
  {
    TrainingProfile p = transformers(TrainingFramework::ms_swift, "ms-swift script headers: reserved, rounded");
    p.fragmentation = 0.3;
    p.longest_sample = 700;  // its example data: 480 to 900 tokens follow from the Megatron and DPO scripts
    put(p);
  }
  {
    TrainingProfile p =
        transformers(TrainingFramework::qwen_finetune, "Qwen README, torch 2.0, DeepSpeed ZeRO-2 and 3");
    p.accumulation = 8;
    p.fused_under_deepspeed = true;
    p.upcasts_logits =
        false;            // modeling_qwen.py computes the loss in 16 bits: 3.3 MB a token with autocast, 1.4 without
    p.context_gib = 1.2;  // torch 2.0 loads every kernel at once
    p.network_gib = 0.6;
    p.fragmentation = 0.05;  // one sequence at a time: the slope of its lengths is that of the tensors
    put(p);
  }
  {
    TrainingProfile p;
    p.framework = TrainingFramework::litgpt;
    p.source = "litgpt resource tables and config_hub: max_memory_allocated";
    p.adapter_format = FormatId::bf16;  // bf16-true
    p.trained = {3, 3.5, 3, 4, 2};
    p.frozen = {3, 0.5, 3, 3, 1};
    p.adapter_input = 2;    // dropped copy, mask, zero-padded outputs
    p.quantised_input = 1;  // bitsandbytes 0.41 keeps the input of every 4-bit product
    p.logit_bytes = 6;      // head in chunks of 128 tokens, their logits in a list
    p.logit_bytes_in_place = 6;
    p.accumulation = 8;
    p.unties_head = true;
    p.longest_sample = 1304;      // Alpaca, by the tokenizer of Llama 2
    p.sharded_load_whole = true;  // facts §1.7: a shard's peak is the load
    put(p);
  }
  {
    TrainingProfile p;
    p.framework = TrainingFramework::torchtune;
    p.source = "torchtune README and tutorials: peak active";
    p.adapter_format = FormatId::bf16;
    p.fused_optimizer = true;
    p.recompute = Recompute::full;
    p.trained = kEager;
    p.frozen = kEagerFrozen;
    p.adapter_input = 1.5;
    p.logit_bytes = 10;
    p.loss_chunk = 1.0 / 8;   // CEWithChunkedOutputLoss, eight chunks
    p.chunks_loss = true;     // in every recipe since 0.4
    p.longest_sample = 1304;  // Alpaca
    p.fragmentation = 0.1;
    put(p);
  }
  {
    TrainingProfile p;
    p.framework = TrainingFramework::torchtitan;
    p.source = "torchtitan benchmarks: max reserved over ranks";
    p.master_weights = true;
    p.fused_optimizer = true;
    p.recompute = Recompute::selective;
    p.trained = kEager;
    p.frozen = kEagerFrozen;
    p.logit_bytes = 12;
    p.splits_batch_by_stages = true;
    p.sequence_with_tensor = true;
    p.fragmentation = 0.15;
    p.activation_low = 0.65;
    p.activation_high = 1.35;
    put(p);
  }
  {
    TrainingProfile p;
    p.framework = TrainingFramework::fsdp_qlora;
    p.source = "AnswerDotAI fsdp_qlora benchmarks: reserved";
    p.adapter_format = FormatId::bf16;
    p.recompute = Recompute::full;
    p.trained = kEager;
    p.frozen = kEagerFrozen;
    p.adapter_input = 1.75;
    p.logit_bytes = 10;
    p.fragmentation = 0.6;
    put(p);
  }
  {
    TrainingProfile p =
        transformers(TrainingFramework::deepspeed, "DeepSpeed docs memory.rst, estimators");
    p.master_weights = true;
    p.fused_under_deepspeed = true;
    p.upcasts_under_fsdp = false;
    put(p);
  }
  {
    TrainingProfile p = transformers(TrainingFramework::galore, "GaLore torchrun_main.py");
    p.recompute = Recompute::full;
    put(p);
  }
  {
    TrainingProfile p;
    p.framework = TrainingFramework::megatron;
    p.source = "Megatron-LM theoretical_memory_usage.py and golden values";
    p.master_weights = true;
    p.fused_optimizer = true;
    p.gradients_stay = true;  // one buffer of fp32 gradients, allocated once
    // 5 h + 2 q + 2 kv + 2 f (3 f with a gate): 34 bytes · hidden where query, keys and values are as wide (Korthikanti
    // et al.), measured 34.97 GiB against 34.5 on 7B TP4 and 33.4 against 33.9 on PP4 with 8 chunks.
    p.trained = {5, 0, 2, 3, 2};
    p.frozen = {4, 0, 2, 3, 2};
    p.logit_bytes = 8;  // Liger's measurement of Megatron's own cross entropy
    p.logit_bytes_in_place = 8;
    p.network_gib = 1.6;
    p.fragmentation = 0.15;
    put(p);
  }
  {
    TrainingProfile p = all[static_cast<std::size_t>(TrainingFramework::megatron)];
    p.framework = TrainingFramework::megatron_bridge;
    p.source = "Megatron-Bridge performance notes";
    p.gradients_in_16_bits = true;  // 16 bytes a value on one replica: its 70B notes
    p.sequence_with_tensor = true;
    put(p);
    p.gradients_in_16_bits = false;
    p.sequence_with_tensor = false;
    p.framework = TrainingFramework::ms_swift_megatron;
    p.source = "ms-swift's Megatron scripts: reserved, rounded";
    p.recompute = Recompute::full;
    p.fragmentation = 0.3;
    p.longest_sample = 700;
    put(p);
  }
  put(transformers(TrainingFramework::verl, "verl: FSDP policy with a rollout engine on the same devices"));
  return all;
}

}  // namespace

const TrainingProfile& training_profile(TrainingFramework framework) {
  static const std::array<TrainingProfile, kCount> profiles = make_profiles();
  return profiles[static_cast<std::size_t>(framework)];
}

CompletedSettings complete_settings(const TrainingSettings& stated) {
  CompletedSettings completed{stated, {}};
  TrainingSettings& s = completed.settings;
  const TrainingProfile& profile = training_profile(s.framework);
  const auto fill = [&](auto& field, auto value, std::string_view name) {
    if (field) return;
    field = value;
    completed.assumed.push_back(name);
  };
  fill(s.weights, FormatId::bf16, "weights");
  fill(s.recompute, profile.recompute, "recompute");
  fill(s.attention, AttentionKernel::sdpa, "attention");
  fill(s.micro_batch, 1, "micro_batch");
  fill(s.sequence, 2048, "sequence");
  if (!s.accumulation) s.accumulation = profile.accumulation;
  const bool sharded = s.split.fsdp == Fsdp::full_shard && !trains_adapters(s.method);
  if (!s.era && profile.upcasts_under_fsdp && sharded && s.weights == FormatId::bf16)
    completed.assumed.push_back("era");
  if (!s.era) s.era = Era::current;
  if (profile.sequence_with_tensor && s.split.tensor > 1) s.split.sequence = true;
  if (profile.chunks_loss) s.kernels.loss_from_hidden = true;
  if (trains_adapters(s.method)) {
    const bool has_rank = s.method != TrainingMethod::ia3 && s.method != TrainingMethod::ln_tuning &&
                          s.method != TrainingMethod::llama_adapter && s.method != TrainingMethod::llama_adapter_v2;
    if (has_rank) fill(s.adapters.rank, 8, "rank");
    if (s.adapters.targets.empty() && has_rank) {
      s.adapters.targets = {"q", "v"};
      completed.assumed.push_back("targets");
    }
  }
  // Master weights are part of a mixed-precision framework, not of a job: a stated false stays false.
  if (!s.master_weights) s.master_weights = profile.master_weights && !trains_adapters(s.method);
  return completed;
}

double widening(std::string_view assumed_field) {
  if (assumed_field == "micro_batch" || assumed_field == "sequence") return 2.0;
  if (assumed_field == "recompute") return 1.6;
  if (assumed_field == "weights") return 1.3;
  return 1.1;
}

}  // namespace vram
