#include "core/facility/power.h"

#include <algorithm>
#include <array>

namespace vram::facility {
namespace {

double tdp_of(const Node& node) {
  const double tdp = node.accelerator != nullptr ? node.accelerator->tdp_w.value_or(0) : 0;
  const std::uint32_t on_card = node.accelerator != nullptr ? std::max(1U, node.accelerator->devices_on_card) : 1;
  // A board with several accelerators has one power figure.
  return tdp * std::max(1.0, static_cast<double>(node.cards) / on_card);
}

Watts scaled(const Range& of_tdp, double tdp) {
  if (tdp <= 0) return {};
  return {{of_tdp.low * tdp, of_tdp.high * tdp}, Basis::ratio};
}

/// A platform's figures are of the platform as it is sold.
bool is_full(const Node& node) { return node.platform != nullptr && node.cards == node.platform->cards; }

/// Measured figures are of the cards that were in the node; other cards of the same shape draw something else.
bool is_meant(const Node& node) {
  if (!is_full(node) || node.accelerator == nullptr) return false;
  const auto& ids = node.platform->accelerators;
  return ids.empty() || std::find(ids.begin(), ids.end(), node.accelerator->id) != ids.end();
}

}  // namespace

std::string_view basis_key(Basis basis) {
  constexpr std::array<std::string_view, 4> keys = {"unknown", "measured", "published", "ratio"};
  return keys[static_cast<std::size_t>(basis)];
}

std::string_view node_class_key(NodeClass node_class) {
  constexpr std::array<std::string_view, 4> keys = {"sxm_air", "sxm_liquid", "pcie_8", "workstation"};
  return keys[static_cast<std::size_t>(node_class)];
}

NodeClass class_of(const Node& node) {
  const bool liquid = node.platform != nullptr && node.platform->cooling == Cooling::liquid;
  if (node.platform != nullptr) {
    const PlatformKind kind = node.platform->kind;
    if (kind == PlatformKind::workstation || kind == PlatformKind::tower || kind == PlatformKind::desktop) {
      return NodeClass::workstation;
    }
    if (kind == PlatformKind::rack) return NodeClass::sxm_liquid;
  }
  if (node.accelerator == nullptr) return NodeClass::pcie_8;
  switch (node.accelerator->form) {
    case FormFactor::sxm: case FormFactor::oam:
      return liquid || node.accelerator->cooling == Cooling::liquid ? NodeClass::sxm_liquid : NodeClass::sxm_air;
    case FormFactor::superchip: return NodeClass::sxm_liquid;
    case FormFactor::soc: return NodeClass::workstation;
    default: return node.cards >= 4 ? NodeClass::pcie_8 : NodeClass::workstation;
  }
}

NodePower power_of(const Node& node, const Facility& facility) {
  NodePower power;
  power.node_class = class_of(node);
  const double tdp = tdp_of(node);
  if (tdp > 0) power.cards = {{tdp, tdp}, Basis::published};
  const auto* ratios = facility.power_of(node_class_key(power.node_class));
  if (ratios != nullptr) {
    power.load = scaled(ratios->of_tdp, tdp);
    // Where no ratio of nameplates is known, the highest measured load is the least a circuit must carry.
    power.nameplate = ratios->nameplate_of_tdp ? scaled(*ratios->nameplate_of_tdp, tdp)
                                               : Watts{{power.load.range.high, power.load.range.high}, power.load.basis};
  }
  power.idle = scaled(facility.idle_of_tdp, tdp);
  if (!is_meant(node)) return power;
  const Platform& platform = *node.platform;
  if (platform.measured_w) power.load = {*platform.measured_w, Basis::measured};
  else if (platform.typical_w) power.load = {*platform.typical_w, Basis::published};
  if (platform.nameplate_w) power.nameplate = {{*platform.nameplate_w, *platform.nameplate_w}, Basis::published};
  if (platform.idle_w) power.idle = {*platform.idle_w, Basis::measured};
  // A nameplate is never below what was measured.
  if (power.nameplate.known() && power.load.known() && power.nameplate.basis == Basis::ratio) {
    power.nameplate.range.low = std::max(power.nameplate.range.low, power.load.range.high);
    power.nameplate.range.high = std::max(power.nameplate.range.high, power.nameplate.range.low);
  }
  // Ratios of load may pass a published nameplate: then the nameplate is the limit.
  if (power.nameplate.basis == Basis::published && power.load.basis == Basis::ratio) {
    power.load.range.high = std::min(power.load.range.high, power.nameplate.range.high);
    power.load.range.low = std::min(power.load.range.low, power.load.range.high);
  }
  return power;
}

double kva_of(const Feed& feed, const Facility& facility) { return facility.circuit_kva(feed.phases, feed.amperes); }

double usable_kw(const Feeds& feeds, const Facility& facility) {
  const std::uint32_t carrying = feeds.redundant ? feeds.count / 2 : feeds.count;
  return carrying * kva_of(feeds.feed, facility) * feeds.continuous * feeds.power_factor;
}

}  // namespace vram::facility
