#include "core/advise/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/advise/facility_plan.h"
#include "core/advise/growth.h"
#include "core/advise/option_formats.h"
#include "core/advise/option_rank.h"
#include "core/advise/performance.h"
#include "core/advise/workload.h"

namespace vram {
namespace {

/// More than so many times the fewest devices that will do is the same answer again.
constexpr int kMostTimes = 4;
constexpr std::array<std::string_view, 2> kShards = {"auto", "fsdp"};
constexpr std::array<std::string_view, 3> kRecomputes = {"auto", "selective", "none"};

bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

/// Pools of a family of devices that were never measured are to be tried out first.
bool is_to_pilot(const Accelerator& card) {
  const bool measured = card.usable_is() == UsableIs::measured && card.verified("bandwidth_gbs");
  return card.vendor != "NVIDIA" || !measured;
}

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

Bytes exact_bytes(const Plan& plan) {
  Bytes most;
  for (int device = 0; device < plan.devices; ++device) {
    Bytes here;
    for (const Entry& entry : plan.ledger) {
      if (entry.on(device) && entry.certainty == Certainty::exact && entry.term != Term::reserve) here += entry.likely;
    }
    most = std::max(most, here);
  }
  return most;
}

double share_of(const speed::Speed& speed, speed::Cause cause) {
  for (const speed::Limit& limit : speed.limits) {
    if (limit.cause == cause) return limit.share;
  }
  return 0;
}

/// One way to use so many devices.
struct Way {
  std::size_t choice = 0;          ///< of the weight formats
  int replicas = 1;
  bool by_layers = false;
  std::string_view shard = "auto", recompute = "auto";
};

struct Met {
  Hurdle hurdle = Hurdle::not_sold;
  Message reason;
};

}  // namespace

std::string_view hurdle_key(Hurdle hurdle) {
  constexpr std::array<std::string_view, 12> keys = {"not_sold", "unknown", "vendor", "form",          "platform", "feed",
                                                     "format",   "memory",  "tight",  "speed_unknown", "speed",    "beaten"};
  return keys[static_cast<std::size_t>(hurdle)];
}

struct OptionSearch::State {
  Scenario scenario;
  const Library* library = nullptr;
  std::vector<Model> stored;
  std::optional<Message> problem;
  bool training = false, has_rate = false, bounded = false;
  std::vector<WeightChoice> choices;
  std::vector<std::optional<Inputs>> prepared;   ///< by choice; its card and devices change
  std::vector<Bytes> weights;                    ///< by choice, of the text parts

  std::vector<Accelerator> cards;
  std::size_t featured = 0;                      ///< cards of the short list, in front
  std::size_t at_card = 0;
  bool card_open = false;
  Platform platform;
  std::vector<std::size_t> runs;                 ///< choices that this card runs
  std::map<std::size_t, int> fewest;             ///< devices, by choice
  std::vector<int> counts;
  std::size_t at_count = 0, at_way = 0;
  std::vector<Way> ways;                         ///< of the current count
  FacilityPlan facility;
  int plans = 0;
  /// Exact bytes of a device, by weights, small cache, devices, replicas, cut by layers, cards of a node.
  std::map<std::tuple<std::size_t, bool, int, int, bool, int>, Bytes> exact;

  std::map<std::string, std::vector<Option>> fronts;      ///< by vendor
  std::map<std::string, Met> met;                         ///< by accelerator: the furthest hurdle
  std::map<std::string, Option> best;                     ///< by accelerator: its cheapest option
  mutable std::vector<Option> front;
  mutable bool front_is_old = true;

  const Accelerator& card() const { return cards[at_card]; }
  void meet(Hurdle hurdle, Message reason) {
    Met& known = met[card().id];
    if (known.reason.key.empty() || hurdle > known.hurdle) known = {hurdle, std::move(reason)};
  }
  Message out(Hurdle hurdle) const {
    return Message("options.out." + std::string(hurdle_key(hurdle))).with("gpu", card().name);
  }

