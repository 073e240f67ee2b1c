#include "core/import/config_kinds.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vram {
namespace {

struct KindWord {
  std::string_view word;
  LayerKind kind;
};
// Values of `layer_types`, `layers_block_type` and Nemotron's letters (Hugging Face transformers, configuration files).
constexpr KindWord kKindWords[] = {
    {"full_attention", LayerKind::full},
    {"attention", LayerKind::full},
    {"full", LayerKind::full},
    {"global", LayerKind::full},
    {"global_attention", LayerKind::full},
    {"deepseek_sparse_attention", LayerKind::full},
    {"sliding_attention", LayerKind::sliding},
    {"sliding", LayerKind::sliding},
    {"local", LayerKind::sliding},
    {"local_attention", LayerKind::sliding},
    {"chunked_attention", LayerKind::chunked},
    {"linear_attention", LayerKind::recurrent},
    {"linear", LayerKind::recurrent},
    {"lightning_attention", LayerKind::recurrent},
    {"mamba", LayerKind::recurrent},
    {"mamba2", LayerKind::recurrent},
    {"conv", LayerKind::recurrent},
    {"short_conv", LayerKind::recurrent},
    {"mlp", LayerKind::mlp},
    {"moe", LayerKind::experts},
    {"M", LayerKind::recurrent},
    {"*", LayerKind::full},
    {"-", LayerKind::mlp},
    {"E", LayerKind::experts},
    {"L", LayerKind::sliding},
    {"G", LayerKind::full},
};

std::optional<std::uint32_t> index_of(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  return number <= kMaxLayers ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

/// True for each layer whose entry in a list of zeros and ones is one.
std::vector<bool> ones(const Json& list, std::uint32_t layers) {
  std::vector<bool> result(layers, false);
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), layers); ++i) {
    result[i] = list[i].is_number() && list[i].get<double>() != 0;
  }
  return result;
}

/// Keys whose value is a list or a string with one entry a layer.
constexpr std::string_view kLayerLists[] = {"layers_block_type", "layer_types",    "hybrid_override_pattern",
                                            "block_configs",     "attn_type_list", "hybrid_layer_pattern"};

/// Llama 4 attends in chunks; its norm of queries and keys has no weights, which no other family has.
bool is_chunked(FamilyFields& fields) {
  return fields.family.qk_norm == QkNorm::without_weights && fields.value(Field::chunk) != 0;
}

class KindReader {
 public:
  KindReader(FamilyFields& fields, std::uint32_t layers) : fields_(fields), layers_(layers) {}

  /// The sources, the most explicit first. Each tells of every layer.
  LayerKinds read(std::uint32_t context) {
    result_.kinds.assign(layers_, LayerKind::full);
    result_.window = fields_.value(Field::window);
    // "use_sliding_window": false switches it off; a window as long as the context never takes effect (Phi-3.5).
    if (!fields_.flag(Flag::window_on, fields_.family.window != WindowRule::upper)) result_.window = 0;
    if (context != 0 && result_.window >= context) result_.window = 0;
    const bool told = from_words() || from_letters() || from_switches() || from_full_layers() || from_period();
    if (!told) from_family();
    return std::move(result_);
  }

 private:
  template <class IsFull>
  bool set(LayerKind other, IsFull is_full) {
    for (std::uint32_t i = 0; i < layers_; ++i) result_.kinds[i] = is_full(i) ? LayerKind::full : other;
    return true;
  }
  void unknown(std::string_view key, std::string_view word, std::size_t layer) {
    fields_.fields.fail(Message("config.unknown_layer_kind")
                            .with("field", std::string(key))
                            .with("word", std::string(word.substr(0, 64)))
                            .with("layer", static_cast<std::int64_t>(layer)));
  }

