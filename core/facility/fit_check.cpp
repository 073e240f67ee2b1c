#include "core/facility/fit_check.h"

#include <algorithm>
#include <array>
#include <string>

namespace vram::facility {
namespace {

Finding finding(Aspect aspect, Fits fits) {
  const std::string key = "facility.fit." + std::string(aspect_key(aspect)) + "." + std::string(fits_key(fits));
  return {aspect, fits, Message(key)};
}

bool is_sold_with(const Accelerator& accelerator, const Platform& platform) {
  const auto& ids = platform.accelerators;
  return std::find(ids.begin(), ids.end(), accelerator.id) != ids.end();
}

Finding sold_with(Aspect aspect) { return {aspect, Fits::yes, Message("facility.fit.sold_with")}; }

/// Modules are soldered or screwed to a board; cards go into slots.
bool is_card(const Accelerator& accelerator) { return accelerator.form == FormFactor::pcie; }

Finding form(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::form);
  if (accelerator.form == FormFactor::unknown || accelerator.form == FormFactor::custom) {
    return finding(Aspect::form, Fits::unknown);
  }
  // A module is screwed to its own board: a node that is not sold with it has no place for it.
  if (!is_card(accelerator)) return finding(Aspect::form, Fits::no);
  return finding(Aspect::form, platform.slots ? Fits::yes : Fits::unknown);
}

Finding count(const Accelerator& accelerator, std::uint32_t cards, const Platform& platform) {
  const std::uint32_t places = platform.slots ? platform.slots->count : platform.cards;
  const std::uint32_t on_card = std::max(1U, accelerator.devices_on_card);
  const std::uint32_t needed = (cards + on_card - 1) / on_card;
  if (places == 0) return finding(Aspect::count, Fits::unknown);
  Finding made = finding(Aspect::count, needed <= places ? Fits::yes : Fits::no);
  made.message.with("needed", static_cast<std::int64_t>(needed)).with("places", static_cast<std::int64_t>(places));
  return made;
}

Finding width(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::width);
  if (!accelerator.slots || !platform.slots || platform.slots->width <= 0) return finding(Aspect::width, Fits::unknown);
  Finding made = finding(Aspect::width, *accelerator.slots <= platform.slots->width ? Fits::yes : Fits::no);
  made.message.with("needed", *accelerator.slots).with("has", platform.slots->width);
  return made;
}

Finding profile(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::profile);
  if (accelerator.profile.empty() || !platform.slots || platform.slots->profile.empty()) {
    return finding(Aspect::profile, Fits::unknown);
  }
  // A full-height, full-length slot takes every card; a low one takes only low ones.
  const bool fits = platform.slots->profile == "FHFL" || platform.slots->profile == accelerator.profile;
  Finding made = finding(Aspect::profile, fits ? Fits::yes : Fits::no);
  made.message.with("needed", accelerator.profile).with("has", platform.slots->profile);
  return made;
}

Finding lanes(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::lanes);
  const bool knows = accelerator.pcie && platform.slots && platform.slots->pcie.generation > 0;
  if (!knows) return finding(Aspect::lanes, Fits::unknown);
  // Fewer lanes or an older generation run, only slower: never a reason against.
  const Pcie& card = *accelerator.pcie;
  const Pcie& slot = platform.slots->pcie;
  const bool full = slot.generation >= card.generation && slot.lanes >= card.lanes;
  Finding made = finding(Aspect::lanes, Fits::yes);
  made.message = Message(full ? "facility.fit.lanes.yes" : "facility.fit.lanes.slower")
                     .with("card", static_cast<std::int64_t>(card.generation))
                     .with("card_lanes", static_cast<std::int64_t>(card.lanes))
                     .with("slot", static_cast<std::int64_t>(slot.generation))
                     .with("slot_lanes", static_cast<std::int64_t>(slot.lanes));
  return made;
}

Finding connector(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::connector);
  if (accelerator.connector == "slot") return finding(Aspect::connector, Fits::yes);
  Finding made = finding(Aspect::connector, Fits::unknown);   // no catalogue of node cables exists
  if (!accelerator.connector.empty()) {
    made.message = Message("facility.fit.connector.needs").with("connector", accelerator.connector);
  }
  return made;
}

