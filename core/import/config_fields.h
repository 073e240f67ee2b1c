// The numbers of a config.json, by meaning.
//
// Families call one thing by many names (`num_experts`, `num_local_experts`, `n_routed_experts`, …). The names, and the
// range in which a value is believable, stand in one table; everything after it asks by meaning:
//
//   FieldReader fields(root, text);            // text = the nested `text_config`, or the root itself
//   const auto layers = fields.need(Field::layers);
//   const auto experts = fields.get(Field::experts).value_or(0);
//   if (fields.error()) return *fields.error();   // the first thing that was wrong; checked once, at the end
//
// Ranges keep hostile files harmless: with at most 4096 layers, nothing here can hang or fill the memory.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/json.h"

namespace vram {

enum class Field : std::uint8_t {
  // the text model
  layers,
  hidden,
  intermediate,
  heads,
  kv_heads,
  head_dim,
  v_head_dim,
  vocabulary,
  context,
  positions,
  token_types,
  embedding_dim,
  // windows
  window,
  window_period,
  chunk,
  window_layers_from,
  swa_heads,
  swa_kv_heads,
  swa_head_dim,
  swa_v_head_dim,
  global_head_dim,
  global_kv_heads,
  shared_kv_layers,
  cla_factor,
  // latent attention
  q_rank,
  kv_rank,
  rope_dim,
  nope_dim,
  index_heads,
  index_dim,
  index_period,
  index_offset,
  o_rank,
  o_groups,
  hyper_connections,
  hash_layers,
  // experts
  experts,
  top_k,
  expert_width,
  shared_count,
  shared_width,
  dense_width,
  dense_first,
  latent_width,
  moe_period,
  moe_offset,
  moe_end,
  // recurrent mixers
  full_period,
  full_offset,
  conv,
  state,
  groups,
  mamba_heads,
  mamba_head_dim,
  mamba_inner,
  mamba_expand,
  dt_rank,
  linear_key_heads,
  linear_key_dim,
  linear_value_heads,
  linear_value_dim,
  conv_dim,
  // draft layers
  draft_layers,
  // Gemma 3n and 4
  per_layer_dim,
  per_layer_vocabulary,
  laurel_rank,
  altup_inputs,
  labels,
  count_
};

/// Yes-or-no statements, by meaning.
enum class Flag : std::uint8_t {
  tied,
  attention_bias,
  o_bias,
  mlp_bias,
  window_on,
  qk_norm,
  gate,
  router_bias,
  draft_on,
  draft_embeddings,
  key_is_value,
  double_wide,
  new_decoder,
  multi_query,
  parallel_attention,
  latent_norm,
  full_rank_gate,
  mla_gate,
  full_sinks,
  window_sinks,
  shared_expert_gate,
  conv_bias,
  mamba_norm,
  head_bias,
  dense_beside_experts,
  adjusted_width,
  cross_layer,
  count_
};

class FieldReader {
 public:
  /// Names are looked for in `text` first, then in `root`.
  FieldReader(const Json& root, const Json& text) : root_(&root), text_(&text) {}

  /// The value; nothing when absent or null. A value of the wrong type or out of range becomes the error.
  std::optional<std::uint32_t> get(Field field);
  /// The value; absence is an error too, and 1 is returned so that the caller may go on.
  std::uint32_t need(Field field);
  std::uint32_t get_or(Field field, std::uint32_t fallback) { return get(field).value_or(fallback); }
  std::optional<bool> get(Flag flag);
  bool get_or(Flag flag, bool fallback) { return get(flag).value_or(fallback); }
  /// One value a layer, where the config gives a list (`intermediate_size: [5376, …]`); empty when it does not.
  /// Zeros are allowed: a layer without that block.
  std::vector<std::uint32_t> per_layer(Field field, std::uint32_t layers);

  /// A member by its dotted path ("ffn_config.moe_top_k"), null counting as absent.
  const Json* member(std::string_view path) const;
  const Json& text() const { return *text_; }
  const Json& root() const { return *root_; }

  const std::optional<Message>& error() const { return error_; }
  void fail(Message message);
  /// Any of the names by which a config.json of a language model is known.
  bool knows_any() const;

 private:
  const Json *root_, *text_;
  std::optional<Message> error_;
};

/// The first, usual name of a field: what a message calls it.
std::string_view field_name(Field field);

constexpr std::uint32_t kMaxLayers = 4096;

}  // namespace vram
