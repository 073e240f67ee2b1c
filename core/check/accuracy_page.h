// docs/ACCURACY.md: how far predictions are from what was measured, beside what they are asked to reach.
//
// The text is a function of the rows in tests/accuracy alone, so that a check can compare the published page with a
// fresh one. What is said about a single case follows from rules about its row (untold.h).
#pragma once
#include <string>

#include "core/check/check.h"

namespace vram::check {

/// The page, in Markdown. Headings of sections are stable: #weights #kv #activations #runtime #llamacpp #training
/// #speed.
std::string accuracy_markdown(const Outcome& outcome);

/// The same figures for the page, a line each: section and quantity → [n, median, p90] of complete cases that are
/// predicted from flags alone, the loader's own plans left out. {"weights.weights": [81, 0.00027, 0.013], …}
std::string accuracy_figures(const Outcome& outcome);

}  // namespace vram::check
