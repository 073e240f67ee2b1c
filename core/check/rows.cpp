#include "core/check/rows.h"

#include <algorithm>

#include "core/check/llamacpp.h"
#include "core/check/serving.h"
#include "core/check/throughput.h"
#include "core/check/training.h"

namespace vram::check {
namespace {

template <class One>
Case case_of(const One& one) {
  Case made;
  made.id = one.id;
  made.quantity = one.quantity;
  made.family = one.family;
  made.complete = one.complete;
  made.reported = one.reported;
  made.predicted = one.predicted;
  made.low = one.low;
  made.high = one.high;
  return made;
}

void skip(const Json& row, std::string_view reason, Outcome& outcome) {
  outcome.skipped.push_back({text(row, "id").value_or("?"), std::string(reason)});
}

void check_serving_row(const Json& json, const Library& library, Outcome& outcome) {
  const Result<ServingRow> row = serving_row(json);
  if (!row) return skip(json, row.error().key, outcome);
  const ServingOutcome found = check_serving(
      row.value(), [&](std::string_view id) { return library.model(id); },
      [&](std::string_view id) { return library.release(id); }, library.accelerators());
  for (const ServingCase& one : found.cases) {
    Case made = case_of(one);
    made.mode = one.mode;
    outcome.cases.push_back(std::move(made));
  }
  for (const ServingSkip& one : found.skipped) outcome.skipped.push_back({one.id, one.reason});
}

void check_training_row(const Json& json, const Library& library, Outcome& outcome) {
  const Result<TrainingRow> row = training_row(json);
  if (!row) return skip(json, row.error().key, outcome);
  const TrainingOutcome found =
      check_training(row.value(), [&](std::string_view id) { return library.model(id); }, library.accelerators());
  for (const TrainingCase& one : found.cases) outcome.cases.push_back(case_of(one));
  for (const TrainingSkip& one : found.skipped) outcome.skipped.push_back({one.id, one.reason});
}

void check_throughput_row(const Json& json, const Library& library, Outcome& outcome) {
  const Result<ThroughputRow> row = throughput_row(json);
  if (!row) return skip(json, row.error().key, outcome);
  const ThroughputChecker checker([&](std::string_view id) { return library.model(id); }, library.accelerators(),
                                  library.interconnect());
  const ThroughputOutcome found = checker.check(row.value());
  for (const ThroughputCase& one : found.cases) outcome.cases.push_back(case_of(one));
  for (const ThroughputSkip& one : found.skipped) outcome.skipped.push_back({one.id, one.reason});
}

struct Kind {
  std::string_view name;
  std::span<const std::string_view> fields;  ///< a row of this kind has them all
  void (*check)(const Json& row, const Library& library, Outcome& outcome);
};
constexpr std::string_view kTrainingFields[] = {"reported", "method", "optimizer"};
constexpr std::string_view kServingFields[] = {"reported", "engine", "tensor_parallel"};
constexpr std::string_view kThroughputFields[] = {"isl", "osl", "n_gpu"};
constexpr std::string_view kPlanFields[] = {"reported", "dims", "weight_bytes_by_type"};
constexpr std::string_view kLogFields[] = {"reported", "n_ubatch", "n_gpu_layers"};
constexpr Kind kKinds[] = {
    {"llamacpp_oracle", kPlanFields, check_llamacpp_plan},
    {"llamacpp", kLogFields, check_llamacpp_log},
    {"throughput", kThroughputFields, check_throughput_row},
    {"training", kTrainingFields, check_training_row},
    {"serving", kServingFields, check_serving_row},
};

}  // namespace

const Model* Library::model(std::string_view id) const {
  const auto known = made_.find(id);
  if (known != made_.end()) return &known->second;
  const CatalogueModel* row = find_model(models_, id);
  if (row == nullptr) return nullptr;
  Result<Model> model = model_of(*row);
  if (!model) return nullptr;
  return &made_.emplace(std::string(id), std::move(model).value()).first->second;
}

std::string_view Library::release(std::string_view id) const {
  const CatalogueModel* row = find_model(models_, id);
  return row == nullptr ? std::string_view() : std::string_view(row->release);
}

void check_row(const Json& row, const Library& library, Outcome& outcome) {
  for (const Kind& kind : kKinds) {
    const bool is_this = std::all_of(kind.fields.begin(), kind.fields.end(),
                                     [&](std::string_view field) { return find(row, field) != nullptr; });
    if (is_this) return kind.check(row, library, outcome);
  }
  skip(row, "unknown_kind", outcome);
}

Outcome check_lines(std::string_view lines, const Library& library) {
  Outcome outcome;
  std::size_t number = 0;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Result<Json> row = parse_json(line);
    if (row) check_row(row.value(), library, outcome);
    else outcome.skipped.push_back({"line " + std::to_string(number), row.error().key});
  }
  return outcome;
}

}  // namespace vram::check