  bool from_words() {
    for (const std::string_view key : {"layer_types", "layers_block_type"}) {
      const Json* list = fields_.list(key);
      if (list == nullptr) continue;
      for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), layers_); ++i) {
        if (!(*list)[i].is_string()) {
          fields_.fields.fail(Message("config.wrong_type")
                                  .with("field", std::string(key))
                                  .with("expected", MessageKey{"json_type.text"}));
          return true;
        }
        const auto& word = (*list)[i].get_ref<const std::string&>();
        const auto kind = layer_kind(word);
        if (!kind) return unknown(key, word, i), true;
        result_.kinds[i] = *kind;
      }
      fields_.check_length(list->size(), layers_, key);
      return true;
    }
    return false;
  }

  bool from_letters() {
    const auto letters = [&](std::string_view key) -> const std::string* {
      const Json* value = fields_.member(key);
      return value != nullptr && value->is_string() ? &value->get_ref<const std::string&>() : nullptr;
    };
    constexpr std::string_view kPattern = "hybrid_override_pattern";  // Nemotron-H: a letter for each layer
    if (const std::string* text = letters(kPattern)) {
      for (std::size_t i = 0; i < std::min<std::size_t>(text->size(), layers_); ++i) {
        const std::string_view letter = std::string_view(*text).substr(i, 1);
        const auto kind = layer_kind(letter);
        if (!kind) return unknown(kPattern, letter, i), true;
        result_.kinds[i] = *kind;
      }
      fields_.check_length(text->size(), layers_, kPattern);
      return true;
    }
    const std::string* repeated = letters("sliding_window_pattern");  // EXAONE 4: "LLLG", over and over
    if (repeated == nullptr || repeated->empty()) return false;
    const bool windows = result_.window != 0;
    return set(LayerKind::sliding,
               [&](std::uint32_t i) { return !windows || (*repeated)[i % repeated->size()] == 'G'; });
  }

  /// Lists of zeros and ones.
  bool from_switches() {
    const auto switches = [&](std::string_view key) -> std::optional<std::vector<bool>> {
      const Json* list = fields_.list(key);
      if (list == nullptr) return std::nullopt;
      fields_.check_length(list->size(), layers_, key);
      return ones(*list, layers_);
    };
    if (const auto softmax = switches("attn_type_list")) {  // MiniMax
      return set(LayerKind::recurrent, [&](std::uint32_t i) { return (*softmax)[i]; });
    }
    if (const auto sliding = switches("hybrid_layer_pattern")) {  // MiMo V2
      return set(LayerKind::sliding, [&](std::uint32_t i) { return !(*sliding)[i]; });
    }
    if (!is_chunked(fields_)) return false;
    if (const auto rotary = switches("no_rope_layers")) {  // Llama 4: layers without rotation see everything
      return set(LayerKind::chunked, [&](std::uint32_t i) { return !(*rotary)[i]; });
    }
    return false;
  }

  /// Lists of the layers with full attention.
  bool from_full_layers() {
    for (const auto& [key, first] :
         {std::pair<std::string_view, std::uint32_t>{"linear_attn_config.full_attn_layers", 1},
          {"full_attn_idxs", 0}}) {
      const Json* list = fields_.list(key);
      if (list == nullptr) continue;
      result_.kinds.assign(layers_, LayerKind::recurrent);
      for (const Json& item : *list) {
        const auto index = index_of(item);
        if (index && *index >= first && *index - first < layers_) result_.kinds[*index - first] = LayerKind::full;
      }
      return true;
    }
    return false;
  }

  bool from_period() {
    const std::uint32_t period = fields_.value(Field::full_period);
    if (period != 0 && recurrence_of(fields_) != Recurrence::none) {
      const std::uint32_t offset = fields_.value(Field::full_offset, period - 1) % period;
      return set(LayerKind::recurrent, [&](std::uint32_t i) { return i % period == offset; });
    }
    if (!is_attention_free(fields_)) return fields_.list("block_configs") != nullptr;  // those are read block by block
    result_.kinds.assign(layers_, LayerKind::recurrent);
    return true;
  }

  void from_family() {
    const bool in_chunks = is_chunked(fields_);
    if (result_.window == 0 && !in_chunks) return;
    const LayerKind windowed = in_chunks ? LayerKind::chunked : LayerKind::sliding;
    switch (fields_.family.window) {
      case WindowRule::none:
        result_.window_unplaced = true;
        break;
      case WindowRule::all:
        result_.kinds.assign(layers_, windowed);
        break;
      case WindowRule::upper: {
        const std::uint32_t from = fields_.value(Field::window_layers_from);
        set(windowed, [&](std::uint32_t i) { return i < from; });
        break;
      }
      case WindowRule::periodic: {
        const std::uint32_t given = fields_.value(Field::window_period, fields_.family.window_period);
        const std::uint32_t period = fields_.plain("global_attn_every_n_layers", kMaxLayers, given);
        set(windowed, [&](std::uint32_t i) { return period != 0 && (i + 1) % period == 0; });
        break;
      }
    }
  }

  FamilyFields& fields_;
  std::uint32_t layers_;
  LayerKinds result_;
};

}  // namespace

