// A training job of a scenario: its fields as settings, and its plan as entries of the ledger.
#pragma once
#include "core/plan/plan.h"
#include "core/plan/training/settings.h"

namespace vram {

/// What the scenario's fields say; `devices` in all. Fields at "auto" are filled in where the framework's own default
/// would not be what people run: recomputation on, states sharded as little as fits.
TrainingSettings training_settings(const Inputs& inputs, int devices);

/// Plans the job, keeps its phases (plan.training) and writes each stage's fullest phase into the ledger, with what the
/// allocator cannot use and the driver's context.
void add_training(Plan& plan, const Inputs& inputs);

}  // namespace vram
