#include "core/import/config_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace vram {
namespace {

struct FieldRule {
  Field field;
  std::string_view names;  // separated by spaces, the usual one first
  std::uint32_t low, high;
};

// Names: facts/models.md "Field-name differences"; the configuration classes of Hugging Face transformers (field names
// are facts); Mistral's params.json. Ranges: an order of magnitude above the largest published model.
constexpr std::array<FieldRule, static_cast<std::size_t>(Field::count_)> kFields = {{
    {Field::layers, "num_hidden_layers n_layer num_layers n_layers decoder_layers", 1, kMaxLayers},
    {Field::hidden, "hidden_size n_embd d_model dim emb_dim", 1, 1u << 20},
    {Field::intermediate, "intermediate_size ffn_dim n_inner d_ff ffn_hidden_size hidden_dim decoder_ffn_dim", 1,
     1u << 22},
    {Field::heads, "num_attention_heads n_head num_heads n_heads decoder_attention_heads attn_config.n_heads", 1,
     1u << 16},
    {Field::kv_heads,
     "num_key_value_heads n_head_kv num_kv_heads n_kv_heads attn_config.kv_n_heads multi_query_group_num", 1, 1u << 16},
    {Field::head_dim, "head_dim attention_head_dim kv_channels d_kv", 1, 1u << 16},
    {Field::v_head_dim, "v_head_dim", 1, 1u << 16},
    {Field::vocabulary, "vocab_size padded_vocab_size n_vocab", 1, 1u << 26},
    {Field::context,
     "max_position_embeddings n_positions max_seq_len max_sequence_length seq_length n_ctx max_target_positions "
     "model_max_length",
     1, 1u << 30},
    {Field::positions, "max_position_embeddings n_positions", 1, 1u << 24},
    {Field::token_types, "type_vocab_size", 0, 1u << 16},
    {Field::embedding_dim, "word_embed_proj_dim embedding_size", 1, 1u << 20},

    {Field::window, "sliding_window sliding_window_size window_size attention_window", 0, 1u << 30},
    {Field::window_period, "sliding_window_pattern", 0, kMaxLayers},
    {Field::chunk, "attention_chunk_size", 1, 1u << 30},
    {Field::window_layers_from, "max_window_layers", 0, 1u << 16},
    {Field::swa_heads, "swa_num_attention_heads", 1, 1u << 16},
    {Field::swa_kv_heads, "swa_num_key_value_heads", 1, 1u << 16},
    {Field::swa_head_dim, "swa_head_dim", 1, 1u << 16},
    {Field::swa_v_head_dim, "swa_v_head_dim", 1, 1u << 16},
    {Field::global_head_dim, "global_head_dim", 1, 1u << 16},
    {Field::global_kv_heads, "num_global_key_value_heads", 1, 1u << 16},
    {Field::shared_kv_layers, "num_kv_shared_layers", 0, kMaxLayers},
    {Field::cla_factor, "cla_share_factor", 1, kMaxLayers},

    {Field::q_rank, "q_lora_rank", 1, 1u << 20},
    {Field::kv_rank, "kv_lora_rank", 1, 1u << 20},
    {Field::rope_dim, "qk_rope_head_dim", 0, 1u << 16},
    {Field::nope_dim, "qk_nope_head_dim", 1, 1u << 16},
    {Field::index_heads, "index_n_heads sparse_attention_config.sparse_num_index_heads", 1, 1u << 16},
    {Field::index_dim, "index_head_dim sparse_attention_config.sparse_index_dim", 1, 1u << 16},
    {Field::index_period, "index_topk_freq", 1, kMaxLayers},
    {Field::index_offset, "index_skip_topk_offset", 0, kMaxLayers},
    {Field::o_rank, "o_lora_rank", 1, 1u << 20},
    {Field::o_groups, "o_groups", 1, 1u << 16},
    {Field::hyper_connections, "hc_mult", 1, 1u << 10},
    {Field::hash_layers, "num_hash_layers", 0, kMaxLayers},

    {Field::experts,
     "num_experts num_local_experts n_routed_experts moe_num_experts ffn_config.moe_num_experts num_routed_experts", 0,
     1u << 16},
    {Field::top_k,
     "num_experts_per_tok num_experts_per_token experts_per_token moe_topk moe_k top_k_experts num_selected_experts "
     "ffn_config.moe_top_k moe_top_k",
     0, 1u << 16},
    {Field::expert_width,
     "moe_intermediate_size expert_intermediate_size moe_ffn_hidden_size ffn_config.ffn_hidden_size", 1, 1u << 22},
    {Field::shared_count, "n_shared_experts num_shared_experts moe_num_shared_experts num_shared_expert", 0, 1u << 12},
    {Field::shared_width,
     "shared_expert_intermediate_size moe_shared_expert_intermediate_size share_expert_dim shared_intermediate_size", 0,
     1u << 22},
    {Field::dense_width, "dense_intermediate_size intermediate_size_mlp", 1, 1u << 22},
    {Field::dense_first, "first_k_dense_replace num_dense_layers moe_layer_start_index", 0, kMaxLayers},
    {Field::latent_width, "moe_latent_size routed_expert_hidden_size", 1, 1u << 20},
    {Field::moe_period, "interleave_moe_layer_step decoder_sparse_step expert_layer_period moe_layer_interval", 1,
     kMaxLayers},
    {Field::moe_offset, "expert_layer_offset", 0, kMaxLayers},
    {Field::moe_end, "moe_layer_end_index", 0, kMaxLayers},

    {Field::full_period, "full_attention_interval attn_layer_period", 1, kMaxLayers},
    {Field::full_offset, "attn_layer_offset", 0, kMaxLayers},
    {Field::conv,
     "linear_conv_kernel_dim conv_kernel mamba_d_conv conv_kernel_size d_conv conv_L_cache "
     "linear_attn_config.short_conv_kernel_size",
     1, 1u << 12},
    {Field::state, "ssm_state_size mamba_d_state state_size d_state", 1, 1u << 16},
    {Field::groups, "n_groups mamba_n_groups mamba_ngroups", 1, 1u << 16},
    {Field::mamba_heads, "mamba_num_heads mamba_n_heads", 1, 1u << 16},
    {Field::mamba_head_dim, "mamba_head_dim mamba_d_head", 1, 1u << 16},
    {Field::mamba_inner, "mamba_d_ssm mamba_intermediate_size", 1, 1u << 22},
    {Field::mamba_expand, "mamba_expand expand", 1, 1u << 10},
    {Field::dt_rank, "mamba_dt_rank time_step_rank", 1, 1u << 20},
    {Field::linear_key_heads, "linear_num_key_heads", 1, 1u << 16},
    {Field::linear_key_dim, "linear_key_head_dim", 1, 1u << 16},
    {Field::linear_value_heads, "linear_num_value_heads linear_attn_config.num_heads", 1, 1u << 16},
    {Field::linear_value_dim, "linear_value_head_dim linear_attn_config.head_dim", 1, 1u << 16},
    {Field::conv_dim, "conv_dim", 1, 1u << 20},

    {Field::draft_layers, "num_nextn_predict_layers mtp_num_hidden_layers mtp_num_layers mtp_transformer_layers", 0,
     256},

    {Field::per_layer_dim, "hidden_size_per_layer_input", 0, 1u << 16},
    {Field::per_layer_vocabulary, "vocab_size_per_layer_input", 1, 1u << 26},
    {Field::laurel_rank, "laurel_rank", 1, 1u << 16},
    {Field::altup_inputs, "altup_num_inputs", 1, 1u << 8},
    {Field::labels, "num_labels", 1, 1u << 20},
}};

struct FlagRule {
  Flag flag;
  std::string_view names;
};

constexpr std::array<FlagRule, static_cast<std::size_t>(Flag::count_)> kFlags = {{
    {Flag::tied, "tie_word_embeddings tie_embeddings"},
    {Flag::attention_bias, "attention_bias qkv_bias add_qkv_bias use_qkv_bias attention_qkv_bias bias"},
    {Flag::o_bias, "attention_out_bias use_attention_out_bias"},
    {Flag::mlp_bias, "mlp_bias"},
    {Flag::window_on, "use_sliding_window"},
    {Flag::qk_norm, "use_qk_norm"},
    {Flag::gate, "attn_output_gate attention_output_gate use_output_gate"},
    {Flag::router_bias,
     "use_routing_bias use_moe_router_bias moe_use_aux_free use_expert_bias moe_router_enable_expert_bias"},
    {Flag::draft_on, "use_mtp"},
    {Flag::draft_embeddings, "mtp_use_dedicated_embeddings"},
    {Flag::key_is_value, "attention_k_eq_v"},
    {Flag::double_wide, "use_double_wide_mlp"},
    {Flag::new_decoder, "new_decoder_architecture"},
    {Flag::multi_query, "multi_query"},
    {Flag::parallel_attention, "parallel_attn use_parallel_residual"},
    {Flag::latent_norm, "latent_moe_use_norm"},
    {Flag::full_rank_gate, "linear_attn_config.use_full_rank_gate"},
    {Flag::mla_gate, "mla_use_output_gate"},
    {Flag::full_sinks, "add_full_attention_sink_bias"},
    {Flag::window_sinks, "add_swa_attention_sink_bias"},
    {Flag::shared_expert_gate, "use_shared_expert_gate"},
    {Flag::conv_bias, "use_conv_bias mamba_conv_bias"},
    {Flag::mamba_norm, "mamba_rms_norm"},
    {Flag::head_bias, "lm_head_bias"},
    {Flag::dense_beside_experts, "residual_moe enable_moe_block parallel_attn_mlp_res use_residual"},
    {Flag::adjusted_width, "block_auto_adjust_ff_dim"},
    {Flag::cross_layer, "use_cla"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (kFields[i].field != static_cast<Field>(i)) return false;
  }
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    if (kFlags[i].flag != static_cast<Flag>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "a row for each field and flag, in the order of the enumerations");

const FieldRule& rule_of(Field field) { return kFields[static_cast<std::size_t>(field)]; }

/// Calls `use(name)` for each of the space-separated names until it returns true.
template <class Use>
bool any_name(std::string_view names, Use use) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (use(names.substr(0, end))) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

const Json* walk(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (true) {
    const std::size_t dot = path.find('.');
    at = find(*at, path.substr(0, dot));
    if (at == nullptr || at->is_null()) return nullptr;
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

/// A whole number written as such, as 4096.0, or as a string of digits is not accepted as the last.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number > static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number > -9.0e15 && number < 9.0e15 && static_cast<double>(static_cast<std::int64_t>(number)) == number) {
      return static_cast<std::int64_t>(number);
    }
  }
  return std::nullopt;
}

Message wrong_type(std::string_view name, std::string_view expected) {
  return Message("config.wrong_type")
      .with("field", std::string(name))
      .with("expected", MessageKey{"json_type." + std::string(expected)});
}

Message out_of_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  return Message("config.out_of_range")
      .with("field", std::string(name))
      .with("value", value)
      .with("low", low)
      .with("high", high);
}

}  // namespace

