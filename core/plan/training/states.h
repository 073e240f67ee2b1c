// Model states: weights, higher-precision copy, gradients, optimizer states and what the step itself needs for a
// moment.
//
// Everything here is values × bytes ÷ devices that share them. Bytes of one trained value (facts §2):
//
//                              weights  master  gradient  states  at the step
//   bf16, AdamW, foreach             2       0         2       4        2       = 10.0, measured 10.002
//   the same, fused                  2       0         2       4        0       =  8.0, measured 8.2 with batch
//   bf16 under FSDP in accelerate    4       0         4       8        4       = 20.0, measured 20.005
//   Megatron, distributed over d     2       4/d       4       8/d      0       = 6 + 12/d
//   DeepSpeed ZeRO                   2       4         2       8        4       = 16, and 20 while it steps
//   8-bit AdamW                      2       0         2       2 (1 + 4/2048)
#pragma once
#include <vector>

#include "core/plan/training/adapters.h"
#include "core/plan/training/frameworks.h"
#include "core/plan/training/shape.h"

namespace vram {

/// Trained values that are alike: how many on this rank, the bytes of each, and over how many devices they are cut.
struct TrainedGroup {
  enum class Kind : std::uint8_t { dense, experts, adapters, saved_modules } kind = Kind::dense;
  double values = 0;
  double weight = 0, master = 0, gradient = 0, state = 0, step = 0;  ///< bytes of one value
  double weight_shards = 1, gradient_shards = 1, state_shards = 1;
  bool states_on_host = false;   ///< optimizer off-load: states and master
  bool weights_on_host = false;  ///< parameter off-load
  bool states_paged = false;     ///< managed memory: in no allocator's figures
  double gradient_share = 1;     ///< of the values whose gradients exist at once
  double state_share = 1;        ///< of the values that have states (LISA, blockwise)

  double weight_bytes() const { return weights_on_host ? 0 : values * weight / weight_shards; }
  double gradient_bytes() const { return values * gradient * gradient_share / gradient_shards; }
  double master_bytes() const { return states_on_host ? 0 : values * master * state_share / state_shards; }
  double state_bytes() const {
    return states_on_host || states_paged ? 0 : values * state * state_share / state_shards;
  }
  double step_bytes() const { return states_on_host ? 0 : values * step * state_share / state_shards; }
  double host_bytes() const;
};

/// Base weights under adapters, which stay as they are.
struct FrozenWeights {
  double quantised = 0, plain = 0;                          ///< values
  double code_bytes = 0, scale_bytes = 0, plain_bytes = 0;  ///< of one value
  double shards = 1, scale_shards = 1;
  bool on_host = false;
  double bytes() const {
    return on_host ? 0
                   : (quantised * code_bytes + plain * plain_bytes) / shards + quantised * scale_bytes / scale_shards;
  }
};

struct TrainingStates {
  std::vector<TrainedGroup> trained;
  FrozenWeights frozen;
  double value_bytes = 2;                ///< of activations and of weights gathered for a layer
  bool weights_sharded = false;          ///< a layer's weights are gathered before it runs
  double gathered_root = 0;              ///< embedding and head whole while the loss is computed, bytes
  double gathered_root_backward = 0;     ///< the same while layers run backwards: FSDP2 has let go of them
  double gathered_layer = 0;             ///< the largest layer whole, bytes
  double gathered_gradient = 0;          ///< its gradients whole, before they are cut again
  double gathered_gradient_in_loss = 0;  ///< those of earlier micro-batches of a pipeline
  double buckets = 0;                    ///< DeepSpeed and DDP: buffers that stay
  double trained_values = 0;             ///< of the whole model
  bool gradients_stay = false;           ///< after the step, when a framework's "steady" figure is taken
  bool gradients_accumulate = false;     ///< they are there while later micro-batches run
};

TrainingStates training_states(const TrainingShape& shape, const TrainingSettings& settings,
                               const TrainingProfile& profile, const AdapterCounts& adapters);

/// Bytes of one value of an optimizer's states. `full` is the bytes of one of its tensors in 32- or 16-bit optimizers.
double optimizer_state_bytes(TrainingOptimizer optimizer, double full, double hidden);

}  // namespace vram
