// Plans side by side in words: one table for page, text version, print and command line.
#pragma once
#include <string>
#include <vector>

#include "core/advise/side_by_side.h"
#include "core/report/report.h"

namespace vram {

/// What a plan is called until somebody names it: "2 × H100 SXM · FP8", of a training job with its method.
std::string plan_name(const Scenario& scenario, int devices, std::string_view gpu, const Language& language);

/// Names of the columns; one without a name is the current plan.
std::vector<std::string> names_of(const SideBySide& beside, const Language& language);

/// Figures, then inputs that differ: a heading, and a table with a column for each plan. No columns: no sections.
std::vector<Section> side_by_side_sections(const SideBySide& beside, const Language& language);

/// {"plans": [{"name", "link", "verdict", "devices", "memory": {category: bytes}, …}], "differences": [{"field",
/// "deployment", "values": […]}]}: bytes are likely ones of the fullest device.
Json side_by_side_json(const SideBySide& beside);

}  // namespace vram
