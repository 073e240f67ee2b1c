// Plans side by side: up to four scenarios, each planned by the one planner, and the fields in which they differ.
//
//   SideBySide beside = side_by_side(kept, library).value();
//   beside.columns[1].plan.verdict
//   beside.differences[0].field->key        // "n": two devices here, four there
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/advise/facility_plan.h"
#include "core/advise/limits.h"
#include "core/plan/plan.h"
#include "core/speed/serving_speed.h"
#include "core/speed/training_time.h"

namespace vram {

/// What follows from one scenario, as far as a comparison tells it.
struct PlanColumn {
  KeptPlan of;
  Inputs inputs;                          ///< with the users that follow from a rate
  Plan plan;
  std::size_t deployment = 0;             ///< of limits and speed: the first that generates
  Limits limits;
  std::optional<speed::Speed> speed;      ///< nothing when it is not known, or of a training job
  std::optional<speed::TrainingTime> time;
  std::optional<FacilityPlan> facility;   ///< nothing when its node is not known
};

/// Errors: resolve()'s.
Result<PlanColumn> plan_column(const KeptPlan& kept, const Library& library);

/// A field that has not the same value in all columns; where it does not apply it counts as its default. A model is the
/// same when its name and file are; one that is not there is another.
struct Difference {
  const Field* field = nullptr;
  std::size_t deployment = 0;
  std::vector<std::optional<Value>> values;   ///< one a column; nothing where the field does not apply
};

struct SideBySide {
  std::vector<PlanColumn> columns;
  std::vector<Difference> differences;        ///< in the order of deployments and of the table of fields
};
SideBySide side_by_side(std::vector<PlanColumn> columns);
/// Errors: plan_column()'s for the first that has one.
Result<SideBySide> side_by_side(std::span<const KeptPlan> plans, const Library& library);

}  // namespace vram
