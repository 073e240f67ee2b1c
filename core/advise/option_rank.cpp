// Which option beats which, and the three that are named first.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/advise/option_rank.h"
#include "core/units/order.h"

namespace vram {
namespace {

constexpr double kAmple = 0.5;           ///< more free memory than this is no better
constexpr double kReadingSpeed = 5;       ///< tokens a second: 230 words a minute
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
          -static_cast<int>(std::floor(std::min(option.headroom_share, kAmple) * 20)),
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

}  // namespace

bool is_cheaper(const Option& a, const Option& b) {
  if (a.devices != b.devices) return a.devices < b.devices;
  if (power_of(a) != power_of(b)) return power_of(a) < power_of(b);
  return a.headroom_share > b.headroom_share;
}

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

void sort_by_cost(std::vector<Option>& options) { sort_stably(options, is_cheaper); }

std::vector<Option> worth_naming(const std::vector<Option>& options) {
  std::vector<Option> readable;
  for (const Option& option : options) {
    if (!option.per_user || option.per_user->likely >= kReadingSpeed) readable.push_back(option);
  }
  return readable.empty() ? options : readable;
}

int quality_of(const Option& option) { return (option.weight_bits >= 8 ? 2 : 0) + (option.cache_bits >= 16 ? 1 : 0); }

bool is_same(const Option& a, const Option& b) { return a.scenario == b.scenario; }

std::optional<Option> balanced_of(const std::vector<Option>& options) {
  const auto worth = [](const Option& option) { return option.pace() / power_of(option); };
  const auto least = std::min_element(options.begin(), options.end(), is_cheaper);
  const Option* best = nullptr;
  for (const Option& option : options) {
    if (option.devices > 2 * least->devices) continue;
    const int mine = quality_of(option), known = best != nullptr ? quality_of(*best) : -1;
    if (mine > known || (mine == known && worth(option) > worth(*best))) best = &option;
  }
  return best != nullptr ? std::optional<Option>(*best) : std::nullopt;
}

}  // namespace vram
