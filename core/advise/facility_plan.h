// The room of a plan: which node, how many of them, what they draw and give off, whether the cards fit; and backwards,
// what a rack of the scenario's power could serve.
//
//   FacilityPlan plan = plan_facility(inputs, library.platforms).value();
//   plan.nodes, plan.room.racks, plan.room.nameplate_kw
//
// Modules (SXM, OAM) stand on a board that is bought and fed whole: their node counts all of its places, whatever the
// scenario uses of them. Cards for slots are counted one by one.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/facility/fit_check.h"
#include "core/facility/room.h"
#include "core/plan/plan.h"

namespace vram {

/// "My rack has 12 kW": what stands in one rack, and whom it serves.
struct RackAnswer {
  std::optional<double> kilowatts;      ///< of one rack; nothing when its feeds are unlimited
  std::uint32_t nodes = 0;
  facility::RackLimit limit = facility::RackLimit::none;
  int devices = 0;
  std::int64_t users = 0;               ///< of the first deployment at its context; 0 of a training job
};

struct FacilityPlan {
  Platform platform;
  bool platform_is_assumed = false;     ///< nobody named one and none is sold with this card: only places are known
  std::uint32_t nodes = 1;              ///< with the spare ones
  std::uint32_t spare = 0;
  std::uint32_t cards_in_node = 1;      ///< as bought
  std::uint32_t cards_used = 1;         ///< of all nodes that are not spare
  facility::RoomPlan room;
  std::vector<facility::Finding> findings;   ///< none when the platform is assumed
  std::vector<Message> notes;           ///< besides those of `room`

  std::uint32_t cards_bought() const { return nodes * cards_in_node; }
};

/// The platform that the scenario names, or the usual one: the first server that is sold with the card, a whole rack
/// when it is sold in nothing less, otherwise a node of which only the number of places is known. Errors:
/// facility.unknown_node {node}.
Result<Platform> platform_of(const Scenario& scenario, const Accelerator& accelerator, const Platforms& platforms);

/// The platforms that can be named, those that are sold with the card first.
std::vector<const Platform*> platforms_for(const Accelerator& accelerator, const Platforms& platforms);

/// The feeds, limits and air of the scenario. A rack's own limit in kW stands for its circuits.
facility::Room room_of(const Scenario& scenario);

/// kW of one rack: its own limit, or what its feeds carry.
std::optional<double> rack_kw_of(const Scenario& scenario, const Facility& facility);

/// Nodes for `devices` of the accelerator, without the scenario's more_cards. Cheap: power and a list of findings.
FacilityPlan plan_facility(const Scenario& scenario, const Accelerator& accelerator, int devices,
                           const Platform& platform, const Facility& facility);

/// The same of a plan's inputs; several kinds of cards count by the mean of their power. Errors: platform_of()'s.
Result<FacilityPlan> plan_facility(const Inputs& inputs, const Platforms& platforms);

/// What a buyer has to hear with the answer: modules that are sold on whole boards, a card that is no longer made or not
/// sold everywhere, a licence that keeps it out of data centres.
std::vector<Message> buying_notes(const Inputs& inputs, const FacilityPlan& plan);

/// What one rack of this room could serve, found by planning.
RackAnswer rack_answer(const Inputs& inputs, const FacilityPlan& plan, const Facility& facility);

}  // namespace vram
