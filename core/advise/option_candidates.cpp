// Which candidates there are: cards, numbers of devices, ways to split them; and which cannot fit.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/advise/option_search.h"
#include "core/advise/performance.h"
#include "core/scenario/measured.h"

namespace vram {
namespace {

/// More than so many times the fewest devices that will do is the same answer again.
constexpr int kMostTimes = 4;
constexpr std::array<std::string_view, 2> kShards = {"auto", "fsdp"};
constexpr std::array<std::string_view, 3> kRecomputes = {"auto", "selective", "none"};


bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

bool form_matches(const Accelerator& card, std::string_view form) {
  if (form == "any") return true;
  const bool slot = card.form == FormFactor::pcie || card.form == FormFactor::custom;
  return (form == "pcie") == slot;
}

bool vendor_matches(const Accelerator& card, std::string vendor) {
  std::string name = card.vendor;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return vendor == "any" || name == vendor;
}

}  // namespace

void OptionSearch::State::start(std::vector<Model> models) {
  training = trains(scenario);
  scenario.more_cards.clear();
  scenario.offload = "no";  // what is bought holds everything: host memory is a way out, not a purchase
  for (Deployment& deployment : scenario.deployments) drop_measured(deployment);  // of another start than these
  if (models.empty()) {
    const Result<Inputs> inputs = [&] {
      Scenario as_stored = scenario;
      for (Deployment& deployment : as_stored.deployments) deployment.weights = "stored";
      return resolve(as_stored, *library);
    }();
    if (!inputs) {
      problem = inputs.error();
      return;
    }
    models = inputs.value().models;
  }
  stored = std::move(models);
  has_rate = std::any_of(scenario.deployments.begin(), scenario.deployments.end(),
                         [](const Deployment& deployment) { return deployment.rate > 0; });
  choices = training ? std::vector<WeightChoice>{{"stored", stored_bits(stored.front())}}
                     : weight_choices(scenario, stored.front());
  prepared.resize(choices.size());
  weights.resize(choices.size());
  bounded = !training && scenario.offload == "no";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Scenario one = scenario;
    if (!training) set_weights(one, choices[i], stored);
    Result<Inputs> inputs = resolve(one, *library, stored);
    if (!inputs) {
      problem = inputs.error();
      return;
    }
    prepared[i] = std::move(inputs).value();
    prepared[i]->others.clear();
    for (const Model& model : prepared[i]->models) weights[i] += weight_bytes(model, Part::text);
    for (std::size_t d = 0; d < stored.size(); ++d) {
      const Model& model = prepared[i]->models[d];
      bounded = bounded && !is_llamacpp(engine_of(one.deployments[d], one, model));
    }
  }
  if (scenario.accelerator == "custom") cards.push_back(prepared.front()->accelerator);
  for (const Accelerator* one : featured_accelerators(library->accelerators)) cards.push_back(*one);
  featured = cards.size();
  for (const Accelerator& one : library->accelerators) {
    if (one.featured == 0) cards.push_back(one);
  }
}

/// Does the card run the weights of all deployments but the first?
bool OptionSearch::State::runs_others(const Accelerator& one, const Scenario& asked) const {
  for (std::size_t i = 1; i < asked.deployments.size(); ++i) {
    if (!runs_weights(one, {asked.deployments[i].weights}, stored[i])) return false;
  }
  return true;
}

/// All that can be said of a card without planning; false when it is out.
bool OptionSearch::State::open_card() {
  const Accelerator& one = card();
  const bool is_own = one.id == scenario.accelerator;
  const auto fail = [&](Hurdle hurdle, Message reason) {
    meet(hurdle, std::move(reason));
    return false;
  };
  const bool gone = one.status == Status::announced || (one.status == Status::eol && one.featured == 0);
  if (gone && !is_own) return fail(Hurdle::not_sold, out(Hurdle::not_sold));
  if (one.usable() == Bytes(0)) return fail(Hurdle::unknown, out(Hurdle::unknown));
  if (!vendor_matches(one, scenario.vendor)) {
    return fail(Hurdle::vendor, out(Hurdle::vendor).with("vendor", one.vendor));
  }
  if (!form_matches(one, scenario.form)) return fail(Hurdle::form, out(Hurdle::form));
  Result<Platform> found = platform_of(scenario, one, library->platforms);
  if (!found) {
    problem = found.error();
    return false;
  }
  platform = std::move(found).value();
  runs = training ? std::vector<std::size_t>{0} : worth_trying(one, choices, scenario, stored.front());
  std::erase_if(runs, [&](std::size_t i) { return !runs_others(one, prepared[i]->scenario); });
  if (runs.empty()) {
    return fail(Hurdle::format, out(Hurdle::format).with("bits", scenario.least_bits));
  }
  for (const std::size_t i : runs) prepared[i]->accelerator = one;
  list_counts();
  fewest.clear();
  at_count = 0;
  return true;
}

