// The inside of OptionSearch: what is tried (option_candidates.cpp) and what comes of it (options.cpp).
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/advise/facility_plan.h"
#include "core/advise/option_formats.h"
#include "core/advise/options.h"

namespace vram {

/// One way to use so many devices.
struct Way {
  std::size_t choice = 0;          ///< of the weight formats
  int replicas = 1;
  bool by_layers = false;
  std::string_view shard = "auto", recompute = "auto";
};

/// The furthest hurdle that a card came to, and how far it was from taking it (in a unit of the hurdle's own).
struct Met {
  Hurdle hurdle = Hurdle::not_sold;
  Message reason;
  double distance = 0;
};

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
  /// What exact bytes depend on: weights, small cache, devices, replicas, cut by layers, cards of a node, and the
  /// maker, whose kernels pad in their own way.
  using Layout = std::tuple<std::size_t, bool, int, int, bool, int, std::string>;
  std::map<Layout, Bytes> exact;                 ///< of a device, as the planner found them

  std::map<std::string, std::vector<Option>> fronts;      ///< by vendor
  std::map<std::string, std::vector<Option>> listed;      ///< the same of cards in the short list
  std::map<std::string, Met> met;                         ///< by accelerator: the furthest hurdle
  std::map<std::string, Option> best;                     ///< by accelerator: its cheapest option
  mutable std::vector<Option> front;
  mutable bool front_is_old = true;

  const Accelerator& card() const { return cards[at_card]; }
  void meet(Hurdle hurdle, Message reason, double distance = 0) {
    const auto known = met.find(card().id);
    const bool further = known == met.end() || hurdle > known->second.hurdle ||
                         (hurdle == known->second.hurdle && distance < known->second.distance);
    if (further) met[card().id] = {hurdle, std::move(reason), distance};
  }
  Message out(Hurdle hurdle) const {
    return Message("options.out." + std::string(hurdle_key(hurdle))).with("gpu", card().name);
  }

  Layout layout(const Way& way, int devices, bool small_cache) const {
    const auto per_node = static_cast<int>(card().per_node.value_or(8));
    return {way.choice, small_cache, devices, way.replicas, way.by_layers, per_node, card().vendor};
  }

  void start(std::vector<Model> models);
  bool runs_others(const Accelerator& one, const Scenario& asked) const;
  bool open_card();
  void list_counts();
  bool open_count();
  bool next();
  bool hopeless(const Way& way, int devices, bool small_cache);
  int attempt(const Way& way, int devices);
  bool try_plan(Inputs& inputs, const Way& way, int devices, bool small_cache);
  void take(const Inputs& inputs, const Plan& plan, const Way& way, bool small_cache);
};

}  // namespace vram
