#include "core/advise/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/advise/growth.h"
#include "core/advise/option_rank.h"
#include "core/advise/option_search.h"
#include "core/advise/performance.h"
#include "core/advise/workload.h"
#include "core/units/order.h"

namespace vram {
namespace {

/// Exchange that takes more of a request's time is named as the reason.
constexpr double kMuch = 0.3;

/// Pools of a family of devices that were never measured are to be tried out first.
bool is_to_pilot(const Accelerator& card) {
  const bool measured = card.usable_is() == UsableIs::measured && card.verified("bandwidth_gbs");
  return card.vendor != "NVIDIA" || !measured;
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

/// The front of all makers' fronts.
std::vector<Option> joined(const std::map<std::string, std::vector<Option>>& fronts) {
  std::vector<Option> all;
  for (const auto& [vendor, options] : fronts) {
    for (const Option& option : options) {
      if (enters(all, option)) enter(all, option);
    }
  }
  return all;
}

}  // namespace

std::string_view hurdle_key(Hurdle hurdle) {
  constexpr std::array<std::string_view, 12> keys = {"not_sold", "unknown",       "vendor", "form",
                                                     "platform", "feed",          "format", "memory",
                                                     "tight",    "speed_unknown", "speed",  "beaten"};
  return keys[static_cast<std::size_t>(hurdle)];
}

/// Tries one candidate, with a smaller cache where the model's own does not fit. Returns the plans made.
int OptionSearch::State::attempt(const Way& way, int devices) {
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
  set_weights(now, choices[way.choice], stored);
  first.replicas = way.replicas;
  first.stages = 0;
  if (scenario.deployments.size() == 1) first.split = way.by_layers ? "layers" : "auto";
  int made = 0;
  if (!hopeless(way, devices, false)) {
    if (has_rate) now = with_concurrency(inputs, library->platforms.interconnect);
    if (try_plan(inputs, way, devices, false)) return 1;
    ++made;
  }
  const Deployment& tried = now.deployments.front();  // another scenario when users follow from a rate
  const bool by_llamacpp = is_llamacpp(engine_of(tried, now, inputs.models.front()));
  const bool eight = by_llamacpp || (card().formats && card().formats->fp8);
  if (tried.kv != "auto" || !eight || scenario.least_bits > 8 || hopeless(way, devices, true)) return made;
  for (Deployment& deployment : now.deployments) {
    if (deployment.kv == "auto") deployment.kv = by_llamacpp ? "q8_0" : "fp8";
  }
  if (has_rate) now = with_concurrency(inputs, library->platforms.interconnect);
  try_plan(inputs, way, devices, true);
  return made + 1;
}

/// True when the plan fits.
bool OptionSearch::State::try_plan(Inputs& inputs, const Way& way, int devices, bool small_cache) {
  const Plan plan = make_plan(inputs);
  ++plans;
  if (bounded && !has_rate) exact[layout(way, devices, small_cache)] = exact_bytes(plan);
  const auto count = static_cast<std::int64_t>(devices);
  if (plan.verdict == Verdict::does_not_fit) {
    if (plan.refusal) meet(Hurdle::memory, *plan.refusal);
    else meet(Hurdle::memory, out(Hurdle::memory).with("count", count).with("missing", plan.shortage()),
              gibibytes(plan.shortage()));
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
  option.short_list = card().featured > 0 || card().id == scenario.accelerator;
  option.to_pilot = is_to_pilot(card());

  if (training) {
    if (const std::optional<speed::TrainingTime> time = job_time(inputs, plan)) {
      option.hours = speed::Band{time->hours_low, time->hours, time->hours_high};
    }
  } else {
    const std::size_t writes = first_that_generates(inputs);
    const Result<speed::Speed> speed = performance(inputs, plan, library->platforms.interconnect, writes);
    if (speed) {
      option.first_token_s = speed.value().first_token;
      option.per_user = speed.value().per_user;
      option.total = speed.value().total;
      option.link_share = share_of(speed.value(), speed::Cause::link);
    } else if (scenario.want_first_token_s > 0 || scenario.want_tokens_s > 0) {
      meet(Hurdle::speed_unknown, speed.error());
      return;
    }
  }
  const auto devices = static_cast<std::int64_t>(plan.devices);
  if (scenario.want_tokens_s > 0 && option.per_user && option.per_user->likely < scenario.want_tokens_s) {
    const bool by_link = option.link_share > kMuch;
    meet(Hurdle::speed, Message(by_link ? "options.out.speed_link" : "options.out.speed")
                            .with("gpu", card().name).with("count", devices)
                            .with("tps", option.per_user->likely).with("wanted", scenario.want_tokens_s)
                            .with("percent", std::int64_t{std::llround(option.link_share * 100)}),
         scenario.want_tokens_s / option.per_user->likely);
    return;
  }
  if (scenario.want_first_token_s > 0 && option.first_token_s &&
      option.first_token_s->likely > scenario.want_first_token_s) {
    meet(Hurdle::speed, Message("options.out.first_token")
                            .with("gpu", card().name).with("count", devices)
                            .with("seconds", option.first_token_s->likely).with("wanted", scenario.want_first_token_s),
         option.first_token_s->likely / scenario.want_first_token_s);
    return;
  }
  const auto known = fewest.find(way.choice);
  if (known == fewest.end()) fewest[way.choice] = plan.devices;
  meet(Hurdle::beaten, {});
  std::vector<Option>& front_of_vendor = fronts[option.vendor];
  const bool stands = enters(front_of_vendor, option),
             is_listed = option.short_list && enters(listed[option.vendor], option);
  const auto mine = best.find(option.accelerator);
  if (mine == best.end() || is_cheaper(option, mine->second)) best[option.accelerator] = option;
  if (!stands && !is_listed) return;

  option.scenario = inputs.scenario;
  const auto note = [&](Message message) { option.notes.push_back(std::move(message)); };
  if (option.to_pilot) note(Message("options.note.pilot").with("gpu", option.gpu));
  const bool quantised = !training && option.weight_bits < stored_bits(stored.front());
  if (quantised) {
    note(Message("options.note.quantised")
             .with("format", MessageKey{"choice.weights." + std::string(choices[way.choice].weights)}));
  }
  if (quantised && option.scenario.deployments.size() > 1) {
    Scenario asked = scenario;
    const bool follow = set_weights(asked, choices[way.choice], stored);
    note(Message(follow ? "options.note.others_follow" : "options.note.others_as_given")
             .with("format", MessageKey{"choice.weights." + std::string(choices[way.choice].weights)}));
  }
  if (small_cache) note(Message("options.note.small_cache"));
  if (!card().link && plan.devices > 1 && option.link_share > 0) {
    note(Message("options.note.exchange").with("percent", std::int64_t{std::llround(option.link_share * 100)}));
  }
  for (const Message& said : facility.notes) note(said);
  if (is_listed) enter(listed[option.vendor], option);
  if (stands) enter(front_of_vendor, std::move(option));
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

std::vector<Option> OptionSearch::readable_front() const { return worth_naming(front()); }

const std::vector<Option>& OptionSearch::front() const& {
  State& state = *state_;
  if (!state.front_is_old) return state.front;
  state.front = joined(state.fronts);
  sort_by_cost(state.front);
  state.front_is_old = false;
  return state.front;
}

Suggestions OptionSearch::suggestions() const {
  std::vector<Option> all = worth_naming(joined(state_->listed));
  if (all.empty()) all = worth_naming(front());
  sort_by_cost(all);
  Suggestions named;
  if (all.empty()) return named;
  named.least = all.front();
  named.balanced = balanced_of(all);
  if (trains(state_->scenario)) return named;
  for (const Option& option : all) {
    if (quality_of(option) < quality_of(*named.balanced)) continue;
    const Result<Inputs> then = resolve(grown(option.scenario, kUsualGrowth), *state_->library, state_->stored);
    if (!then || make_plan(then.value()).verdict != Verdict::fits) continue;
    named.grows = option;
    break;
  }
  return named;
}

std::vector<Option> OptionSearch::best_of_vendors() const {
  std::vector<Option> best;
  for (const auto& [vendor, options] : state_->fronts) {
    const auto listed = state_->listed.find(vendor);
    const bool has_listed = listed != state_->listed.end() && !listed->second.empty();
    if (const auto one = balanced_of(worth_naming(has_listed ? listed->second : options))) best.push_back(*one);
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
      one.reason = Message(mine.link_share > kMuch ? "options.out.beaten_link" : "options.out.beaten")
                       .with("gpu", card.name).with("count", std::int64_t{mine.devices})
                       .with("percent", std::int64_t{std::llround(mine.link_share * 100)})
                       .with("better", better.gpu).with("better_count", std::int64_t{better.devices});
    }
    out.push_back(std::move(one));
  }
  sort_stably(out, [](const RuledOut& a, const RuledOut& b) { return a.hurdle > b.hurdle; });
  return out;
}

}  // namespace vram
