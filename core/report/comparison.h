// A comparison with a start-up log in words, and the log itself.
#pragma once
#include <vector>

#include "core/advise/comparison.h"
#include "core/report/report.h"

namespace vram {

/// What was calculated beside what was measured; what the runtime terms become; what else to know. Sections that have
/// nothing to say are left out.
std::vector<Section> comparison_sections(const Comparison& comparison, const EngineLog& log, const Language& language);

/// All that was read of a log, one row a value.
Section engine_log_section(const EngineLog& log, const Language& language);

/// Bytes as integers, shares as fractions, devices as index, "host" or "all".
Json engine_log_json(const EngineLog& log);
Json comparison_json(const Comparison& comparison, const EngineLog& log);

}  // namespace vram
