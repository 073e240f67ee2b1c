#include "core/advise/facility_plan.h"

#include <algorithm>
#include <cstdlib>

#include "core/advise/limits.h"

namespace vram {
namespace {

constexpr std::uint32_t kUsualPlaces = 8;

bool is_sold_with(const Platform& platform, const Accelerator& accelerator) {
  const auto& ids = platform.accelerators;
  return std::find(ids.begin(), ids.end(), accelerator.id) != ids.end();
}

bool is_test_node(const Platform& platform) {
  return std::find(platform.notes.begin(), platform.notes.end(), "test_node") != platform.notes.end();
}

/// A module's board is bought whole.
bool is_on_board(const Accelerator& accelerator) {
  return accelerator.form == FormFactor::sxm || accelerator.form == FormFactor::oam ||
         accelerator.form == FormFactor::superchip;
}

std::uint32_t up(std::uint32_t whole, std::uint32_t part) { return (whole + part - 1) / std::max(1U, part); }

/// "3x32": phases × amperes.
facility::Feed feed_of(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) return {};
  return {static_cast<std::uint32_t>(std::atoi(text.c_str())), std::atof(text.c_str() + cross + 1)};
}

/// One card that stands for all: the mean of their power.
Accelerator mean_card(const Inputs& inputs) {
  Accelerator card = inputs.accelerator;
  if (inputs.others.empty()) return card;
  card.id.clear();  // no platform was measured with such a mix
  double watts = card.tdp_w.value_or(0) * static_cast<double>(inputs.scenario.devices);
  bool known = card.tdp_w.has_value();
  for (const CardGroup& group : inputs.others) {
    known = known && group.card.tdp_w.has_value();
    watts += group.card.tdp_w.value_or(0) * group.count;
  }
  card.tdp_w.reset();
  if (known) card.tdp_w = watts / inputs.devices();
  return card;
}

facility::Node node_of(const Accelerator& accelerator, const Platform& platform, std::uint32_t cards) {
  return {&accelerator, &platform, cards};
}

}  // namespace

Result<Platform> platform_of(const Scenario& scenario, const Accelerator& accelerator, const Platforms& platforms) {
  if (scenario.node != "auto" && !scenario.node.empty()) {
    const Platform* named = find_platform(platforms.platforms, scenario.node);
    if (named == nullptr) return Message("facility.unknown_node").with("node", scenario.node);
    return *named;
  }
  for (const bool whole_rack : {false, true}) {
    for (const Platform& platform : platforms.platforms) {
      const bool usual = (platform.kind == PlatformKind::rack) == whole_rack && !is_test_node(platform);
      if (usual && is_sold_with(platform, accelerator)) return platform;
    }
  }
  return custom_platform(accelerator.per_node.value_or(kUsualPlaces));
}

std::vector<const Platform*> platforms_for(const Accelerator& accelerator, const Platforms& platforms) {
  std::vector<const Platform*> found;
  for (const bool sold_together : {true, false}) {
    for (const Platform& platform : platforms.platforms) {
      if (!is_test_node(platform) && is_sold_with(platform, accelerator) == sold_together) found.push_back(&platform);
    }
  }
  return found;
}

facility::Room room_of(const Scenario& scenario) {
  facility::Room room;
  if (scenario.rack_kw > 0) {
    room.rack_kw = scenario.rack_kw;
  } else {
    facility::Feeds feeds;
    feeds.feed = feed_of(scenario.feed);
    feeds.count = static_cast<std::uint32_t>(std::max<std::int64_t>(1, scenario.feeds));
    feeds.redundant = feeds.count > 1;
    room.feeds = feeds;
  }
  room.delta_kelvin = scenario.delta_t;
  room.pue = scenario.pue;
  room.busy_share = scenario.load;
  return room;
}

std::optional<double> rack_kw_of(const Scenario& scenario, const Facility& facility) {
  const facility::Room room = room_of(scenario);
  if (room.rack_kw || !room.feeds) return room.rack_kw;
  return facility::usable_kw(*room.feeds, facility);
}

