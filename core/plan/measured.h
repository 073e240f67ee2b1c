// What a start measured, in place of what is calculated (scenario fields of core/scenario/measured.h).
#pragma once
#include <cstddef>
#include <vector>

#include "core/plan/ledger.h"
#include "core/scenario/scenario.h"

namespace vram {

/// Replaces activations, graphs, and context with exchange, as far as they were measured, among the entries from `from`
/// on: those of one device, or of devices that hold the same. What was calculated stays in the derivation.
void use_measured(std::vector<Entry>& entries, std::size_t from, const Deployment& deployment);

}  // namespace vram
