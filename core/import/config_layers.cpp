#include "core/import/config_layers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/import/config_kinds.h"
#include "core/import/config_special.h"

namespace vram {
namespace {

class LayerReader {
 public:
  LayerReader(FieldReader& fields, const Family& family) : fields_(fields), family_(family), known_(fields, family) {}

  TextModel read() {
    model_.family = &family_;
    model_.norm = family_.norm;
    read_dimensions();
    if (fields_.error()) return std::move(model_);
    LayerKinds kinds = read_layer_kinds(known_, layers_, model_.dims.max_position_embeddings);
    kinds_ = std::move(kinds.kinds);
    window_ = kinds.window;
    if (kinds.window_unplaced) note(Message("config.note.window_not_used").with("window", std::int64_t{window_}));
    sparse_ = model_.dims.num_experts == 0 ? std::vector<bool>(layers_, false) : read_expert_layers(known_, layers_);
    attention_free_ = is_attention_free(known_);
    exclusive_ = family_.layout == Layout::exclusive || any(LayerKind::mlp, LayerKind::experts, LayerKind::experts);
    read_attention();
    read_recurrence();
    read_feed_forward();
    if (fields_.error()) return std::move(model_);
    build();
    build_drafts();
    return std::move(model_);
  }

 private:
  std::uint32_t value(Field field, std::uint32_t fallback = 0) { return known_.value(field, fallback); }
  std::uint32_t need(Field field) { return known_.need(field); }
  void note(Message message) { model_.notes.push_back(std::move(message)); }

  void read_dimensions() {
    Dimensions& dims = model_.dims;
    layers_ = count_layers(fields_);
    dims.num_hidden_layers = layers_;
    dims.hidden_size = need(Field::hidden);
    dims.vocab_size = need(Field::vocabulary);
    dims.max_position_embeddings = value(Field::context);
    model_.tied = fields_.get_or(Flag::tied, family_.tied);
    model_.head_bias = fields_.get_or(Flag::head_bias, family_.head_bias);
    dims.num_experts = value(Field::experts);
    dims.num_experts_per_tok =
        dims.num_experts == 0 ? 0 : std::min(std::max(value(Field::top_k, 1), 1u), dims.num_experts);
  }

  // ---- what the parts are
  // --------------------------------------------------------------------------------------------

  bool any(LayerKind a, LayerKind b, LayerKind c) const {
    return std::any_of(kinds_.begin(), kinds_.end(), [&](LayerKind k) { return k == a || k == b || k == c; });
  }

  QkNorm qk_norm() {
    const std::optional<bool> asked = fields_.get(Flag::qk_norm);
    if (family_.qk_norm == QkNorm::without_weights || asked == false) return QkNorm::none;
    if (!asked) return family_.qk_norm_asked ? QkNorm::none : family_.qk_norm;
    if (const Json* kind = fields_.member("qk_norm_type"); kind != nullptr && *kind == "per_layer") return QkNorm::full;
    return family_.qk_norm == QkNorm::none ? QkNorm::per_head : family_.qk_norm;
  }

