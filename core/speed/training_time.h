// How long a training job takes, and what it costs in energy: operations over what accelerators of its kind were
// measured to reach.
//
//   operations a token   passes × active parameters × 2, and attention beside them
//     full training      3 passes: forward, and twice that backward                 6 N
//     adapters           2 passes: the weights' own gradients are not made          4 N
//     full recompute     one forward pass more in the machine, not in the model     8 N, 6 N
//     attention          2 · layers · query width · sequence a pass (causal: half of all pairs)
//   share (MFU)          model operations a second over the accelerator's dense 16-bit peak, as published
//   hours                operations / (accelerators × peak × share)
//
// Worked example: 8,030,261,248 parameters, 1e9 tokens of 4096, full training on 8 × A100 at 45 %:
//   6 · 7.5e9 · 1e9 and attention 6 · 32 · 4096 · 4096 · 1e9 = 4.82e19; / (8 · 312e12 · 0.45) = 11.9 hours
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/plan/training/settings.h"

namespace vram::speed {

/// What kind of run a share was measured on.
enum class TrainingRun : std::uint8_t { pre_training, fine_tuning, adapters, short_samples, long_context, experts };
std::string_view key_of(TrainingRun run);

/// Published shares of the dense 16-bit peak.
struct MeasuredShare {
  std::string_view accelerators;  ///< beginning of the id: "a100", "h100"; "" = any other
  TrainingRun run = TrainingRun::pre_training;
  double low = 0, likely = 0, high = 0;
  std::string_view source;
};
std::span<const MeasuredShare> measured_shares();
/// The row for this card and run; of another card of the same run when nobody measured this one (`exact` false).
struct FoundShare {
  MeasuredShare row;
  bool exact = false;
};
FoundShare find_share(std::string_view accelerator_id, TrainingRun run);

struct TrainingWork {
  double parameters = 0;         ///< active, without the embedding's look-up
  double model_a_token = 0;      ///< operations
  double machine_a_token = 0;    ///< with what is computed twice
  double attention_a_token = 0;  ///< of the model's operations
};
/// `settings` must state sequence; recompute empty = none.
TrainingWork training_work(const Model& model, const TrainingSettings& settings);

struct TrainingTime {
  TrainingRun run = TrainingRun::pre_training;
  MeasuredShare share;
  bool share_is_measured = false;  ///< on this accelerator
  double tokens = 0;
  double operations = 0;
  double hours_low = 0, hours = 0, hours_high = 0;
  double tokens_a_second = 0;        ///< of all accelerators
  std::optional<double> energy_kwh;  ///< accelerators alone, at their rated power
};
struct TrainingAmount {
  double tokens = 0;  ///< of one pass over the data
  double epochs = 1;
};
/// Nothing when the accelerator's 16-bit rate is not known.
std::optional<TrainingTime> training_time(const Model& model, const TrainingSettings& settings,
                                          const Accelerator& accelerator, const TrainingAmount& amount);

}  // namespace vram::speed
