// What a model is: a list of tensors (the inventory) and what its layers remember while they generate (the caches).
//
// Weights are a sum over the inventory; shares of a tensor-parallel rank, adapters, quantisation that leaves out the
// embedding, experts in host memory are filters over it. No second formula for parameter counts exists anywhere.
//
// Layers that are alike share one entry: an entry belongs to a *layer set* and stands once for every layer of the set.
// Llama-3.1-8B is twelve entries, DeepSeek-V3 about forty; sums over a model take nanoseconds.
//
//   Tensor{role: expert_gate, layers: {3…60}, outputs: 2048, inputs: 7168, copies: 256, format: fp8_block}
//     = 58 layers × 256 experts × (2048·7168 + scales)
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/bytes.h"
#include "core/units/format.h"
#include "core/units/message.h"

namespace vram {

/// What a tensor is for. The role decides how it is split over devices, whether a format covers it, where it may live.
enum class Role : std::uint8_t {
  // outside the layers
  embedding, position_embedding, head, final_norm, per_layer_embedding,
  // attention
  attention_q, attention_k, attention_v, attention_o, attention_gate, attention_norm, attention_sinks,
  // latent attention: down-projections are not split, up-projections are split by heads
  latent_q_down, latent_q_up, latent_kv_down, latent_kv_up, latent_norm,
  indexer,                       ///< sparse-attention indexer
  // feed-forward
  ffn_gate, ffn_up, ffn_down,
  router, router_bias,
  expert_gate, expert_up, expert_down,
  shared_expert_gate, shared_expert_up, shared_expert_down, shared_expert_router,
  expert_latent,                 ///< projections into and out of a latent space the experts work in
  // recurrent mixers (Mamba, gated DeltaNet, KDA, lightning attention, short convolution)
  mixer_in, mixer_conv, mixer_gate, mixer_small, mixer_norm, mixer_out,
  // rest of a layer
  layer_norm, layer_other,
  // other parts
  mtp_projection,                ///< joins the last hidden state and the next embedding of a draft layer
  tower,                         ///< vision or audio tower, its parts not told apart
  projector,                     ///< from a tower into the text model
  other,                         ///< stored, purpose unknown
  count_
};
std::string_view role_key(Role role);            ///< "attention_q"

/// Which count a tensor belongs to.
enum class Part : std::uint8_t { text, vision, audio, mtp };
std::string_view part_key(Part part);            ///< "text", "vision", "audio", "mtp"

/// Indices of layers, ascending, from 0. Draft (MTP) layers follow the text layers.
using LayerSet = std::vector<std::uint16_t>;
constexpr std::int16_t kNoLayer = -1;

struct Tensor {
  Role role = Role::other;
  Part part = Part::text;
  std::int16_t layer_set = kNoLayer;             ///< index into Model::layer_sets; kNoLayer = once in the model
  FormatId format = FormatId::bf16;              ///< as stored
  Count outputs, inputs{1};                      ///< a matrix of outputs × inputs; a vector is outputs × 1
  Count copies{1};                               ///< identical ones in a layer: experts
  bool stored = true;                            ///< false: shares another's storage (a head tied to the embedding)
  Bytes exact;                                   ///< of one layer, all copies and their scales, as a checkpoint's header states; 0 = by the format's rule

