// Electrical power of nodes, and the feeds that carry it.
//
// Three figures that must not be mixed up:
//   nameplate  circuits and power supplies are sized by it; nothing may draw more
//   load       what measurements showed under full work: heat, cooling and energy follow from it
//   idle       what runs through the night
// 8 × B200 in air: nameplate 14.3 kW, measured 10.4 kW = 1.30 × the cards' 8 kW.
//
// Where nobody published or measured a node, ratios of its class are taken (facts: hardware.md, section 6) and said so.
//
//   Feed {3 phases, 32 A}: 3 × 230 V × 32 A = 22.08 kVA, of which 80 % may flow continuously = 17.66 kVA
//   two such feeds as 2N: each must carry everything alone, so both together carry 17.66 kVA
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"

namespace vram::facility {

/// Where a figure comes from.
enum class Basis : std::uint8_t { unknown, measured, published, ratio };
std::string_view basis_key(Basis basis);       ///< "unknown", "measured", "published", "ratio"

/// How a node is built, as far as its power goes.
enum class NodeClass : std::uint8_t { sxm_air, sxm_liquid, pcie_8, workstation };
std::string_view node_class_key(NodeClass node_class);   ///< "sxm_air", … ; the same as in platforms.json

/// Accelerators of one kind in one node; `platform` is null when nobody chose one yet.
struct Node {
  const Accelerator* accelerator = nullptr;
  const Platform* platform = nullptr;
  std::uint32_t cards = 8;
};

struct Watts {
  Range range;
  Basis basis = Basis::unknown;
  bool known() const { return basis != Basis::unknown; }
};

struct NodePower {
  NodeClass node_class = NodeClass::sxm_air;
  Watts cards;         ///< the cards alone, at their limit
  Watts nameplate, load, idle;
};

NodeClass class_of(const Node& node);

/// Power of one node. Unknown stays unknown: without a card's TDP and a published node there is nothing to say.
NodePower power_of(const Node& node, const Facility& facility);

/// One feed into a rack.
struct Feed {
  std::uint32_t phases = 1;            ///< 1 or 3
  double amperes = 16;
  friend bool operator==(const Feed&, const Feed&) = default;
};

struct Feeds {
  Feed feed;
  std::uint32_t count = 1;             ///< of a rack
  bool redundant = false;              ///< 2N: half of them may fail and everything still runs
  /// Share of a breaker's rating that may flow for hours: 0.8 is the rule of the NEC and good practice elsewhere.
  double continuous = 0.8;
  double power_factor = 0.95;          ///< supplies with correction: 0.95 to 0.99
};

double kva_of(const Feed& feed, const Facility& facility);
/// kW that the feeds of one rack carry continuously.
double usable_kw(const Feeds& feeds, const Facility& facility);

}  // namespace vram::facility
