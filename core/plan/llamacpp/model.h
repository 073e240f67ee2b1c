// A model as llama.cpp sees it: an architecture with its rules, layers with their kinds, and the tensors of its file.
//
// The rules of an architecture (which norms, how queries are normed, what the feed-forward block is made of) are a row
// of a table, as in import/families.h for config.json; they decide which tensors a GGUF holds and which graph is built.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/llamacpp/graph.h"

namespace vram::llamacpp {

/// How queries and keys are normed.
enum class HeadNorm : std::uint8_t {
  none,
  per_head,             ///< after the projection, over each head
  per_head_after_rope,  ///< Hunyuan
  full,                 ///< over all heads together
};
enum class Activation : std::uint8_t {
  gated,     ///< gate and up are two tensors, joined by one operation (swiglu_split, geglu_split)
  fused,     ///< gate and up are one tensor (swiglu)
  plain,     ///< up only, one unary operation (gelu)
  squared,   ///< up only, relu and square (Nemotron)
};
enum class Gating : std::uint8_t { softmax, sigmoid, softmax_of_chosen };
/// How a file holds the up-projections of latent attention.
enum class LatentUp : std::uint8_t {
  apart,     ///< one for keys, one for values (since 2025-04)
  together,  ///< one for both
  all,       ///< all three (ik_llama.cpp's converter)
};
/// Where the rows that are asked for are taken out of the batch.
enum class RowsTaken : std::uint8_t {
  before_feed,   ///< in the last layer, after attention
  after_norm,    ///< behind the final norm: draft layers may read all rows
  before_norm,   ///< before the final norm
};
enum class Flow : std::uint8_t {
  usual,         ///< x += attention(norm(x)); x += feed(norm(x))
  parallel,      ///< x += attention(norm(x)) + feed(norm(x)), one norm (Command-R)
  single,        ///< one block a layer, mixer or feed-forward (Mamba, Nemotron-H)
  gemma3n,
};
enum class Recurrence : std::uint8_t { none, mamba1, mamba2, delta_net, short_conv };

struct Rules {
  std::string_view arch;                   ///< general.architecture
  int since = 0;                           ///< supported from this month on: 202504; 0 = from the beginning
  bool output_first = false;               ///< the head is loaded before the embedding (Gemma 3n, Gemma 4)
  Flow flow = Flow::usual;
  bool layer_norm = false;                 ///< LayerNorm instead of RMSNorm
  bool norm_bias = false;
  bool pre_norm = true;                    ///< norms before attention and before the feed-forward block
  bool post_norm = false;                  ///< norms after them
  bool residual_first = false;             ///< residual + block instead of block + residual: decides whose place is reused
  bool feed_norm_is_post_attention = false;///< the norm before the feed-forward block is stored as post_attention_norm
  HeadNorm head_norm = HeadNorm::none;
  bool head_norm_is_layer_norm = false;
  bool value_norm = false;                 ///< values are normed too, without weights
  bool fused_qkv = false;
  bool qkv_bias = false, o_bias = false;
  bool rope = true;
  bool rope_on_windows_only = false;
  std::uint8_t no_rope_period = 0;         ///< every n-th layer has none (SmolLM3)
  bool scaled_query = false;               ///< one more operation on the queries
  bool attention_gate = false;             ///< queries come with a gate (Qwen3-Next)
  bool sinks = false;
  Activation feed = Activation::gated;
  bool feed_bias = false;
  Gating gating = Gating::softmax;
  bool probability_bias = false;           ///< a bias that takes part in choosing experts
  bool normed_weights = true;              ///< the chosen experts' weights are divided by their sum
  bool scaled_weights = false;
  std::uint8_t expert_groups = 1;          ///< groups of experts, chosen first
  bool expert_bias = false;
  bool fused_gate_up = false;              ///< experts' gate and up are one tensor
  bool shared_first = false;               ///< the shared expert comes before the others in the graph
  bool shared_gate = false;
  bool plain_norm_router = false;          ///< Gemma 4: experts beside a dense block, with norms of their own
  bool scaled_input = false;               ///< embedding × constant
  bool residual_scale = false;
  bool expand_norm = false;                ///< the norm of a layer is put into the graph by itself
  bool capped_scores = false;              ///< soft cap on attention scores
  bool capped_logits = false;
  bool scaled_logits = false;
  RowsTaken rows = RowsTaken::before_feed;
  std::uint8_t window_period = 0;          ///< every n-th layer is full; 0 = no windows, 1 = all windowed
  bool window_full_first = false;          ///< the full layer is the first of a period
  std::uint8_t shared_kv_from = 0;         ///< layers from here on borrow keys and values (Gemma 3n)
  Recurrence recurrence = Recurrence::none;
  bool mixer_norm = false;                 ///< gated norm of Mamba-2
  bool step_norms = false;                 ///< norms of dt, B and C
  bool stores_draft = false;               ///< draft layers are in the file and are not loaded
  bool rope_factors = false;               ///< a table of frequencies for full layers
  bool positions = true;                   ///< the graph has position inputs
  std::uint8_t position_width = 1;         ///< positions a token (4 with M-RoPE)
};

/// The row for an architecture; Llama's for one that is not known.
const Rules& rules_of(std::string_view arch);
bool knows(std::string_view arch);

/// Tensors of a GGUF by what they are for; names in kSlotNames.
enum class Slot : std::uint8_t {
  token_embd, output, output_norm, output_norm_b,
  per_layer_token_embd, per_layer_model_proj, per_layer_proj_norm, altup_proj, altup_unembd_proj, rope_freqs,
  attn_norm, attn_norm_b, attn_q, attn_k, attn_v, attn_qkv, attn_q_b, attn_k_b, attn_v_b, attn_qkv_b,
  attn_output, attn_output_b, attn_q_norm, attn_k_norm, attn_post_norm, attn_sinks, attn_gate,
  latent_q_a, latent_q_a_norm, latent_q_b, latent_kv_a, latent_kv_a_norm, latent_k_b, latent_v_b, latent_kv_b,
  ffn_norm, ffn_norm_b, ffn_gate, ffn_up, ffn_down, ffn_up_b, ffn_down_b, ffn_post_norm,
  ffn_pre_norm_2, ffn_post_norm_1, ffn_post_norm_2,
  ffn_gate_inp, ffn_gate_inp_b, ffn_gate_inp_s, exp_probs_b,
  ffn_gate_exps, ffn_up_exps, ffn_down_exps, ffn_gate_up_exps, ffn_gate_exps_b, ffn_up_exps_b, ffn_down_exps_b,
  ffn_down_exps_s, ffn_gate_shexp, ffn_up_shexp, ffn_down_shexp, ffn_gate_inp_shexp,
  ffn_latent_down, ffn_latent_up,
  ssm_in, ssm_conv1d, ssm_conv1d_b, ssm_x, ssm_dt, ssm_dt_b, ssm_a, ssm_d, ssm_norm, ssm_out,
  ssm_dt_norm, ssm_b_norm, ssm_c_norm, ssm_beta, ssm_alpha, ssm_ba,
  shortconv_in, shortconv_conv, shortconv_out,
  layer_out_scale, per_layer_inp_gate, per_layer_proj, per_layer_post_norm,
  laurel_l, laurel_r, laurel_post_norm, altup_correct_coef, altup_correct_scale, altup_predict_coef, altup_router,
  altup_router_norm,
  nextn_eh_proj, nextn_enorm, nextn_hnorm, nextn_embed, nextn_head, nextn_norm,
  count_
};
std::string_view slot_name(Slot slot);

struct Tensor {
  Slot slot = Slot::count_;
  std::int16_t layer = -1;                 ///< −1: outside the layers
  FormatId type = FormatId::fp16;
  Shape ne{1, 1, 1, 1};
  bool loaded = true;                      ///< false: in the file only (draft layers that the architecture leaves out)
  std::uint64_t values() const { return ne[0] * ne[1] * ne[2] * ne[3]; }
};

struct Layer {
  bool attention = false, latent = false;
  bool expanded = false;                   ///< latent weights, but keys and values of every head are kept
  bool recurrent = false;
  bool sliding = false;
  bool keeps_kv = true;                    ///< false: reads an earlier layer's cache
  bool own_value = true;                   ///< false: values are the keys before their norm (Gemma 4 k_eq_v)
  std::uint32_t heads = 0, kv_heads = 0, key_dim = 0, value_dim = 0;
  std::uint64_t pending = 0;               ///< fp32 values a sequence that wait to be compressed (DeepSeek V4)
  std::uint32_t width = 0;                 ///< of the dense block; 0 = none
  bool experts = false;

