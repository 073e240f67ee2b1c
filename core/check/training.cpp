#include "core/check/training.h"

#include <cmath>
#include <utility>

#include "core/plan/training/training.h"

namespace vram {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value()); }

}  // namespace

double TrainingCase::error() const {
  if (reported == 0) return predicted == 0 ? 0 : 1;
  return predicted / reported - 1;
}
double TrainingCase::band_width() const { return predicted > 0 ? (high - low) / predicted : 0; }

TrainingOutcome check_training(const TrainingRow& row, const ModelLookUp& models,
                               std::span<const Accelerator> accelerators) {
  TrainingOutcome outcome;
  const auto skip = [&](std::string_view reason) {
    outcome.skipped.push_back({row.id, std::string(reason)});
    return outcome;
  };
  if (!row.is_job) return skip("a_kernel");
  if (!row.known_method) return skip("no_method");
  const Model* model = row.model_key.empty() ? nullptr : models(row.model_key);
  if (model == nullptr) return skip("no_model");
  const Accelerator* card = row.hardware_id.empty() ? nullptr : find_accelerator(accelerators, row.hardware_id);
  const TrainingPlan plan = plan_training(*model, row.settings, card != nullptr ? card->usable() : Bytes(0));

  const std::string family =
      std::string(key_of(row.settings.framework)) + (trains_adapters(row.settings.method) ? "/adapters" : "/full");
  const bool counts = row.complete && row.measured;
  const auto add = [&](std::string_view quantity, const std::optional<double>& reported, const Band& predicted) {
    if (!reported) return;
    outcome.cases.push_back({row.id, quantity, family, counts && row.is_complete_for(quantity), row.measured, *reported,
                             number(predicted.likely), number(predicted.low), number(predicted.high)});
  };
  add("steady", row.report.steady, plan.steady);
  add("peak", row.report.peak, plan.allocated);
  add("reserved", row.report.reserved, plan.reserved);
  add("smi", row.report.smi, plan.shown);
  if (row.report.oom && card != nullptr && card->usable() > Bytes(0)) {
    const double called = plan.verdict == TrainingVerdict::does_not_fit ? 1 : 0;
    outcome.cases.push_back({row.id, "oom", family, counts && row.is_complete_for("oom"), row.measured,
                             *row.report.oom ? 1.0 : 0.0, called, called, called});
  }
  if (outcome.cases.empty()) outcome.skipped.push_back({row.id, "nothing_reported"});
  return outcome;
}

}  // namespace vram
