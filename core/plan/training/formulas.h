// Formulas of training terms: the same kind of table as core/plan/formula.cpp, in a list of its own.
#pragma once
#include <span>

#include "core/plan/formula.h"

namespace vram {

std::span<const Formula> training_formulas();

}  // namespace vram