  void read_attention() {
    Dimensions& dims = model_.dims;
    if (!any(LayerKind::full, LayerKind::sliding, LayerKind::chunked)) return;
    Attention& full = full_;
    full.heads = need(Field::heads);
    const std::vector<std::uint32_t> listed = fields_.per_layer(Field::kv_heads, layers_);
    full.kv_heads = !listed.empty() ? *std::max_element(listed.begin(), listed.end()) : value(Field::kv_heads);
    if (full.kv_heads == 0) full.kv_heads = one_kv_head() ? 1 : full.heads;
    full.key_dim = value(Field::head_dim, dims.hidden_size / std::max(full.heads, 1u));
    if (full.key_dim == 0) full.key_dim = 1;
    full.kv_rank = value(Field::kv_rank);
    full.value_dim = value(Field::v_head_dim, full.key_dim);
    full.kind = full.kv_rank != 0 ? Attention::Kind::latent : Attention::Kind::grouped;
    full.q_bias = full.k_bias = full.v_bias = fields_.get_or(Flag::attention_bias, family_.qkv_bias);
    full.o_bias = fields_.get_or(
        Flag::o_bias, family_.o_bias == OutputBias::always || (family_.o_bias == OutputBias::follows && full.q_bias));
    full.qk_norm = qk_norm();
    full.gate = fields_.get_or(Flag::gate, family_.gate);
    full.sinks = fields_.get_or(Flag::full_sinks, family_.sinks);
    full.index_heads = value(Field::index_heads);
    full.index_dim = full.index_heads == 0 ? 0 : value(Field::index_dim, 128);
    if (full.kind == Attention::Kind::latent) {
      full.q_rank = value(Field::q_rank);
      full.rope_dim = value(Field::rope_dim);
      full.nope_dim = need(Field::nope_dim);
      full.value_dim = need(Field::v_head_dim);
      full.gate = fields_.get_or(Flag::mla_gate, false);
      full.qk_norm = QkNorm::none;
    } else {
      full.block_index = full.index_heads != 0;
    }
    if (full.kv_heads > full.heads && full.kind == Attention::Kind::grouped) {
      fields_.fail(Message("config.out_of_range")
                       .with("field", std::string(field_name(Field::kv_heads)))
                       .with("value", std::int64_t{full.kv_heads})
                       .with("low", std::int64_t{1})
                       .with("high", std::int64_t{full.heads}));
    }
    sliding_ = full;
    sliding_.heads = value(Field::swa_heads, full.heads);
    sliding_.kv_heads = value(Field::swa_kv_heads, full.kv_heads);
    sliding_.key_dim = value(Field::swa_head_dim, full.key_dim);
    sliding_.value_dim = value(Field::swa_v_head_dim, full.value_dim);
    sliding_.sinks = fields_.get_or(Flag::window_sinks, family_.sinks);
    sliding_.window = window_;
    chunked_ = full;
    chunked_.window = value(Field::chunk);
    chunked_.chunked = true;

    dims.num_attention_heads = full.heads;
    dims.num_key_value_heads = full.kv_heads;
    dims.head_dim = full.key_dim;
    if (full.kind == Attention::Kind::latent) {
      dims.head_dim = full.nope_dim + full.rope_dim;
      dims.kv_lora_rank = full.kv_rank;
      dims.q_lora_rank = full.q_rank;
      dims.qk_rope_head_dim = full.rope_dim;
      dims.qk_nope_head_dim = full.nope_dim;
      dims.v_head_dim = full.value_dim;
    }
  }
  bool one_kv_head() {
    return fields_.get_or(Flag::multi_query, family_.one_kv_head) && !fields_.get_or(Flag::new_decoder, false);
  }

  void read_recurrence() {
    const bool parallel = family_.layout == Layout::parallel_mixer;
    if (!parallel && !any(LayerKind::recurrent, LayerKind::recurrent, LayerKind::recurrent)) return;
    Recurrent& r = recurrent_;
    r.kind = recurrence_of(known_);
    const std::uint32_t hidden = model_.dims.hidden_size;
    switch (r.kind) {
      case Recurrence::none:
        fields_.fail(Message("config.unknown_recurrence").with("field", std::string(field_name(Field::state))));
        break;
      case Recurrence::gated_delta:
        r.heads = need(Field::linear_value_heads);
        r.head_dim = need(Field::linear_value_dim);
        r.key_heads = need(Field::linear_key_heads);
        r.key_dim = need(Field::linear_key_dim);
        r.conv = need(Field::conv);
        break;
      case Recurrence::kda:
        r.heads = need(Field::linear_value_heads);
        r.head_dim = need(Field::linear_value_dim);
        r.conv = value(Field::conv, 4);
        r.rank = r.head_dim;
        r.full_rank_gate = fields_.get_or(Flag::full_rank_gate, false);
        break;
      case Recurrence::lightning:
        r.heads = need(Field::heads);
        r.head_dim = value(Field::head_dim, hidden / std::max(r.heads, 1u));
        break;
      case Recurrence::short_conv:
        r.inner = value(Field::conv_dim, hidden);
        r.conv = value(Field::conv, 3);
        r.conv_bias = fields_.get_or(Flag::conv_bias, false);
        break;
      case Recurrence::mamba1:
        r.inner = attention_free_ ? value(Field::intermediate, hidden * value(Field::mamba_expand, 2))
                                  : value(Field::mamba_inner, hidden * value(Field::mamba_expand, 2));
        r.state = need(Field::state);
        r.conv = need(Field::conv);
        r.rank = value(Field::dt_rank, (hidden + 15) / 16);  // "auto"
        r.norm = family_.id.starts_with("jamba");
        r.conv_bias = fields_.get_or(Flag::conv_bias, true);
        break;
      case Recurrence::mamba2:
        r.inner = value(Field::mamba_inner, hidden * value(Field::mamba_expand, 2));
        r.head_dim = value(Field::mamba_head_dim, attention_free_ ? value(Field::head_dim, 64) : 64);
        r.heads = value(Field::mamba_heads, r.inner / std::max(r.head_dim, 1u));
        r.inner = r.heads * r.head_dim;
        r.state = need(Field::state);
        r.conv = need(Field::conv);
        r.groups = value(Field::groups, 1);
        r.norm = !parallel || fields_.get_or(Flag::mamba_norm, false);
        r.conv_bias = fields_.get_or(Flag::conv_bias, true);
        break;
    }
    for (const std::string_view key : {"mamba_ssm_dtype", "mamba_ssm_cache_dtype"}) {
      if (const auto type = vram::text(fields_.text(), key); type == "bfloat16") r.state_format = FormatId::bf16;
    }
  }

