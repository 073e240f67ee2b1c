// From states and activations to the entries of each phase. Internal to the planner of training; training.h is the
// door.
#pragma once
#include <vector>

#include "core/plan/training/training.h"
#include "core/plan/training/activations.h"
#include "core/plan/training/states.h"

namespace vram {

/// Everything known of one device of one stage.
struct TrainingParts {
  TrainingSettings settings;
  const TrainingProfile* profile = nullptr;
  TrainingShape shape;
  AdapterCounts adapters;
  TrainingStates states;
  TrainingActivations activations;
  double activation_low = 0.8, activation_high = 1.25;  ///< band of modelled terms
  double state_low = 1, state_high = 1;                 ///< of states, where a setting was not stated
};

/// Entries of every phase, in order of time.
std::vector<TrainingEntry> training_phases(const TrainingParts& parts);
/// What is left allocated after a step, as the framework measures it.
std::vector<TrainingEntry> steady_entries(const TrainingParts& parts);
/// Host memory of one node.
std::vector<TrainingEntry> host_entries(const TrainingParts& parts);

/// Bytes that come and go within a step, of which the allocator keeps fragments.
struct ComingAndGoing {
  double activations = 0, gradients = 0, step = 0;
};
ComingAndGoing coming_and_going(const TrainingParts& parts);

}  // namespace vram
