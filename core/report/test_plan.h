// What to run and to record before buying: section 5 of both articles ("check the distribution and the real reserve").
#pragma once
#include <optional>

#include "core/advise/limits.h"
#include "core/report/report.h"
#include "core/speed/serving_speed.h"
#include "core/speed/training_time.h"

namespace vram {

/// The steps as paragraphs; a table with the calculated figures and empty cells for the measured ones. For serving the
/// columns are start, normal load, peak, restart; for training start, training, saving a checkpoint, resuming from it.
/// `speed`: of the first deployment, `time`: of a job, where they are known.
Section test_plan(const Inputs& inputs, const Plan& plan, const Language& language,
                  const std::optional<speed::Speed>& speed = {}, const std::optional<speed::TrainingTime>& time = {});

}  // namespace vram
