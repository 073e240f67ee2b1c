#include "core/facility/room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vram::facility {
namespace {

constexpr double kHoursAYear = 8760;

const Range* find_kind(const std::vector<KindRange>& list, std::string_view kind) {
  for (const KindRange& one : list) {
    if (one.kind == kind) return &one.range;
  }
  return nullptr;
}

/// How many of `each` go into `all`; nothing when either is not known.
std::optional<std::uint32_t> times(std::optional<double> all, double each) {
  if (!all || each <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::max(0.0, std::floor(*all / each + 1e-9)));
}

std::optional<double> power_in_rack(const Room& room, const Facility& facility) {
  std::optional<double> kw;
  if (room.feeds) kw = usable_kw(*room.feeds, facility);
  if (room.rack_kw) kw = kw ? std::min(*kw, *room.rack_kw) : *room.rack_kw;
  return kw;
}

Range kilowatts(const Watts& watts, double nodes) {
  return {watts.range.low * nodes / 1000, watts.range.high * nodes / 1000};
}

/// A rack that is sold whole: its figures are of the rack.
bool is_rack(const Node& node) { return node.platform != nullptr && node.platform->kind == PlatformKind::rack; }

}  // namespace

std::string_view cooling_way_key(CoolingWay way) {
  constexpr std::array<std::string_view, 6> keys = {"air",           "contained_air", "rear_door",
                                                    "hybrid_liquid", "direct_liquid", "beyond"};
  return keys[static_cast<std::size_t>(way)];
}

std::string_view rack_limit_key(RackLimit limit) {
  constexpr std::array<std::string_view, 5> keys = {"none", "power", "height", "weight", "cooling"};
  return keys[static_cast<std::size_t>(limit)];
}

double most_kw(CoolingWay way, const Facility& facility) {
  // Plain air is what colocation offers at most.
  const std::string_view kind = way == CoolingWay::air ? "colocation" : cooling_way_key(way);
  if (way == CoolingWay::beyond) return std::numeric_limits<double>::infinity();
  const Range* range = find_kind(facility.rack_kw, kind);
  return range != nullptr ? range->high : 0;
}

CoolingWay cooling_for(double kilowatts, const Facility& facility) {
  for (const CoolingWay way : {CoolingWay::air, CoolingWay::contained_air, CoolingWay::rear_door,
                               CoolingWay::hybrid_liquid, CoolingWay::direct_liquid}) {
    if (kilowatts <= most_kw(way, facility)) return way;
  }
  return CoolingWay::beyond;
}

double kwh_a_year(double load_kw, double idle_kw, double busy_share, double pue) {
  return (load_kw * busy_share + idle_kw * (1 - busy_share)) * kHoursAYear * pue;
}

RackFit rack_fit(const Node& node, const Room& room, const Facility& facility) {
  RackFit fit;
  const NodePower power = power_of(node, facility);
  // Circuits are sized by the nameplate, cooling by the load.
  if (power.nameplate.known()) fit.by_power = times(power_in_rack(room, facility), power.nameplate.range.high / 1000);
  if (room.cooling && power.load.known()) {
    const double most = most_kw(*room.cooling, facility);
    if (std::isfinite(most)) fit.by_cooling = times(most, power.load.range.high / 1000);
  }
  if (node.platform != nullptr && node.platform->rack_units) {
    const double units = is_rack(node) ? room.rack_units : room.rack_units - room.reserved_units;
    fit.by_height = is_rack(node) ? 1 : times(units, node.platform->rack_units->high);
  }
  if (node.platform != nullptr && node.platform->weight_kg) fit.by_weight = times(room.rack_kg, *node.platform->weight_kg);

  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  const auto apply = [&](const std::optional<std::uint32_t>& nodes, RackLimit limit) {
    if (!nodes || *nodes >= least) return;
    least = *nodes;
    fit.limit = limit;
  };
  apply(fit.by_height, RackLimit::height);
  apply(fit.by_power, RackLimit::power);
  apply(fit.by_cooling, RackLimit::cooling);
  apply(fit.by_weight, RackLimit::weight);
  fit.nodes = fit.limit == RackLimit::none ? 1 : least;   // nothing known: one node a rack is the careful answer
  return fit;
}

