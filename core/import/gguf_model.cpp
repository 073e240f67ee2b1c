#include "core/import/gguf_model.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vram {
namespace {

constexpr std::uint32_t kMaxLayers = 4096, kMaxValue = 1u << 28;

enum class Window : std::uint8_t {
  none,        ///< a window in the metadata is not used by the engine
  last_full,   ///< the last of every `period` layers sees everything (Gemma 3: five of six keep a window)
  first_full,  ///< the first of them does (SmallThinker)
  all,
};
enum class Recurrence : std::uint8_t {
  none,
  by_interval,  ///< all but every n-th layer (Qwen 3.5)
  by_heads,     ///< layers without key-value heads (Granite 4, Nemotron-H, Jamba, Kimi-Linear, LFM2)
  beside,       ///< in every layer, next to attention (Falcon-H1)
  all,          ///< Mamba, RWKV
};

/// What an architecture does that its keys do not say. Windows: the table that llama.cpp keeps in its loader
/// (facts/llamacpp.md §4.2); newer files carry a list, which is preferred.
struct Architecture {
  std::string_view name;
  Window window = Window::none;
  std::uint32_t period = 1, default_window = 0;
  Recurrence recurrence = Recurrence::none;
  bool encoder = false, chunked = false, caches_unknown = false;
};

constexpr Architecture kArchitectures[] = {
    {.name = "llama"},
    {.name = "qwen2"},
    {.name = "qwen2moe"},
    {.name = "qwen2vl"},
    {.name = "qwen3"},
    {.name = "qwen3moe"},
    {.name = "qwen3vl"},
    {.name = "qwen3vlmoe"},
    {.name = "deepseek"},
    {.name = "deepseek2"},
    {.name = "glm4"},
    {.name = "glm4moe"},
    {.name = "chatglm"},
    {.name = "phi2"},
    {.name = "phi3"},
    {.name = "phimoe"},
    {.name = "granite"},
    {.name = "granitemoe"},
    {.name = "mistral3"},
    {.name = "minicpm"},
    {.name = "minicpm3"},
    {.name = "command-r"},
    {.name = "falcon"},
    {.name = "gpt2"},
    {.name = "gptneox"},
    {.name = "mpt"},
    {.name = "bloom"},
    {.name = "starcoder"},
    {.name = "starcoder2"},
    {.name = "stablelm"},
    {.name = "baichuan"},
    {.name = "internlm2"},
    {.name = "olmo"},
    {.name = "olmoe"},
    {.name = "openelm"},
    {.name = "arctic"},
    {.name = "grok"},
    {.name = "dbrx"},
    {.name = "gemma"},
    {.name = "nemotron"},
    {.name = "exaone"},
    {.name = "deci"},
    {.name = "bailingmoe"},
    {.name = "bailingmoe2"},
    {.name = "dots1"},
    {.name = "ernie4_5"},
    {.name = "ernie4_5-moe"},
    {.name = "hunyuan-moe"},
    {.name = "hunyuan-dense"},
    {.name = "seed_oss"},
    {.name = "minimax-m2"},
    {.name = "bitnet"},
    {.name = "bitnet-25"},
    {.name = "glm-dsa"},
    {.name = "orion"},
    {.name = "codeshell"},
    {.name = "smollm3"},
    {.name = "cogvlm"},
    {.name = "pangu-embedded"},
    {.name = "gemma2", .window = Window::last_full, .period = 2, .default_window = 4096},
    {.name = "gemma3", .window = Window::last_full, .period = 6},
    {.name = "gemma3n", .window = Window::last_full, .period = 5},
    {.name = "gemma4", .window = Window::last_full, .period = 6},
    {.name = "gemma-embedding", .window = Window::last_full, .period = 6, .encoder = true},
    {.name = "gpt-oss", .window = Window::last_full, .period = 2},
    {.name = "cohere2", .window = Window::last_full, .period = 4},
    {.name = "llama4", .window = Window::last_full, .period = 4, .default_window = 8192, .chunked = true},
    {.name = "exaone4", .window = Window::last_full, .period = 4},
    {.name = "exaone-moe", .window = Window::last_full, .period = 4},
    {.name = "olmo2", .window = Window::last_full, .period = 4},
    {.name = "plamo3", .window = Window::last_full, .period = 8},
    {.name = "afmoe", .window = Window::last_full, .period = 4},
    {.name = "mellum", .window = Window::last_full, .period = 4},
    {.name = "smallthinker", .window = Window::first_full, .period = 4, .default_window = 4096},
    {.name = "laguna", .window = Window::first_full, .period = 4},
    {.name = "modern-bert", .window = Window::first_full, .period = 3, .encoder = true},
    {.name = "qwen3next", .recurrence = Recurrence::by_interval},
    {.name = "qwen35", .recurrence = Recurrence::by_interval},
    {.name = "qwen35moe", .recurrence = Recurrence::by_interval},
    {.name = "granitehybrid", .recurrence = Recurrence::by_heads},
    {.name = "nemotron_h", .recurrence = Recurrence::by_heads},
    {.name = "nemotron_h_moe", .recurrence = Recurrence::by_heads},
    {.name = "jamba", .recurrence = Recurrence::by_heads},
    {.name = "kimi-linear", .recurrence = Recurrence::by_heads},
    {.name = "lfm2", .recurrence = Recurrence::by_heads},
    {.name = "lfm2moe", .recurrence = Recurrence::by_heads},
    {.name = "plamo2", .recurrence = Recurrence::by_heads},
    {.name = "falcon-h1", .recurrence = Recurrence::beside},
    {.name = "mamba", .recurrence = Recurrence::all},
    {.name = "mamba2", .recurrence = Recurrence::all},
    {.name = "rwkv6", .recurrence = Recurrence::all},
    {.name = "rwkv6qwen2", .recurrence = Recurrence::all},
    {.name = "rwkv7", .recurrence = Recurrence::all},
    {.name = "arwkv7", .recurrence = Recurrence::all},
    {.name = "deepseek4", .caches_unknown = true},
    {.name = "t5", .caches_unknown = true},
    {.name = "bert", .encoder = true},
    {.name = "nomic-bert", .encoder = true},
    {.name = "nomic-bert-moe", .encoder = true},
    {.name = "jina-bert-v2", .encoder = true},
    {.name = "jina-bert-v3", .encoder = true},
    {.name = "neo-bert", .encoder = true},
    {.name = "eurobert", .encoder = true},
    {.name = "t5encoder", .encoder = true},
};

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& row : kArchitectures) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file), prefix_(file.text("general.architecture") + ".") {}

  Model read() {
    model_.origin = Origin::checkpoint;
    model_.model_type = file_.text("general.architecture");
    model_.name = name();
    model_.compute_format = FormatId::fp16;  // what llama.cpp keeps a cache in unless told otherwise
    if (const Architecture* known = find_architecture(model_.model_type))
      architecture_ = *known;
    else
      model_.notes.push_back(Message("gguf.unknown_architecture").with("name", model_.model_type));

    layers_ = bounded("block_count", kMaxLayers);
    drafts_ = std::min(bounded("nextn_predict_layers", kMaxLayers), layers_);
    read_dimensions();
    model_.generates = !architecture_.encoder && file_.boolean(prefix_ + "attention.causal").value_or(true);
    if (!model_.generates) return std::move(model_);
    if (architecture_.caches_unknown) {
      model_.notes.push_back(Message("gguf.caches_unknown").with("name", model_.model_type));
      return std::move(model_);
    }
    read_windows();
    for (std::uint32_t layer = 0; layer < layers_; ++layer) add_layer(layer);
    for (auto& [cache, set] : groups_) {
      cache.layer_set = add_layer_set(model_, std::move(set));
      model_.caches.push_back(cache);
    }
    return std::move(model_);
  }

 private:
  std::string name() const {
    const std::string whole = file_.text("general.name");
    return whole.empty() ? file_.text("general.basename") : whole;
  }
  std::uint32_t bounded(std::string_view key, std::uint32_t most = kMaxValue) const {
    const std::optional<std::int64_t> value = file_.integer(prefix_ + std::string(key));
    return value && *value > 0 ? static_cast<std::uint32_t>(std::min<std::int64_t>(*value, most)) : 0;
  }
  /// A value of a layer: from a list with one each, or the same for all.
  std::optional<std::uint32_t> of_layer(std::string_view key, std::uint32_t layer) const {
    const std::string whole = prefix_ + std::string(key);
    if (const std::vector<std::int64_t>* list = file_.integers(whole)) {
      if (layer >= list->size()) return std::nullopt;
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>((*list)[layer], 0, kMaxValue));
    }
    const std::optional<std::int64_t> value = file_.integer(whole);
    if (!value) return std::nullopt;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(*value, 0, kMaxValue));
  }
  std::uint32_t greatest(std::string_view key) const {
    std::uint32_t most = 0;
    for (std::uint32_t layer = 0; layer < layers_; ++layer) most = std::max(most, of_layer(key, layer).value_or(0));
    return most;
  }

  void read_dimensions() {
    Dimensions& d = model_.dims;
    d.num_hidden_layers = layers_ - drafts_;
    d.num_nextn_predict_layers = drafts_;
    d.hidden_size = bounded("embedding_length");
    d.intermediate_size = greatest("feed_forward_length");
    d.vocab_size = bounded("vocab_size");
    if (d.vocab_size == 0) {
      d.vocab_size =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(file_.array_length("tokenizer.ggml.tokens"), kMaxValue));
    }
    d.num_attention_heads = greatest("attention.head_count");
    d.num_key_value_heads = greatest("attention.head_count_kv");
    if (d.num_key_value_heads == 0) d.num_key_value_heads = d.num_attention_heads;
    d.head_dim = bounded("attention.key_length");
    if (d.head_dim == 0 && d.num_attention_heads != 0) d.head_dim = d.hidden_size / d.num_attention_heads;
    d.max_position_embeddings = bounded("context_length");
    d.num_experts = bounded("expert_count");
    d.num_experts_per_tok = bounded("expert_used_count");
    d.moe_intermediate_size = bounded("expert_feed_forward_length");
    d.q_lora_rank = bounded("attention.q_lora_rank");
    d.kv_lora_rank = bounded("attention.kv_lora_rank");
    if (d.kv_lora_rank != 0) {
      d.qk_rope_head_dim = bounded("rope.dimension_count");
      const std::uint32_t key = bounded("attention.key_length_mla");
      d.qk_nope_head_dim = (key != 0 ? key : d.head_dim) - std::min(d.qk_rope_head_dim, key != 0 ? key : d.head_dim);
      d.v_head_dim = bounded("attention.value_length_mla");
      if (d.v_head_dim == 0) d.v_head_dim = bounded("attention.value_length");
    }
    is_latent_ = d.kv_lora_rank != 0 &&
                 (bounded("attention.key_length_mla") != 0 || architecture_.recurrence != Recurrence::none);
    if (d.kv_lora_rank != 0 && !is_latent_) model_.notes.push_back(Message("gguf.old_mla"));
  }

  void read_windows() {
    window_ = bounded("attention.sliding_window");
    if (window_ == 0) window_ = architecture_.default_window;
    const std::string key = prefix_ + "attention.sliding_window_pattern";
    list_ = file_.integers(key);
    if (const std::optional<std::int64_t> period = file_.integer(key); period && *period > 0) {
      architecture_.period = static_cast<std::uint32_t>(std::min<std::int64_t>(*period, kMaxLayers));
      if (architecture_.window == Window::none) architecture_.window = Window::last_full;
    }
    if (window_ != 0 && list_ == nullptr && architecture_.window == Window::none) {
      model_.notes.push_back(Message("gguf.window_not_used").with("window", std::int64_t{window_}));
    }
  }

  bool keeps_window(std::uint32_t layer) const {
    if (window_ == 0) return false;
    if (list_ != nullptr) return layer < list_->size() && (*list_)[layer] != 0;
    const std::uint32_t place = layer % architecture_.period;
    switch (architecture_.window) {
      case Window::none:
        return false;
      case Window::last_full:
        return place + 1 < architecture_.period;
      case Window::first_full:
        return place != 0;
      case Window::all:
        return true;
    }
    return false;
  }

  bool is_recurrent(std::uint32_t layer) const {
    switch (architecture_.recurrence) {
      case Recurrence::none:
        return false;
      case Recurrence::all:
        return true;
      case Recurrence::beside:
        return true;
      case Recurrence::by_interval: {
        const std::uint32_t interval = std::max(bounded("full_attention_interval"), 1U);
        return (layer + 1) % (interval == 1 ? 4 : interval) != 0 && layer < layers_ - drafts_;
      }
      case Recurrence::by_heads:
        // Nemotron-H's plain blocks have neither heads nor a state
        return of_layer("attention.head_count_kv", layer).value_or(1) == 0 &&
               !(file_.integers(prefix_ + "feed_forward_length") != nullptr &&
                 model_.model_type.substr(0, 8) == "nemotron" &&
                 of_layer("feed_forward_length", layer).value_or(0) != 0);
    }
    return false;
  }

  void add(const Cache& cache, std::uint32_t layer) {
    auto found = std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) { return group.first == cache; });
    if (found == groups_.end()) found = groups_.insert(groups_.end(), {cache, {}});
    found->second.push_back(static_cast<std::uint16_t>(layer));
  }

  void add_layer(std::uint32_t layer) {
    const bool recurrent = is_recurrent(layer);
    if (recurrent) add_state(layer);
    if (recurrent && architecture_.recurrence != Recurrence::beside) return;
    add_attention(layer);
  }

  Part part_of(std::uint32_t layer) const { return layer >= layers_ - drafts_ ? Part::mtp : Part::text; }

  void add_attention(std::uint32_t layer) {
    const Dimensions& d = model_.dims;
    const std::uint32_t heads = of_layer("attention.head_count", layer).value_or(d.num_attention_heads);
    const std::uint32_t kv_heads = of_layer("attention.head_count_kv", layer).value_or(heads);
    if (kv_heads == 0) return;
    const std::uint32_t shared = bounded("attention.shared_kv_layers", kMaxLayers);
    if (shared != 0 && layer < layers_ - drafts_ && layer + shared >= layers_ - drafts_)
      return;  // reads an earlier layer's
    Cache cache{.part = part_of(layer)};
    if (is_latent_) {
      cache.kind = CacheKind::latent;
      cache.entry_values = d.kv_lora_rank + d.qk_rope_head_dim;
      add(cache, layer);
      if (const std::uint32_t index = bounded("attention.indexer.key_length"); index != 0) {
        Cache keys{.kind = CacheKind::indexer, .part = cache.part};
        keys.entry_values = index;
        add(keys, layer);
      }
      return;
    }
    const bool window = keeps_window(layer);
    cache.kind = !window ? CacheKind::full : architecture_.chunked ? CacheKind::chunked : CacheKind::sliding;
    cache.window = window ? window_ : 0;
    cache.kv_heads = kv_heads;
    const std::uint32_t key = window ? bounded("attention.key_length_swa") : 0,
                        value = window ? bounded("attention.value_length_swa") : 0;
    const std::uint32_t usual_value = bounded("attention.value_length");
    const std::uint32_t by_width = heads != 0 ? d.hidden_size / heads : 0;
    cache.key_dim = key != 0 ? key : bounded("attention.key_length") != 0 ? d.head_dim : by_width;
    cache.value_dim = value != 0 ? value : usual_value != 0 ? usual_value : by_width;
    add(cache, layer);
  }

  // facts/llamacpp.md §4.4; llama.cpp keeps states and convolution inputs in fp32.
  void add_state(std::uint32_t layer) {
    const Dimensions& d = model_.dims;
    Cache cache{.kind = CacheKind::recurrent, .part = part_of(layer)};
    cache.state_format = cache.conv_format = FormatId::fp32;
    const std::uint64_t conv = bounded("ssm.conv_kernel"), inner = bounded("ssm.inner_size"),
                        state = bounded("ssm.state_size");
    const std::uint64_t groups = bounded("ssm.group_count"), short_conv = bounded("shortconv.l_cache");
    const std::uint64_t wkv = bounded("wkv.head_size"), kda = bounded("kda.head_dim");
    if (wkv != 0) {
      const std::uint32_t shifts = bounded("token_shift_count");
      cache.state_values = std::uint64_t{d.hidden_size} * wkv;
      cache.conv_values = std::uint64_t{d.hidden_size} * (shifts == 0 ? 2 : shifts);
      cache.heads = static_cast<std::uint32_t>(d.hidden_size / wkv);
    } else if (kda != 0 && conv != 0) {
      const std::uint64_t heads = of_layer("attention.head_count", layer).value_or(d.num_attention_heads);
      cache.state_values = heads * kda * kda;
      cache.conv_values = 3 * (conv - 1) * heads * kda;
      cache.heads = static_cast<std::uint32_t>(heads);
    } else if (short_conv != 0) {
      cache.conv_values = std::uint64_t{d.hidden_size} * (short_conv - 1);
    } else {
      cache.state_values = state * inner;
      cache.conv_values = (conv == 0 ? 0 : conv - 1) * (inner + 2 * groups * state);
      cache.heads = bounded("ssm.time_step_rank");
    }
    if (cache.state_values == 0 && cache.conv_values == 0) return;
    add(cache, layer);
  }

  const GgufFile& file_;
  const std::string prefix_;
  Architecture architecture_{};
  Model model_;
  std::uint32_t layers_ = 0, drafts_ = 0, window_ = 0;
  bool is_latent_ = false;
  const std::vector<std::int64_t>* list_ = nullptr;
  std::vector<std::pair<Cache, LayerSet>> groups_;
};

}  // namespace

bool is_gguf_tower(const GgufFile& file) {
  const std::string type = file.text("general.type"), architecture = file.text("general.architecture");
  return architecture == "clip" || type == "mmproj" || type == "clip-vision";
}

Model model_from_gguf_metadata(const GgufFile& file) { return Reader(file).read(); }

}  // namespace vram
