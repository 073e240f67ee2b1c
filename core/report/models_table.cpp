#include "core/report/models_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vram {
namespace {

std::string grouped(Count count) {
  std::string digits = std::to_string(count.value());
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}
std::string grouped_or_dash(Count count) { return count == Count(0) ? "–" : grouped(count); }

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// Cells hold names from a file: a bar would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string parts_of(const CatalogueModel& model) {
  std::string result;
  for (const Part part : model.counts) result += (result.empty() ? "" : " + ") + std::string(part_key(part));
  return result;
}

/// "✓" where a number is the known one, the known one where it is another, nothing where none is known.
std::string against(Count ours, const std::optional<double>& known) {
  if (!known) return "";
  if (std::abs(static_cast<double>(ours.value()) - *known) < 0.5) return " ✓";
  return " (known: " + grouped(Count(static_cast<std::uint64_t>(*known + 0.5))) + ")";
}

std::string percent(double deviation) {
  if (deviation == 0) return "0";
  const double share = std::abs(deviation) * 100;
  if (share < 0.0005) return "< 0.0005 %";
  return (deviation > 0 ? "+" : "−") + fixed(share, 4) + " %";
}

Count part_count(const ParameterCounts& counts, Part part) {
  switch (part) {
    case Part::text:
      return counts.text;
    case Part::vision:
      return counts.vision;
    case Part::audio:
      return counts.audio;
    case Part::mtp:
      return counts.mtp;
  }
  return Count(0);
}

void add_caches(const Model& model, ModelTableRow& row) {
  for (const Cache& cache : model.caches) {
    if (cache.part != Part::text) continue;
    const Count layers(model.layers_of(cache.layer_set)), entries(cache.entry_values);
    switch (cache.kind) {
      case CacheKind::full:
        row.kv_per_token += layers * cache.values_per_token();
        break;
      case CacheKind::latent:
      case CacheKind::compressed:
        row.kv_per_token += layers * cache.values_per_token();
        break;
      case CacheKind::indexer:
        row.indexer_per_token += layers * cache.values_per_token();
        break;
      case CacheKind::sliding:
      case CacheKind::chunked:
        row.windowed_per_token += layers * cache.values_per_token();
        row.window = std::max(row.window, cache.window);
        break;
      case CacheKind::recurrent:
        row.state_per_sequence += layers * (Count(cache.state_values) + Count(cache.conv_values));
        break;
    }
  }
}

std::string line(const ModelTableRow& row) {
  const CatalogueModel& model = *row.model;
  // The survey's numbers of DeepSeek V4 count index keys with the cache.
  const bool compressed =
      row.known != nullptr && row.known->indexer_per_token == 0.0 && row.indexer_per_token > Count(0);
  const Count kv = compressed ? row.kv_per_token + row.indexer_per_token : row.kv_per_token;
  const auto known = [&](std::optional<double> KnownModel::*value) {
    return row.known == nullptr ? std::optional<double>() : row.known->*value;
  };
  std::string text = "| " + cell(model.name) + " | " + grouped(row.text) + " | " + grouped_or_dash(row.vision) + " | " +
                     grouped_or_dash(row.audio) + " | " + grouped_or_dash(row.mtp) + " | " + grouped(row.active) +
                     " | ";
  text += grouped(model.parameters) + " (" + parts_of(model) + ") | " + percent(row.deviation()) + " | ";
  text += fixed(gibibytes(row.weights), 2) + " | " + grouped_or_dash(kv) +
          against(kv, known(&KnownModel::kv_per_token)) + " | ";
  text += grouped_or_dash(row.windowed_per_token);
  if (row.window != 0) text += " × " + grouped(Count(row.window));
  if (row.window != 0) text += against(row.windowed_per_token, known(&KnownModel::windowed_per_token));
  text += " | " + grouped_or_dash(row.state_per_sequence);
  if (row.state_per_sequence > Count(0))
    text += against(row.state_per_sequence, known(&KnownModel::state_per_sequence));
  return text + " | " + (model.verified ? "" : "dimensions not verified") + " |\n";
}

constexpr std::string_view kHead =
    "| model | text | vision | audio | MTP | active | published (parts counted) | deviation | weights GiB | KV values "
    "a token "
    "| windowed values a token × window | state values a sequence | |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";

}  // namespace