  void read_feed_forward() {
    Dimensions& dims = model_.dims;
    FeedForward& dense = dense_;
    dense.gated = family_.gated;
    dense.bias = fields_.get_or(Flag::mlp_bias, family_.mlp_bias);
    widths_ = fields_.per_layer(Field::intermediate, layers_);
    dims.intermediate_size = dense_width();

    if (dims.num_experts == 0) return;
    FeedForward& experts = experts_;
    experts.gated = family_.gated;
    experts.experts = dims.num_experts;
    experts.expert_width = value(Field::expert_width);
    if (experts.expert_width == 0) {
      experts.expert_width = need(family_.expert_width_is_intermediate ? Field::intermediate : Field::expert_width);
    }
    dims.moe_intermediate_size = experts.expert_width;
    const std::optional<std::uint32_t> shared = fields_.get(Field::shared_width);
    experts.shared_width = shared ? *shared : value(Field::shared_count) * experts.expert_width;
    experts.latent_width = value(Field::latent_width);
    experts.latent_norm = fields_.get_or(Flag::latent_norm, false);
    experts.router_bias = router_bias();
    experts.expert_bias = family_.expert_bias;
    experts.shared_gate = experts.shared_width != 0 && fields_.get_or(Flag::shared_expert_gate, family_.shared_gate);
    if (family_.dense_beside_experts || fields_.get_or(Flag::dense_beside_experts, false)) {
      experts.width = family_.dense_width_is_hidden ? dims.hidden_size : dims.intermediate_size;
    }
  }
  bool router_bias() {
    if (const auto asked = fields_.get(Flag::router_bias)) return *asked;
    if (const Json* method = fields_.member("topk_method"); method != nullptr && method->is_string())
      return *method == "noaux_tc";
    if (&family_ == &unknown_family()) {
      const Json* scoring = fields_.member("scoring_func");
      return scoring != nullptr && *scoring == "sigmoid";
    }
    return family_.router_bias;
  }
  /// Width of an ordinary MLP; 0 when the model has none.
  std::uint32_t dense_width() {
    std::uint32_t width = value(Field::dense_width);
    if (width == 0) width = value(Field::intermediate);
    if (fields_.get_or(Flag::adjusted_width, false)) {  // LFM2: two thirds, rounded up to a multiple of 256
      const std::uint32_t multiple = known_.plain("block_multiple_of", 1 << 16, 256);
      width = (2 * width / 3 + multiple - 1) / multiple * multiple;
    }
    if (family_.width_is_double) width /= 2;
    if (width == 0) width = value(Field::shared_width);  // Granite 4 without experts: its shared MLP
    return width;
  }

  // ---- putting them together
  // -----------------------------------------------------------------------------------------

  Layer layer_of(LayerKind kind, bool sparse) const {
    Layer layer;
    layer.norms = exclusive_ ? 1 : family_.norms;
    switch (kind) {
      case LayerKind::full:
        layer.attention = full_;
        break;
      case LayerKind::sliding:
        layer.attention = sliding_;
        break;
      case LayerKind::chunked:
        layer.attention = chunked_;
        break;
      case LayerKind::recurrent:
        layer.recurrent = recurrent_;
        break;
      case LayerKind::mlp:
      case LayerKind::experts:
        break;
    }
    if (family_.layout == Layout::parallel_mixer) layer.recurrent = recurrent_;
    if (exclusive_) {
      if (kind == LayerKind::mlp) layer.feed = with_width(dense_, model_.dims.intermediate_size);
      if (kind == LayerKind::experts) layer.feed = experts_;
    } else {
      layer.feed = sparse ? experts_ : with_width(dense_, model_.dims.intermediate_size);
    }
    return layer;
  }
  static FeedForward with_width(FeedForward feed, std::uint32_t width) {
    feed.width = width;
    return feed;
  }

