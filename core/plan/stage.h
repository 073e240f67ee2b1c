// One pipeline stage of a deployment, and the entries that are exact on it whatever the engine: weights and caches.
//
// All tensor-parallel devices of a stage hold the same, so an entry is made once and said to stand on all of them.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct Stage {
  const Inputs& inputs;
  const Model& model;
  const Deployment& deployment;
  int deployment_index = 0;
  Split split;
  int index = 0, first_layer = 0, last_layer = 0;
  int kept_layers = 0;             ///< end of the layers that stay on the device
  std::uint64_t sequences = 1;     ///< of one replica, at the busiest time
  bool drafts = false;             ///< the model's own draft layers are loaded and have caches

  bool is_first() const { return index == 0; }
  bool is_last() const { return index + 1 == split.pipeline_parallel; }
  /// Does this stage hold a tensor that stands outside the layers?
  bool holds(const Tensor& tensor) const;
};

/// Sequences of one replica when the deployment is busiest.
std::uint64_t sequences_of_replica(const Deployment& deployment);

Entry stage_entry(const Stage& stage, Term term, Certainty certainty, Bytes bytes, Derivation derivation);
Entry stage_band(const Stage& stage, Term term, Certainty certainty, double low, double likely, double high,
                 Derivation derivation);

/// Names of what weights are for, as derivations and texts call them: "embedding", "attention", …
constexpr std::array<std::string_view, 8> kWeightGroups = {"embedding", "attention", "feed_forward", "experts",
                                                           "mixer",     "head",      "norms",        "towers"};
using WeightGroups = std::array<Bytes, kWeightGroups.size()>;

/// Weights of layers [first, last) and, where `outside`, of what stands outside the layers, by what they are for.
WeightGroups weights_by_group(const Stage& stage, int first, int last, bool outside);
void add_weights(std::vector<Entry>& entries, const Stage& stage, std::string_view formula, int first, int last,
                 bool outside);

/// Keys, values, latents and states of the stage's layers for its sequences; tokens that all requests begin with count
/// once where whole sequences are kept.
void add_caches(std::vector<Entry>& entries, const Stage& stage);

double bytes_of_value(const StorageFormat& format);

/// Gives the entries their devices: those of stage `index` in every replica.
void place(Ledger& ledger, const Stage& stage, int first_device, std::vector<Entry> entries);

}  // namespace vram
