// What the driver shows beside the allocator's peak, and what a run really needs.
//
// The caching allocator keeps freed blocks. What it keeps beyond its peak depends on what comes and goes: many sizes of
// padded batches, fp32 logits of several gigabytes, full gradients of FSDP units. nvidia-smi shows all of it, and so
// far more than the run needs: it is given back before an allocation fails (facts §1.4).
#pragma once
#include "core/plan/training/phases.h"

namespace vram {

struct TrainingShown {
  double fragments = 0, fragments_low = 0, fragments_high = 0;  ///< reserved beyond allocated
  double coming_and_going = 0, share = 0, gradients = 0, gradient_share = 0;
  double unpacked = 0, unpacked_share = 0;  ///< fragments = the sum of the three products
  double spread = 1;                        ///< how many times wider than usual the band of what is shown is
  double context = 0, network = 0;
  double lost = 0;  ///< what a full device cannot use while activations come and go
};

TrainingShown training_shown(const TrainingParts& parts);

}  // namespace vram