std::string_view field_name(Field field) {
  const std::string_view names = rule_of(field).names;
  return names.substr(0, names.find(' '));
}

const Json* FieldReader::member(std::string_view path) const {
  if (const Json* value = walk(*text_, path)) return value;
  return text_ == root_ ? nullptr : walk(*root_, path);
}

void FieldReader::fail(Message message) {
  if (!error_) error_ = std::move(message);
}

std::optional<std::uint32_t> FieldReader::get(Field field) {
  const FieldRule& rule = rule_of(field);
  std::optional<std::uint32_t> result;
  any_name(rule.names, [&](std::string_view name) {
    const Json* value = member(name);
    if (value == nullptr) return false;
    // Some families give one value a layer (Hunyuan's moe_topk); equal ones are one value, the largest stands for
    // others.
    if (value->is_array()) {
      std::int64_t largest = 0;
      for (const Json& item : *value) largest = std::max(largest, whole(item).value_or(0));
      if (largest < std::max<std::int64_t>(rule.low, 1) || largest > rule.high) return false;
      result = static_cast<std::uint32_t>(largest);
      return true;
    }
    if (value->is_string() || value->is_object()) {
      // "sliding_window_pattern": "LLLG" and mamba_dt_rank: "auto" are other ways of saying it, read where they matter.
      if (field == Field::window_period || field == Field::dt_rank) return false;
      fail(wrong_type(name, "number"));
      return true;
    }
    if (value->is_boolean()) {
      if (!value->get<bool>()) return false;  // false = "without it"
      fail(wrong_type(name, "number"));
      return true;
    }
    const std::optional<std::int64_t> number = whole(*value);
    if (!number) {
      fail(wrong_type(name, "whole_number"));
      return true;
    }
    if (*number < rule.low || *number > rule.high) {
      fail(out_of_range(name, *number, rule.low, rule.high));
      return true;
    }
    result = static_cast<std::uint32_t>(*number);
    return true;
  });
  return result;
}

