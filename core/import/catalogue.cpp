#include "core/import/catalogue.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace vram {
namespace {

/// One row, read field by field. The first field of a wrong kind is remembered by its name.
class RowReader {
 public:
  explicit RowReader(Json& row) : row_(row) {
    if (!row.is_object()) blame("");
  }

  std::string text(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return {};
    if (!value->is_string()) return blame(key), std::string();
    return value->get<std::string>();
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> result;
    const Json* value = member(key);
    if (value == nullptr) return result;
    if (!value->is_array()) return blame(key), result;
    for (const Json& item : *value) {
      if (!item.is_string()) return blame(key), result;
      result.push_back(item.get<std::string>());
    }
    return result;
  }
  Count count(std::string_view key) {
    if (member(key) == nullptr) return Count(0);
    const std::optional<std::int64_t> value = integer(row_, key);
    if (!value || *value < 0) return blame(key), Count(0);
    return Count(static_cast<std::uint64_t>(*value));
  }
  bool flag(std::string_view key, bool fallback) {
    if (member(key) == nullptr) return fallback;
    const std::optional<bool> value = boolean(row_, key);
    if (!value) blame(key);
    return value.value_or(fallback);
  }
  const Json* member(std::string_view key) const {
    const Json* value = find(row_, key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  /// An object, taken out of the row.
  Json take(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) return blame(key), Json(nullptr);
    return std::move(row_[std::string(key)]);
  }
  void blame(std::string_view field) {
    if (!wrong_) wrong_ = std::string(field);
  }
  const std::optional<std::string>& wrong() const { return wrong_; }

 private:
  Json& row_;
  std::optional<std::string> wrong_;
};

std::optional<TotalStatus> status_of(std::string_view word) {
  if (word.empty() || word == "exact") return TotalStatus::exact;
  if (word == "computed") return TotalStatus::computed;
  if (word == "fitted") return TotalStatus::fitted;
  if (word == "label") return TotalStatus::label;
  return std::nullopt;
}

std::optional<Part> part_of(std::string_view word) {
  for (const Part part : {Part::text, Part::vision, Part::audio, Part::mtp}) {
    if (part_key(part) == word) return part;
  }
  return std::nullopt;
}

/// Tokens the model is made for: of the text model, wherever its configuration lies.
std::int64_t context_of(const Json& config) {
  const Json* text_model = find(config, "text_config");
  for (const Json* place : {text_model, &config}) {
    if (place == nullptr) continue;
    for (const std::string_view key : {"max_position_embeddings", "max_target_positions"}) {
      if (const auto value = integer(*place, key)) return *value;
    }
  }
  return 0;
}

CatalogueModel read_row(RowReader& row) {
  CatalogueModel model;
  model.id = row.text("id");
  model.name = row.text("name");
  model.family = row.text("family");
  model.aliases = row.texts("aliases");
  if (model.id.empty()) row.blame("id");
  if (model.name.empty()) row.blame("name");
  model.config = row.take("config");
  model.size = row.count("size");
  if (model.config.is_null() == (model.size == Count(0))) row.blame("config");
  if (!model.config.is_null()) model.context = context_of(model.config);
  model.parameters = row.count("total");
  if (model.parameters == Count(0)) model.parameters = model.size;
  const auto status = status_of(row.text("total_status"));
  if (!status) row.blame("total_status");
  model.total_status = status.value_or(TotalStatus::exact);
  for (const std::string& word : row.texts("counts")) {
    const auto part = part_of(word);
    if (!part) row.blame("counts");
    model.counts.push_back(part.value_or(Part::text));
  }
  if (model.counts.empty()) model.counts = {Part::text};
  model.active = row.count("active");
  model.verified = row.flag("verified", true);
  model.unverified_fields = row.texts("unverified_fields");
  model.source = row.text("source");
  model.release = row.text("release");
  model.license = row.text("license");

  std::string searched = model.id + " " + model.name + " " + model.family;
  for (const std::string& alias : model.aliases) searched += " " + alias;
  model.words = search_words(searched);
  std::sort(model.words.begin(), model.words.end());
  model.words.erase(std::unique(model.words.begin(), model.words.end()), model.words.end());
  return model;
}

Message bad_row(std::size_t row, const std::string& field) {
  return Message("catalogue.bad_row").with("row", static_cast<std::int64_t>(row + 1)).with("field", field);
}

}  // namespace

Result<std::vector<CatalogueModel>> models_from_json(std::string_view json) {
  Result<Json> parsed = parse_json(json);
  if (!parsed) return parsed.error();
  Json document = std::move(parsed).value();
  if (!document.is_object() || !document.contains("models") || !document["models"].is_array())
    return bad_row(0, "models");
  Json* rows = &document["models"];
  std::vector<CatalogueModel> models;
  models.reserve(rows->size());
  for (Json& object : *rows) {
    RowReader row(object);
    models.push_back(read_row(row));
    if (row.wrong()) return bad_row(models.size() - 1, *row.wrong());
  }
  std::vector<std::string_view> ids;
  for (const CatalogueModel& model : models) ids.push_back(model.id);
  std::sort(ids.begin(), ids.end());
  if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
    for (std::size_t i = models.size(); i-- > 0;) {
      if (models[i].id == *twice) return bad_row(i, "id");
    }
  }
  return models;
}

const CatalogueModel* find_model(std::span<const CatalogueModel> models, std::string_view id) {
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const CatalogueModel& model) { return model.id == id; });
  return found == models.end() ? nullptr : &*found;
}

Result<Model> model_of(const CatalogueModel& row) {
  if (row.config.is_null()) {
    Model model = size_only_model(row.name, row.size, row.active);
    model.notes.push_back(Message("catalogue.note.size_only").with("model", row.name));
    return model;
  }
  Result<Model> read = model_from_config(row.config, {.name = row.name});
  if (!read) return read.error();
  Model model = std::move(read).value();
  if (!row.verified) {
    model.origin = Origin::unverified;
    model.notes.push_back(Message("catalogue.note.unverified").with("model", row.name));
  }
  if (!row.unverified_fields.empty()) {
    std::string fields;
    for (const std::string& field : row.unverified_fields) fields += (fields.empty() ? "" : ", ") + field;
    model.notes.push_back(Message("catalogue.note.unverified_fields").with("model", row.name).with("fields", fields));
  }
  return model;
}

Model size_only_model(std::string name, Count parameters, Count active) {
  Model model;
  model.name = std::move(name);
  model.origin = Origin::size_only;
  const auto add = [&](Role role, Count values, Count copies) {
    Tensor tensor;
    tensor.role = role;
    tensor.outputs = values;
    tensor.copies = copies;
    model.tensors.push_back(tensor);
  };
  const std::uint64_t all = parameters.value(), used = active.value();
  if (used == 0 || used >= all) {
    add(Role::other, parameters, Count(1));
    return model;
  }
  // n alike experts of e values of which one is used, and d values used always: d + n·e = all, d + e = used.
  const std::uint64_t experts = ceil_div(parameters, active).value() + 1;
  const std::uint64_t expert = (all - used) / (experts - 1);
  add(Role::other, Count(all - expert * experts), Count(1));
  add(Role::expert_up, Count(expert), Count(experts));
  model.dims.num_experts = static_cast<std::uint32_t>(std::min<std::uint64_t>(experts, 1u << 16));
  model.dims.num_experts_per_tok = 1;
  return model;
}

}  // namespace vram
