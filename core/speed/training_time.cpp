#include "core/speed/training_time.h"

#include <algorithm>
#include <array>

namespace vram::speed {
namespace {

constexpr double kForwardOperations = 2;  // a multiplication and an addition for each parameter
constexpr double kLongSequence = 32768;
/// Off-load of parameters and optimizer to the host divides the throughput by 2 to 2.5 (DeepSpeed gist 4.45 → 2.05).
constexpr double kOffloadSlowdown = 2.25;
/// Transformers loop over experts one by one: an order of magnitude behind grouped products (ms-swift 91.2 against 9.6
/// s).
constexpr double kExpertLoopSlowdown = 9;

// facts/training.md §7. Shares are of the dense bf16 peak and of the model's own operations, attention included; those
// of the fms rows are worked out here from their tokens a second (tenth, middle and ninetieth of a hundred).
constexpr std::array<MeasuredShare, 19> kShares = {{
    {"a100-80", TrainingRun::pre_training, 0.43, 0.546, 0.64,
     "llm-foundry FSDP, 61 rows without recompute; Megatron 0.415 to 0.563; torchtitan 0.517 to 0.61"},
    {"a100-40", TrainingRun::pre_training, 0.36, 0.51, 0.59, "llm-foundry"},
    {"a800", TrainingRun::pre_training, 0.40, 0.50, 0.60, "as A100 with slower links: llm-foundry, lower half"},
    {"h100", TrainingRun::pre_training, 0.26, 0.40, 0.48,
     "llm-foundry FSDP 0.26 to 0.46; Megatron-LM 0.41 to 0.48; torchtitan 0.33 to 0.39"},
    {"h200", TrainingRun::pre_training, 0.26, 0.40, 0.48, "as H100: the same arithmetic"},
    {"h800", TrainingRun::pre_training, 0.26, 0.38, 0.46, "as H100 with slower links"},
    {"b200", TrainingRun::pre_training, 0.40, 0.465, 0.50, "torchtitan, four GPUs, 0.46 to 0.47"},
    {"gb200", TrainingRun::pre_training, 0.38, 0.46, 0.50, "torchtitan nvfp4.md"},
    {"", TrainingRun::pre_training, 0.25, 0.38, 0.50, "no run of this accelerator: the range of all measured ones"},
    {"a100", TrainingRun::fine_tuning, 0.375, 0.489, 0.53, "HF Trainer, full fine-tuning, 42 fms rows; torchtune 0.50"},
    {"", TrainingRun::fine_tuning, 0.22, 0.36, 0.50, "no run of this accelerator: the range of all measured ones"},
    {"a100", TrainingRun::adapters, 0.244, 0.384, 0.47,
     "HF Trainer, LoRA and QLoRA with recompute, 106 fms rows, of 4 N"},
    {"rtx4090", TrainingRun::adapters, 0.46, 0.52, 0.60, "torchtune 8B: LoRA 0.60, QLoRA 0.47"},
    {"", TrainingRun::adapters, 0.20, 0.33, 0.48, "no run of this accelerator: the range of all measured ones"},
    {"a100", TrainingRun::short_samples, 0.045, 0.20, 0.31, "40 fms rows of unpacked samples; torchtune unpacked 0.14"},
    {"", TrainingRun::short_samples, 0.04, 0.17, 0.31, "padded instruct data: fms, torchtune"},
    {"", TrainingRun::long_context, 0.22, 0.30, 0.36, "llm-foundry, 32k to 64k tokens on one node"},
    {"h100", TrainingRun::experts, 0.16, 0.22, 0.30,
     "NeMo: Qwen3-30B 203 to 299, GPT-OSS-120B 153 to 163, Qwen3-235B 233 to 253 TFLOPS"},
    {"", TrainingRun::experts, 0.10, 0.20, 0.30, "no run of this accelerator: as H100 in NeMo"},
}};

constexpr std::array<std::string_view, 6> kRuns = {"pre_training",  "fine_tuning",  "adapters",
                                                   "short_samples", "long_context", "experts"};

TrainingRun run_of(const Model& model, const TrainingSettings& s) {
  if (model.dims.num_experts > 0) return TrainingRun::experts;
  if (s.length_is != LengthIs::exact && !s.kernels.packing) return TrainingRun::short_samples;
  if (s.sequence.value_or(0) >= kLongSequence) return TrainingRun::long_context;
  if (trains_adapters(s.method)) return TrainingRun::adapters;
  const bool pre = s.objective == TrainingObjective::pretrain || is_megatron(s.framework) ||
                   s.framework == TrainingFramework::torchtitan;
  return pre ? TrainingRun::pre_training : TrainingRun::fine_tuning;
}

double slowdown(const Model& model, const TrainingSettings& s) {
  double factor = 1;
  if (s.split.offload_optimizer || s.split.offload_parameters) factor *= kOffloadSlowdown;
  const bool loop =
      model.dims.num_experts > 0 && !is_megatron(s.framework) && s.framework != TrainingFramework::torchtitan;
  if (loop && s.split.zero == ZeroStage::three) factor *= kExpertLoopSlowdown;
  return factor;
}

/// Forward operations of attention for one token of a causal sequence: scores and values, half of all pairs.
double attention_forward(const Model& model, double sequence) {
  double operations = 0;
  for (const Cache& cache : model.caches) {
    if (cache.part != Part::text || cache.kind == CacheKind::recurrent) continue;
    const double layers = static_cast<double>(model.layers_of(cache.layer_set));
    const double seen = cache.window > 0 && cache.kind != CacheKind::compressed
                            ? std::min<double>(sequence, 2.0 * cache.window)
                            : sequence;
    const double heads = model.dims.num_attention_heads;
    double key = cache.key_dim, value = cache.value_dim;
    if (cache.kind == CacheKind::latent) {
      key = model.dims.qk_nope_head_dim + model.dims.qk_rope_head_dim;
      value = model.dims.v_head_dim;
    } else if (cache.kind == CacheKind::indexer) {
      continue;  // a few heads of small width: under one per cent
    }
    operations += layers * heads * (key + value) * seen;  // 2 operations × half of the pairs
  }
  return operations;
}

}  // namespace

std::string_view key_of(TrainingRun run) { return kRuns[static_cast<std::size_t>(run)]; }
std::span<const MeasuredShare> measured_shares() { return kShares; }

FoundShare find_share(std::string_view accelerator_id, TrainingRun run) {
  FoundShare found;
  for (const MeasuredShare& row : kShares) {
    if (row.run != run) continue;
    if (!row.accelerators.empty() && accelerator_id.substr(0, row.accelerators.size()) == row.accelerators)
      return {row, true};
    if (row.accelerators.empty()) found.row = row;
  }
  return found;
}

TrainingWork training_work(const Model& model, const TrainingSettings& s) {
  TrainingWork work;
  const bool adapted = trains_adapters(s.method);
  work.parameters = static_cast<double>(count_parameters(model).active.value());
  const double passes = s.method == TrainingMethod::mezo ? 2 : adapted ? 2 : 3;
  const Recompute recompute = s.recompute.value_or(Recompute::none);
  const double again = recompute == Recompute::full || recompute == Recompute::full_offload ? 1 : 0;
  const double attention = attention_forward(model, s.sequence.value_or(2048));
  const double attention_passes =
      s.method == TrainingMethod::mezo ? 2 : 3;  // its gradients are needed by adapters as well
  work.attention_a_token = attention * attention_passes;
  work.model_a_token = kForwardOperations * passes * work.parameters + work.attention_a_token;
  work.machine_a_token = work.model_a_token + again * (kForwardOperations * work.parameters + attention);
  if (s.objective == TrainingObjective::dpo) {  // a frozen reference reads the same tokens
    work.model_a_token += kForwardOperations * work.parameters + attention;
    work.machine_a_token += kForwardOperations * work.parameters + attention;
  }
  return work;
}

std::optional<TrainingTime> training_time(const Model& model, const TrainingSettings& s, const Accelerator& accelerator,
                                          const TrainingAmount& amount) {
  const std::optional<double> rate = accelerator.tflops.bf16 ? accelerator.tflops.bf16 : accelerator.tflops.fp16;
  if (!rate || !(*rate > 0)) return std::nullopt;
  TrainingTime time;
  time.run = run_of(model, s);
  const FoundShare found = find_share(accelerator.id, time.run);
  time.share = found.row;
  time.share_is_measured = found.exact;
  time.tokens = amount.tokens * amount.epochs;
  const TrainingWork work = training_work(model, s);
  time.operations = work.model_a_token * time.tokens;
  const double devices = std::max(1, s.split.devices());
  const double peak = *rate * 1e12 * devices / slowdown(model, s);
  const auto hours_at = [&](double share) { return share > 0 ? time.operations / (peak * share) / 3600 : 0; };
  time.hours_low = hours_at(time.share.high);
  time.hours = hours_at(time.share.likely);
  time.hours_high = hours_at(time.share.low);
  time.tokens_a_second = work.model_a_token > 0 ? peak * time.share.likely / work.model_a_token : 0;
  if (accelerator.tdp_w) time.energy_kwh = time.hours * devices * *accelerator.tdp_w / 1000;
  return time;
}

}  // namespace vram::speed
