// What to buy: accelerators × how many × how they are split × weight format × KV format, under the scenario's limits.
//
//   OptionSearch search(scenario, library, stored_models);   // both must outlive it
//   while (search.step(20)) draw_a_frame();                  // every candidate is a full plan by make_plan()
//   search.front();                                          // what nothing beats
//   search.suggestions();                                    // least hardware, balanced, room to grow
//   search.ruled_out();                                      // every other accelerator, with one reason
//
// How it searches: cards of the short list first, so suggestions are there early. For a card every number of devices
// from one up (powers of two, numbers that divide the heads, whole nodes), until four times the fewest that will do:
// more of the same is the same answer again. Candidates are left out without a plan only when they cannot fit: the
// weights alone, or the exact bytes (tensors and caches) that the planner found for the same split on another card, are
// more than a device holds.
//
// An option is offered when the plan fits with the reserve that the scenario asks for (verdict "fits"), and is as quick
// as wished at the likely figure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/platform.h"
#include "core/plan/plan.h"
#include "core/speed/serving_speed.h"

namespace vram {

struct Option {
  Scenario scenario;              ///< of this option: put it in place of the current one
  std::string accelerator, gpu, vendor;   ///< id, name, maker
  int devices = 1;                ///< that work
  int nodes = 1, bought = 1;      ///< with the spare ones; devices in all of them
  Split split;
  Verdict verdict = Verdict::fits;
  double headroom_share = 0;      ///< free on the fullest device
  double weight_bits = 16, cache_bits = 16;
  // of the first deployment; empty when the card's speed is not known
  std::optional<speed::Band> first_token_s, per_user, total;   ///< tokens a second
  std::optional<speed::Band> hours;                            ///< of a training job
  std::optional<Range> load_kw, nameplate_kw;                  ///< of all nodes
  double link_share = 0;          ///< of a request's time that goes into exchange between devices
  bool short_list = false;        ///< of the catalogue's short list, or the scenario's own card
  bool to_pilot = false;          ///< not NVIDIA's, or figures that nobody measured
  std::vector<Message> notes;

  /// What an option is for: answers, or training, in a unit of time; 0 when not known.
  double pace() const { return total ? total->likely : hours && hours->likely > 0 ? 1 / hours->likely : 0; }
};

/// What a list of options is sorted by, and its figures: devices, free share, tokens a second for one user (hours of a
/// training job), kW under load.
enum class OptionOrder : std::uint8_t { devices, headroom, speed, power, count_ };
std::string_view order_key(OptionOrder order);   ///< "devices", …
/// Nothing when it is not known.
std::optional<double> figure_of(const Option& option, OptionOrder order);

/// The best first, or the other way round.
struct OptionSort {
  OptionOrder by = OptionOrder::devices;
  bool backwards = false;
  friend bool operator==(const OptionSort&, const OptionSort&) = default;
};
/// Do the figures grow from row to row? Of devices, hours and power the least is the best.
bool is_ascending(OptionSort sort, bool training);
/// Equals stay as they stand; what is not known comes last either way.
std::vector<Option> sorted(std::vector<Option> options, OptionSort sort);
/// The same heading again turns the order round.
OptionSort pressed(OptionSort sort, OptionOrder heading);

/// Better or equal everywhere and better somewhere: devices, power under load, bits of weights and cache, free share,
/// pace. Compared in steps that a buyer notices: 5 % of memory up to half of it free, a tenth of power and pace.
bool dominates(const Option& a, const Option& b);

/// The same purchase, used in the same way.
bool is_same(const Option& a, const Option& b);

/// Why an accelerator is not offered, in the order of how far it came.
enum class Hurdle : std::uint8_t {
  not_sold,        ///< announced, or gone and not in the short list
  unknown,         ///< of its memory nothing is known
  vendor, form,    ///< the scenario excludes it
  platform,        ///< does not go into the node that is named
  feed,            ///< a node draws more than a rack may
  format,          ///< runs no format with so many bits
  memory,          ///< does not fit within the most devices
  tight,           ///< fits, without the reserve asked for
  speed_unknown,   ///< wishes of speed, and a card nobody knows the bandwidth of
  speed,           ///< slower than wished
  beaten,          ///< offered, but another is better everywhere
};
std::string_view hurdle_key(Hurdle hurdle);

struct RuledOut {
  std::string accelerator, gpu, vendor;
  Hurdle hurdle = Hurdle::memory;
  Message reason;                 ///< options.out.<hurdle> …
};

/// Three answers for three kinds of buyers, of the catalogue's short list where one of its cards will do. They write
/// faster than people read (5 tokens a second for one user) as far as any does. One option may be named twice.
struct Suggestions {
  std::optional<Option> least;      ///< fewest devices, then least power, then most free
  std::optional<Option> balanced;   ///< at most twice the fewest devices; eight bits of a weight or more and the
                                    ///< model's own cache where there are such: the most pace for its power
  std::optional<Option> grows;      ///< no fewer bits than the balanced one, fewest devices whose plan fits at the
                                    ///< agreed growth, or with half as many users again when none is agreed
};

class OptionSearch {
 public:
  /// `stored_models`: one a deployment, as stored; empty = by the scenario's names.
  OptionSearch(const Scenario& scenario, const Library& library, std::vector<Model> stored_models = {});
  ~OptionSearch();
  OptionSearch(OptionSearch&&) noexcept;
  OptionSearch& operator=(OptionSearch&&) noexcept;

  /// Plans at most so many candidates more. False when there is nothing left to do.
  bool step(int candidates);
  /// Why there is nothing to search: an unknown model or node.
  const std::optional<Message>& problem() const;
  bool short_list_done() const;          ///< suggestions will hardly change from here
  double progress() const;               ///< 0 … 1
  int planned() const;                   ///< plans made so far

  /// Options that no other dominates, fewest devices first, then least power.
  const std::vector<Option>& front() const&;
  /// The front without those that write slower than people read (5 tokens a second a user), unless all do.
  std::vector<Option> readable_front() const;
  const std::vector<Option>& front() const&& = delete;  // of a search that is gone when the loop begins
  Suggestions suggestions() const;
  /// The balanced choice of each maker that has one, NVIDIA's first; another maker's may beat it.
  std::vector<Option> best_of_vendors() const;
  /// In the order of how far they came, the furthest first.
  std::vector<RuledOut> ruled_out() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vram
