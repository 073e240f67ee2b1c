#include "core/import/config_towers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace vram {
namespace {

/// The dimensions of a tower. 0 = not given.
struct Tower {
  std::uint64_t layers = 0, width = 0, inner = 0, heads = 0, patch = 14, frames = 1, image = 0, channels = 3;
  std::uint64_t merge = 2, output = 0, positions = 0, deepstack = 0, text = 0;
};

constexpr std::uint64_t dense(std::uint64_t in, std::uint64_t out) { return in * out + out; }  // with bias
constexpr std::uint64_t square(std::uint64_t n) { return n * n; }

// Each kind's count, weight by weight. All but the last equal what published totals leave beside the text model.

/// Qwen2-VL and Qwen2.5-VL: patches without bias, blocks with biases, a merger of merge² patches.
std::uint64_t qwen2_vit(const Tower& t, bool gated_rms) {
  const std::uint64_t d = t.width, m = square(t.merge) * d;
  const std::uint64_t norm = gated_rms ? d : 2 * d;
  const std::uint64_t mlp = gated_rms ? 3 * d * t.inner + 2 * t.inner + d : dense(d, t.inner) + dense(t.inner, d);
  return t.channels * t.frames * square(t.patch) * d + t.layers * (2 * norm + dense(d, 3 * d) + dense(d, d) + mlp) +
         norm + dense(m, m) + dense(m, t.output);
}
/// Qwen3-VL and Qwen3.5: learned positions, a merger, and one more merger for each layer that feeds the text model.
std::uint64_t qwen3_vit(const Tower& t) {
  const std::uint64_t d = t.width, m = square(t.merge) * d;
  const std::uint64_t block = 4 * d + dense(d, 3 * d) + dense(d, d) + dense(d, t.inner) + dense(t.inner, d);
  return dense(t.channels * t.frames * square(t.patch), d) + t.positions * d + t.layers * block + 2 * d + dense(m, m) +
         dense(m, t.output) + t.deepstack * (2 * m + dense(m, m) + dense(m, t.output));
}
/// Pixtral (Mistral 3): no biases; norm, patch merger and two projections into the text model.
std::uint64_t pixtral_vit(const Tower& t) {
  const std::uint64_t d = t.width;
  return t.channels * square(t.patch) * d + d + t.layers * (4 * d * d + 3 * d * t.inner + 2 * d) + d +
         square(t.merge) * d * d + d * t.text + t.text * t.text;
}
/// SigLIP (Gemma 3): learned positions; one projection and its norm.
std::uint64_t siglip_vit(const Tower& t) {
  const std::uint64_t d = t.width, positions = t.patch == 0 ? 0 : square(t.image / t.patch);
  const std::uint64_t block = 4 * d + 4 * dense(d, d) + dense(d, t.inner) + dense(t.inner, d);
  return dense(t.channels * square(t.patch), d) + positions * d + t.layers * block + 2 * d + d * t.text + d;
}
/// Gemma 4: two position tables, four norms and norms of queries and keys a layer, a projection.
std::uint64_t gemma4_vit(const Tower& t) {
  const std::uint64_t d = t.width, head = t.heads == 0 ? 0 : d / t.heads;
  return t.channels * square(t.patch) * d + 2 * t.positions * d +
         t.layers * (4 * d * d + 2 * head + 3 * d * t.inner + 4 * d) + d * t.text;
}
/// Llama 4: class token, learned positions, an adapter (5632 → 4096 → 4096) and a projection.
std::uint64_t llama4_vit(const Tower& t) {
  const std::uint64_t d = t.width, positions = (t.patch == 0 ? 0 : square(t.image / t.patch)) + 1, out = t.output;
  const std::uint64_t block = 4 * dense(d, d) + dense(d, t.inner) + dense(t.inner, d) + 4 * d;
  return t.channels * square(t.patch) * d + d + positions * d + 4 * d + t.layers * block + t.inner * out + out * out +
         out * t.text;
}
/// MoonViT (Kimi K2.5): 64 × 64 positions, biases, a merger of merge² patches into the text model. Equals the
/// difference of the element totals of K2.5 and K2-Thinking (same text model) but for 7,808. Kimi K3's variant is not
/// checked.
std::uint64_t moon_vit(const Tower& t) {
  const std::uint64_t d = t.width, m = square(t.merge) * d;
  const std::uint64_t block = 4 * d + dense(d, 3 * d) + dense(d, d) + dense(d, t.inner) + dense(t.inner, d);
  return dense(t.channels * square(t.patch), d) + 64 * 64 * d + t.layers * block + 2 * d + 2 * d + dense(m, m) +
         dense(m, t.text);
}
/// A plain vision transformer with biases and a two-layer projector: the estimate for a kind that is not known.
std::uint64_t plain_vit(const Tower& t) {
  const std::uint64_t d = t.width, positions = t.patch == 0 ? 0 : square(t.image / t.patch);
  const std::uint64_t block = 4 * d + 4 * dense(d, d) + dense(d, t.inner) + dense(t.inner, d);
  return dense(t.channels * t.frames * square(t.patch), d) + std::min<std::uint64_t>(positions, 1 << 16) * d +
         t.layers * block + 2 * d + dense(d, t.text) + dense(t.text, t.text);
}

enum class TowerKind : std::uint8_t { qwen2, qwen2_5, qwen3, pixtral, siglip, gemma4, llama4, moon, plain };

struct TowerRule {
  std::string_view model_types;  ///< of the whole model, separated by spaces
  TowerKind kind;
  Tower defaults;  ///< what config.json leaves out
};
// Defaults: the vision configuration classes of Hugging Face transformers.
constexpr TowerRule kTowerRules[] = {
    {"qwen2_vl", TowerKind::qwen2, {.layers = 32, .width = 1280, .inner = 5120, .heads = 16, .patch = 14, .frames = 2}},
    {"qwen2_5_vl qwen2_5_omni_thinker",
     TowerKind::qwen2_5,
     {.layers = 32, .width = 1280, .inner = 3420, .heads = 16, .patch = 14, .frames = 2}},
    {"qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe",
     TowerKind::qwen3,
     {.layers = 27, .width = 1152, .inner = 4304, .heads = 16, .patch = 16, .frames = 2, .positions = 2304}},
    {"mistral3 pixtral lighton_ocr",
     TowerKind::pixtral,
     {.layers = 24, .width = 1024, .inner = 4096, .heads = 16, .patch = 14}},
    {"gemma3", TowerKind::siglip, {.layers = 27, .width = 1152, .inner = 4304, .heads = 16, .patch = 14, .image = 896}},
    {"gemma4",
     TowerKind::gemma4,
     {.layers = 27, .width = 1152, .inner = 4304, .heads = 16, .patch = 16, .positions = 10240}},
    {"llama4",
     TowerKind::llama4,
     {.layers = 34, .width = 1408, .inner = 5632, .heads = 16, .patch = 14, .image = 336, .output = 4096}},
    {"kimi_k25 kimi_k3", TowerKind::moon, {.layers = 27, .width = 1152, .inner = 4304, .heads = 16, .patch = 14}},
};

bool has_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    if (words.substr(0, space) == word) return true;
    if (space == std::string_view::npos) return false;
    words.remove_prefix(space + 1);
  }
  return false;
}

