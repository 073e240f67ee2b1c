// What each training framework does when nobody says otherwise, and how it differs in what it keeps. One row each.
//
// Counts of copies are in units of one 16-bit value a token; each has its source in frameworks.cpp. They are
// rules of a framework, never of one run: a new measurement of the same framework is predicted by the same row.
#pragma once
#include <string_view>
#include <vector>

#include "core/plan/training/settings.h"

namespace vram {

/// What a layer keeps for its backward pass, in copies of its widths (activations.h).
struct KeptCopies {
  double hidden = 3;       ///< besides the norms' own copies
  double norm = 2;         ///< fp32 copy of each norm written out in eager mode; 0 when fused
  double attention = 2;    ///< of query and of key-value width
  double ffn = 3;          ///< gate, its activation, up; 4 with their product
  double ffn_ungated = 1;  ///< without a gate: the projection up; 2 with its activation
};

struct TrainingProfile {
  TrainingFramework framework = TrainingFramework::huggingface;
  std::string_view source;

  // defaults of what was not stated
  Recompute recompute = Recompute::none;
  bool master_weights = false;
  FormatId adapter_format = FormatId::fp32;  ///< of adapter weights and gradients and their optimizer states
  bool fused_optimizer = false;              ///< otherwise foreach: one temporary of the trained format at the step
  bool fused_under_deepspeed = false;        ///< the optimizer is named in DeepSpeed's configuration: its own, fused
  int accumulation = 1;

  // what happens to states
  bool upcasts_under_fsdp = false;    ///< accelerate: bf16 weights become fp32 when FSDP shards them
  bool gradients_stay = false;        ///< after the step, and so during the next forward pass
  bool outputs_stay = false;          ///< the loop still holds the logits when it measures
  bool unties_head = false;           ///< a tied head is stored a second time
  bool sharded_load_whole = false;    ///< FSDP: every rank first holds the whole model
  bool gradients_in_16_bits = false;  ///< Megatron's buffer, where a framework halves it
  bool sequence_with_tensor = false;  ///< tensor parallel always comes with sequence parallel

  // activations
  KeptCopies trained, frozen;             ///< of a layer whose weights are trained, or frozen under adapters
  double adapter_input = 1;               ///< copies of each adapter's input (dropout, cast)
  double quantised_input = 0;             ///< copies of each quantised matrix's input
  bool gradients_of_inputs_stay = false;  ///< under FSDP with frozen weights: until the backward pass ends
  bool splits_batch_by_stages = false;    ///< micro_batch is cut into as many parts as there are stages
  // logits: bytes for each token and word at the moment of the loss
  double logit_bytes = 12, logit_bytes_in_place = 8;
  bool upcasts_logits = true;  ///< to fp32 by the model; otherwise autocast's loss does, or nothing
  bool chunks_loss = false;    ///< unless told otherwise
  double loss_chunk = 0;       ///< share of tokens whose logits exist at once in a chunked loss

  /// Longest sample of the data its examples train on: what a limit means when sequences are not packed. 0 = the limit.
  double longest_sample = 0;

  // outside the allocator's peak
  double context_gib = 0.6;     ///< CUDA context and kernels
  double network_gib = 1.1;     ///< torch.distributed and NCCL, more than one device
  double fragmentation = 0.25;  ///< of what comes and goes: kept by the allocator; −1: shown.cpp
  double activation_low = 0.8, activation_high = 1.25;  ///< band of modelled terms
};

const TrainingProfile& training_profile(TrainingFramework framework);

/// Settings without gaps, and the fields that were filled in: "recompute", "micro_batch", …
struct CompletedSettings {
  TrainingSettings settings;
  std::vector<std::string_view> assumed;
};
CompletedSettings complete_settings(const TrainingSettings& stated);

/// How many times wider the band of activations is made for each field that was not stated.
double widening(std::string_view assumed_field);

}  // namespace vram