Finding card_power(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::card_power);
  if (!accelerator.tdp_w || !platform.card_w) return finding(Aspect::card_power, Fits::unknown);
  Finding made = finding(Aspect::card_power, *accelerator.tdp_w <= *platform.card_w ? Fits::yes : Fits::no);
  made.message.with("needed", *accelerator.tdp_w).with("has", *platform.card_w);
  return made;
}

Finding supplies(const Accelerator& accelerator, std::uint32_t cards, const Platform& platform) {
  if (!platform.supply_rules.empty()) {
    double needed = 0;
    for (const SupplyRule& rule : platform.supply_rules) {
      if (rule.cards >= cards && (needed == 0 || rule.supply_w < needed)) needed = rule.supply_w;
    }
    if (needed == 0) return finding(Aspect::supplies, Fits::no);
    Finding made = finding(Aspect::supplies, Fits::yes);
    made.message = Message("facility.fit.supplies.rule").with("watts", needed);
    return made;
  }
  if (!platform.supplies || !accelerator.tdp_w) return finding(Aspect::supplies, Fits::unknown);
  const PowerSupplies& all = *platform.supplies;
  const double has = (all.count - std::min(all.spare, all.count)) * all.watts;
  const double needed = platform.nameplate_w && is_sold_with(accelerator, platform)
                            ? *platform.nameplate_w
                            : *accelerator.tdp_w * cards + platform.overhead_w.value_or(0);
  Finding made = finding(Aspect::supplies, needed <= has ? Fits::yes : Fits::no);
  made.message.with("needed", needed).with("has", has);
  return made;
}

Finding cooling(const Accelerator& accelerator, const Platform& platform) {
  if (is_sold_with(accelerator, platform)) return sold_with(Aspect::cooling);
  if (accelerator.cooling == Cooling::unknown || platform.cooling == Cooling::unknown) {
    return finding(Aspect::cooling, Fits::unknown);
  }
  const bool blown_through = platform.cooling == Cooling::passive;   // the node's own fans
  switch (accelerator.cooling) {
    case Cooling::passive: return finding(Aspect::cooling, blown_through ? Fits::yes : Fits::no);
    case Cooling::passive_or_liquid:
      return finding(Aspect::cooling, blown_through || platform.cooling == Cooling::liquid ? Fits::yes : Fits::no);
    case Cooling::liquid: return finding(Aspect::cooling, platform.cooling == Cooling::liquid ? Fits::yes : Fits::no);
    case Cooling::active:
      // Open fans blow into the next card: fine in a workstation, not in a full server.
      return finding(Aspect::cooling, blown_through ? Fits::unknown : Fits::yes);
    case Cooling::blower: return finding(Aspect::cooling, Fits::yes);
    case Cooling::unknown: break;
  }
  return finding(Aspect::cooling, Fits::unknown);
}

}  // namespace

std::string_view fits_key(Fits fits) {
  constexpr std::array<std::string_view, 3> keys = {"yes", "no", "unknown"};
  return keys[static_cast<std::size_t>(fits)];
}

std::string_view aspect_key(Aspect aspect) {
  constexpr std::array<std::string_view, 9> keys = {"form",      "count",      "width",    "profile", "lanes",
                                                    "connector", "card_power", "supplies", "cooling"};
  return keys[static_cast<std::size_t>(aspect)];
}

std::vector<Finding> check_fit(const Accelerator& accelerator, std::uint32_t cards, const Platform& platform) {
  return {form(accelerator, platform),       count(accelerator, cards, platform),    width(accelerator, platform),
          profile(accelerator, platform),    lanes(accelerator, platform),           connector(accelerator, platform),
          card_power(accelerator, platform), supplies(accelerator, cards, platform), cooling(accelerator, platform)};
}

Fits verdict_of(const std::vector<Finding>& findings) {
  bool all_known = true;
  for (const Finding& one : findings) {
    if (one.fits == Fits::no) return Fits::no;
    all_known &= one.fits == Fits::yes;
  }
  return all_known ? Fits::yes : Fits::unknown;
}

}  // namespace vram::facility