/// A dimension by any of its names, within `high`; what is written wrongly counts as not written.
std::uint64_t dimension(const Json& object, std::string_view names, std::uint64_t high, std::uint64_t fallback) {
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    if (const auto value = integer(object, names.substr(0, space));
        value && *value > 0 && static_cast<std::uint64_t>(*value) <= high) {
      return static_cast<std::uint64_t>(*value);
    }
    names.remove_prefix(std::min(space + 1, names.size()));
  }
  return fallback;
}

Tower read_tower(const Json& root, const Json& config, Tower t, std::uint32_t hidden) {
  constexpr std::uint64_t kWide = 1u << 16;
  t.layers = dimension(config, "depth num_hidden_layers vt_num_hidden_layers num_layers layers", kMaxLayers, t.layers);
  // Qwen2-VL's `hidden_size` is the width of its output; its own width is `embed_dim`.
  t.width = dimension(config, "embed_dim hidden_size vt_hidden_size width", kWide, t.width);
  t.inner = dimension(config, "intermediate_size vt_intermediate_size", 1u << 20, t.inner != 0 ? t.inner : 4 * t.width);
  t.heads = dimension(config, "num_heads num_attention_heads vt_num_attention_heads", kWide, t.heads);
  t.patch = dimension(config, "patch_size", 1024, t.patch);
  t.frames = dimension(config, "temporal_patch_size", 64, t.frames);
  t.image = dimension(config, "image_size", 1u << 14, t.image);
  t.channels = dimension(config, "in_channels in_chans num_channels", 64, t.channels);
  t.merge = dimension(config, "spatial_merge_size", 16, dimension(root, "spatial_merge_size", 16, t.merge));
  t.positions = dimension(config, "num_position_embeddings position_embedding_size", 1u << 20, t.positions);
  t.output = dimension(config, "out_hidden_size vision_output_dim", 1u << 20, t.output != 0 ? t.output : hidden);
  t.text = hidden;
  if (const Json* stack = find(config, "deepstack_visual_indexes"); stack != nullptr && stack->is_array()) {
    t.deepstack = std::min<std::uint64_t>(stack->size(), t.layers);
  }
  return t;
}