  friend bool operator==(const Layer&, const Layer&) = default;
};

struct Model {
  std::string arch;
  const Rules* rules = nullptr;
  std::uint32_t n_embd = 0, n_vocab = 0;
  bool tied = false;
  std::vector<Layer> layers;               ///< without draft layers
  std::uint32_t draft_layers = 0;
  bool loads_draft = false;                ///< the file's draft layers are loaded too: a second context drafts with them
  bool draft_embeddings = false;
  std::uint32_t window = 0;
  std::uint32_t experts = 0, experts_used = 0, expert_width = 0, shared_width = 0, expert_latent = 0;
  LatentUp latent_up = LatentUp::apart;
  std::uint32_t q_rank = 0, kv_rank = 0, rope_dim = 0, nope_dim = 0, v_dim = 0;
  std::uint32_t conv = 0, inner = 0, state = 0, groups = 0, step_rank = 0;   ///< of recurrent layers; step_rank = heads
  std::uint32_t per_layer_dim = 0, per_layer_vocab = 0, laurel_rank = 0, altup = 0;
  std::vector<Tensor> tensors;

  /// The same with keys and values of every head in the cache: how latent attention ran before it was absorbed.
  Model with_expanded_latent() const;
  int layer_count() const { return static_cast<int>(layers.size()); }
  bool has_recurrent() const;
  bool has_attention() const;
};

}  // namespace vram::llamacpp
