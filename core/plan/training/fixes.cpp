#include "core/plan/training/fixes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace vram {
namespace {

/// The settings with one change, or nothing where it does not apply.
using Change = std::optional<TrainingSettings> (*)(TrainingSettings);

bool is_sharded(const TrainingSettings& s) {
  return s.split.fsdp == Fsdp::full_shard || s.split.zero == ZeroStage::three;
}

std::optional<TrainingSettings> expandable_segments(TrainingSettings s) {
  if (s.kernels.expandable_segments) return std::nullopt;
  s.kernels.expandable_segments = true;
  return s;
}
std::optional<TrainingSettings> recompute(TrainingSettings s) {
  const Recompute now = complete_settings(s).settings.recompute.value_or(Recompute::none);
  if (now == Recompute::full || now == Recompute::full_offload) return std::nullopt;
  s.recompute = Recompute::full;
  return s;
}
std::optional<TrainingSettings> loss_from_hidden(TrainingSettings s) {
  if (s.kernels.loss_from_hidden || s.kernels.liger || is_megatron(s.framework)) return std::nullopt;
  s.kernels.loss_from_hidden = true;
  return s;
}
std::optional<TrainingSettings> checkpoints_to_host(TrainingSettings s) {
  if (complete_settings(s).settings.recompute != Recompute::full) return std::nullopt;
  s.recompute = Recompute::full_offload;
  return s;
}
std::optional<TrainingSettings> shard(TrainingSettings s) {
  if (s.split.data < 2 || is_sharded(s) || is_megatron(s.framework)) return std::nullopt;
  s.split.zero = ZeroStage::three;
  return s;
}
std::optional<TrainingSettings> distributed_optimizer(TrainingSettings s) {
  if (s.split.data < 2 || !is_megatron(s.framework) || s.split.zero != ZeroStage::none) return std::nullopt;
  s.split.zero = ZeroStage::one;
  return s;
}
std::optional<TrainingSettings> optimizer_to_host(TrainingSettings s) {
  if (s.split.offload_optimizer || trains_adapters(s.method)) return std::nullopt;
  s.split.offload_optimizer = true;
  return s;
}
std::optional<TrainingSettings> eight_bit_optimizer(TrainingSettings s) {
  if (s.optimizer != TrainingOptimizer::adamw || trains_adapters(s.method)) return std::nullopt;
  s.optimizer = TrainingOptimizer::adamw_8bit;
  return s;
}
std::optional<TrainingSettings> adapters(TrainingSettings s) {
  if (trains_adapters(s.method)) return std::nullopt;
  s.method = TrainingMethod::lora;
  s.adapters.rank = 16;
  s.adapters.targets = {"q", "k", "v", "o", "gate", "up", "down"};
  s.weights = FormatId::bf16;
  return s;
}
std::optional<TrainingSettings> packed_weights(TrainingSettings s) {
  const bool plain =
      !s.weights || *s.weights == FormatId::bf16 || *s.weights == FormatId::fp16 || *s.weights == FormatId::fp32;
  if (!trains_adapters(s.method) || !plain || is_megatron(s.framework)) return std::nullopt;
  if (s.method == TrainingMethod::lora) s.method = TrainingMethod::qlora;
  s.weights = FormatId::nf4_dq;
  return s;
}
std::optional<TrainingSettings> one_sequence(TrainingSettings s) {
  if (s.micro_batch.value_or(1) <= 1) return std::nullopt;
  s.accumulation = std::max(1, s.accumulation.value_or(1)) * *s.micro_batch;  // the same batch, one sequence at a time
  s.micro_batch = 1;
  return s;
}
std::optional<TrainingSettings> half_the_sequence(TrainingSettings s) {
  if (s.sequence.value_or(2048) < 1024) return std::nullopt;
  s.sequence = s.sequence.value_or(2048) / 2;
  return s;
}
std::optional<TrainingSettings> twice_the_devices(TrainingSettings s) {
  s.split.data *= 2;
  if (is_megatron(s.framework)) {
    if (s.split.zero == ZeroStage::none) s.split.zero = ZeroStage::one;
  } else if (!is_sharded(s)) {
    s.split.zero = ZeroStage::three;
  }
  return s;
}

struct Named {
  std::string_view key;
  Change change;
};
constexpr std::array<Named, 13> kChanges = {{
    {"expandable_segments", expandable_segments},
    {"recompute", recompute},
    {"loss_from_hidden", loss_from_hidden},
    {"one_sequence", one_sequence},
    {"checkpoints_to_host", checkpoints_to_host},
    {"shard", shard},
    {"distributed_optimizer", distributed_optimizer},
    {"optimizer_to_host", optimizer_to_host},
    {"eight_bit_optimizer", eight_bit_optimizer},
    {"adapters", adapters},
    {"packed_weights", packed_weights},
    {"half_the_sequence", half_the_sequence},
    {"twice_the_devices", twice_the_devices},
}};

}  // namespace

std::vector<TrainingFix> training_fixes(const Model& model, const TrainingSettings& settings, Bytes usable) {
  std::vector<TrainingFix> fixes;
  const TrainingPlan now = plan_training(model, settings, usable);
  for (const Named& one : kChanges) {
    std::optional<TrainingSettings> changed = one.change(settings);
    if (!changed) continue;
    const TrainingPlan plan = plan_training(model, *changed, usable);
    if (plan.needed >= now.needed) continue;
    TrainingFix fix;
    fix.key = one.key;
    fix.settings = std::move(*changed);
    fix.needed = plan.needed;
    fix.saved = now.needed - plan.needed;
    fix.host = plan.host_total().likely - now.host_total().likely;
    fix.fits = usable > Bytes(0) && plan.verdict != TrainingVerdict::does_not_fit;
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace vram