  void start(std::vector<Model> models);
  bool open_card();
  void list_counts();
  bool open_count();
  bool next();
  bool hopeless(const Way& way, int devices);
  int attempt(const Way& way, int devices);
  bool try_plan(Inputs& inputs, const Way& way, int devices, bool small_cache);
  void take(const Inputs& inputs, const Plan& plan, const Way& way, bool small_cache);
};

void OptionSearch::State::start(std::vector<Model> models) {
  training = trains(scenario);
  scenario.more_cards.clear();
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
    if (!training) one.deployments.front().weights = std::string(choices[i].weights);
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
  runs.clear();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (training || runs_weights(one, choices[i], stored.front())) runs.push_back(i);
  }
  // What is stored in fewer bits is blown up to sixteen only where nothing smaller runs.
  const bool has_smaller = std::any_of(runs.begin(), runs.end(),
                                       [&](std::size_t i) { return !is_fallback(choices[i], stored.front()); });
  if (has_smaller && !training) {
    std::erase_if(runs, [&](std::size_t i) {
      return is_fallback(choices[i], stored.front()) && choices[i].weights != scenario.deployments.front().weights;
    });
  }
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
    const bool whole_nodes = n > places && n % places == 0 && is_power_of_two(n / places);
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
      if (!card().link && devices > replicas) ways.push_back({.choice = choice, .replicas = replicas, .by_layers = true});
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
bool OptionSearch::State::hopeless(const Way& way, int devices) {
  if (!bounded) return false;
  const Bytes usable = card().usable();
  const auto copy = static_cast<std::uint64_t>(devices / way.replicas);
  Bytes needed = bytes_from(static_cast<double>(weights[way.choice].value()) / static_cast<double>(copy));
  const int per_node = static_cast<int>(card().per_node.value_or(8));
  const auto known = exact.find({way.choice, false, devices, way.replicas, way.by_layers, per_node});
  // The small cache may still fit where the model's own does not, so only what has no smaller one is bound by it.
  const bool may_shrink = scenario.deployments.front().kv == "auto";
  if (known != exact.end() && !may_shrink) needed = std::max(needed, known->second);
  const auto small = exact.find({way.choice, true, devices, way.replicas, way.by_layers, per_node});
  if (small != exact.end() && may_shrink) needed = std::max(needed, small->second);
  if (needed <= usable) return false;
  meet(Hurdle::memory, out(Hurdle::memory).with("count", std::int64_t{devices}).with("missing", needed - usable));
  return true;
}

/// Plans made.
int OptionSearch::State::attempt(const Way& way, int devices) {
  if (hopeless(way, devices)) return 0;
  Inputs& inputs = *prepared[way.choice];
  Scenario& now = inputs.scenario;
  now = scenario;
  now.accelerator = card().id;
  now.devices = devices;
  Deployment& first = now.deployments.front();
  if (training) {
    now.shard = std::string(way.shard);
    if (way.recompute != "auto") now.recompute = std::string(way.recompute);
    try_plan(inputs, way, devices, false);
    return 1;
  }
  first.weights = std::string(choices[way.choice].weights);
  first.replicas = way.replicas;
  first.stages = 0;
  if (scenario.deployments.size() == 1) first.split = way.by_layers ? "layers" : "auto";
  if (has_rate) now = with_concurrency(inputs, library->platforms.interconnect);
  if (try_plan(inputs, way, devices, false)) return 1;
  const bool by_llamacpp = is_llamacpp(engine_of(first, now, inputs.models.front()));
  const bool eight = by_llamacpp || (card().formats && card().formats->fp8);
  if (first.kv != "auto" || !eight || scenario.least_bits > 8) return 1;
  for (Deployment& deployment : now.deployments) {
    if (deployment.kv == "auto") deployment.kv = by_llamacpp ? "q8_0" : "fp8";
  }
  try_plan(inputs, way, devices, true);
  return 2;
}

/// True when the plan fits.
bool OptionSearch::State::try_plan(Inputs& inputs, const Way& way, int devices, bool small_cache) {
  const Plan plan = make_plan(inputs);
  ++plans;
  const int per_node = static_cast<int>(card().per_node.value_or(8));
  if (bounded && !has_rate) {
    exact[{way.choice, small_cache, devices, way.replicas, way.by_layers, per_node}] = exact_bytes(plan);
  }
  const auto count = static_cast<std::int64_t>(devices);
  if (plan.verdict == Verdict::does_not_fit) {
    if (plan.refusal) meet(Hurdle::memory, *plan.refusal);
    else meet(Hurdle::memory, out(Hurdle::memory).with("count", count).with("missing", plan.shortage()));
    return false;
  }
  if (plan.verdict != Verdict::fits) {
    meet(Hurdle::tight, out(Hurdle::tight).with("count", count).with("percent", scenario.headroom));
    return false;
  }
  const bool uses_all = training || std::all_of(plan.placed.begin(), plan.placed.end(), [](const Placed& placed) {
    return placed.split.used() == placed.devices;
  });
  if (uses_all) take(inputs, plan, way, small_cache);
  return true;
}

/// A plan that fits: its figures, whether it is quick enough, whether something beats it.
void OptionSearch::State::take(const Inputs& inputs, const Plan& plan, const Way& way, bool small_cache) {
  Option option;
  option.accelerator = card().id;
  option.gpu = card().name;
  option.vendor = card().vendor;
  option.devices = plan.devices;
  option.nodes = static_cast<int>(facility.nodes);
  option.bought = static_cast<int>(facility.cards_bought());
  option.split = plan.placed.front().split;
  option.verdict = plan.verdict;
  option.headroom_share = plan.headroom_share();
  option.weight_bits = choices[way.choice].bits;
  option.cache_bits = small_cache ? 8 : 16;
  option.load_kw = facility.room.load_kw;
  option.nameplate_kw = facility.room.nameplate_kw;
  option.to_pilot = is_to_pilot(card());

  double link_share = 0;
  if (training) {
    if (const std::optional<speed::TrainingTime> time = job_time(inputs, plan)) {
      option.hours = speed::Band{time->hours_low, time->hours, time->hours_high};
    }
  } else {
    std::size_t writes = 0;
    while (writes + 1 < inputs.models.size() && !inputs.models[writes].generates) ++writes;
    const Result<speed::Speed> speed = performance(inputs, plan, library->platforms.interconnect, writes);
    if (speed) {
      option.first_token_s = speed.value().first_token;
      option.per_user = speed.value().per_user;
      option.total = speed.value().total;
      link_share = share_of(speed.value(), speed::Cause::link);
    } else if (scenario.want_first_token_s > 0 || scenario.want_tokens_s > 0) {
      meet(Hurdle::speed_unknown, speed.error());
      return;
    }
  }
  const auto devices = static_cast<std::int64_t>(plan.devices);
  if (scenario.want_tokens_s > 0 && option.per_user && option.per_user->likely < scenario.want_tokens_s) {
    const bool by_link = link_share > 0.3;
    meet(Hurdle::speed, Message(by_link ? "options.out.speed_link" : "options.out.speed")
                            .with("gpu", card().name).with("count", devices)
                            .with("tps", option.per_user->likely).with("wanted", scenario.want_tokens_s)
                            .with("percent", std::int64_t{std::llround(link_share * 100)}));
    return;
  }
  if (scenario.want_first_token_s > 0 && option.first_token_s &&
      option.first_token_s->likely > scenario.want_first_token_s) {
    meet(Hurdle::speed, Message("options.out.first_token")
                            .with("gpu", card().name).with("count", devices)
                            .with("seconds", option.first_token_s->likely).with("wanted", scenario.want_first_token_s));
    return;
  }
  const auto known = fewest.find(way.choice);
  if (known == fewest.end()) fewest[way.choice] = plan.devices;
  meet(Hurdle::beaten, {});
  std::vector<Option>& front_of_vendor = fronts[option.vendor];
  const bool stands = enters(front_of_vendor, option);
  std::vector<Option> cheapest;
  if (const auto mine = best.find(option.accelerator); mine != best.end()) cheapest.push_back(mine->second);
  cheapest.push_back(option);
  if (cheapest.size() == 1 || least_of(cheapest) == 1U) best[option.accelerator] = option;
  if (!stands) return;

  option.scenario = inputs.scenario;
  const auto note = [&](Message message) { option.notes.push_back(std::move(message)); };
  if (option.to_pilot) note(Message("options.note.pilot").with("gpu", option.gpu));
  const bool quantised = !training && option.weight_bits < stored_bits(stored.front());
  if (quantised) {
    note(Message("options.note.quantised")
             .with("format", MessageKey{"choice.weights." + std::string(choices[way.choice].weights)}));
  }
  if (small_cache) note(Message("options.note.small_cache"));
  if (!card().link && plan.devices > 1 && link_share > 0) {
    note(Message("options.note.exchange").with("percent", std::int64_t{std::llround(link_share * 100)}));
  }
  for (const Message& said : facility.notes) note(said);
  enter(front_of_vendor, std::move(option));
  front_is_old = true;
}

OptionSearch::OptionSearch(const Scenario& scenario, const Library& library, std::vector<Model> stored_models)
    : state_(std::make_unique<State>()) {
  state_->scenario = scenario;
  state_->library = &library;
  state_->start(std::move(stored_models));
}

OptionSearch::~OptionSearch() = default;
OptionSearch::OptionSearch(OptionSearch&&) noexcept = default;
OptionSearch& OptionSearch::operator=(OptionSearch&&) noexcept = default;

bool OptionSearch::step(int candidates) {
  State& state = *state_;
  while (state.next()) {
    if (candidates <= 0) return true;
    candidates -= state.attempt(state.ways[state.at_way++], state.counts[state.at_count]);
  }
  return false;
}

const std::optional<Message>& OptionSearch::problem() const { return state_->problem; }
bool OptionSearch::short_list_done() const { return state_->at_card >= state_->featured; }
int OptionSearch::planned() const { return state_->plans; }

double OptionSearch::progress() const {
  if (state_->cards.empty()) return 1;
  return static_cast<double>(state_->at_card) / static_cast<double>(state_->cards.size());
}

const std::vector<Option>& OptionSearch::front() const {
  State& state = *state_;
  if (!state.front_is_old) return state.front;
  state.front.clear();
  for (const auto& [vendor, options] : state.fronts) {
    for (const Option& option : options) {
      if (enters(state.front, option)) enter(state.front, option);
    }
  }
  sort_by_cost(state.front);
  state.front_is_old = false;
  return state.front;
}

Suggestions OptionSearch::suggestions() const {
  const std::vector<Option>& all = front();
  Suggestions named;
  named.least = least_of(all);
  named.balanced = balanced_of(all);
  const auto is_named = [&](std::size_t i) { return i == named.least || i == named.balanced; };
  for (std::size_t i = 0; i < all.size() && !named.grows; ++i) {
    const Option& option = all[i];
    const bool holds_quality = !named.balanced || option.weight_bits >= all[*named.balanced].weight_bits;
    if (is_named(i) || !holds_quality || trains(state_->scenario)) continue;
    Result<Inputs> then = resolve(grown(option.scenario, kUsualGrowth), *state_->library, state_->stored);
    if (then && make_plan(then.value()).verdict == Verdict::fits) named.grows = i;
  }
  if (named.balanced == named.least) named.balanced.reset();
  return named;
}

std::vector<Option> OptionSearch::best_of_vendors() const {
  std::vector<Option> best;
  for (const auto& [vendor, options] : state_->fronts) {
    if (const std::optional<std::size_t> one = balanced_of(options)) best.push_back(options[*one]);
  }
  std::stable_partition(best.begin(), best.end(), [](const Option& option) { return option.vendor == "NVIDIA"; });
  return best;
}

std::vector<RuledOut> OptionSearch::ruled_out() const {
  const std::vector<Option>& all = front();
  std::vector<RuledOut> out;
  for (std::size_t i = 0; i < std::min(state_->at_card, state_->cards.size()); ++i) {
    const Accelerator& card = state_->cards[i];
    const auto met = state_->met.find(card.id);
    const bool offered = std::any_of(all.begin(), all.end(),
                                     [&](const Option& option) { return option.accelerator == card.id; });
    if (offered || met == state_->met.end()) continue;
    RuledOut one{card.id, card.name, card.vendor, met->second.hurdle, met->second.reason};
    if (one.hurdle == Hurdle::beaten) {
      const Option& mine = state_->best.at(card.id);
      const auto by = std::find_if(all.begin(), all.end(), [&](const Option& o) { return dominates(o, mine); });
      const Option& better = by != all.end() ? *by : all.front();
      one.reason = Message("options.out.beaten")
                       .with("gpu", card.name).with("count", std::int64_t{mine.devices})
                       .with("better", better.gpu).with("better_count", std::int64_t{better.devices});
    }
    out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(), [](const RuledOut& a, const RuledOut& b) { return a.hurdle > b.hurdle; });
  return out;
}

}  // namespace vram
