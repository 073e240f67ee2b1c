// What layers keep for the backward pass, what one of them needs while it runs backwards, and the logits.
//
// All in bytes on one device. Tokens are those of one micro-batch on this device; with pipeline parallelism a stage
// keeps as many micro-batches as are in flight.
//
//   no recompute   kept = layers × tokens × 2 B × (h · hidden copies + q, kv · attention copies + f · ffn copies)
//   full           kept = layers × tokens × 2 B × hidden, and one layer's own kept tensors while it is computed again
//   working        gradients that come and go while a layer runs backwards: 2 h + 3 f
//
// Worked example (fms, Mistral-7B, QLoRA, fused kernels, 16,384 tokens, one A100):
//   checkpoints 32 · 16384 · 8192 = 4.00 GiB; layer 16384 · 2 · (5·4096 + 2·4096 + 2·1024 + 6·14336 + 3·4096) = 3.94
//   GiB; logits 16384 · (8·32000 + 2·8192) = 4.16 GiB → the loss is the peak, as measured (8.16 above the steady
//   state).
#pragma once
#include "core/plan/ledger.h"
#include "core/plan/training/adapters.h"
#include "core/plan/training/frameworks.h"
#include "core/plan/training/shape.h"

namespace vram {

/// Copies of each width, in values a token.
struct LayerCopies {
  double hidden = 0, query = 0, key_value = 0, ffn = 0, expert_ffn = 0;
  double adapters = 0;   ///< values a token that adapters keep besides
  double quantised = 0;  ///< and quantised matrices
};

struct TrainingActivations {
  double tokens = 0;          ///< of a micro-batch on this device
  double longest_tokens = 0;  ///< of the longest batch of a run whose lengths vary
  double value_bytes = 2;
  double hidden_shards = 1;   ///< sequence parallel: hidden-wide tensors are cut too
  double in_flight = 1;       ///< micro-batches a pipeline stage keeps
  double layers = 0;          ///< of this stage
  LayerCopies kept, working;  ///< of one layer
  LayerWidths widths;         ///< of the layer that `kept` describes: the mean over the stage's layers

  double kept_bytes = 0;        ///< all layers, all micro-batches in flight; checkpoints when recomputed
  double working_bytes = 0;     ///< one layer: its own kept tensors when recomputed, and what comes and goes
  double input_gradients = 0;   ///< kept until the backward pass ends (FSDP with frozen weights)
  double attention_scores = 0;  ///< eager attention: scores of one layer, or of all that keep them
  Derivation scores_derivation;
  double host_bytes = 0;  ///< checkpoints in host memory
  bool checkpoints = false;

  double logit_bytes = 0;        ///< bytes a token and word
  double logit_tokens = 0;       ///< tokens whose logits exist at once
  double loss_hidden = 0;        ///< copies of hidden width around the loss
  double loss_weight_bytes = 0;  ///< a fused linear loss that also makes the head's gradient
  double logits_bytes = 0;
};

TrainingActivations training_activations(const TrainingShape& shape, const TrainingSettings& settings,
                                         const TrainingProfile& profile, const AdapterCounts& adapters,
                                         bool weights_sharded);

/// Tokens of the longest batch where `sequence` is a mean over padded or padding-free batches (LengthIs::mean).
double longest_batch_tokens(double micro_batch, double mean_length, bool padding_free);

}  // namespace vram