  void build() {
    for (std::uint32_t i = 0; i < layers_; ++i) {
      Layer layer = layer_of(kinds_[i], sparse_[i]);
      if (attention_free_) layer.feed = {};
      if (!widths_.empty() && layer.feed.experts == 0) layer.feed.width = widths_[i];
      if (layer.feed.width == 0 && layer.feed.experts == 0 && !attention_free_ && widths_.empty() && !exclusive_ &&
          fields_.member("block_configs") == nullptr) {
        fields_.need(Field::intermediate);
        return;
      }
      model_.layers.push_back(layer);
    }
    if (fields_.get_or(Flag::new_decoder, false)) {  // Falcon 40B, 180B: separate norms before attention and MLP
      for (Layer& layer : model_.layers) layer.norms = 2;
    }
    build_listed_heads();
    build_blocks();
    build_indexers();
    build_shared_caches();
  }

  void build_listed_heads() {
    const std::vector<std::uint32_t> heads = fields_.per_layer(Field::kv_heads, layers_);
    for (std::size_t i = 0; i < heads.size() && i < model_.layers.size(); ++i) {
      Layer& layer = model_.layers[i];
      layer.attention.kv_heads = heads[i];
      if (heads[i] == 0) layer.attention = {};
      layer.norms = static_cast<std::uint8_t>((heads[i] != 0 ? 1 : 0) +
                                              (layer.feed.width != 0 || layer.feed.experts != 0 ? 1 : 0));
    }
  }

  /// NAS models (Llama-Nemotron): `block_configs` says for each layer how many heads share a key and how wide the MLP
  /// is.
  void build_blocks() {
    const Json* blocks = known_.list("block_configs");
    if (blocks == nullptr) return;
    known_.check_length(blocks->size(), layers_, "block_configs");
    bool replaced = false;
    for (std::size_t i = 0; i < std::min(blocks->size(), model_.layers.size()); ++i) {
      Layer& layer = model_.layers[i];
      const auto part = [&](std::string_view name) { return find((*blocks)[i], name); };
      const Json *attention = part("attention"), *ffn = part("ffn");
      const auto off = [](const Json* block) { return block != nullptr && boolean(*block, "no_op").value_or(false); };
      const auto linear = [](const Json* block) {
        return block != nullptr && boolean(*block, "replace_with_linear").value_or(false);
      };
      replaced = replaced || linear(attention) || linear(ffn);
      if (off(attention) || linear(attention)) {
        layer.attention = {};
      } else if (attention != nullptr) {
        const std::int64_t group = integer(*attention, "n_heads_in_group").value_or(1);
        if (group >= 1 && group <= layer.attention.heads) {
          layer.attention.kv_heads = layer.attention.heads / static_cast<std::uint32_t>(group);
        }
      }
      const double multiple = ffn == nullptr ? 0 : number(*ffn, "ffn_mult").value_or(0);
      if (off(ffn) || linear(ffn)) {
        layer.feed = {};
      } else if (multiple > 0 && multiple < 1024) {
        // int(2·mult·d / 3), rounded up to a multiple of 256 (DeciLM's configuration)
        const auto width = static_cast<std::uint64_t>(2.0 * multiple * model_.dims.hidden_size / 3.0);
        layer.feed.width = static_cast<std::uint32_t>((width + 255) / 256 * 256);
      }
      if (layer.feed.width == 0 && layer.feed.experts == 0 && !off(ffn) && !linear(ffn)) {
        fields_.fail(Message("config.missing_field").with("field", std::string("block_configs.ffn.ffn_mult")));
        return;
      }
      layer.norms = static_cast<std::uint8_t>((layer.attention.heads != 0 || linear(attention) ? 1 : 0) +
                                              (layer.feed.width != 0 || linear(ffn) ? 1 : 0));
      if (linear(attention)) layer.other += Count(model_.dims.hidden_size) * Count(model_.dims.hidden_size);
      if (linear(ffn)) layer.other += Count(model_.dims.hidden_size) * Count(model_.dims.hidden_size);
    }
    if (replaced) note(Message("config.note.linear_blocks"));
  }

