// What a family of models does that its config.json does not say.
//
// A config.json names the family (`model_type`) and leaves out what the family's code decides: whether queries have a
// bias, how many norms a layer has, which layers look at a window. Those rules are a table with one row a family;
// reading a config is fields (config_fields.h) + its row here. A model whose `model_type` has no row is read with the
// rules of `unknown_family()`, by its fields alone, and is marked unverified.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/import/config_fields.h"

namespace vram {

enum class Norm : std::uint8_t { rms, layer, layer_without_bias, without_weights };
enum class QkNorm : std::uint8_t {
  none,
  without_weights,
  per_head,  ///< head_dim values for queries and head_dim for keys
  full,      ///< a value for every output of the query and of the key projection
};
/// What an `attention_bias: true` covers besides q, k and v.
enum class OutputBias : std::uint8_t { follows, never, always };
/// Layers that keep a window, when the config has a window but no list of layers.
enum class WindowRule : std::uint8_t {
  none,  ///< a window in the config is not used
  all,
  periodic,  ///< every `window_period`-th layer is full, the others keep a window
  upper,     ///< from layer `max_window_layers` on, and only with `use_sliding_window`
};
enum class Recurrence : std::uint8_t { none, gated_delta, kda, mamba1, mamba2, lightning, short_conv };
/// How draft (MTP) layers are built.
enum class Draft : std::uint8_t {
  none,  ///< the checkpoint stores none, whatever the config says
  as_last_layer,
  dense,         ///< an ordinary MLP instead of the experts
  dense_window,  ///< the same, and attention that keeps a window
  mixed,         ///< blocks of their own pattern (Nemotron-H)
};
enum class Layout : std::uint8_t {
  decoder,         ///< a mixer and a feed-forward block in every layer
  exclusive,       ///< one block a layer: mixer or feed-forward (Nemotron-H)
  parallel_mixer,  ///< attention and a recurrent mixer side by side (Falcon-H1)
  bert,
  t5,
  whisper,
  gemma3n,
  gemma4,
  deepseek_v4,
};

/// A value that config.json leaves out when it is the default of the family's configuration class.
struct FieldDefault {
  Field field = Field::count_;
  std::uint32_t value = 0;
};

struct Family {
  std::string_view id;             ///< model_type values, separated by spaces
  std::string_view architectures;  ///< class names without their "For…" ending, where model_type does not tell
  Layout layout = Layout::decoder;

  Norm norm = Norm::rms;
  std::uint8_t norms = 2;  ///< a layer
  bool qkv_bias = false;   ///< when config.json does not say
  OutputBias o_bias = OutputBias::follows;
  bool mlp_bias = false;
  bool head_bias = false;
  bool gated = true;
  bool tied = false;  ///< when config.json does not say
  QkNorm qk_norm = QkNorm::none;
  bool qk_norm_asked = false;  ///< only where the config says `use_qk_norm`
  bool gate = false;           ///< output gate of attention
  bool sinks = false;          ///< a sink logit a head
  bool embedding_norm = false;
  bool final_norm = true;
  bool learned_positions = false;    ///< a position embedding
  std::uint8_t position_offset = 0;  ///< rows of it before the first position (OPT keeps 2)
  bool one_kv_head = false;          ///< multi-query (`multi_query: true`) when the config does not say

  WindowRule window = WindowRule::none;
  std::uint8_t window_period = 0;

  bool expert_width_is_intermediate = false;
  bool router_bias = false;  ///< when config.json does not say
  bool expert_bias = false;
  bool shared_gate = false;
  bool dense_beside_experts = false;   ///< an ordinary MLP beside the experts of every layer
  bool dense_width_is_hidden = false;  ///< the width of that MLP (Arctic)
  bool width_is_double = false;        ///< intermediate_size counts gate and up together (Qwen 1)

  Recurrence recurrence = Recurrence::none;
  Draft draft = Draft::none;      ///< feed-forward and mixer of draft (MTP) layers
  bool draft_embeddings = false;  ///< with embeddings and head of their own

  std::array<FieldDefault, 6> defaults{};
};

std::span<const Family> families();
/// The family of this model_type or, failing that, of this class name; nullptr when there is none.
const Family* find_family(std::string_view model_type, std::string_view architecture);
/// Llama's rules: what most of the unknown are built like.
const Family& unknown_family();

/// The fields of a config together with what its family takes for granted.
class FamilyFields {
 public:
  FamilyFields(FieldReader& reader, const Family& rules) : fields(reader), family(rules) {}

  std::uint32_t value(Field field, std::uint32_t fallback = 0);
  /// Absence is the reader's error, as with FieldReader::need.
  std::uint32_t need(Field field);
  bool flag(Flag flag, bool fallback) { return fields.get_or(flag, fallback); }
  const Json* member(std::string_view path) const { return fields.member(path); }
  const Json* list(std::string_view path) const;  ///< a list that is not empty
  /// A member of the text model that is a plain number from 1 to `high`.
  std::uint32_t plain(std::string_view key, std::uint32_t high, std::uint32_t fallback);
  /// A list may be longer than the model (the rest describes draft layers), never shorter.
  void check_length(std::size_t length, std::uint32_t layers, std::string_view key);

  FieldReader& fields;
  const Family& family;
};

}  // namespace vram
