// Options in the order that a reader asks for.
#include <array>

#include "core/advise/options.h"
#include "core/units/order.h"

namespace vram {

std::string_view order_key(OptionOrder order) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(OptionOrder::count_)> kKeys = {"devices", "headroom",
                                                                                                 "speed", "power"};
  return kKeys[static_cast<std::size_t>(order)];
}

std::optional<double> figure_of(const Option& option, OptionOrder order) {
  switch (order) {
    case OptionOrder::headroom: return option.headroom_share;
    case OptionOrder::speed:
      if (option.hours) return option.hours->likely;
      return option.per_user ? std::optional<double>(option.per_user->likely) : std::nullopt;
    case OptionOrder::power:
      return option.load_kw ? std::optional<double>(option.load_kw->middle()) : std::nullopt;
    default: return static_cast<double>(option.bought);
  }
}

bool is_ascending(OptionSort sort, bool training) {
  const bool least_is_best = sort.by == OptionOrder::devices || sort.by == OptionOrder::power ||
                             (sort.by == OptionOrder::speed && training);
  return least_is_best != sort.backwards;
}

std::vector<Option> sorted(std::vector<Option> options, OptionSort sort) {
  sort_stably(options, [&](const Option& a, const Option& b) {
    const std::optional<double> mine = figure_of(a, sort.by), other = figure_of(b, sort.by);
    if (!mine || !other) return mine.has_value() && !other.has_value();
    return is_ascending(sort, a.hours.has_value()) ? *mine < *other : *mine > *other;
  });
  return options;
}

OptionSort pressed(OptionSort sort, OptionOrder heading) { return {heading, heading == sort.by && !sort.backwards}; }

}  // namespace vram
