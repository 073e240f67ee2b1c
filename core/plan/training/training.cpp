#include "core/plan/training/training.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/plan/training/phases.h"
#include "core/plan/training/shown.h"

namespace vram {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(TrainingPhase::count_)> kPhases = {
    "load", "loss", "backward", "step", "save"};
constexpr std::array<std::string_view, 3> kVerdicts = {"fits", "tight", "does_not_fit"};
/// Band of what the driver shows: nine of ten of 245 published runs lie within it.
constexpr double kShownLow = 0.14, kShownHigh = 0.15;
/// And it may show a little more than a program can use.
constexpr double kOverUsable = 1.004;
/// Blocks are rounded up and small tensors are not counted: steady states of 90 % of 200 fms rows lie within 0.4 %.
constexpr double kSteadyBand = 0.005, kAllocatedBand = 0.015;
/// Free after the need and still called fitting without a warning.
constexpr double kTightShare = 0.05;

Band sum_of(const std::vector<TrainingEntry>& entries) {
  Band band;
  for (const TrainingEntry& entry : entries) {
    band.low += entry.low;
    band.likely += entry.likely;
    band.high += entry.high;
  }
  return band;
}

void widen(Band& band, double share) {
  const double likely = static_cast<double>(band.likely.value());
  band.low = std::min(band.low, bytes_from(likely * (1 - share)));
  band.high = std::max(band.high, bytes_from(likely * (1 + share)));
}

TrainingEntry outside(Term term, double low, double likely, double high, Derivation derivation) {
  TrainingEntry entry;
  entry.term = term;
  entry.certainty = Certainty::assumed;
  entry.low = bytes_from(low);
  entry.likely = bytes_from(likely);
  entry.high = bytes_from(high);
  entry.derivation = std::move(derivation);
  return entry;
}

void add_shown(TrainingPlan& plan, const TrainingParts& parts) {
  const TrainingShown shown = training_shown(parts);
  // A driver never shows more than there is: what is kept stops at the device's memory.
  const double room =
      plan.usable > Bytes(0) ? static_cast<double>((plan.usable - plan.allocated.likely).value()) : 1e18;
  const double context = shown.context + shown.network;
  const double most = std::max(0.0, room - context);
  plan.outside.push_back(outside(Term::fragments, std::min(shown.fragments_low, most),
                                 std::min(shown.fragments, most), std::min(shown.fragments_high, most * 1.02),
                                 {"training_fragments",
                                  {{"coming_and_going", shown.coming_and_going, ValueUnit::bytes},
                                   {"share", shown.share},
                                   {"gradients", shown.gradients, ValueUnit::bytes},
                                   {"gradient_share", shown.gradient_share},
                                   {"unpacked", shown.unpacked, ValueUnit::bytes},
                                   {"unpacked_share", shown.unpacked_share},
                                   {"room", most, ValueUnit::bytes}}}));
  plan.outside.push_back(
      outside(Term::runtime, shown.context * 0.8 + shown.network * 0.5, context, context * 1.4,
              {"training_context",
               {{"context", shown.context, ValueUnit::bytes}, {"network", shown.network, ValueUnit::bytes}}}));
  const TrainingEntry& fragments = plan.outside[0];
  const TrainingEntry& fixed = plan.outside[1];
  plan.reserved = {plan.allocated.low + fragments.low, plan.allocated.likely + fragments.likely,
                   plan.allocated.high + fragments.high};
  plan.reserved.low =
      std::min(plan.reserved.low, bytes_from(static_cast<double>(plan.reserved.likely.value()) * (1 - kShownLow)));
  plan.reserved.high =
      std::max(plan.reserved.high, bytes_from(static_cast<double>(plan.reserved.likely.value()) * (1 + kShownHigh)));
  const double likely = static_cast<double>((plan.reserved.likely + fixed.likely).value());
  double low = likely * (1 - kShownLow * shown.spread), high = likely * (1 + kShownHigh * shown.spread);
  for (const std::string_view field : plan.assumed) {
    low = likely - (likely - low) * widening(field);
    high = likely + (high - likely) * widening(field);
  }
  if (parts.state_low < 1) low = std::min(low, likely * parts.state_low * (1 - kShownLow));
  if (plan.usable > Bytes(0))
    high = std::min(high, std::max(likely, static_cast<double>(plan.usable.value()) * kOverUsable));
  plan.shown = {bytes_from(low), bytes_from(likely), bytes_from(high)};
  double needed = 0;
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    const auto phase = static_cast<TrainingPhase>(i);
    const bool active = phase == TrainingPhase::loss || phase == TrainingPhase::backward;
    needed = std::max(needed, static_cast<double>(plan.of(phase).likely.value()) + (active ? shown.lost : 0));
  }
  plan.needed = bytes_from(needed + context);
  if (plan.usable == Bytes(0)) return;
  if (plan.needed > plan.usable)
    plan.verdict = TrainingVerdict::does_not_fit;
  else if (static_cast<double>((plan.usable - plan.needed).value()) <
           kTightShare * static_cast<double>(plan.usable.value())) {
    plan.verdict = TrainingVerdict::tight;
  }
}

