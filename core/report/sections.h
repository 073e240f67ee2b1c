// Sections of the answer, one function each; answer.cpp puts them in order.
#pragma once
#include <string>
#include <vector>

#include "core/report/report.h"

namespace vram {

/// Categories that fill something on a device or in host memory: tables have no column of zeros.
std::vector<Category> used_categories(const Ledger& ledger);

/// "each layer over 4 GPUs", "2 stages": how one copy of a model is cut.
Message split_words(const Split& split);

/// "GPU 0–3".
std::string device_name(DeviceGroup group);

/// A training job's settings, as asked for, and how it is divided.
Section training_scenario_section(const Inputs& inputs, const Plan& plan, const Language& language);
/// What a device of the fullest stage holds in each phase.
Section phases_section(const Plan& plan, const Language& language);
/// What the allocator takes, what nvidia-smi will show, and what the run needs.
Section shown_section(const Inputs& inputs, const Plan& plan, const Language& language);
std::vector<std::string> training_limit_sentences(const Inputs& inputs, const Limits& limits,
                                                  const Language& language);

}  // namespace vram