std::uint64_t count(TowerKind kind, const Tower& t) {
  switch (kind) {
    case TowerKind::qwen2:
      return qwen2_vit(t, false);
    case TowerKind::qwen2_5:
      return qwen2_vit(t, true);
    case TowerKind::qwen3:
      return qwen3_vit(t);
    case TowerKind::pixtral:
      return pixtral_vit(t);
    case TowerKind::siglip:
      return siglip_vit(t);
    case TowerKind::gemma4:
      return gemma4_vit(t);
    case TowerKind::llama4:
      return llama4_vit(t);
    case TowerKind::moon:
      return moon_vit(t);
    case TowerKind::plain:
      return plain_vit(t);
  }
  return 0;
}

void add(std::vector<Piece>& pieces, Part part, std::uint64_t parameters) {
  if (parameters == 0) return;
  pieces.push_back(
      {.role = Role::tower, .part = part, .outputs = Count(parameters), .names = "vision_tower visual vision_model"});
}

/// "total_params" in the description of a tower: a count read elsewhere, for catalogue rows.
std::optional<std::uint64_t> given_count(const Json& config) {
  const auto given = integer(config, "total_params");
  if (!given || *given <= 0 || *given > std::int64_t{1} << 42) return std::nullopt;
  return static_cast<std::uint64_t>(*given);
}

}  // namespace

std::vector<Piece> tower_pieces(const Json& root, std::string_view model_type, std::uint32_t hidden,
                                std::vector<Message>& notes) {
  std::vector<Piece> pieces;
  const Json* vision = find(root, "vision_config");
  if (vision == nullptr) vision = find(root, "vision_encoder");
  if (vision != nullptr && vision->is_object()) {
    if (const auto given = given_count(*vision)) {
      add(pieces, Part::vision, *given);
    } else {
      const auto rule = std::find_if(std::begin(kTowerRules), std::end(kTowerRules),
                                     [&](const TowerRule& row) { return has_word(row.model_types, model_type); });
      const bool known = rule != std::end(kTowerRules);
      Tower tower = read_tower(root, *vision, known ? rule->defaults : Tower{}, hidden);
      const TowerKind kind = known ? rule->kind : TowerKind::plain;
      if (tower.layers == 0 || tower.width == 0) {
        notes.push_back(Message("config.note.tower_not_counted").with("part", MessageKey{"part.vision"}));
      } else {
        add(pieces, Part::vision, count(kind, tower));
        if (kind == TowerKind::plain || model_type == "kimi_k3") {
          notes.push_back(Message("config.note.tower_estimated").with("part", MessageKey{"part.vision"}));
        }
      }
    }
  }
  const Json* audio = find(root, "audio_config");
  if (audio != nullptr && audio->is_object()) {
    if (const auto given = given_count(*audio)) {
      add(pieces, Part::audio, *given);
    } else if (model_type == "gemma4") {
      // The conformer of E2B and E4B. Both published totals give the same: 304,824,608 and a projection of 1536 values.
      add(pieces, Part::audio, 304'824'608 + std::uint64_t{1536} * hidden);
    } else {
      notes.push_back(Message("config.note.tower_not_counted").with("part", MessageKey{"part.audio"}));
    }
  }
  return pieces;
}

}  // namespace vram