FacilityPlan plan_facility(const Scenario& scenario, const Accelerator& accelerator, int devices,
                           const Platform& platform, const Facility& facility) {
  FacilityPlan plan;
  plan.platform = platform;
  plan.platform_is_assumed = platform.kind == PlatformKind::custom;
  plan.cards_used = static_cast<std::uint32_t>(std::max(1, devices));
  const std::uint32_t places = platform.cards > 0 ? platform.cards : kUsualPlaces;
  const std::uint32_t working = up(plan.cards_used, places);
  plan.cards_in_node = is_on_board(accelerator) ? places : up(plan.cards_used, working);
  plan.spare = static_cast<std::uint32_t>(std::max<std::int64_t>(0, scenario.spare_nodes));
  plan.nodes = working + plan.spare;
  const facility::Node node = node_of(accelerator, plan.platform, plan.cards_in_node);
  plan.room = facility::plan_room(node, plan.nodes, room_of(scenario), facility);
  // A node that nobody named has nothing to be checked against.
  if (!plan.platform_is_assumed) {
    plan.findings = facility::check_fit(accelerator, plan.cards_in_node, plan.platform);
  }
  const std::uint32_t left = working * plan.cards_in_node - plan.cards_used;
  if (is_on_board(accelerator) && left > 0) {
    plan.notes.push_back(Message("facility.note.whole_board")
                             .with("count", std::int64_t{plan.cards_in_node})
                             .with("left", std::int64_t{left}));
  }
  if (plan.platform_is_assumed) {
    plan.notes.push_back(Message("facility.note.node_assumed").with("gpu", accelerator.name));
  }
  return plan;
}

Result<FacilityPlan> plan_facility(const Inputs& inputs, const Platforms& platforms) {
  const Result<Platform> platform = platform_of(inputs.scenario, inputs.accelerator, platforms);
  if (!platform) return platform.error();
  return plan_facility(inputs.scenario, mean_card(inputs), inputs.devices(), platform.value(), platforms.facility);
}

std::vector<Message> buying_notes(const Inputs& inputs, const FacilityPlan& plan) {
  std::vector<Message> notes;
  for (const Message& note : plan.notes) {
    if (note.key == "facility.note.whole_board") notes.push_back(note);
  }
  const auto of_card = [&](const Accelerator& card) {
    const Status status = card.status;
    if (status != Status::current && status != Status::previous && status != Status::unknown) {
      notes.push_back(Message("buying.status")
                          .with("gpu", card.name)
                          .with("status", MessageKey{"accelerator.status." + std::string(status_key(status))}));
    }
    const bool bound = std::find(card.notes.begin(), card.notes.end(), "geforce_datacentre") != card.notes.end();
    const Message licence("accelerator.note.geforce_datacentre");
    if (bound && std::find(notes.begin(), notes.end(), licence) == notes.end()) notes.push_back(licence);
  };
  of_card(inputs.accelerator);
  for (const CardGroup& group : inputs.others) of_card(group.card);
  return notes;
}

RackAnswer rack_answer(const Inputs& inputs, const FacilityPlan& plan, const Facility& facility) {
  RackAnswer answer;
  answer.kilowatts = rack_kw_of(inputs.scenario, facility);
  answer.nodes = plan.room.fit.nodes;
  answer.limit = plan.room.fit.limit;
  answer.devices = static_cast<int>(answer.nodes * plan.cards_in_node);
  if (answer.nodes == 0 || trains(inputs.scenario)) return answer;
  Inputs filled = inputs;
  filled.others.clear();
  filled.scenario.more_cards.clear();
  filled.scenario.devices = answer.devices;
  // More nodes carry more copies of the model, not one that is cut further.
  const auto used = static_cast<std::int64_t>(plan.cards_used);
  for (Deployment& deployment : filled.scenario.deployments) {
    deployment.replicas = std::max<std::int64_t>(1, deployment.replicas * answer.devices / used);
  }
  answer.users = most_users(filled);
  return answer;
}

}  // namespace vram
