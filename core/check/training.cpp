#include "core/check/kinds.h"

#include <cmath>
#include <utility>

#include "core/check/training_row.h"
#include "core/plan/training/training.h"

namespace vram::check {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value()); }

}  // namespace

void check_training(const Json& json, const Library& library, Outcome& outcome) {
  const auto skip = [&](std::string_view reason) {
    outcome.skipped.push_back({text(json, "id").value_or("?"), std::string(reason), ""});
  };
  const Result<TrainingRow> read = training_row(json);
  if (!read) return skip(read.error().key);
  const TrainingRow& row = read.value();
  if (!row.is_job) return skip("a_kernel");
  if (!row.known_method) return skip("no_method");
  const Model* model = row.model_key.empty() ? nullptr : library.model(row.model_key);
  if (model == nullptr) return skip("no_model");
  const Accelerator* card =
      row.hardware_id.empty() ? nullptr : find_accelerator(library.accelerators(), row.hardware_id);
  const TrainingPlan plan = plan_training(*model, row.settings, card != nullptr ? card->usable() : Bytes(0));

  const std::string family =
      std::string(key_of(row.settings.framework)) + (trains_adapters(row.settings.method) ? "/adapters" : "/full");
  const bool counts = row.complete && row.measured;
  const std::size_t before = outcome.cases.size();
  const auto add = [&](std::string_view quantity, double reported, double predicted, double low, double high) {
    Case made;
    made.id = row.id;
    made.quantity = quantity;
    made.family = family;
    made.complete = counts && row.is_complete_for(quantity);
    made.reported = reported;
    made.predicted = predicted;
    made.low = low;
    made.high = high;
    outcome.cases.push_back(std::move(made));
  };
  const auto add_bytes = [&](std::string_view quantity, const std::optional<double>& reported, const Band& band) {
    if (reported) add(quantity, *reported, number(band.likely), number(band.low), number(band.high));
  };
  add_bytes("steady", row.report.steady, plan.steady);
  add_bytes("peak", row.report.peak, plan.allocated);
  add_bytes("reserved", row.report.reserved, plan.reserved);
  add_bytes("smi", row.report.smi, plan.shown);
  if (row.report.oom && card != nullptr && card->usable() > Bytes(0)) {
    const double called = plan.verdict == TrainingVerdict::does_not_fit ? 1 : 0;
    add("oom", *row.report.oom ? 1.0 : 0.0, called, called, called);
  }
  if (outcome.cases.size() == before) skip("nothing_reported");
}

}  // namespace vram::check
