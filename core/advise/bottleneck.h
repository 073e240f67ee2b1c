// What holds a plan back: memory, or one of the causes of core/speed, with the share that says so.
//
// Memory comes first when the plan does not fit, when the reserve asked for is gone, or when requests wait for room;
// otherwise it is what most of a request's time goes to. "When capacity stops being the main thing" (article 1).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/plan/plan.h"
#include "core/speed/serving_speed.h"

namespace vram {

enum class Holding : std::uint8_t { memory, bandwidth, compute, link, latency, power, count_ };
std::string_view holding_key(Holding holding);   ///< "memory", "bandwidth", …

struct Bottleneck {
  Holding holding = Holding::memory;
  double share = 0;        ///< of a request's time; of memory: of the fullest device that is used
  Message message;         ///< bottleneck.<key> {percent}
};

/// `speed` is empty when it is not known, or of a training job: then only memory can be said to hold back, and nothing
/// is returned when it does not.
std::optional<Bottleneck> bottleneck(const Inputs& inputs, const Plan& plan, const std::optional<speed::Speed>& speed);

}  // namespace vram
