// What predictions are asked to reach, as data: the page of accuracy prints it, and a test holds what was reached.
//
// A goal is about the rows of tests/accuracy. `reached` says whether they reach it today; the test fails when that is
// no longer so and, so that a gain is kept too, when it has become so and nobody noted it here.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "core/check/check.h"

namespace vram::check {

/// Where a figure stands on the page; a heading of the page, to which links go.
enum class Section : std::uint8_t { weights, kv, activations, runtime, llamacpp, training, speed };
inline constexpr Section kSections[] = {Section::weights,  Section::kv,       Section::activations, Section::runtime,
                                        Section::llamacpp, Section::training, Section::speed};
Section section_of(const Case& one);

struct Within {
  double error = 0, share = 0;  ///< at least this share of |errors| is not larger than `error`
};

struct Goal {
  Section section;
  std::string_view words;
  std::string_view kinds, quantities;  ///< separated by spaces; no quantities = all
  std::string_view mode;               ///< "" = each
  std::string_view families;           ///< how the family begins, separated by "|"; "" = all
  bool only_complete = true;
  bool only_flags_told = false;       ///< rows that name no missing flag
  std::optional<double> reported;     ///< only cases of this figure (oom: 1, 0)
  std::size_t n = 1;                  ///< asked for at least
  std::optional<double> median, p90;  ///< at most, of |error|
  std::optional<Within> within;
  std::optional<double> in_band;     ///< at least
  std::optional<double> band_width;  ///< at most, in the median
  bool reached = true;
};

std::span<const Goal> goals();

struct Reached {
  Summary summary;
  double within = 0;  ///< share of cases whose |error| is not larger than Goal::within asks
  bool met = false;
};
Reached reached(const Goal& goal, const Outcome& outcome);

}  // namespace vram::check
