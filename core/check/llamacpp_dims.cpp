#include "core/check/llamacpp_dims.h"

#include <algorithm>
#include <string>

namespace vram::check {
namespace {

using llamacpp::Layer;
using llamacpp::Model;
using llamacpp::Recurrence;
using llamacpp::Rules;

constexpr std::int64_t kMost = 1 << 24;
constexpr std::uint32_t kMostLayers = 1024;

std::uint32_t value(const Json* object, std::string_view key) {
  if (object == nullptr) return 0;
  const auto found = integer(*object, key);
  return found && *found > 0 && *found <= kMost ? static_cast<std::uint32_t>(*found) : 0;
}

class Reader {
 public:
  Reader(std::string_view arch, const Json& dims)
      : dims_(dims),
        moe_(find(dims, "moe")),
        hybrid_(find(dims, "hybrid")),
        window_(find(dims, "sliding_window")),
        mla_(find(dims, "mla")),
        sharing_(find(dims, "kv_sharing")),
        extra_(find(dims, "extra")) {
    model_.arch = std::string(arch);
    model_.rules = &llamacpp::rules_of(arch);
  }

  std::optional<Model> read() {
    const std::uint32_t layers = value(&dims_, "num_hidden_layers");
    model_.n_embd = value(&dims_, "hidden_size");
    model_.n_vocab = value(&dims_, "vocab_size");
    if (layers == 0 || layers > kMostLayers || model_.n_embd == 0 || model_.n_vocab == 0) return std::nullopt;
    model_.tied = boolean(dims_, "tie_word_embeddings").value_or(false);
    model_.window = value(window_, "window");
    model_.draft_layers = std::min(value(&dims_, "mtp_layers"), 16U);
    model_.draft_embeddings = extra_ != nullptr && boolean(*extra_, "mtp_own_embeddings").value_or(false);
    read_experts();
    read_latent();
    read_recurrent();
    read_extra();
    for (std::uint32_t il = 0; il < layers; ++il) model_.layers.push_back(layer(il, layers));
    return std::move(model_);
  }

 private:
  void read_experts() {
    model_.experts = value(moe_, "n_routed_experts");
    model_.experts_used = std::min(value(moe_, "experts_per_token"), model_.experts);
    model_.expert_width = value(moe_, "moe_intermediate_size");
    model_.shared_width = value(moe_, "shared_expert_intermediate_size");
    model_.expert_latent = value(moe_, "latent_size");
    if (model_.rules->plain_norm_router) model_.shared_width = 0;  // Gemma 4 calls its dense block a shared expert
  }

  void read_latent() {
    model_.kv_rank = value(mla_, "kv_lora_rank");
    model_.q_rank = value(mla_, "q_lora_rank");
    model_.rope_dim = value(mla_, "qk_rope_head_dim");
    model_.nope_dim = value(mla_, "qk_nope_head_dim");
    model_.v_dim = value(mla_, "v_head_dim");
  }

  void read_recurrent() {
    model_.conv = value(hybrid_, "conv_kernel");
    switch (model_.rules->recurrence) {
      case Recurrence::mamba1:
        model_.inner = value(hybrid_, "d_inner");
        model_.state = value(hybrid_, "state_size");
        model_.step_rank = value(hybrid_, "dt_rank");
        return;
      case Recurrence::mamba2:
        model_.inner = value(hybrid_, "d_inner");
        model_.state = value(hybrid_, "state_size");
        model_.groups = std::max(1U, value(hybrid_, "n_groups"));
        model_.step_rank = value(hybrid_, "n_heads");
        return;
      case Recurrence::delta_net:
        model_.state = value(hybrid_, "key_head_dim");
        model_.groups = value(hybrid_, "num_key_heads");
        model_.step_rank = value(hybrid_, "num_value_heads");
        model_.inner = model_.step_rank * value(hybrid_, "value_head_dim");
        return;
      case Recurrence::short_conv:
      case Recurrence::none:
        return;
    }
  }

  void read_extra() {
    model_.per_layer_dim = value(extra_, "hidden_size_per_layer_input");
    model_.per_layer_vocab = model_.per_layer_dim > 0 ? model_.n_vocab : 0;
    model_.laurel_rank = value(extra_, "laurel_rank");
    model_.altup = value(extra_, "altup_num_inputs");
  }

  std::string word(const Json* object, std::string_view key) const {
    return object == nullptr ? std::string() : text(*object, key).value_or(std::string());
  }

  /// M, *, −, E of a pattern; '\0' without one.
  char pattern(std::uint32_t il) const {
    if (hybrid_ == nullptr || model_.rules->flow != llamacpp::Flow::single) return '\0';
    const std::string pattern = word(hybrid_, "pattern");
    return il < pattern.size() && pattern.find(' ') == std::string::npos ? pattern[il] : '\0';
  }

