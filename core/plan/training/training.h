// A training job in, its memory out: phase by phase, on the device that fills up first, and in host memory.
//
//   TrainingPlan plan = plan_training(model, settings, usable);
//   plan.allocated.likely       // the allocator's peak: torch.cuda.max_memory_allocated
//   plan.shown.likely           // what nvidia-smi will show: what the allocator reserved, and the context
//   plan.needed                 // what a device must have for the run to succeed
//
// A job goes through phases again and again, and its peak is the largest of them, not their sum:
//
//   load     weights arrive; some frameworks hold more than they keep
//   loss     end of the forward pass: states, what layers kept, the logits
//   backward the last layer runs backwards: states, what layers kept, one layer's gradients; or, near its end, states
//   and
//            all gradients
//   step     states, gradients and the optimizer's temporaries
//   save     states and what is gathered for writing
//
// Worked example (fms, Mistral-7B, full, bf16, AdamW foreach, one A100, measured 67.458 GiB):
//   step = 7,241,732,096 values × (2 weights + 2 gradients + 4 states + 2 temporary) + workspaces = 67.46 GiB
//   loss = 6 × values + 16,384 tokens × (262,144 checkpoints + 8 × 32,000 logits) = 48.4 GiB: not the peak
//
// The allocator gives back what it merely keeps before it lets a run fail. So a run needs its allocated peak, the
// context and a small part that fragmentation makes unusable, not what nvidia-smi shows (facts §1.4).
#pragma once
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/plan/ledger.h"
#include "core/plan/training/frameworks.h"
#include "core/plan/training/settings.h"

namespace vram {

enum class TrainingPhase : std::uint8_t { load, loss, backward, step, save, count_ };
std::string_view key_of(TrainingPhase phase);  ///< string "training_phase.<key>"

struct TrainingEntry {
  TrainingPhase phase = TrainingPhase::step;
  Term term = Term::weights;
  Certainty certainty = Certainty::exact;
  Bytes low, likely, high;
  Derivation derivation;  ///< formula in training_formulas()
};

enum class TrainingVerdict : std::uint8_t { fits, tight, does_not_fit };
std::string_view key_of(TrainingVerdict verdict);

struct TrainingPlan {
  int stage = 0, stages = 1;           ///< the fullest pipeline stage, from 0
  std::vector<TrainingEntry> entries;  ///< of a device of that stage, phase after phase
  std::vector<TrainingEntry> host;     ///< of one node's memory
  std::vector<TrainingEntry> outside;  ///< fragments and context: shown by the driver, not allocated
  TrainingPhase fullest = TrainingPhase::step;
  Band steady;  ///< allocated after a step
  Band allocated, reserved, shown;
  Bytes needed;  ///< of a run that succeeds, likely
  Bytes usable;
  TrainingVerdict verdict = TrainingVerdict::fits;
  double trained_values = 0, whole_values = 0;
  std::vector<std::string_view> assumed;  ///< settings that were not stated
  std::vector<Message> notes;

  Band of(TrainingPhase phase) const;
  Band of(TrainingPhase phase, Term term) const;
  Band host_total() const;
};

/// `usable`: what a program sees of one device (Accelerator::usable()); 0 = not known, no verdict.
TrainingPlan plan_training(const Model& model, const TrainingSettings& settings, Bytes usable);

/// The plan of one pipeline stage, whichever is the fullest.
TrainingPlan plan_training_stage(const Model& model, const TrainingSettings& settings, Bytes usable, int stage);

}  // namespace vram
