// What training needs to know of a model, read off the tensor inventory: parameters by what happens to them, and the
// widths that decide how much a layer keeps for its backward pass. Per pipeline stage, per tensor-parallel rank.
//
//   Llama-3-8B, one device:  linear 6,979,321,856   embedding 525,336,576   head 525,336,576   small 266,240
//                            layer: hidden 4096, query 4096, key_value 1024, ffn 14336, gated
#pragma once
#include <cstdint>
#include <vector>

#include "core/model/model.h"
#include "core/plan/training/settings.h"

namespace vram {

/// Widths of one layer on one tensor-parallel rank. 0 = the layer has no such part.
struct LayerWidths {
  double query = 0, key_value = 0;  ///< outputs of the query; of the key, which the value equals or is near
  double ffn = 0;                   ///< dense feed-forward width, with shared experts
  double expert_ffn = 0;            ///< width of one routed expert; each token passes `top_k` of them
  double mixer = 0;                 ///< outputs of a recurrent mixer's input projection
  bool query_key_norm = false;
  double parameters = 0;         ///< of the layer, dense part, on this rank
  double expert_parameters = 0;  ///< of the layer's routed experts on this rank
  double linear_parameters = 0;  ///< of the layer's matrices that quantisers cover, experts included
};

/// Counts of parameters. "Dense" ones are split by tensor parallel, experts by expert parallel.
struct TrainingCounts {
  double linear = 0;               ///< matrices of dense layers that quantisers cover
  double experts = 0;              ///< routed experts
  double embedding = 0, head = 0;  ///< head: 0 where it shares the embedding's storage
  double small = 0;                ///< norms, biases, routers, positions, towers
  double all() const { return linear + experts + embedding + head + small; }
};

struct TrainingShape {
  int stage = 0, stages = 1;
  int first_layer = 0, last_layer = 0;
  bool has_embedding = true, has_head = true, tied = false;
  double hidden = 0, vocab = 0;  ///< vocab: of this rank
  double whole_vocab = 0;
  int experts = 0, top_k = 0;       ///< of the whole model
  bool gated = true;                ///< gate and up; otherwise one projection up
  bool layer_norm = false;          ///< LayerNorm, which one kernel does; RMSNorm was long written out in fp32
  double heads = 0;                 ///< attention heads on this rank
  std::vector<LayerWidths> layers;  ///< of the stage, in order
  TrainingCounts counts;            ///< of this rank and stage
  TrainingCounts whole;             ///< of the whole model
  bool exact = true;                ///< false: only a number of parameters is known

  int layer_count() const { return static_cast<int>(layers.size()); }
  double largest_layer() const;  ///< parameters of the largest layer on this rank
};

/// `untied`: the framework stores a tied head a second time (litgpt).
TrainingShape training_shape(const Model& model, const TrainingParallelism& split, int stage, bool untied = false);

}  // namespace vram
