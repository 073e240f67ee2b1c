// Ranking of options: used by the search, and by nobody else.
#pragma once
#include <optional>
#include <vector>

#include "core/advise/options.h"

namespace vram {

/// Would the option stand in the front: nothing dominates it, and none of the same purchase does as well?
bool enters(const std::vector<Option>& front, const Option& option);
/// Puts it there and takes away what it dominates.
void enter(std::vector<Option>& front, Option option);

/// Fewest devices first, then least power, then most free.
void sort_by_cost(std::vector<Option>& options);
std::optional<std::size_t> least_of(const std::vector<Option>& options);
/// As Suggestions::balanced says.
std::optional<std::size_t> balanced_of(const std::vector<Option>& options);

}  // namespace vram
