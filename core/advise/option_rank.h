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
bool is_cheaper(const Option& a, const Option& b);
/// Those that write faster than people read; all when none does.
std::vector<Option> worth_naming(const std::vector<Option>& options);
/// Eight bits of a weight or more count twice as much as the model's own cache.
int quality_of(const Option& option);
/// As Suggestions::balanced says; nothing when there are no options.
std::optional<Option> balanced_of(const std::vector<Option>& options);

}  // namespace vram