std::optional<LayerKind> layer_kind(std::string_view word) {
  for (const KindWord& row : kKindWords) {
    if (row.word == word) return row.kind;
  }
  return std::nullopt;
}

std::uint32_t count_layers(FieldReader& fields) {
  if (const auto layers = fields.get(Field::layers)) return *layers;
  for (const std::string_view key : kLayerLists) {
    const Json* value = fields.member(key);
    if (value == nullptr || !(value->is_array() || value->is_string())) continue;
    const std::size_t size = value->is_string() ? value->get_ref<const std::string&>().size() : value->size();
    if (size > 0 && size <= kMaxLayers) return static_cast<std::uint32_t>(size);
  }
  return fields.need(Field::layers);
}

Recurrence recurrence_of(FamilyFields& fields) {
  if (fields.family.recurrence != Recurrence::none) return fields.family.recurrence;
  if (fields.fields.get(Field::linear_key_heads)) return Recurrence::gated_delta;
  if (fields.member("linear_attn_config") != nullptr) return Recurrence::kda;
  if (fields.fields.get(Field::mamba_heads)) return Recurrence::mamba2;
  if (fields.member("conv_L_cache") != nullptr) return Recurrence::short_conv;
  if (fields.fields.get(Field::dt_rank)) return Recurrence::mamba1;
  return Recurrence::none;
}

bool is_attention_free(FamilyFields& fields) {
  const Family& family = fields.family;
  const bool mamba = family.recurrence == Recurrence::mamba1 || family.recurrence == Recurrence::mamba2;
  return mamba && family.layout == Layout::decoder && fields.value(Field::full_period) == 0 &&
         !fields.fields.get(Field::kv_heads) && fields.member("num_attention_heads") == nullptr;
}

LayerKinds read_layer_kinds(FamilyFields& fields, std::uint32_t layers, std::uint32_t context) {
  return KindReader(fields, layers).read(context);
}

std::vector<bool> read_expert_layers(FamilyFields& fields, std::uint32_t layers) {
  std::vector<bool> sparse(layers, false);
  const auto set = [&](const Json& list, bool value) {
    for (const Json& item : list) {
      if (const auto index = index_of(item); index && *index < layers) sparse[*index] = value;
    }
  };
  if (const Json* list = fields.list("mlp_layer_types")) {
    fields.check_length(list->size(), layers, "mlp_layer_types");
    for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), layers); ++i) sparse[i] = (*list)[i] == "sparse";
    return sparse;
  }
  if (const Json* list = fields.list("moe_layer_freq")) {
    fields.check_length(list->size(), layers, "moe_layer_freq");
    return ones(*list, layers);
  }
  if (const Json* list = fields.list("moe_layers")) {
    set(*list, true);
    return sparse;
  }
  const std::uint32_t first = fields.value(Field::dense_first), last = fields.value(Field::moe_end, layers - 1);
  const std::uint32_t period = fields.plain("moe_layer_freq", kMaxLayers, fields.value(Field::moe_period, 1));
  const std::uint32_t offset = fields.value(Field::moe_offset, period - 1) % period;
  for (std::uint32_t i = 0; i < layers; ++i) sparse[i] = i >= first && i <= last && i % period == offset;
  if (const Json* list = fields.list("mlp_only_layers")) set(*list, false);
  return sparse;
}

}  // namespace vram
