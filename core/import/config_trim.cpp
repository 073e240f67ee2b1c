#include "core/import/config_trim.h"

#include <utility>
#include <vector>

namespace vram {
namespace {

constexpr const char* kQuantConfig = "hf_quant_config";
constexpr const char* kName = "_name";

Result<Model> read(const Json& whole) {
  ConfigExtras extras;
  extras.hf_quant_config = find(whole, kQuantConfig);
  extras.name = text(whole, kName).value_or("");
  return model_from_config(whole, extras);
}

/// Tries `whole` without each member of `object`, one of its own parts; keeps what the model needs.
void trim(Json& whole, Json& object, const Model& wanted) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  for (const std::string& key : keys) {
    Json removed = object[key];
    object.erase(key);
    const Result<Model> without = read(whole);
    if (without && without.value() == wanted) continue;
    object[key] = std::move(removed);
    Json& kept = object[key];
    if (kept.is_object()) trim(whole, kept, wanted);
  }
}

}  // namespace

std::string trimmed_config(const Json& config, const ConfigExtras& extras) {
  if (!config.is_object()) return "";
  Json whole = config;
  if (extras.hf_quant_config != nullptr) whole[kQuantConfig] = *extras.hf_quant_config;
  if (!extras.name.empty()) whole[kName] = extras.name;
  const Result<Model> wanted = read(whole);
  if (!wanted) return "";
  trim(whole, whole, wanted.value());
  return to_text(whole);
}

Result<Model> model_from_trimmed_config(std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return parsed.error();
  return read(parsed.value());
}

}  // namespace vram
