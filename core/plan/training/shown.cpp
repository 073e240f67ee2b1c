#include "core/plan/training/shown.h"

#include <algorithm>

namespace vram {
namespace {

constexpr double kGiBd = 1073741824.0;

// Fragments over what comes and goes, medians of the fms rows (nvidia-smi − allocator's peak − context, 200 runs).
constexpr double kLossFromHidden = 0.12;    ///< n 10, 0.08 … 0.14: blocks of few sizes
constexpr double kLossInPlace = 0.5;        ///< n 22, 0.03 … 0.69: fp32 logits are freed and a 16-bit copy made
constexpr double kLossPlain = 0.35;         ///< n 19, 0.16 … 0.43
constexpr double kShardedAdapters = 0.22;   ///< n 22 whose layers are the peak; where the loss is, as on one device
constexpr double kShardedQuantised = 0.33;  ///< n 37
constexpr double kUnpacked = 1.5;  ///< and this much of a layer unpacked to 16 bits (Mixtral 8 … 13 GiB, Mistral 4 … 6)
constexpr double kFull = 0.33;             ///< n 42
constexpr double kShardedGradients = 0.9;  ///< and this much of gradients and step temporaries under FSDP, n 30
constexpr double kVariedLengths = 1.2;     ///< more on one device when every batch has another length, n 16
constexpr double kVariedSharded = 0.15;
constexpr double kVariedSpread = 1.5;
/// With segments that grow there is next to nothing between blocks.
constexpr double kExpandable = 0.15;
/// Band of the share on its own (the total's band: training.cpp).
constexpr double kShareLow = 0.45, kShareHigh = 1.65;
/// What a device that is full to the brim still cannot use, of the activations that come and go: the fms runs that ran
/// out needed 0.1 and, under FSDP, 0.2 of them more than those that worked.
constexpr double kLost = 0.1, kLostSharded = 0.2;

bool is_loss_the_peak(const TrainingParts& parts) {
  const TrainingActivations& a = parts.activations;
  return a.logits_bytes > a.working_bytes + a.input_gradients;
}

double share_of(const TrainingParts& parts) {
  const TrainingSettings& s = parts.settings;
  if (parts.profile->fragmentation >= 0) return parts.profile->fragmentation;
  const bool sharded = parts.states.weights_sharded, adapted = trains_adapters(s.method);
  const bool varied = s.length_is == LengthIs::mean;
  double share = 0;
  if (!adapted)
    share = kFull;
  else if (sharded && !is_loss_the_peak(parts))
    share = parts.states.frozen.quantised > 0 ? kShardedQuantised : kShardedAdapters;
  else if (s.kernels.loss_from_hidden || s.kernels.liger)
    share = kLossFromHidden;
  else
    share = s.kernels.loss_in_place ? kLossInPlace : kLossPlain;
  if (varied) share += sharded ? kVariedSharded : kVariedLengths;
  return share;
}

}  // namespace

TrainingShown training_shown(const TrainingParts& parts) {
  TrainingShown shown;
  const TrainingSettings& s = parts.settings;
  const TrainingProfile& profile = *parts.profile;
  const ComingAndGoing moving = coming_and_going(parts);
  const bool many = s.split.devices() > 1;
  shown.context = profile.context_gib * kGiBd;
  shown.network = many ? profile.network_gib * kGiBd : 0;
  shown.coming_and_going = moving.activations;
  shown.share = share_of(parts);
  if (!trains_adapters(s.method) && parts.states.weights_sharded && s.split.fsdp != Fsdp::none &&
      !s.split.offload_optimizer) {
    shown.gradients = moving.gradients + moving.step;
    shown.gradient_share = profile.fragmentation >= 0 ? 0 : kShardedGradients;
  }
  if (parts.states.weights_sharded && parts.states.frozen.quantised > 0 && profile.fragmentation < 0) {
    shown.unpacked = parts.shape.largest_layer() * 2;
    shown.unpacked_share = kUnpacked;
  }
  if (s.length_is == LengthIs::mean) shown.spread = kVariedSpread;
  if (s.kernels.expandable_segments) {
    shown.share *= kExpandable;
    shown.gradient_share *= kExpandable;
    shown.unpacked_share *= kExpandable;
  }
  shown.fragments = shown.coming_and_going * shown.share + shown.gradients * shown.gradient_share +
                    shown.unpacked * shown.unpacked_share;
  shown.fragments_low = shown.fragments * kShareLow;
  shown.fragments_high = shown.fragments * kShareHigh;
  shown.lost = (parts.states.weights_sharded ? kLostSharded : kLost) * moving.activations;
  if (s.kernels.expandable_segments) shown.lost *= kExpandable;
  return shown;
}

}  // namespace vram
