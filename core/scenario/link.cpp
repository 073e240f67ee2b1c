// Scenario ⇄ link and JSON, both driven by the table of fields.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/scenario/scenario.h"

namespace vram {
namespace {

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:,";

std::string percent_encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[byte >> 4];
      encoded += kHex[byte & 15];
    }
  }
  return encoded;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

/// "users" → deployment 0; "2.users" → the second one. Nothing when the number is not one a scenario can have.
struct PlacedKey {
  std::string_view key;
  std::size_t deployment = 0;
  bool valid = true;
};
PlacedKey placed(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {name};
  std::size_t index = 0;
  for (const char c : name.substr(0, dot)) {
    if (c < '0' || c > '9' || index > kMaxDeployments) return {name, 0, false};
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return {name.substr(dot + 1), index - 1, index >= 2 && index <= kMaxDeployments};
}

Message unknown_field(std::string_view name) {
  return Message("link.unknown_field").with("name", std::string(name.substr(0, 80)));
}

/// One plan more, or the reason why not.
void keep(ScenarioReading& into, std::string_view name, ScenarioReading read) {
  for (Message& problem : read.problems) into.problems.push_back(std::move(problem));
  if (into.kept.size() == kMostKept) {
    into.problems.push_back(Message("scenario.too_many_kept").with("most", static_cast<std::int64_t>(kMostKept)));
    return;
  }
  std::string kept = kept_name(name);
  if (kept.empty()) kept = std::to_string(into.kept.size() + 1);
  into.kept.push_back({std::move(kept), std::move(read.scenario)});
}

std::optional<Message> check_version(std::int64_t version) {
  if (version == kScenarioVersion) return std::nullopt;
  const bool newer = version > kScenarioVersion;
  return Message(newer ? "link.newer_version" : "link.bad_version").with("version", version);
}

std::optional<Value> value_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return std::nullopt;
}

Json json_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return *std::get_if<std::string>(&value);
}

void read_member(ScenarioReading& reading, const std::string& key, const Json& json, Scope scope,
                 std::size_t deployment) {
  const Field* field = find_field(key);
  if (field == nullptr || field->scope() != scope) {
    reading.problems.push_back(unknown_field(key));
    return;
  }
  const std::optional<Value> value = value_of(json);
  std::optional<Message> problem =
      value ? set(reading.scenario, *field, *value, deployment)
            : Message("field.wrong_type").with("field", MessageKey{"field." + key});
  if (problem) reading.problems.push_back(*std::move(problem));
}

