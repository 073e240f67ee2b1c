// The room a purchase stands in: racks, heat, air, energy; and backwards from what a rack has.
//
//   Room room; room.feeds = {{3, 32}, 2, true};            // two feeds of 3 × 32 A, 2N: 16.8 kW a rack
//   RoomPlan plan = plan_room(node, 4, room, facility);    // 4 nodes → racks, kW, BTU/h, m³/h, kWh a year
//   int fits = nodes_for(node, 12.0, room, facility);      // "my rack has 12 kW"
//
// Heat equals electrical power: 1 kW = 3412 BTU/h. Air that takes it away: 2970 m³/h a kW and kelvin
// (10 kW at 11 K ≈ 2,700 m³/h).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/facility/power.h"
#include "core/units/message.h"

namespace vram::facility {

/// How heat leaves a rack, in the order of what it can carry.
enum class CoolingWay : std::uint8_t { air, contained_air, rear_door, hybrid_liquid, direct_liquid, beyond };
std::string_view cooling_way_key(CoolingWay way);   ///< "air", "contained_air", …

struct Room {
  std::optional<Feeds> feeds;                ///< unset: circuits are not a limit (yet)
  std::optional<double> rack_kw;             ///< what a rack is allowed in all, by contract or cooling
  double rack_units = 42;                    ///< of which …
  double reserved_units = 2;                 ///< … for switches and cabling
  std::optional<double> rack_kg;             ///< load of the floor or the rack; unset = not asked
  std::optional<CoolingWay> cooling;         ///< what is there; unset = to be advised
  double delta_kelvin = 11;                  ///< between air in and out: usual for servers
  double pue = 1.5;                          ///< all energy / energy of the racks: 1.4 to 1.6 on average
  double busy_share = 0.6;                   ///< of the year under load, otherwise idle
};

enum class RackLimit : std::uint8_t { none, power, height, weight, cooling };
std::string_view rack_limit_key(RackLimit limit);

/// Nodes that one rack takes, by each limit that is known; the least counts.
struct RackFit {
  std::uint32_t nodes = 0;                   ///< 0: not even one
  RackLimit limit = RackLimit::none;
  std::optional<std::uint32_t> by_power, by_height, by_weight, by_cooling;
};

struct RoomPlan {
  std::uint32_t nodes = 0;
  NodePower node;
  RackFit fit;
  std::uint32_t racks = 0, nodes_in_rack = 0;      ///< in the fullest rack
  std::optional<double> units_in_rack, kg_in_rack;
  // of the fullest rack and of all, kW
  std::optional<Range> rack_nameplate_kw, rack_load_kw, nameplate_kw, load_kw, idle_kw;
  double pue = 1, busy_share = 1;                  ///< of the room, that the energy of a year is counted with
  std::optional<Range> heat_btu_h, air_m3_h;       ///< of all, at the load
  CoolingWay cooling = CoolingWay::air;
  bool needs_liquid = false;                       ///< the node itself is liquid-cooled
  std::optional<Range> kwh_year;                   ///< with PUE
  std::vector<Message> notes;
};

RackFit rack_fit(const Node& node, const Room& room, const Facility& facility);
RoomPlan plan_room(const Node& node, std::uint32_t nodes, const Room& room, const Facility& facility);

/// Nodes for which `kilowatts` are enough, by nameplate; 0 when not one, nothing when the node's power is not known.
std::optional<std::uint32_t> nodes_for(const Node& node, double kilowatts, const Facility& facility);

/// What a rack of that heat needs.
CoolingWay cooling_for(double kilowatts, const Facility& facility);
/// Heat a way of cooling carries, kW a rack.
double most_kw(CoolingWay way, const Facility& facility);

/// kWh a year of something that draws `load_kw` in `busy_share` of the time and `idle_kw` otherwise.
double kwh_a_year(double load_kw, double idle_kw, double busy_share, double pue);

}  // namespace vram::facility