  /// Which layers own an indexer: GLM-5.2 shares one among several, MiniMax-M3 has none in its first layers.
  void build_indexers() {
    if (full_.index_heads == 0) return;
    const Json* types = known_.list("indexer_types");
    const Json* sparse = known_.list("sparse_attention_config.sparse_attention_freq");
    const std::uint32_t every = value(Field::index_period, 1), first = value(Field::index_offset);
    for (std::uint32_t i = 0; i < model_.layers.size(); ++i) {
      const bool owns = types != nullptr    ? i >= types->size() || (*types)[i] != "shared"
                        : sparse != nullptr ? i >= sparse->size() || (*sparse)[i] != 0
                                            : i < first || (i - first + 1) % every == 0;
      if (!owns) model_.layers[i].attention.index_heads = model_.layers[i].attention.index_dim = 0;
    }
  }

  /// Layers that borrow the keys and values of an earlier layer (Hunyuan's cross-layer attention).
  void build_shared_caches() {
    const std::uint32_t factor = fields_.get_or(Flag::cross_layer, true) ? value(Field::cla_factor, 1) : 1;
    for (std::size_t i = 0; factor > 1 && i < model_.layers.size(); ++i) {
      if (i % factor != 0) model_.layers[i].attention.projects_kv = model_.layers[i].attention.keeps_kv = false;
    }
  }

  void build_drafts() {
    const std::uint32_t drafts = fields_.get_or(Flag::draft_on, true) ? value(Field::draft_layers) : 0;
    model_.dims.num_nextn_predict_layers = drafts;
    if (drafts == 0 || model_.layers.empty()) return;
    if (family_.draft == Draft::none) {
      if (&family_ == &unknown_family())
        note(Message("config.note.draft_layers_left_out").with("layers", std::int64_t{drafts}));
      model_.dims.num_nextn_predict_layers = 0;
      return;
    }
    model_.draft_embeddings = fields_.get_or(Flag::draft_embeddings, family_.draft_embeddings);
    if (family_.draft == Draft::mixed) return build_mixed_drafts(drafts);
    Layer layer = layer_of(family_.draft == Draft::dense_window ? LayerKind::sliding : LayerKind::full,
                           family_.draft == Draft::as_last_layer && sparse_.back());
    model_.drafts.assign(drafts, layer);
  }
  /// Nemotron-H: blocks of "mtp_hybrid_override_pattern" ("*E") or "mtp_layers_block_type".
  void build_mixed_drafts(std::uint32_t drafts) {
    const Json* words = known_.list("mtp_layers_block_type");
    const Json* letters = fields_.member("mtp_hybrid_override_pattern");
    std::vector<LayerKind> kinds;
    if (words != nullptr) {
      for (const Json& word : *words)
        kinds.push_back(word.is_string() ? layer_kind(word.get_ref<const std::string&>()).value_or(LayerKind::full)
                                         : LayerKind::full);
    } else {
      const std::string pattern = letters != nullptr && letters->is_string() ? letters->get<std::string>() : "*E";
      for (std::size_t i = 0; i < pattern.size(); ++i)
        kinds.push_back(layer_kind(pattern.substr(i, 1)).value_or(LayerKind::full));
    }
    if (kinds.size() > 64) kinds.resize(64);
    for (std::uint32_t i = 0; i < drafts; ++i) {
      for (const LayerKind kind : kinds) model_.drafts.push_back(layer_of(kind, false));
    }
  }

  FieldReader& fields_;
  const Family& family_;
  FamilyFields known_;
  TextModel model_;
  std::uint32_t layers_ = 0, window_ = 0;
  bool attention_free_ = false;
  bool exclusive_ = false;  ///< one block a layer: a mixer or a feed-forward block
  std::vector<LayerKind> kinds_;
  std::vector<bool> sparse_;
  std::vector<std::uint32_t> widths_;
  Attention full_, sliding_, chunked_;
  Recurrent recurrent_;
  FeedForward dense_, experts_;
};

}  // namespace

TextModel read_text_model(FieldReader& fields, const Family& family) {
  TextModel model = LayerReader(fields, family).read();
  if (!fields.error()) apply_special_layout(fields, model);
  return model;
}

}  // namespace vram
