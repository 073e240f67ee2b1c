#include "core/scenario/measured.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>

namespace vram {
namespace {

/// What contexts, libraries, buffers of one forward pass and graphs depend on.
constexpr std::array<std::string_view, 20> kFields = {
    "model", "config", "weights", "gpu", "card_gib", "n", "more_cards", "offload", "engine", "engine_version",
    "split", "replicas", "stages", "experts", "own", "sequences", "batch", "graphs", "draft", "adapters"};
/// What buffers for all sequences depend on besides; always written, which tells that they count.
constexpr std::array<std::string_view, 2> kLengths = {"ctx", "users"};

/// A file's description is too long: eight digits tell one from another (FNV-1a).
std::string digest(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(hash));
  return digits;
}

std::string shown(const Scenario& scenario, const Field& field, std::size_t deployment) {
  std::string text = text_of(get(scenario, field, deployment));
  if (field.kind == FieldKind::config && !text.empty()) text = digest(text);
  std::replace(text.begin(), text.end(), ',', ';');
  return text;
}

/// The value of `key` in "key:value,key:value".
std::optional<std::string> told(std::string_view list, std::string_view key) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    if (item.size() > key.size() && item.starts_with(key) && item[key.size()] == ':') {
      return std::string(item.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

bool has_measured(const Deployment& deployment) {
  return deployment.measured_runtime_gib > 0 || deployment.measured_activations_gib > 0 ||
         deployment.measured_graphs_gib > 0;
}

void drop_measured(Deployment& deployment) {
  deployment.measured_runtime_gib = deployment.measured_activations_gib = deployment.measured_graphs_gib = 0;
  deployment.measured_with.clear();
}

std::string measured_at(const Scenario& scenario, std::size_t deployment, bool with_lengths) {
  static const Scenario defaults;
  std::string list;
  const auto add = [&](std::string_view key, bool always) {
    const Field* field = find_field(key);
    if (field == nullptr) return;
    const std::string text = shown(scenario, *field, deployment);
    if (!always && text == shown(defaults, *field, 0)) return;
    list += (list.empty() ? "" : ",") + std::string(key) + ":" + text;
  };
  for (const std::string_view key : kFields) add(key, key == "model" || key == "gpu" || key == "n");  // as in links
  if (with_lengths) {
    for (const std::string_view key : kLengths) add(key, true);
  }
  return list;
}

std::vector<ChangedSince> changed_since_measured(const Scenario& scenario, std::size_t deployment) {
  static const Scenario defaults;
  std::vector<ChangedSince> changed;
  if (deployment >= scenario.deployments.size()) return changed;
  const Deployment& measured = scenario.deployments[deployment];
  if (!has_measured(measured) || measured.measured_with.empty()) return changed;
  const auto compare = [&](std::string_view key, std::optional<std::string> was) {
    const Field* field = find_field(key);
    if (field != nullptr && was && *was != shown(scenario, *field, deployment)) changed.push_back({field, *was});
  };
  for (const std::string_view key : kFields) {
    const Field* field = find_field(key);
    if (field != nullptr) compare(key, told(measured.measured_with, key).value_or(shown(defaults, *field, 0)));
  }
  for (const std::string_view key : kLengths) compare(key, told(measured.measured_with, key));
  return changed;
}

}  // namespace vram
