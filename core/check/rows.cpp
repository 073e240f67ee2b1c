#include "core/check/rows.h"

#include <algorithm>

#include "core/check/kinds.h"
#include "core/check/untold.h"

namespace vram::check {
namespace {

/// Of two kinds that share fields the one that comes first is meant.
struct Kind {
  std::string_view name;
  std::span<const std::string_view> all;  ///< a row of this kind has all of these,
  std::span<const std::string_view> any;  ///< and at least one of these; null, or left out, is the same everywhere
  void (*check)(const Json& row, const Library& library, Outcome& outcome);
};
constexpr std::string_view kReported[] = {"reported"};
constexpr std::string_view kPlanFields[] = {"reported", "dims"};
constexpr std::string_view kLogFields[] = {"n_ubatch",     "n_gpu_layers", "n_ctx",
                                           "tensor_types", "hardware_ids", "quant"};
constexpr std::string_view kThroughputFields[] = {"total_output_tok_s", "tpot_ms", "ttft_ms", "isl"};
constexpr std::string_view kTrainingFields[] = {"method", "framework", "optimizer"};
constexpr std::string_view kServingFields[] = {"engine"};
constexpr Kind kKinds[] = {
    {"llamacpp_oracle", kPlanFields, kReported, check_llamacpp_plan},
    {"llamacpp", kReported, kLogFields, check_llamacpp_log},
    {"training", kReported, kTrainingFields, check_training},
    {"serving", kReported, kServingFields, check_serving},
    {"throughput", {}, kThroughputFields, check_throughput},
};

bool is_of(const Kind& kind, const Json& row) {
  const auto has = [&](std::string_view field) { return find(row, field) != nullptr; };
  return std::all_of(kind.all.begin(), kind.all.end(), has) && std::any_of(kind.any.begin(), kind.any.end(), has);
}

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
  const Kind* kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& one) { return is_of(one, row); });
  if (kind == std::end(kKinds)) {
    outcome.skipped.push_back({text(row, "id").value_or("?"), "unknown_kind", ""});
    return;
  }
  const std::size_t cases = outcome.cases.size(), skipped = outcome.skipped.size();
  kind->check(row, library, outcome);
  for (std::size_t i = cases; i < outcome.cases.size(); ++i) {
    Case& one = outcome.cases[i];
    one.kind = kind->name;
    one.engine = text(row, "engine").value_or(text(row, "framework").value_or(""));
    one.untold = untold(row, one);
    const Json* missing = find(row, "missing_flags");
    one.flags_told = missing == nullptr || missing->empty();
  }
  for (std::size_t i = skipped; i < outcome.skipped.size(); ++i) outcome.skipped[i].kind = kind->name;
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
    if (row)
      check_row(row.value(), library, outcome);
    else
      outcome.skipped.push_back({"line " + std::to_string(number), row.error().key, ""});
  }
  return outcome;
}

}  // namespace vram::check
