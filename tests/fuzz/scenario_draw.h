// Scenarios out of bytes, of three kinds, so that what people send can seed the fuzzer:
//
//   "v=1&model=…"   a link            {"v": 1, …}   a saved scenario
//   anything else   records: which field, of which deployment, and three bytes of its value
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/scenario/scenario.h"

namespace vram::fuzz {

/// Small values as often as large ones; both ends are reached.
inline double between(double least, double most, double share) {
  return std::clamp(least - 1 + std::exp(share * std::log(most - least + 2)), least, most);
}

template <class Rows>
std::string id_of(const Rows& rows, std::size_t which) {
  return rows.empty() ? "" : rows[which % rows.size()].id;
}

inline Value drawn_value(const Field& field, const Library& library, std::size_t drawn) {
  const double share = static_cast<double>(drawn) / 65535;
  switch (field.kind) {
    case FieldKind::integer: return static_cast<std::int64_t>(between(field.least, field.most, share));
    case FieldKind::real: return between(field.least, field.most, share);
    case FieldKind::choice: return std::string(field.choices[drawn % field.choices.size()]);
    case FieldKind::model: return id_of(library.models, drawn);
    case FieldKind::accelerator: return drawn % 16 == 0 ? "custom" : id_of(library.accelerators, drawn / 16);
    case FieldKind::platform: return drawn % 16 == 0 ? "auto" : id_of(library.platforms.platforms, drawn / 16);
    case FieldKind::cards: return id_of(library.accelerators, drawn) + ":" + std::to_string(1 + drawn % 7);
    case FieldKind::text: return "0." + std::to_string(drawn % 32) + ".0";
    default: return std::string();  // configs are the other kinds'
  }
}

inline Scenario drawn_scenario(std::string_view text, const Library& library) {
  if (text.starts_with("v=")) return from_link(text).scenario;
  if (text.starts_with("{")) {
    const auto json = parse_json(text);
    return json ? from_json(json.value()).scenario : Scenario{};
  }
  Scenario scenario;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(text[at])); };
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
    const Field& field = fields()[byte(at) % fields().size()];
    const std::size_t deployment = byte(at + 1) % 3;
    if (field.scope() == Scope::deployment && deployment >= scenario.deployments.size()) {
      scenario.deployments.emplace_back();
    }
    (void)set(scenario, field, drawn_value(field, library, byte(at + 2) * 256 + byte(at + 3)), deployment);
  }
  return scenario;
}

}  // namespace vram::fuzz
