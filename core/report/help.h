// A short help for who meets these words for the first time.
#pragma once
#include <vector>

#include "core/report/report.h"

namespace vram {

/// What the words mean (a table), how the numbers are known, what a calculation cannot know.
std::vector<Section> help_sections(const Language& language);

}  // namespace vram
