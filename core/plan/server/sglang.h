// SGLang: a share of what is free before loading holds weights and pool together; activations and graphs live in the
// rest.
//
//   F      = free before loading (total − context)                    "avail mem"
//   rest   = F × mem_fraction_static − (weights + context growth)     "Load weight end … mem usage"
//   tokens = rest // bytes per token, a multiple of the page
//
//   Llama-3.1-8B, H100, 0.4.4: 78.6 × 0.88 − 15.11 = 54.06 GiB (log: 54.04); 442,7xx tokens of 131,072 bytes
//
// Window layers get a pool of their own, 0.8 of the other's tokens; recurrent layers take 0.9 / 1.9 of `rest` as slots.
#pragma once
#include <optional>

#include "core/plan/server/server.h"

namespace vram {

ServerPlan sglang_plan(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool);

/// mem_fraction_static when it is not given. `memory_mib` is what the driver prints.
double sglang_default_fraction(const ServerSettings& settings, const Model& model, double memory_mib);

}  // namespace vram
