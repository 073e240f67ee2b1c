// Rules of thumb from the articles, beside the exact answer, with the reason why they differ.
//
//   full training    12 to 20 times the weights in half precision       (seeds/accelerator-memory)
//   optimizer        2 to 4 times the weights
//   gradients        as much as the weights
//   adapters         several times less than full training
//
// A rule is for a first guess; it does not know the optimizer's formats, what is recomputed, how long sequences are.
#pragma once
#include <string_view>
#include <vector>

#include "core/plan/training/training.h"

namespace vram {

struct TrainingRule {
  std::string_view key;       ///< string "training_rule.<key>": "full_training", "optimizer", "gradients", "adapters"
  double low = 0, high = 0;   ///< factors
  Bytes of;                   ///< what the factors multiply: weights in half precision
  Bytes rule_low, rule_high;  ///< over all devices
  Bytes exact;                ///< ours, over all devices
  double factor() const;      ///< exact over `of`
  Message reason;             ///< "training_reason.<cause>", with the figures
};

/// Rules that apply to the plan's method. Bytes are of all devices together, as the articles count.
std::vector<TrainingRule> training_rules(const Model& model, const TrainingSettings& settings, const TrainingPlan& plan);

}  // namespace vram