std::optional<std::uint32_t> nodes_for(const Node& node, double kilowatts, const Facility& facility) {
  const NodePower power = power_of(node, facility);
  if (!power.nameplate.known()) return std::nullopt;
  return times(kilowatts, power.nameplate.range.high / 1000);
}

RoomPlan plan_room(const Node& node, std::uint32_t nodes, const Room& room, const Facility& facility) {
  RoomPlan plan;
  plan.nodes = nodes;
  plan.node = power_of(node, facility);
  plan.fit = rack_fit(node, room, facility);
  plan.nodes_in_rack = std::min(nodes, std::max(1U, plan.fit.nodes));
  plan.racks = plan.nodes_in_rack == 0 ? 0 : (nodes + plan.nodes_in_rack - 1) / plan.nodes_in_rack;
  if (node.platform != nullptr) {
    const Platform& platform = *node.platform;
    if (platform.rack_units && !is_rack(node)) plan.units_in_rack = platform.rack_units->high * plan.nodes_in_rack;
    if (platform.weight_kg) plan.kg_in_rack = *platform.weight_kg * plan.nodes_in_rack;
  }
  if (plan.node.nameplate.known()) {
    plan.rack_nameplate_kw = kilowatts(plan.node.nameplate, plan.nodes_in_rack);
    plan.nameplate_kw = kilowatts(plan.node.nameplate, nodes);
  }
  if (plan.node.idle.known()) plan.idle_kw = kilowatts(plan.node.idle, nodes);
  plan.needs_liquid = plan.node.node_class == NodeClass::sxm_liquid;
  if (plan.node.load.known()) {
    plan.rack_load_kw = kilowatts(plan.node.load, plan.nodes_in_rack);
    plan.load_kw = kilowatts(plan.node.load, nodes);
    plan.heat_btu_h = Range{facility.heat_btu_h(plan.load_kw->low), facility.heat_btu_h(plan.load_kw->high)};
    plan.air_m3_h = Range{facility.air_m3_h(plan.load_kw->low, room.delta_kelvin),
                          facility.air_m3_h(plan.load_kw->high, room.delta_kelvin)};
    plan.cooling = cooling_for(plan.rack_load_kw->high, facility);
    if (plan.needs_liquid) plan.cooling = std::max(plan.cooling, CoolingWay::hybrid_liquid);
    const Range idle = plan.idle_kw.value_or(Range{0, 0});
    plan.pue = room.pue;
    plan.busy_share = room.busy_share;
    plan.kwh_year = Range{kwh_a_year(plan.load_kw->low, idle.low, room.busy_share, room.pue),
                          kwh_a_year(plan.load_kw->high, idle.high, room.busy_share, room.pue)};
  }

  const auto note = [&](Message message) { plan.notes.push_back(std::move(message)); };
  if (!plan.node.nameplate.known()) note(Message("facility.note.power_unknown"));
  else if (plan.node.nameplate.basis == Basis::ratio) note(Message("facility.note.power_by_ratio"));
  if (plan.fit.nodes == 0) {
    note(Message("facility.note.not_one_node").with("limit", MessageKey{"facility.limit." + std::string(rack_limit_key(plan.fit.limit))}));
  }
  if (node.platform == nullptr || !node.platform->rack_units) note(Message("facility.note.height_unknown"));
  if (plan.needs_liquid) note(Message("facility.note.needs_liquid"));
  if (room.cooling && plan.rack_load_kw && plan.rack_load_kw->high > most_kw(*room.cooling, facility)) {
    note(Message("facility.note.cooling_short")
             .with("kw", plan.rack_load_kw->high)
             .with("most", most_kw(*room.cooling, facility)));
  }
  return plan;
}

}  // namespace vram::facility
