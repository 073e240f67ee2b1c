// What the layers of a model are, one by one: the step between the words of a config.json and its tensors.
//
// A layer is a mixer (attention, a recurrence, both side by side, or none), a feed-forward block (dense, experts, both,
// or none) and norms. These are plain values; layers whose mixers are equal share one set of tensors and one cache.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/import/config_fields.h"
#include "core/import/families.h"
#include "core/model/model.h"

namespace vram {

struct Attention {
  enum class Kind : std::uint8_t { none, grouped, latent, compressed };
  Kind kind = Kind::none;
  std::uint32_t heads = 0, kv_heads = 0, key_dim = 0, value_dim = 0;
  bool q_bias = false, k_bias = false, v_bias = false, o_bias = false;
  QkNorm qk_norm = QkNorm::none;
  bool gate = false, sinks = false;
  bool projects_kv = true;    ///< false: borrows keys and values and has no projections for them
  bool keeps_kv = true;       ///< false: borrows the cache of an earlier layer
  bool value_is_key = false;  ///< no projection for values (Gemma 4 `attention_k_eq_v`)
  std::uint32_t window = 0;   ///< 0 = all tokens
  bool chunked = false;
  // latent and compressed attention
  std::uint32_t q_rank = 0, kv_rank = 0, rope_dim = 0, nope_dim = 0;
  std::uint32_t index_heads = 0, index_dim = 0;  ///< of a sparse-attention indexer; 0 = none
  bool block_index = false;  ///< MiniMax-M3: index keys projected from the hidden state, with queries
  // compressed (DeepSeek V4)
  std::uint32_t ratio = 0, o_rank = 0, o_groups = 0;
  friend bool operator==(const Attention&, const Attention&) = default;
};

struct Recurrent {
  Recurrence kind = Recurrence::none;
  std::uint32_t heads = 0, head_dim = 0;  ///< of values (Mamba: heads of the inner width)
  std::uint32_t key_heads = 0, key_dim = 0;
  std::uint32_t inner = 0, state = 0, groups = 0, conv = 0, rank = 0;
  bool norm = false;  ///< gated norm (Mamba-2), norms of dt, B and C (Jamba)
  bool full_rank_gate = false, conv_bias = true;
  FormatId state_format = FormatId::fp32;
  friend bool operator==(const Recurrent&, const Recurrent&) = default;
};

struct FeedForward {
  std::uint32_t width = 0;  ///< of the dense block; 0 = none
  bool gated = true, bias = false;
  std::uint32_t experts = 0, expert_width = 0, shared_width = 0, latent_width = 0;
  bool router_bias = false, expert_bias = false, shared_gate = false, latent_norm = false;
  bool hash_routed = false;  ///< DeepSeek V4's first layers choose experts by token, not by score
  friend bool operator==(const FeedForward&, const FeedForward&) = default;
};

struct Layer {
  Attention attention;
  Attention cross;  ///< of a decoder over its encoder (T5, Whisper)
  Recurrent recurrent;
  FeedForward feed;
  std::uint8_t norms = 0;
  Count other;  ///< values of parts that are not told apart
};

/// A tensor that stands once in the model, beside embedding, head and final norm.
struct LooseTensor {
  Role role = Role::other;
  Part part = Part::text;
  Count outputs, inputs{1}, copies{1};
};

/// The text model, normalised.
struct TextModel {
  const Family* family = nullptr;
  Dimensions dims;
  Norm norm = Norm::rms;
  bool tied = false, has_head = true, head_bias = false;
  std::vector<Layer> layers;
  std::vector<Layer> drafts;   ///< MTP layers
  std::vector<Layer> encoder;  ///< layers before the decoder's (T5, Whisper): no cache
  Part encoder_part = Part::text;
  std::vector<LooseTensor> loose;
  bool generates = true;
  /// Number of the first decoder layer: an encoder that counts as text comes before it, a tower counts by itself.
  std::size_t first_layer() const { return encoder_part == Part::text ? encoder.size() : 0; }
  std::uint32_t cross_tokens = 0;  ///< tokens of the encoder that every sequence attends to (Whisper)
  bool draft_embeddings = false;
  std::vector<Message> notes;
};

/// Layers grouped by equal values of one of their parts, in the order of first appearance.
template <class T, class Get>
std::vector<std::pair<T, LayerSet>> grouped(const std::vector<Layer>& layers, std::size_t first, Get get) {
  std::vector<std::pair<T, LayerSet>> groups;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const T& value = get(layers[i]);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == value; });
    if (found == groups.end()) found = groups.insert(groups.end(), {value, {}});
    found->second.push_back(static_cast<std::uint16_t>(first + i));
  }
  return groups;
}

/// Reads the layers. What is wrong is left in `fields.error()`.
TextModel read_text_model(FieldReader& fields, const Family& family);

}  // namespace vram
