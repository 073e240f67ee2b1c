// Which option beats which, and the three that are named first.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/advise/option_rank.h"

namespace vram {
namespace {

constexpr int kUnknown = std::numeric_limits<int>::max();

int tenths(double value) { return static_cast<int>(std::floor(std::log(value) / std::log(1.1))); }

/// Less is better.
using Steps = std::array<int, 6>;
Steps steps_of(const Option& option) {
  const double pace = option.pace();
  return {option.devices,
          option.load_kw && option.load_kw->high > 0 ? tenths(option.load_kw->high) : kUnknown,
          -static_cast<int>(option.weight_bits * 100),
          -static_cast<int>(option.cache_bits * 100),
          -static_cast<int>(std::floor(option.headroom_share * 20)),
          pace > 0 ? -tenths(pace) : kUnknown};
}

/// An option differs from another of the same card, number and formats only in how it is split.
bool is_same_purchase(const Option& a, const Option& b) {
  return a.accelerator == b.accelerator && a.devices == b.devices && a.weight_bits == b.weight_bits &&
         a.cache_bits == b.cache_bits && a.nodes == b.nodes;
}

double power_of(const Option& option) {
  return option.load_kw ? option.load_kw->high : std::numeric_limits<double>::infinity();
}

bool is_cheaper(const Option& a, const Option& b) {
  if (a.devices != b.devices) return a.devices < b.devices;
  if (power_of(a) != power_of(b)) return power_of(a) < power_of(b);
  return a.headroom_share > b.headroom_share;
}

}  // namespace

bool dominates(const Option& a, const Option& b) {
  const Steps mine = steps_of(a), other = steps_of(b);
  bool better = false;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] > other[i]) return false;
    better = better || mine[i] < other[i];
  }
  return better;
}

bool enters(const std::vector<Option>& front, const Option& option) {
  return std::none_of(front.begin(), front.end(), [&](const Option& one) {
    const bool no_better = steps_of(one) == steps_of(option) && is_same_purchase(one, option);
    return no_better || dominates(one, option);
  });
}

void enter(std::vector<Option>& front, Option option) {
  front.erase(std::remove_if(front.begin(), front.end(), [&](const Option& one) { return dominates(option, one); }),
              front.end());
  front.push_back(std::move(option));
}

void sort_by_cost(std::vector<Option>& options) { std::stable_sort(options.begin(), options.end(), is_cheaper); }

std::optional<std::size_t> least_of(const std::vector<Option>& options) {
  if (options.empty()) return std::nullopt;
  return static_cast<std::size_t>(std::min_element(options.begin(), options.end(), is_cheaper) - options.begin());
}

std::optional<std::size_t> balanced_of(const std::vector<Option>& options) {
  const std::optional<std::size_t> least = least_of(options);
  if (!least) return std::nullopt;
  const bool has_eight = std::any_of(options.begin(), options.end(), [](const Option& o) { return o.weight_bits >= 8; });
  const auto worth = [](const Option& option) { return option.pace() / power_of(option); };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Option& option = options[i];
    const bool considered = option.devices <= 2 * options[*least].devices && (option.weight_bits >= 8 || !has_eight);
    if (considered && (!best || worth(option) > worth(options[*best]))) best = i;
  }
  return best ? best : least;
}

}  // namespace vram