/// 1, 2, 4, 8, numbers that divide the heads, and whole nodes.
void OptionSearch::State::list_counts() {
  counts.clear();
  const int places = static_cast<int>(platform.cards > 0 ? platform.cards : 8);
  const auto& dims = stored.front().dims;
  const auto heads = static_cast<int>(dims.num_attention_heads), keys = static_cast<int>(dims.num_key_value_heads);
  const auto most = static_cast<int>(scenario.most_devices);
  for (int n = 1; n <= most; ++n) {
    const bool divides = heads > 0 && heads % n == 0 && (keys == 0 || keys % n == 0 || n % keys == 0);
    const bool in_node = n <= places && (is_power_of_two(n) || divides || n == places);
    // Systems on a chip are no servers: several of them are a network of desktops.
    const bool joins = card().form != FormFactor::soc;
    const bool whole_nodes = joins && n > places && n % places == 0 && is_power_of_two(n / places);
    if (in_node || whole_nodes) counts.push_back(n);
  }
}

/// The node for so many devices, and the ways to use them; false when the node does not do.
bool OptionSearch::State::open_count() {
  const int devices = counts[at_count];
  ways.clear();
  at_way = 0;
  facility = plan_facility(scenario, card(), devices, platform, library->platforms.facility);
  for (const facility::Finding& finding : facility.findings) {
    if (finding.fits != facility::Fits::no) continue;
    meet(Hurdle::platform, finding.message);
    return false;
  }
  const facility::RackFit& fit = facility.room.fit;
  if (fit.nodes == 0 && fit.limit == facility::RackLimit::power) {
    const double needed = facility.room.node.nameplate.range.high / 1000;
    const std::optional<double> has = rack_kw_of(scenario, library->platforms.facility);
    meet(Hurdle::feed, out(Hurdle::feed).with("kw", needed).with("has", has.value_or(0)));
    return false;
  }
  for (const std::size_t choice : runs) {
    const auto known = fewest.find(choice);
    if (known != fewest.end() && devices > known->second * kMostTimes) continue;
    if (training) {
      for (const std::string_view shard : kShards) {
        if (shard != "auto" && devices == 1) continue;
        for (const std::string_view recompute : kRecomputes) {
          ways.push_back({.choice = choice, .shard = shard, .recompute = recompute});
        }
      }
      continue;
    }
    const int most_replicas = scenario.deployments.size() == 1 ? devices : 1;
    for (int replicas = 1; replicas <= most_replicas; replicas *= 2) {
      if (devices % replicas != 0) continue;
      ways.push_back({.choice = choice, .replicas = replicas});
      // Without a link, stages exchange far less than parts of layers do.
      if (!card().link && devices > replicas)
        ways.push_back({.choice = choice, .replicas = replicas, .by_layers = true});
    }
  }
  return true;
}

/// Moves to the next candidate; false when there is none.
bool OptionSearch::State::next() {
  while (at_card < cards.size() && !problem) {
    if (!card_open) {
      card_open = open_card();
      if (!card_open) {
        ++at_card;
        continue;
      }
      while (at_count < counts.size() && !open_count()) ++at_count;
    }
    if (at_count < counts.size() && at_way < ways.size()) return true;
    do {
      ++at_count;
    } while (at_count < counts.size() && !open_count());
    if (at_count >= counts.size()) {
      card_open = false;
      ++at_card;
    }
  }
  return false;
}

/// Cannot fit, whatever else there is on a device.
bool OptionSearch::State::hopeless(const Way& way, int devices, bool small_cache) {
  if (!bounded) return false;
  const auto copy = static_cast<double>(devices / way.replicas);
  Bytes needed = bytes_from(static_cast<double>(weights[way.choice].value()) / copy);
  const auto known = exact.find(layout(way, devices, small_cache));
  if (known != exact.end()) needed = std::max(needed, known->second);
  if (needed <= card().usable()) return false;
  const Bytes missing = needed - card().usable();
  meet(Hurdle::memory, out(Hurdle::memory).with("count", std::int64_t{devices}).with("missing", missing),
       gibibytes(missing));
  return true;
}

}  // namespace vram
