#include "core/hardware/platform.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "core/hardware/row.h"

namespace vram {
namespace {

using hardware::Row;

constexpr std::array<std::string_view, 6> kKinds = {"server", "rack", "tower", "workstation", "desktop", "custom"};
constexpr std::array<std::string_view, 6> kCoolings = {"unknown", "passive", "active",
                                                       "blower",  "liquid",  "passive_or_liquid"};

/// A number, or a list of the lowest and the highest.
std::optional<Range> read_range(const Json& object, Row& row, std::string_view key) {
  const Json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return Range{value->get<double>(), value->get<double>()};
  if (value->is_array() && value->size() == 2 && (*value)[0].is_number() && (*value)[1].is_number()) {
    const Range range{(*value)[0].get<double>(), (*value)[1].get<double>()};
    if (range.low <= range.high) return range;
  }
  row.blame(key);
  return std::nullopt;
}

/// Calls `read(element, row of it)` for each element of a list and passes on what was wrong.
void each(const Json& object, Row& row, std::string_view key, const std::function<void(const Json&, Row&)>& read) {
  const Json* list = find(object, key);
  if (list == nullptr) return;
  if (!list->is_array()) return row.blame(key);
  for (const Json& element : *list) {
    Row inner(element, std::string(key) + ".");
    read(element, inner);
    row.blame(inner);
  }
}

std::vector<std::string> read_sources(Row& row, const Json* table) {
  std::vector<std::string> sources = row.texts("source");
  for (std::string& source : sources) {
    if (table == nullptr) break;
    if (std::optional<std::string> full = text(*table, source)) source = *std::move(full);
  }
  return sources;
}

Platform read_platform(const Json& object, Row& row, const Json* sources) {
  Platform p;
  p.id = row.text("id");
  p.vendor = row.text("vendor");
  p.name = row.text("name");
  p.kind = row.choice<PlatformKind>("kind", kKinds);
  p.accelerators = row.texts("accelerators");
  p.cards = row.count("cards").value_or(0);
  p.island = row.count("island");
  p.nodes = row.count("nodes");
  p.rack_units = read_range(object, row, "rack_units");
  p.weight_kg = row.number("weight_kg");
  p.depth_mm = row.number("depth_mm");
  p.nameplate_w = row.number("nameplate_w");
  p.typical_w = read_range(object, row, "typical_w");
  p.measured_w = read_range(object, row, "measured_w");
  p.idle_w = read_range(object, row, "idle_w");
  p.overhead_w = row.number("overhead_w");
  if (std::optional<Row> psu = row.row("psu")) {
    p.supplies =
        PowerSupplies{psu->count("count").value_or(0), psu->number("w").value_or(0), psu->count("spare").value_or(0)};
    row.blame(*psu);
  }
  each(object, row, "psu_rules", [&](const Json&, Row& rule) {
    p.supply_rules.push_back({rule.number("psu_w").value_or(0), rule.count("cards").value_or(0)});
  });
  p.card_w = row.number("card_w");
  if (std::optional<Row> slots = row.row("slots")) {
    p.slots = Slots{slots->count("count").value_or(0), slots->number("width").value_or(0),
                    Pcie{slots->count("gen").value_or(0), slots->count("lanes").value_or(0)}, slots->text("profile")};
    row.blame(*slots);
  }
  p.host_ram_gb = read_range(object, row, "host_ram_gb");
  p.network = row.text("nic");
  p.inlet_c = read_range(object, row, "inlet_c");
  p.cooling = row.choice<Cooling>("cooling", kCoolings);
  p.notes = row.texts("notes");
  p.unverified = row.texts("unverified");
  p.sources = read_sources(row, sources);
  return p;
}

std::vector<KindRange> read_kinds(const Json& object, Row& row, std::string_view table, std::string_view unit) {
  std::vector<KindRange> kinds;
  each(object, row, table, [&](const Json& element, Row& inner) {
    kinds.push_back({inner.text("kind"), read_range(element, inner, unit).value_or(Range{})});
  });
  return kinds;
}

Facility read_facility(const Json& object, Row& row, const Json* sources) {
  Facility f;
  each(object, row, "node_power", [&](const Json& element, Row& inner) {
    f.node_power.push_back({inner.text("kind"), read_range(element, inner, "of_tdp").value_or(Range{}),
                            read_range(element, inner, "nameplate_of_tdp")});
  });
  f.idle_of_tdp = read_range(object, row, "idle_of_tdp").value_or(f.idle_of_tdp);
  if (std::optional<Row> volts = row.row("volts")) {
    f.phase_volts = volts->number("phase").value_or(f.phase_volts);
    f.line_volts = volts->number("line").value_or(f.line_volts);
    row.blame(*volts);
  }
  if (const Json* list = find(object, "circuits_a"); list != nullptr && list->is_array()) {
    for (const Json& amperes : *list) {
      if (!amperes.is_number())
        row.blame("circuits_a");
      else
        f.circuits_a.push_back(amperes.get<double>());
    }
  }
  f.continuous_share = row.number("continuous_share").value_or(f.continuous_share);
  f.rack_kw = read_kinds(object, row, "rack_kw", "kw");
  f.inlet_c = read_kinds(object, row, "inlet_c", "c");
  f.pue = read_kinds(object, row, "pue", "pue");
  f.psu_efficiency = read_kinds(object, row, "psu_efficiency", "share");
  f.btu_h_per_kw = row.number("btu_h_per_kw").value_or(f.btu_h_per_kw);
  f.air_m3_h_k_per_kw = row.number("air_m3_h_k_per_kw").value_or(f.air_m3_h_k_per_kw);
  f.sources = read_sources(row, sources);
  return f;
}

std::vector<Exchange> read_exchanges(const Json& object, Row& row, std::string_view table) {
  std::vector<Exchange> list;
  each(object, row, table, [&](const Json& element, Row& inner) {
    Exchange e;
    e.accelerator = inner.text("accelerator");
    e.architecture = inner.text("arch");
    e.over = inner.text("over");
    e.cards = inner.count("cards").value_or(2);
    e.gbs = read_range(element, inner, "gbs").value_or(Range{});
    e.small_us = inner.number("us_16k");
    list.push_back(std::move(e));
  });
  return list;
}

std::vector<Share> read_shares(const Json& object, Row& row, std::string_view table) {
  std::vector<Share> list;
  each(object, row, table, [&](const Json& element, Row& inner) {
    list.push_back(
        {inner.text("accelerator"), inner.text("arch"), read_range(element, inner, "share").value_or(Range{})});
  });
  return list;
}

Interconnect read_interconnect(const Json& object, Row& row, const Json* sources) {
  Interconnect i;
  i.all_reduce = read_exchanges(object, row, "all_reduce");
  i.pair = read_exchanges(object, row, "pair_gbs");
  i.host = read_exchanges(object, row, "host_gbs");
  each(object, row, "pcie_gbs", [&](const Json& element, Row& inner) {
    i.pcie_gbs.emplace_back(inner.count("gen").value_or(0), read_range(element, inner, "gbs").value_or(Range{}));
  });
  each(object, row, "network_gbs", [&](const Json& element, Row& inner) {
    const Range line = read_range(element, inner, "line").value_or(Range{});
    i.network_gbs.emplace_back(inner.text("kind"), read_range(element, inner, "gbs").value_or(line));
  });
  i.sources = read_sources(row, sources);
  return i;
}

}  // namespace

std::string_view platform_kind_key(PlatformKind kind) { return kKinds[static_cast<std::size_t>(kind) % kKinds.size()]; }

bool Platform::verified(std::string_view field) const {
  return std::find(unverified.begin(), unverified.end(), field) == unverified.end();
}

double Facility::air_m3_h(double kilowatts, double delta_kelvin) const {
  return delta_kelvin > 0 ? air_m3_h_k_per_kw * kilowatts / delta_kelvin : 0;
}

const NodePower* Facility::power_of(std::string_view kind) const {
  for (const NodePower& power : node_power) {
    if (power.kind == kind) return &power;
  }
  return nullptr;
}

const Exchange* Interconnect::all_reduce_of(const Accelerator& accelerator, std::string_view over,
                                            std::uint32_t cards) const {
  const Exchange* by_architecture = nullptr;
  for (const Exchange& e : all_reduce) {
    if (e.over != over || e.cards != cards) continue;
    if (!e.accelerator.empty() && e.accelerator == accelerator.id) return &e;
    if (!e.architecture.empty() && e.architecture == accelerator.architecture) by_architecture = &e;
  }
  return by_architecture;
}

std::optional<Range> Interconnect::pcie_of(std::uint32_t generation) const {
  for (const auto& [known, range] : pcie_gbs) {
    if (known == generation) return range;
  }
  return std::nullopt;
}

Result<Platforms> platforms_from_json(std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return parsed.error();
  const Json& file = parsed.value();
  const auto malformed = [](std::string id, std::string field) {
    return Message("platforms.malformed").with("id", std::move(id)).with("field", std::move(field));
  };
  const Json* sources = find(file, "sources");
  const Json* rows = find(file, "platforms");
  if (rows == nullptr || !rows->is_array()) return malformed("", "platforms");

  Platforms all;
  std::set<std::string> ids;
  for (const Json& object : *rows) {
    Row row(object);
    Platform platform = read_platform(object, row, sources);
    if (row.wrong()) return malformed(platform.id, *row.wrong());
    if (platform.id.empty() || !ids.insert(platform.id).second) return malformed(platform.id, "id");
    all.platforms.push_back(std::move(platform));
  }
  if (const Json* object = find(file, "facility")) {
    Row row(*object);
    all.facility = read_facility(*object, row, sources);
    if (row.wrong()) return malformed("facility", *row.wrong());
  }
  if (const Json* object = find(file, "interconnect")) {
    Row row(*object);
    all.interconnect = read_interconnect(*object, row, sources);
    if (row.wrong()) return malformed("interconnect", *row.wrong());
  }
  if (const Json* object = find(file, "efficiency")) {
    Row row(*object);
    all.interconnect.stream = read_shares(*object, row, "stream");
    all.interconnect.decode = read_shares(*object, row, "decode");
    if (row.wrong()) return malformed("efficiency", *row.wrong());
  }
  return all;
}

const Platform* find_platform(std::span<const Platform> all, std::string_view id) {
  for (const Platform& platform : all) {
    if (platform.id == id) return &platform;
  }
  return nullptr;
}

Platform custom_platform(std::uint32_t cards) {
  Platform p;
  p.id = "custom";
  p.kind = PlatformKind::custom;
  p.cards = cards;
  return p;
}

}  // namespace vram