  bool is_recurrent(std::uint32_t il, std::uint32_t layers) const {
    if (hybrid_ == nullptr) return false;
    if (const char c = pattern(il); c != '\0') return c == 'M';
    if (word(hybrid_, "kind") == "mamba2_parallel" || value(hybrid_, "full_attention_layers") == 0) return true;
    if (const Json* listed = find(*hybrid_, "attention_layer_idx"); listed != nullptr && listed->is_array()) {
      return std::none_of(listed->begin(), listed->end(),
                          [&](const Json& one) { return one.is_number_integer() && one.get<std::int64_t>() == il; });
    }
    if (const std::uint32_t period = value(hybrid_, "attn_layer_period"); period > 0) {
      return il % period != value(hybrid_, "attn_layer_offset");
    }
    const std::uint32_t period = value(hybrid_, "full_attention_interval");
    if (period > 0) return (il + 1) % period != 0;
    const std::uint32_t full = value(hybrid_, "full_attention_layers");  // spread evenly, the last of each run
    return (il + 1) * full / layers == il * full / layers;
  }

  bool is_sliding(std::uint32_t il) const {
    if (model_.window == 0 || model_.rules->window_period == 0) return false;
    if (extra_ != nullptr) {
      if (const Json* types = find(*extra_, "layer_types");
          types != nullptr && types->is_array() && il < types->size()) {
        return (*types)[il].is_string() && (*types)[il].get_ref<const std::string&>() == "sliding_attention";
      }
    }
    const std::uint32_t period = model_.rules->window_period;
    return model_.rules->window_full_first ? il % period != 0 : (il + 1) % period != 0;
  }

  bool has_experts(std::uint32_t il) const {
    if (model_.experts == 0) return false;
    if (const char c = pattern(il); c != '\0') return c == 'E';
    const std::string rule = word(moe_, "pattern");
    if (rule.rfind("expert_layer_period=", 0) == 0) {  // "expert_layer_period=2, offset=1"
      const std::uint32_t period = static_cast<std::uint32_t>(rule[20] - '0');
      const std::size_t at = rule.find("offset=");
      const std::uint32_t offset = at == std::string::npos ? 0 : static_cast<std::uint32_t>(rule[at + 7] - '0');
      return period > 0 && period < 10 && il % period == offset;
    }
    return il >= value(moe_, "first_k_dense_replace");
  }

  std::uint32_t dense_width(std::uint32_t il, bool experts) const {
    if (const char c = pattern(il); c != '\0') return c == '-' ? value(&dims_, "intermediate_size") : 0;
    if (model_.rules->flow == llamacpp::Flow::single) return 0;
    std::uint32_t width = value(&dims_, "intermediate_size");
    if (model_.experts > 0 && !model_.rules->plain_norm_router) {
      if (experts) return 0;
      if (const std::uint32_t own = value(moe_, "dense_intermediate_size"); own > 0) width = own;
    }
    const bool borrows = !keeps_kv(il);
    const bool wide = extra_ != nullptr && boolean(*extra_, "use_double_wide_mlp").value_or(false);
    return borrows && wide ? 2 * width : width;
  }

  bool keeps_kv(std::uint32_t il) const {
    if (sharing_ == nullptr) return true;
    const std::uint32_t caches = value(sharing_, "cache_layers");
    return caches == 0 || il < caches;
  }

  Layer layer(std::uint32_t il, std::uint32_t layers) {
    Layer made;
    made.recurrent = is_recurrent(il, layers);
    const bool beside = word(hybrid_, "kind") == "mamba2_parallel";
    const char kind = pattern(il);
    const bool attends = kind == '\0' ? !made.recurrent || beside : kind == '*';
    made.latent = attends && mla_ != nullptr;
    made.attention = attends && mla_ == nullptr;
    if (attends) {
      made.heads = value(&dims_, "num_attention_heads");
      made.kv_heads = value(&dims_, "num_key_value_heads");
      made.key_dim = value(&dims_, "head_dim");
      if (made.key_dim == 0 && made.heads > 0) made.key_dim = model_.n_embd / made.heads;
      made.sliding = is_sliding(il);
      if (extra_ != nullptr && !made.sliding) {
        if (const std::uint32_t wide = value(extra_, "global_head_dim"); wide > 0) made.key_dim = wide;
        if (const std::uint32_t few = value(extra_, "num_global_key_value_heads"); few > 0) made.kv_heads = few;
        made.own_value = !boolean(*extra_, "attention_k_eq_v").value_or(false);
      }
      made.value_dim = made.key_dim;
      made.keeps_kv = keeps_kv(il);
    }
    made.experts = has_experts(il);
    made.width = dense_width(il, made.experts);
    return made;
  }

  const Json& dims_;
  const Json *moe_, *hybrid_, *window_, *mla_, *sharing_, *extra_;
  Model model_;
};

}  // namespace

std::optional<llamacpp::Model> model_from_dims(std::string_view arch, const Json& dims) {
  return Reader(arch, dims).read();
}

}  // namespace vram::check
