// The graph that llama.cpp reserves its buffers with: one full batch through the whole model (src/llama-graph.cpp and
// src/models/*.cpp, read at the time of libllama 0.5.0).
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan/llamacpp/graph.h"
#include "core/plan/llamacpp/model.h"

namespace vram::llamacpp {

/// What changed between builds and decides buffer sizes. True is what libllama 0.5.0 (2026) does.
struct Build {
  bool few_outputs = true;       ///< logits of as many rows as were asked for; before mid-2026 of every row of a batch
  bool half_mask = true;         ///< the mask is f16 from the start; before #23764 f32, and cast to f16 on the device
  bool unpack_in_graph = true;   ///< the f16 copy of a quantised cache is part of the graph; before, of CUDA's pool
  bool rotates = true;           ///< quantised caches are rotated (2026-04)
  bool fused_delta = true;       ///< gated delta net is one operation (2026-03); before, some forty
  bool embedding_input = true;   ///< the batch may hold embeddings as well: one more input (2026-01)
  bool row_indices = true;       ///< caches are written by index (2025-08)
  bool windows_apart = true;     ///< layers with a window have a cache of their own (2025-05)
  bool glu_in_one = true;        ///< gate and up are joined by one operation (2025-07); before, activation and product
  bool fused_experts = true;     ///< experts are chosen by one kernel on a GPU and summed by another (2026-09)
  bool norms_pinned = false;     ///< with all layers on GPUs, norms run where their layer lies
  bool apart_streams = true;     ///< sequences may have caches of their own (2025-07); before, one for all
  bool coarse_cells = true;      ///< cells in steps of 256 (2025-10); before, of 32 with flash attention off
  bool pads_rows = true;         ///< CUDA: quantised rows are padded to 512 values
  bool head_first = true;        ///< -ngl takes the head before the layers (2025-12); before, after them
  bool copies_qkv = false;       ///< parts of a fused projection are copied out of it (until 2025-05); now they are views
  bool expanded_latent = false;  ///< before 2025-04 latent attention kept keys and values of every head
  bool ik = false;               ///< ik_llama.cpp: fused operations, its own latent attention
  bool ik_unpacks_ahead = false; ///< keys and values of all groups of heads are unpacked before the first is used (2025)
  bool ik_bounds_unpacked = true;///< -amb bounds what is unpacked (2025-03)
  bool ik_fused_dense = true;    ///< gate and up of a dense block are one operation (2025-08)
  bool ik_moves_repacked = true; ///< CUDA reads repacked i-quants (2025-06, ik #493)
  bool ik_offloads_by_experts = true;  ///< experts are moved to a GPU only for batches that reach them all (2025-06, ik #520)
  bool late_rows = true;         ///< draft-capable models take the rows behind the final norm (2026-05)
};

/// One forward pass, resolved: numbers, no wishes.
struct Pass {
  std::uint64_t tokens = 512, sequences = 1, streams = 1, outputs = 1;
  std::uint64_t cells = 4096, window_cells = 0;   ///< of one stream
  bool flash = true;
  FormatId type_k = FormatId::fp16, type_v = FormatId::fp16;
  bool cache_on_device = true;
  int latent_mode = 0;                            ///< ik_llama.cpp: -mla 1 … 3
  std::uint64_t attention_batch = 0;              ///< ik_llama.cpp: -amb, MiB; 0 = without bound
  bool fused_experts = true;                      ///< ik_llama.cpp: -fmoe
  std::uint64_t rollback = 0;                     ///< states kept beside the current one (draft tokens)
  int devices = 1;
  bool all_on_devices = true;
  std::vector<std::int16_t> layer_backend;        ///< the host is `devices`
  std::int16_t output_backend = 0;
  std::vector<bool> experts_on_host;              ///< by layer
  Build build;

  std::int16_t host() const { return static_cast<std::int16_t>(devices); }
};

/// Where the loader puts a tensor.
std::int16_t backend_of(const Tensor& tensor, const Pass& pass);

class Builder {
 public:
  Builder(const Model& model, const Pass& pass);
  /// With `short_runs`, of many layers that are alike only some (Graph::left_out).
  Graph build(bool short_runs = false);

 private:
  struct Attention {  ///< inputs of one kind of cache
    Id k_rows = kNone, v_rows = kNone, mask = kNone, k_rotation = kNone, v_rotation = kNone;
    std::uint64_t cells = 0;
  };