void add_notes(TrainingPlan& plan, const TrainingParts& parts) {
  const TrainingSettings& s = parts.settings;
  for (const std::string_view field : plan.assumed) {
    plan.notes.push_back(Message("training.assumed").with("field", MessageKey{"training_field." + std::string(field)}));
  }
  if (s.split.offload_to_disk && !plan.host.empty()) {
    plan.notes.push_back(Message("training.host_is_disk").with("bytes", plan.host_total().likely));
  }
  if (plan.stages > 1) {
    plan.notes.push_back(Message("training.fullest_stage")
                             .with("stage", std::int64_t{plan.stage + 1})
                             .with("stages", std::int64_t{plan.stages}));
  }
  if (plan.usable > Bytes(0) && plan.shown.high > plan.usable && plan.verdict != TrainingVerdict::does_not_fit) {
    plan.notes.push_back(
        Message("training.shown_is_not_needed").with("shown", plan.shown.likely).with("needed", plan.needed));
  }
  if (!s.kernels.expandable_segments && plan.verdict == TrainingVerdict::tight) {
    plan.notes.push_back(Message("training.use_expandable_segments"));
  }
  if (!parts.shape.exact) plan.notes.push_back(Message("training.shape_unknown"));
  if (*s.accumulation > 1 && parts.states.weights_sharded && s.split.fsdp != Fsdp::none) {
    const double values = parts.states.trained_values;
    plan.notes.push_back(Message("training.no_sync_keeps_gradients").with("bytes", bytes_from(values * 4)));
  }
}

}  // namespace

std::string_view key_of(TrainingPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }
std::string_view key_of(TrainingVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

Band TrainingPlan::of(TrainingPhase phase) const {
  Band band;
  for (const TrainingEntry& entry : entries) {
    if (entry.phase != phase) continue;
    band.low += entry.low;
    band.likely += entry.likely;
    band.high += entry.high;
  }
  return band;
}

Band TrainingPlan::of(TrainingPhase phase, Term term) const {
  Band band;
  for (const TrainingEntry& entry : entries) {
    if (entry.phase != phase || entry.term != term) continue;
    band.low += entry.low;
    band.likely += entry.likely;
    band.high += entry.high;
  }
  return band;
}

Band TrainingPlan::host_total() const { return sum_of(host); }

TrainingPlan plan_training_stage(const Model& model, const TrainingSettings& stated, Bytes usable, int stage) {
  const CompletedSettings completed = complete_settings(stated);
  TrainingParts parts;
  parts.settings = completed.settings;
  parts.profile = &training_profile(completed.settings.framework);
  parts.shape = training_shape(model, parts.settings.split, stage, parts.profile->unties_head);
  parts.adapters = count_adapters(model, parts.settings);
  parts.states = training_states(parts.shape, parts.settings, *parts.profile, parts.adapters);
  parts.activations =
      training_activations(parts.shape, parts.settings, *parts.profile, parts.adapters, parts.states.weights_sharded);
  parts.activation_low = parts.profile->activation_low;
  parts.activation_high = parts.profile->activation_high;
  for (const std::string_view field : completed.assumed) {
    // Before 0.30 accelerate left bf16 weights as they are: half of everything that is then in fp32.
    if (field == "era") parts.state_low = 0.5;
    parts.activation_low = 1 - std::min(0.95, (1 - parts.activation_low) * widening(field));
    parts.activation_high = 1 + (parts.activation_high - 1) * widening(field);
  }
  if (parts.settings.length_is == LengthIs::limit) parts.activation_low *= 0.6;  // data may never reach the limit

  TrainingPlan plan;
  plan.stage = stage;
  plan.stages = parts.shape.stages;
  plan.usable = usable;
  plan.assumed = completed.assumed;
  plan.trained_values = parts.states.trained_values;
  plan.whole_values = parts.shape.whole.all();
  plan.entries = training_phases(parts);
  plan.host = host_entries(parts);
  plan.steady = sum_of(steady_entries(parts));
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    const auto phase = static_cast<TrainingPhase>(i);
    const Band band = plan.of(phase);
    if (band.likely > plan.allocated.likely) plan.fullest = phase;
    plan.allocated.low = std::max(plan.allocated.low, band.low);
    plan.allocated.likely = std::max(plan.allocated.likely, band.likely);
    plan.allocated.high = std::max(plan.allocated.high, band.high);
  }
  widen(plan.steady, kSteadyBand);
  widen(plan.allocated, kAllocatedBand);
  add_shown(plan, parts);
  add_notes(plan, parts);
  return plan;
}

TrainingPlan plan_training(const Model& model, const TrainingSettings& settings, Bytes usable) {
  const int stages = std::max(1, settings.split.pipeline);
  TrainingPlan fullest = plan_training_stage(model, settings, usable, 0);
  for (int stage = 1; stage < stages; ++stage) {
    if (stages > 8 && stage != stages - 1 && stage != 1) continue;  // those between are alike
    TrainingPlan plan = plan_training_stage(model, settings, usable, stage);
    if (plan.allocated.likely > fullest.allocated.likely) fullest = std::move(plan);
  }
  return fullest;
}

}  // namespace vram
