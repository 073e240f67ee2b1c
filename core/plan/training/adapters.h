// How many parameters a method adds or trains, from the shapes of the matrices it is put on.
//
// Targets are the words of training scripts: q k v o (qkv where one matrix holds all three), gate, up, down, lm_head,
// shared_expert, experts. A target the model does not have adds nothing.
//
//   LoRA         r (inputs + outputs) for each matrix       Llama-2-7B, r 8, q v: 32 · 2 · 8 · 8192 = 4,194,304
//   DoRA         and one magnitude an output                Llama-3.2-3B, r 32, q v: 9,289,728
//   LoRA-FA      r · outputs trained, r · inputs frozen     Llama-3.2-3B, r 32, q v: 3,670,016 of 9,175,040
//   (IA)3        one factor an output, an input where the target is a down projection      286,720
//   VeRA         r + outputs for each matrix; one random pair for all, frozen              129,024
//   LoKr         factor² + r (outputs + inputs) / factor                                   2,294,656
//   OFT          r rotations of inputs / r, skew-symmetric                                 8,171,520
#pragma once
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/plan/training/settings.h"

namespace vram {

struct AdapterCounts {
  double trained = 0;      ///< of the whole model
  double frozen = 0;       ///< added but not trained
  double saved_whole = 0;  ///< modules_to_save: copies of whole matrices, trained
  /// Widths whose copies a layer's adapters keep, the mean over layers, summed over targets.
  double inputs = 0, outputs = 0;
};

/// `rank` and targets must be filled in (frameworks.h).
AdapterCounts count_adapters(const Model& model, const TrainingSettings& settings);

}  // namespace vram