  // build.cpp
  Id weight(Slot slot, int il = -1);
  bool has(Slot slot, int il = -1) { return weight(slot, il) != kNone; }
  std::int16_t layer_backend(int il) const { return pass_.layer_backend[static_cast<std::size_t>(il)]; }
  Id embed();
  bool alike(int il, int other) const;
  void layers(bool short_runs);
  void layer(int il);
  void attention_inputs();
  Attention attention_input(std::uint64_t cells, bool sliding);
  Id norm(Id x, Slot scale, Slot bias, int il);
  Id rms_norm(Id x, Slot scale, int il) { return norm_with(x, weight(scale, il), kNone, false, il); }
  Id norm_with(Id x, Id scale, Id bias, bool layer_norm, int il);
  Id unary(const char* name, Id x) { return graph_.element_wise(name, x); }
  Id add(const char* name, Id a, Id b) { return graph_.element_wise(name, a, b); }
  Id mul(const char* name, Id a, Id b) { return graph_.element_wise(name, a, b); }
  Id project(const char* name, Slot slot, Id x, int il) { return graph_.mul_mat(name, weight(slot, il), x); }
  Id take_rows(Id x) { return graph_.get_rows(x, rows_wanted_); }
  Id joined(Id block, Id residual) {
    return rules_.residual_first ? add("residual", residual, block) : add("residual", block, residual);
  }
  void layer_usual(int il);
  void layer_parallel(int il);
  void layer_single(int il);
  Id mixer(Id x, int il);
  void output();

  // build_attention.cpp
  Id attention(Id x, int il);
  Id latent_attention(Id x, int il);
  Id attend(Id q, Id k, Id v, int il, Id value_up = kNone);
  Id scores(Id q, Id k, Id v, const Attention& input, int il, Id value_up);
  Id rotate(Id x, Id rotation);
  Id cache(int il, bool values);
  Id rope_table(int il);
  Id expanded_attention(Id x, int il);

  // build_ik.cpp
  struct Latent { Id q_nope, q_rope, k_rope, latent; };
  Latent project_latent(Id x, int il);
  /// One of the up-projections of latent attention; made of what the file has when it has another form.
  Id latent_up(Slot slot, std::uint64_t outputs, int il);
  Id ik_latent_attention(Id x, int il);
  Id ik_expanded_batch(const Latent& parts, Id cache, int il);
  Id ik_absorbed(const Latent& parts, Id cache, int il);

  // build_feed.cpp
  Id dense(Id x, Slot gate, Slot up, Slot down, int il);
  Id experts(Id x, int il, Id logits = kNone, Id router_input = kNone);
  Id choose(Id scores);
  void keep_choice(Id logits, Id weights);
  Id feed(Id x, int il);
  Id gemma4_feed(Id x, int il);
  Id join(Id gate, Id up);

  // build_recurrent.cpp
  struct State { Id conv, ssm; };
  Id recurrent(Id x, int il);
  Id mamba1(Id x, int il);
  Id mamba2(Id x, int il);
  Id delta_net(Id x, int il);
  Id short_conv(Id x, int il);
  Id delta_chunks(Id q, Id k, Id v, Id g, Id beta, Id state, Id& new_state);
  Id read_state(Id all, std::uint64_t size);
  Id state_view(Id all, std::uint64_t size);
  void keep_state(Id all, Id last, std::uint64_t size);
  Id state_cache(int il, bool convolution);

  // build_gemma.cpp
  Id per_layer_inputs(Id x);
  Id per_layer_block(Id x, int il);
  Id slice(Id x, std::uint64_t index);
  void gemma3n();
  Id altup_modalities(Id x, int il);
  Id altup_predict(Id x, int il);
  Id altup_correct(Id predictions, Id activated, int il);
  Id magnitude(Id x);

  const Model& model_;
  const Rules& rules_;
  const Pass& pass_;
  Graph graph_;
  std::size_t place_of(Slot slot, int il) const;
  const Tensor* tensor_at(std::size_t place) const;

  std::vector<std::int32_t> tensors_;             ///< index in the model by layer + 1 and slot; −1 = none
  std::vector<Id> weights_;                       ///< by index in the model, the tied head last; kNone until asked for
  std::vector<Id> k_caches_, v_caches_, conv_caches_, ssm_caches_, rope_tables_;
  Attention full_, sliding_;
  Id x_ = kNone, positions_ = kNone, rows_wanted_ = kNone, state_rows_ = kNone, state_main_ = kNone, state_extra_ = kNone;
  Id per_layer_ = kNone;
  std::uint64_t widest_value_ = 0;
};

}  // namespace vram::llamacpp
