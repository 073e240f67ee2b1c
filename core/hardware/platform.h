// Servers, racks and the room: what stands around the accelerators.
//
// Power has three figures that must not be mixed up: the nameplate (circuits and power supplies are sized by it), what
// was measured under load (energy and heat), and what idles. 8 × B200 in air: nameplate 14.3 kW, measured 10.4 kW.
//
//   Facility f: 3-phase 32 A → 3 × 230 V × 32 A = 22.08 kVA, of which 80 % continuously = 17.66 kVA
//   heat of 10 kW = 34,120 BTU/h; air at ΔT 11.1 K = 2970 × 10 / 11.1 = 2,676 m³/h
//
// As in accelerator.h, an empty optional is not known.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/units/result.h"

namespace vram {

/// Sources rarely agree on one number: the lowest and the highest they give.
struct Range {
  double low = 0, high = 0;
  constexpr double middle() const { return (low + high) / 2; }
  friend bool operator==(const Range&, const Range&) = default;
};

enum class PlatformKind : std::uint8_t { server, rack, tower, workstation, desktop, custom };
std::string_view platform_kind_key(PlatformKind kind);

struct PowerSupplies {
  std::uint32_t count = 0;
  double watts = 0;         ///< of one
  std::uint32_t spare = 0;  ///< may fail without the node going down
  friend bool operator==(const PowerSupplies&, const PowerSupplies&) = default;
};

/// Slots that take an accelerator.
struct Slots {
  std::uint32_t count = 0;
  double width = 0;
  Pcie pcie;
  std::string profile;  ///< "FHFL" takes "HHHL" too
  friend bool operator==(const Slots&, const Slots&) = default;
};

/// "With supplies of so many watts, so many cards."
struct SupplyRule {
  double supply_w = 0;
  std::uint32_t cards = 0;
  friend bool operator==(const SupplyRule&, const SupplyRule&) = default;
};

struct Platform {
  std::string id, vendor, name;
  PlatformKind kind = PlatformKind::server;
  std::vector<std::string> accelerators;  ///< ids of those it is sold with; empty = any that its slots take
  std::uint32_t cards = 0;
  std::optional<std::uint32_t> island;  ///< cards that a link joins; nothing = all, or none
  std::optional<std::uint32_t> nodes;   ///< servers in a rack
  std::optional<Range> rack_units;
  std::optional<double> weight_kg, depth_mm;
  std::optional<double> nameplate_w;
  std::optional<Range> typical_w, measured_w, idle_w;
  std::optional<double> overhead_w;  ///< of the node without its accelerators
  std::optional<PowerSupplies> supplies;
  std::vector<SupplyRule> supply_rules;
  std::optional<double> card_w;  ///< most a slot may feed and cool
  std::optional<Slots> slots;
  std::optional<Range> host_ram_gb;
  std::string network;  ///< "8x ConnectX-7 400G"
  std::optional<Range> inlet_c;
  Cooling cooling = Cooling::unknown;  ///< passive = the node's own fans blow through the cards
  std::vector<std::string> notes;      ///< keys of strings: "platform.note.<key>"
  std::vector<std::string> unverified, sources;

  bool verified(std::string_view field) const;
  friend bool operator==(const Platform&, const Platform&) = default;
};

/// A number by name; the name is a key of strings: "facility.<table>.<kind>".
struct KindRange {
  std::string kind;
  Range range;
};

struct NodePower {
  std::string kind;  ///< "sxm_air", "sxm_liquid", "pcie_8", "workstation"
  Range of_tdp;      ///< measured node power / sum of the cards' TDP
  std::optional<Range> nameplate_of_tdp;
};

struct Facility {
  std::vector<NodePower> node_power;
  Range idle_of_tdp;
  double phase_volts = 230, line_volts = 400;
  std::vector<double> circuits_a;
  double continuous_share = 0.8;  ///< of a circuit's rating, for loads that never stop
  std::vector<KindRange> rack_kw, inlet_c, pue, psu_efficiency;
  double btu_h_per_kw = 3412;
  double air_m3_h_k_per_kw = 2970;  ///< m³/h = this × kW / ΔT in kelvin
  std::vector<std::string> sources;

  /// Apparent power of a feed: phases × phase voltage × current.
  double circuit_kva(std::uint32_t phases, double amperes) const { return phases * phase_volts * amperes / 1000; }
  double heat_btu_h(double kilowatts) const { return btu_h_per_kw * kilowatts; }
  double air_m3_h(double kilowatts, double delta_kelvin) const;
  const NodePower* power_of(std::string_view kind) const;
};

/// What an exchange between cards really reaches. `accelerator` or `architecture` says whose figure it is.
struct Exchange {
  std::string accelerator, architecture;
  std::string over;  ///< "nvlink", "pcie", "network", "metaxlink"
  std::uint32_t cards = 2;
  Range gbs;                       ///< all-reduce: bus bandwidth
  std::optional<double> small_us;  ///< microseconds of an all-reduce of 16 KB
};

/// Share of the peak that was measured.
struct Share {
  std::string accelerator, architecture;
  Range share;
};

struct Interconnect {
  std::vector<Exchange> all_reduce, pair;
  std::vector<Exchange> host;                              ///< from host memory to the card
  std::vector<std::pair<std::uint32_t, Range>> pcie_gbs;   ///< by generation, ×16
  std::vector<std::pair<std::string, Range>> network_gbs;  ///< "400G"
  std::vector<Share> stream, decode;  ///< of memory bandwidth: a plain stream, a decoding matrix product
  std::vector<std::string> sources;

  /// Measured all-reduce of so many such cards, the card's own figure before its architecture's.
  const Exchange* all_reduce_of(const Accelerator& accelerator, std::string_view over, std::uint32_t cards) const;
  std::optional<Range> pcie_of(std::uint32_t generation) const;
};

struct Platforms {
  std::vector<Platform> platforms;
  Facility facility;
  Interconnect interconnect;
};

/// Reads assets/platforms.json. Errors: those of parse_json, and platforms.malformed {id, field}.
Result<Platforms> platforms_from_json(std::string_view text);

const Platform* find_platform(std::span<const Platform> all, std::string_view id);

/// A node that is in no list.
Platform custom_platform(std::uint32_t cards);

}  // namespace vram