Result<std::vector<KnownModel>> known_models_from_json(std::string_view json) {
  const Result<Json> parsed = parse_json(json);
  if (!parsed) return parsed.error();
  const Json *columns = find(parsed.value(), "columns"), *models = find(parsed.value(), "models");
  if (columns == nullptr || !columns->is_array() || models == nullptr || !models->is_object()) {
    return Message("models_table.no_columns");
  }
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(columns->begin(), columns->end(), name) - columns->begin());
  };
  const std::size_t kv = column("kv"), windowed = column("kv_windowed"), indexer = column("indexer"),
                    state = column("state");
  std::vector<KnownModel> result;
  for (const auto& entry : models->get_ref<const Json::object_t&>()) {
    const auto number = [&](std::size_t at) -> std::optional<double> {
      const bool there = entry.second.is_array() && at < entry.second.size() && entry.second[at].is_number();
      return there ? std::optional(entry.second[at].get<double>()) : std::nullopt;
    };
    result.push_back({entry.first, number(kv), number(windowed), number(indexer), number(state)});
  }
  return result;
}

double ModelTableRow::deviation() const {
  if (model == nullptr || model->parameters == Count(0)) return 0;
  return static_cast<double>(counted.value()) / static_cast<double>(model->parameters.value()) - 1;
}

std::vector<ModelTableRow> models_table(std::span<const CatalogueModel> models, std::span<const KnownModel> known) {
  std::vector<ModelTableRow> rows;
  for (const CatalogueModel& each : models) {
    const Result<Model> read = model_of(each);
    if (!read) continue;  // the catalogue's tests rule it out
    const Model& model = read.value();
    const ParameterCounts counts = count_parameters(model);
    ModelTableRow row;
    row.model = &each;
    row.origin = model.origin;
    row.text = counts.text;
    row.vision = counts.vision;
    row.audio = counts.audio;
    row.mtp = counts.mtp;
    row.total = counts.total;
    row.active = counts.active;
    for (const Part part : each.counts) row.counted += part_count(counts, part);
    row.weights = weight_bytes(model);
    add_caches(model, row);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const KnownModel& one) { return one.id == each.id; });
    row.known = found == known.end() ? nullptr : &*found;
    rows.push_back(row);
  }
  return rows;
}

std::string models_markdown(std::span<const ModelTableRow> rows) {
  const auto section = [&](std::string_view title, std::string_view words, auto belongs) {
    std::string text;
    int count = 0;
    for (const ModelTableRow& row : rows) {
      if (!belongs(row)) continue;
      text += line(row);
      ++count;
    }
    return count == 0 ? std::string()
                      : "\n## " + std::string(title) + " (" + std::to_string(count) + ")\n\n" + std::string(words) +
                            "\n\n" + std::string(kHead) + text;
  };
  const auto of_status = [](TotalStatus status) {
    return [status](const ModelTableRow& row) {
      return row.origin != Origin::size_only && row.model->total_status == status;
    };
  };
  std::string text =
      "# Models\n\nWhat the importer makes of every model in the catalogue. Generated; do not edit.\n\n"
      "Parameters are counted from the tensor inventory, part by part; *active* leaves out the input-embedding "
      "look-up. "
      "Weights are the bytes of the stored checkpoint. Caches are in values (two bytes each in 16 bits); ✓ = the "
      "number is the "
      "one known from elsewhere.\n";
  text += section("Proven", "The published total is exact and was not computed by us.", of_status(TotalStatus::exact));
  text += section("Not proven: no independent total", "The total is our own sum and says nothing about itself.",
                  of_status(TotalStatus::computed));
  text +=
      section("Not proven: sized by the total",
              "A part that nobody described is what the total leaves beside the rest.", of_status(TotalStatus::fitted));
  text += section("Not proven: the total is a rounded figure", "Last digits, where there are any, are our own sum.",
                  of_status(TotalStatus::label));
  text += section("Known by size only", "Nobody published the dimensions; plans for these have a wide band.",
                  [](const ModelTableRow& row) { return row.origin == Origin::size_only; });
  return text;
}

}  // namespace vram
