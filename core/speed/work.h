// What one device reads and computes in a step of a model, counted from the inventory; no times yet.
//
// A step is one pass through the layers: it gives every sequence that generates its next token and may read new inputs
// beside them. What it costs a device:
//
//   weights      every matrix once, however many tokens pass; of the routed experts only those that a token chose
//   caches       what each sequence has remembered: windows are cut, a latent is the same on every device
//   arithmetic   2 operations a parameter and token, and attention: a query meets every key before it
//
//   Llama-3.1-70B in fp8 over 2 devices: 34.2 GB of layers + 1.05 GB of head on each, 80 layers, 160 exchanges of
//   16 KiB a token
//
// The same shares as in plans (core/plan/shares.h): there is no second arithmetic of who holds what.
#pragma once
#include <cstdint>
#include <vector>

#include "core/model/model.h"

namespace vram::speed {

/// How a deployment is cut over its devices: tensor × pipeline × data of them.
struct Split {
  int tensor = 1, pipeline = 1, data = 1;
  int expert = 1;                ///< groups that hold whole experts, inside `tensor`; 1 = slices of all
  bool attention_data = false;   ///< attention runs data-parallel over the tensor devices, the rest is shared
  int devices() const { return tensor * pipeline * data; }
  friend bool operator==(const Split&, const Split&) = default;
};

/// Matrices that are read once a step.
enum class MatrixKind : std::uint8_t { attention, mixer, feed_forward, head };

struct Matrices {
  MatrixKind kind = MatrixKind::attention;
  FormatId format = FormatId::bf16;
  double bytes = 0;              ///< on one device
  double parameters = 0;         ///< on one device
  bool data_parallel = false;    ///< meets only its own device's share of the tokens
};

/// Routed experts of all layers; bytes and parameters are those of one expert of every layer, on one device.
struct Experts {
  FormatId format = FormatId::bf16;
  double bytes = 0, parameters = 0;
  double count = 0, chosen = 0;  ///< experts of a layer, experts a token takes
};

/// What all layers of one kind remember, on one device.
struct Remembered {
  CacheKind kind = CacheKind::full;
  double layers = 0;
  double bytes_per_token = 0;    ///< of one sequence in all those layers; recurrent: 0
  double bytes_per_sequence = 0; ///< recurrent states
  double window = 0;             ///< tokens; 0 = unbounded
  double tokens_per_entry = 1;
  double decode_flops = 0;       ///< for one query token and one token of context
  double prefill_flops = 0;
};

struct ModelWork {
  std::vector<Matrices> matrices;
  std::vector<Experts> experts;
  std::vector<Remembered> remembered;
  double layers = 0;             ///< pairs of a mixer and a feed-forward block
  double expert_layers = 0, latent_layers = 0, mixer_layers = 0, indexer_layers = 0;
  double hidden = 0;             ///< values a token that devices exchange
  double exchanges = 0;          ///< of the hidden state in a step: after attention and after the feed-forward block
  double draft_bytes = 0, draft_parameters = 0;   ///< of the model's own draft layers (MTP)
  bool attention_data = false;
  int tensor = 1;
  bool layers_assumed = false;   ///< only a number of parameters is known

  /// All weights a device keeps, the embedding included; without draft layers.
  double stored_bytes = 0;
};

/// `cache` is the format of keys and values.
ModelWork model_work(const Model& model, const Split& split, FormatId cache);

}  // namespace vram::speed
