// What a row does not tell although it bears on a figure: the reason that stands beside a large error.
//
// Which settings bear on which figures is one table; a setting that is told but was inferred by whoever noted the row
// counts as not told. A row that lists what its source left out (`missing_flags`) is believed: a flag that is null and
// not in the list was at its default.
#pragma once
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/units/json.h"

namespace vram::check {

/// In words, in the order of the table; `one` says kind, quantity and mode.
std::vector<std::string> untold(const Json& row, const Case& one);

}  // namespace vram::check
