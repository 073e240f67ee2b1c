// One line of a file of training measurements (data/README.md, training.jsonl): settings, and what was reported.
//
// A field that is null or missing is not known. The file's words become the values of training_settings.h here; nothing
// in a row says what to predict.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/plan/training/settings.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram::check {

/// Figures in bytes, from whichever unit the source printed.
struct TrainingReport {
  std::optional<double> steady, peak, reserved, smi;
  std::optional<bool> oom;
};

struct TrainingRow {
  std::string id, model_key, hardware_id, framework;  ///< framework: as the source writes it
  TrainingSettings settings;
  bool is_job = false;    ///< otherwise a kernel's benchmark
  bool measured = false;  ///< evidence: not an estimate, not suspect
  bool complete = false;
  bool known_method = false;
  std::vector<std::string> complete_for;
  TrainingReport report;

  bool is_complete_for(std::string_view quantity) const;
};

/// Errors: json.* and training.no_id.
Result<TrainingRow> training_row(const Json& object);

}  // namespace vram::check