  Count parameters() const { return outputs * inputs * copies; }         ///< of one layer
  Bytes bytes() const {                                                  ///< of one layer
    return exact.value() != 0 ? exact : copies * stored_bytes(storage_format(format), outputs, inputs);
  }
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// How a layer remembers what it has read.
enum class CacheKind : std::uint8_t {
  full,          ///< keys and values of every token
  sliding,       ///< of the last `window` tokens
  chunked,       ///< of the current chunk of `window` tokens (Llama 4)
  latent,        ///< one compressed vector a token (MLA), the same on every device
  indexer,       ///< keys of a sparse-attention indexer, one a token
  compressed,    ///< one entry for every `tokens_per_entry` tokens (DeepSeek V4)
  recurrent,     ///< a state of fixed size a sequence (Mamba, DeltaNet, KDA, lightning, convolution)
};
std::string_view cache_key(CacheKind kind);      ///< "full", "sliding", …

struct Cache {
  CacheKind kind = CacheKind::full;
  std::int16_t layer_set = 0;                    ///< layers that own such a cache; layers that borrow one are not in it
  Part part = Part::text;                        ///< mtp: only when drafting is on
  // full, sliding, chunked
  std::uint32_t kv_heads = 0, key_dim = 0, value_dim = 0;
  std::uint32_t window = 0;                      ///< tokens; sliding, chunked, compressed
  // latent, indexer, compressed: values of one entry
  std::uint32_t entry_values = 0;
  std::uint32_t tokens_per_entry = 1;
  std::uint32_t scale_bytes = 0;                 ///< stored beside each entry whatever its format (indexer keys in fp8)
  // recurrent: values a sequence and layer
  std::uint64_t state_values = 0, conv_values = 0;
  std::uint32_t heads = 0;                       ///< the state is split by these over tensor-parallel devices
  FormatId state_format = FormatId::fp32, conv_format = FormatId::bf16;

  /// Values that one token adds in one layer (keys and values together); 0 for recurrent.
  Count values_per_token() const;
  friend bool operator==(const Cache&, const Cache&) = default;
};

/// Facts of the text model that plans need besides the inventory. 0 = does not apply or not known.
struct Dimensions {
  std::uint32_t num_hidden_layers = 0, hidden_size = 0, intermediate_size = 0, vocab_size = 0;
  std::uint32_t num_attention_heads = 0, num_key_value_heads = 0, head_dim = 0;
  std::uint32_t max_position_embeddings = 0;
  std::uint32_t num_experts = 0, num_experts_per_tok = 0, moe_intermediate_size = 0;
  std::uint32_t num_nextn_predict_layers = 0;
  std::uint32_t kv_lora_rank = 0, q_lora_rank = 0, qk_rope_head_dim = 0, qk_nope_head_dim = 0, v_head_dim = 0;
  friend bool operator==(const Dimensions&, const Dimensions&) = default;
};

/// How the model came to be known, which bounds how sure a plan can be.
enum class Origin : std::uint8_t {
  checkpoint,    ///< headers of the stored tensors: shapes and bytes are facts
  config,        ///< generated from config.json of a family whose rules are proven
  unverified,    ///< generated from a config.json of an unknown family, or from facts nobody confirmed
  size_only,     ///< only a number of parameters is known
};

struct Model {
  std::string name;                              ///< as shown; text from a file, never markup
  std::string model_type;                        ///< "llama", "qwen3_moe", GGUF's general.architecture, …
  Origin origin = Origin::config;
  Dimensions dims;
  FormatId compute_format = FormatId::bf16;      ///< of activations and of a cache whose format is "auto"
  std::vector<LayerSet> layer_sets;
  std::vector<Tensor> tensors;
  std::vector<Cache> caches;
  bool generates = true;                         ///< false: an encoder (embedding, reranker), no cache
  std::vector<Message> notes;                    ///< what was assumed or left out while reading

  friend bool operator==(const Model&, const Model&) = default;
  std::size_t layers_of(std::int16_t set) const { return set == kNoLayer ? 1 : layer_sets[static_cast<std::size_t>(set)].size(); }
};

/// Parameters part by part. A parameter stored twice counts once in `text` and is counted in `stored_total` twice.
struct ParameterCounts {
  Count text, vision, audio, mtp;
  Count total;                                   ///< all that the checkpoint stores
  Count active;                                  ///< used for one token, without the input-embedding look-up
};
ParameterCounts count_parameters(const Model& model);

/// Bytes of all stored tensors, or of one part of the model.
Bytes weight_bytes(const Model& model);
Bytes weight_bytes(const Model& model, Part part);

/// The same model with its covered tensors of the text part in another format (facts: format.h, Coverage).
/// Vectors, norms, routers, embedding, head and towers keep what they have. A plain format replaces every tensor.
Model with_weight_format(Model model, FormatId format);

/// True where `role` is a linear layer that quantisers cover.
bool is_quantised_role(Role role);

/// Index of `set` in the model, added when new.
std::int16_t add_layer_set(Model& model, LayerSet set);

}  // namespace vram