/// A kept plan keeps none itself: `with_kept` is false inside one.
ScenarioReading read_link(std::string_view fragment, bool with_kept) {
  ScenarioReading reading;
  if (fragment.starts_with('#')) fragment.remove_prefix(1);
  while (!fragment.empty()) {
    const std::string_view pair = fragment.substr(0, fragment.find('&'));
    fragment.remove_prefix(std::min(pair.size() + 1, fragment.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string name = percent_decoded(pair.substr(0, equals));
    const std::string value = equals == std::string_view::npos ? "" : percent_decoded(pair.substr(equals + 1));
    if (name == "v") {
      if (auto problem = check_version(std::atoll(value.c_str()))) reading.problems.push_back(*std::move(problem));
      continue;
    }
    if (with_kept && name == "kept") {
      const std::size_t bar = value.rfind('|');  // a link has none
      const bool named = bar != std::string::npos;
      keep(reading, named ? value.substr(0, bar) : "", read_link(named ? value.substr(bar + 1) : value, false));
      continue;
    }
    const PlacedKey place = placed(name);
    const Field* field = place.valid ? find_field(place.key) : nullptr;
    if (field == nullptr || (place.deployment > 0 && field->scope() == Scope::scenario)) {
      reading.problems.push_back(unknown_field(name));
      continue;
    }
    while (reading.scenario.deployments.size() <= place.deployment) reading.scenario.deployments.emplace_back();
    if (auto problem = set_text(reading.scenario, *field, value, place.deployment)) {
      reading.problems.push_back(*std::move(problem));
    }
  }
  return reading;
}

ScenarioReading read_json(const Json& json, bool with_kept) {
  ScenarioReading reading;
  if (!json.is_object()) {
    reading.problems.emplace_back("json.not_object");
    return reading;
  }
  for (const auto& [key, value] : json.items()) {
    if (key == "v") {
      if (auto problem = check_version(integer(json, key).value_or(0))) {
        reading.problems.push_back(*std::move(problem));
      }
    } else if (key == "deployments" && value.is_array()) {
      const std::size_t count = std::min(value.size(), kMaxDeployments);
      if (value.size() > kMaxDeployments) {
        reading.problems.push_back(
            Message("scenario.too_many_deployments").with("most", static_cast<std::int64_t>(kMaxDeployments)));
      }
      reading.scenario.deployments.assign(std::max<std::size_t>(1, count), Deployment{});
      for (std::size_t i = 0; i < count; ++i) {
        if (!value[i].is_object()) {
          reading.problems.emplace_back("json.not_object");
          continue;
        }
        for (const auto& [name, member] : value[i].items()) read_member(reading, name, member, Scope::deployment, i);
      }
    } else if (with_kept && key == "kept" && value.is_array()) {
      for (const Json& one : value) {
        const Json* const scenario = find(one, "scenario");
        keep(reading, text(one, "name").value_or(""), read_json(scenario != nullptr ? *scenario : one, false));
      }
    } else {
      read_member(reading, key, value, Scope::scenario, 0);
    }
  }
  return reading;
}

}  // namespace

std::string text_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  const double real = *std::get_if<double>(&value);
  char buffer[40];
  for (int digits = 6; digits <= 17; ++digits) {  // the shortest text that reads back as the same number
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, real);
    if (std::strtod(buffer, nullptr) == real) break;
  }
  return buffer;
}

std::string kept_name(std::string_view typed) {
  constexpr int kMostCharacters = 60;
  std::string name;
  int characters = 0;
  for (const char c : typed) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) continue;
    if ((byte & 0xC0) != 0x80 && ++characters > kMostCharacters) break;
    if (c != ' ' || !name.empty()) name += c;
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

std::string to_link(const Scenario& scenario, std::span<const KeptPlan> kept) {
  static const Scenario defaults;
  std::string link = "v=" + std::to_string(kScenarioVersion);
  const auto add = [&](const Field& field, std::size_t deployment, bool always) {
    const Value value = get(scenario, field, deployment);
    if (!always && value == get(defaults, field)) return;
    link += '&';
    if (deployment > 0) link += std::to_string(deployment + 1) + '.';
    link += std::string(field.key) + '=' + percent_encoded(text_of(value));
  };
  for (std::size_t i = 0; i < std::max<std::size_t>(1, scenario.deployments.size()); ++i) {
    for (const Field& field : fields()) {
      if (field.scope() == Scope::deployment) add(field, i, field.kind == FieldKind::model);
    }
  }
  for (const Field& field : fields()) {
    if (field.scope() == Scope::scenario) add(field, 0, field.key == "gpu" || field.key == "n");
  }
  for (const KeptPlan& one : kept) link += "&kept=" + percent_encoded(one.name + '|' + to_link(one.scenario));
  return link;
}

ScenarioReading from_link(std::string_view fragment) { return read_link(fragment, true); }

Json to_json(const Scenario& scenario, std::span<const KeptPlan> kept) {
  Json json = {{"v", kScenarioVersion}};
  for (const Field& field : fields()) {
    if (field.scope() == Scope::scenario) json[std::string(field.key)] = json_of(get(scenario, field));
  }
  Json deployments = Json::array();
  for (std::size_t i = 0; i < scenario.deployments.size(); ++i) {
    Json one = Json::object();
    for (const Field& field : fields()) {
      if (field.scope() == Scope::deployment) one[std::string(field.key)] = json_of(get(scenario, field, i));
    }
    deployments.push_back(std::move(one));
  }
  json["deployments"] = std::move(deployments);
  for (const KeptPlan& one : kept) json["kept"].push_back({{"name", one.name}, {"scenario", to_json(one.scenario)}});
  return json;
}

ScenarioReading from_json(const Json& json) { return read_json(json, true); }

}  // namespace vram
