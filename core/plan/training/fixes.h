// What would make a training job need less, and by how much: every change is planned, none is estimated.
#pragma once
#include <string_view>
#include <vector>

#include "core/plan/training/training.h"

namespace vram {

struct TrainingFix {
  std::string_view key;       ///< string "training_fix.<key>"
  TrainingSettings settings;  ///< with the change
  Bytes needed;
  Bytes saved;  ///< of what a device must have
  Bytes host;   ///< memory of one node that the change takes besides
  bool fits = false;
};

/// Changes that apply and save something, in the order in which they change the result least: first what only costs
/// time, then what changes the optimizer, then the method, then the task, then the purchase.
std::vector<TrainingFix> training_fixes(const Model& model, const TrainingSettings& settings, Bytes usable);

}  // namespace vram
