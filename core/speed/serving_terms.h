// What a speed is made of, as data: a formula and the named values put into it, so that the page, a letter and a test can
// all show "35.2 GB / (4.8 TB/s × 0.90) = 8.1 ms".
#pragma once
#include "core/speed/serving_speed.h"

namespace vram::speed {

struct Described {
  const Machine* machine = nullptr;
  const Case* one = nullptr;
  double running = 1;            ///< requests of a replica
  double in_pass = 1;            ///< of these, in one pass through the layers
};

Cause cause_of(Spent spent);

/// The term without its share. `seconds`: for each token of an answer; `step_seconds`: in a step without inputs.
Term describe(Spent spent, const Described& what, double seconds, double step_seconds);

}  // namespace vram::speed