std::uint32_t FieldReader::need(Field field) {
  const std::optional<std::uint32_t> value = get(field);
  if (!value) fail(Message("config.missing_field").with("field", std::string(field_name(field))));
  return value.value_or(1);
}

std::optional<bool> FieldReader::get(Flag flag) {
  std::optional<bool> result;
  any_name(kFlags[static_cast<std::size_t>(flag)].names, [&](std::string_view name) {
    const Json* value = member(name);
    if (value == nullptr) return false;
    if (value->is_boolean()) {
      result = value->get<bool>();
    } else if (value->is_number()) {
      result = value->get<double>() != 0;
    } else {
      fail(wrong_type(name, "yes_or_no"));
    }
    return true;
  });
  return result;
}

std::vector<std::uint32_t> FieldReader::per_layer(Field field, std::uint32_t layers) {
  const FieldRule& rule = rule_of(field);
  std::vector<std::uint32_t> result;
  any_name(rule.names, [&](std::string_view name) {
    const Json* value = member(name);
    if (value == nullptr || !value->is_array()) return false;
    if (value->size() != layers) {
      fail(Message("config.list_length")
               .with("field", std::string(name))
               .with("length", static_cast<std::int64_t>(value->size()))
               .with("layers", std::int64_t{layers}));
      return true;
    }
    for (const Json& item : *value) {
      const std::optional<std::int64_t> number = whole(item);
      if (!number) {
        fail(wrong_type(name, "whole_number"));
        return true;
      }
      if (*number < 0 || *number > rule.high) {
        fail(out_of_range(name, *number, 0, rule.high));
        return true;
      }
      result.push_back(static_cast<std::uint32_t>(*number));
    }
    return true;
  });
  return result;
}

bool FieldReader::knows_any() const {
  for (const Field field : {Field::layers, Field::hidden, Field::heads}) {
    if (any_name(rule_of(field).names, [&](std::string_view name) { return member(name) != nullptr; })) return true;
  }
  return false;
}

}  // namespace vram
