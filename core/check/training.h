// Published training runs against the plan: each figure a run reports, predicted from model and settings alone.
//
// Quantities: steady (allocated after a step), peak (the allocator's), reserved, smi (what the driver shows), oom (1
// where a run did, or is predicted to, run out). A setting that was not stated takes the framework's default and widens
// the band. A run whose model is not known is skipped, and so is its oom where the card is not known.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/training_row.h"
#include "core/hardware/accelerator.h"
#include "core/model/model.h"

namespace vram {

struct TrainingCase {
  std::string id;
  std::string_view quantity;
  std::string family;     ///< framework and method: "fms/full", "litgpt/adapters"
  bool complete = false;  ///< measured, and model, formats, split, card, batch, length and recompute are known
  bool measured = false;  ///< neither an estimate nor suspect
  double reported = 0, predicted = 0, low = 0, high = 0;  ///< bytes; oom: 0 and 1

  double error() const;  ///< signed fraction of the reported figure
  bool in_band() const { return low <= reported && reported <= high; }
  double band_width() const;  ///< fraction of the predicted figure
};

struct TrainingSkip {
  std::string id, reason;  ///< key: "no_model", "no_method", "a_kernel", "nothing_reported"
};

struct TrainingOutcome {
  std::vector<TrainingCase> cases;
  std::vector<TrainingSkip> skipped;
};

/// Finds a model by the id of a row ("Qwen/Qwen3-8B"); null = not known.
using ModelLookUp = std::function<const Model*(std::string_view)>;

TrainingOutcome check_training(const TrainingRow& row, const ModelLookUp& models,
                               std::span<const Accelerator> accelerators);

}  // namespace vram
