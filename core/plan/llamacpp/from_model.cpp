#include "core/plan/llamacpp/from_model.h"

#include <algorithm>
#include <array>

#include "core/plan/llamacpp/tensors.h"

namespace vram::llamacpp {
namespace {

struct Name {
  std::string_view model_type, architecture;
};
// convert_hf_to_gguf.py, by the model_type of config.json. Types that a GGUF shares are written the same.
constexpr Name kNames[] = {
    {"mistral", "llama"}, {"ministral", "llama"}, {"mixtral", "llama"}, {"yi", "llama"}, {"aquila", "llama"},
    {"internlm2", "llama"}, {"internlm3", "llama"}, {"mistral3", "mistral3"}, {"ministral3", "mistral3"},
    {"mistral4", "mistral4"}, {"llama4_text", "llama4"}, {"nemotron-nas", "deci"},
    {"qwen2_vl", "qwen2"}, {"qwen2_5_vl", "qwen2"}, {"qwen2_vl_text", "qwen2"}, {"qwen2_5_vl_text", "qwen2"},
    {"qwen2_audio", "qwen2"}, {"qwen2_moe", "qwen2moe"}, {"qwen3_text", "qwen3"}, {"qwen3_moe", "qwen3moe"},
    {"qwen3_vl", "qwen3vl"}, {"qwen3_vl_text", "qwen3vl"}, {"qwen3_vl_moe", "qwen3vlmoe"},
    {"qwen3_vl_moe_text", "qwen3vlmoe"}, {"qwen3_omni_moe_text", "qwen3moe"}, {"qwen3_next", "qwen3next"},
    {"qwen3_5", "qwen35"}, {"qwen3_5_text", "qwen35"}, {"qwen3_5_moe", "qwen35moe"}, {"qwen3_5_moe_text", "qwen35moe"},
    {"deepseek_v2", "deepseek2"}, {"deepseek_v3", "deepseek2"}, {"kimi_k2", "deepseek2"}, {"glm4_moe_lite", "deepseek2"},
    {"glm", "glm4"}, {"glm4v_text", "glm4"}, {"glm4_moe", "glm4moe"}, {"glm4v_moe", "glm4moe"},
    {"glm4v_moe_text", "glm4moe"}, {"minimax_m2", "minimax-m2"},
    {"gemma3_text", "gemma3"}, {"gemma3n_text", "gemma3n"}, {"gemma4_text", "gemma4"},
    {"phi", "phi2"}, {"phi-msft", "phi2"}, {"phi4mm", "phi3"}, {"gpt_oss", "gpt-oss"}, {"cohere", "command-r"},
    {"falcon_h1", "falcon-h1"}, {"falcon_mamba", "mamba"}, {"granitemoeshared", "granitemoe"},
    {"granitemoehybrid", "granitehybrid"}, {"lfm2_moe", "lfm2moe"}, {"olmo3", "olmo2"}, {"seed_oss", "seed_oss"},
    {"ernie4_5_moe", "ernie4_5-moe"}, {"hunyuan_v1_dense", "hunyuan-dense"}, {"hunyuan_v1_moe", "hunyuan-moe"},
    {"hunyuan", "hunyuan-moe"}, {"bailing_moe", "bailingmoe"}, {"bailing_moe_v2", "bailingmoe2"},
    {"gpt_neox", "gptneox"}, {"smollm3", "smollm3"},
};

/// Roles of our inventory that a slot's type is looked up under.
struct SlotRole {
  Slot slot;
  std::array<Role, 2> roles;
};
constexpr SlotRole kRoles[] = {
    {Slot::token_embd, {Role::embedding}}, {Slot::output, {Role::head}},
    {Slot::per_layer_token_embd, {Role::per_layer_embedding}}, {Slot::per_layer_model_proj, {Role::other}},
    {Slot::attn_q, {Role::attention_q}}, {Slot::attn_k, {Role::attention_k}}, {Slot::attn_v, {Role::attention_v}},
    {Slot::attn_qkv, {Role::attention_q, Role::mixer_in}}, {Slot::attn_output, {Role::attention_o}},
    {Slot::attn_gate, {Role::mixer_gate, Role::attention_gate}},
    {Slot::latent_q_a, {Role::latent_q_down}}, {Slot::latent_q_b, {Role::latent_q_up}},
    {Slot::latent_kv_a, {Role::latent_kv_down}}, {Slot::latent_k_b, {Role::latent_kv_up}},
    {Slot::latent_v_b, {Role::latent_kv_up}}, {Slot::latent_kv_b, {Role::latent_kv_up}},
    {Slot::ffn_gate, {Role::ffn_gate}}, {Slot::ffn_up, {Role::ffn_up}}, {Slot::ffn_down, {Role::ffn_down}},
    {Slot::ffn_gate_exps, {Role::expert_gate}}, {Slot::ffn_up_exps, {Role::expert_up}},
    {Slot::ffn_down_exps, {Role::expert_down}}, {Slot::ffn_gate_up_exps, {Role::expert_gate}},
    {Slot::ffn_gate_shexp, {Role::shared_expert_gate}}, {Slot::ffn_up_shexp, {Role::shared_expert_up}},
    {Slot::ffn_down_shexp, {Role::shared_expert_down}},
    {Slot::ffn_latent_down, {Role::expert_latent}}, {Slot::ffn_latent_up, {Role::expert_latent}},
    {Slot::ssm_in, {Role::mixer_in}}, {Slot::ssm_out, {Role::mixer_out}}, {Slot::ssm_x, {Role::mixer_small}},
    {Slot::ssm_beta, {Role::mixer_small}}, {Slot::ssm_alpha, {Role::mixer_small}}, {Slot::ssm_ba, {Role::mixer_small}},
    {Slot::shortconv_in, {Role::mixer_in}}, {Slot::shortconv_out, {Role::mixer_out}},
};

bool holds(const LayerSet& set, std::uint32_t layer) {
  return std::binary_search(set.begin(), set.end(), static_cast<std::uint16_t>(layer));
}

std::uint32_t small(Count count) { return static_cast<std::uint32_t>(std::min<std::uint64_t>(count.value(), 1U << 30)); }

class Converter {
 public:
  Converter(const vram::Model& from, std::string_view architecture) : from_(from) {
    if (architecture.empty()) architecture = architecture_of(from.model_type);
    made_.arch = std::string(architecture.empty() ? std::string_view(from.model_type) : architecture);
    made_.rules = &rules_of(made_.arch);
  }

  std::optional<Model> run() {
    const std::uint32_t layers = from_.dims.num_hidden_layers;
    made_.n_embd = from_.dims.hidden_size;
    made_.n_vocab = from_.dims.vocab_size;
    if (layers == 0 || made_.n_embd == 0 || made_.n_vocab == 0 || from_.layer_sets.empty() || !from_.generates) {
      return std::nullopt;
    }
    outside();
    recurrent();
    for (std::uint32_t il = 0; il < layers; ++il) made_.layers.push_back(layer(il));
    list_tensors(made_, from_.compute_format == FormatId::bf16 ? FormatId::bf16 : FormatId::fp16);
    if (from_.origin == Origin::checkpoint) take_types();
    return std::move(made_);
  }

 private:
  /// The tensor of a role in a layer; null when the layer has none. Vectors (biases) only when asked for.
  const vram::Tensor* tensor(Role role, std::uint32_t layer) const {
    for (const vram::Tensor& one : from_.tensors) {
      if (one.role == role && one.part == Part::text && one.layer_set != kNoLayer && one.inputs.value() > 1 &&
          holds(from_.layer_sets[static_cast<std::size_t>(one.layer_set)], layer)) {
        return &one;
      }
    }
    return nullptr;
  }
  const vram::Tensor* first(Role role) const {
    for (const vram::Tensor& one : from_.tensors) {
      if (one.role == role && one.part == Part::text && one.inputs.value() > 1) return &one;
    }
    return nullptr;
  }
  const Cache* cache(std::uint32_t layer, bool recurrent) const {
    for (const Cache& one : from_.caches) {
      if (one.part == Part::text && one.kind != CacheKind::indexer && (one.kind == CacheKind::recurrent) == recurrent &&
          holds(from_.layer_sets[static_cast<std::size_t>(one.layer_set)], layer)) {
        return &one;
      }
    }
    return nullptr;
  }

  void outside() {
    const Dimensions& d = from_.dims;
    const vram::Tensor* head = first(Role::head);
    made_.tied = head == nullptr || !head->stored;
    made_.draft_layers = d.num_nextn_predict_layers;
    for (const vram::Tensor& one : from_.tensors) {
      if (one.part == Part::mtp && one.role == Role::embedding && one.stored) made_.draft_embeddings = true;
    }
    made_.experts = d.num_experts;
    made_.experts_used = std::min(d.num_experts_per_tok, d.num_experts);
    made_.expert_width = d.moe_intermediate_size;
    if (const vram::Tensor* up = first(Role::expert_up)) made_.expert_width = small(up->outputs);
    if (const vram::Tensor* shared = first(Role::shared_expert_up)) {
      made_.shared_width = small(shared->outputs * shared->copies);
    }
    if (const vram::Tensor* latent = first(Role::expert_latent)) made_.expert_latent = small(latent->outputs);
    made_.q_rank = d.q_lora_rank;
    made_.kv_rank = d.kv_lora_rank;
    made_.rope_dim = d.qk_rope_head_dim;
    made_.nope_dim = d.qk_nope_head_dim;
    made_.v_dim = d.v_head_dim;
    for (const Cache& one : from_.caches) {
      if (one.window > 0 && made_.rules->window_period > 0) made_.window = one.window;
    }
    if (const vram::Tensor* table = first(Role::per_layer_embedding)) {
      made_.per_layer_dim = small(table->inputs) / d.num_hidden_layers;
      made_.per_layer_vocab = small(table->outputs);
    }
    if (made_.rules->flow == Flow::gemma3n) {
      made_.altup = 4;  // every Gemma 3n
      made_.laurel_rank = 64;
    }
  }

  /// Sizes of the recurrent layers out of what they remember: facts/llamacpp.md 4.4 read backwards.
  void recurrent() {
    const Cache* state = nullptr;
    for (const Cache& one : from_.caches) {
      if (one.part == Part::text && one.kind == CacheKind::recurrent) state = &one;
    }
    const vram::Tensor* out = first(Role::mixer_out);
    const vram::Tensor* conv = first(Role::mixer_conv);
    if (state == nullptr || out == nullptr || conv == nullptr) return;
    made_.conv = small(conv->inputs);
    if (made_.rules->recurrence == Recurrence::short_conv) return;
    made_.inner = small(out->inputs);
    if (made_.inner == 0) return;
    made_.state = static_cast<std::uint32_t>(state->state_values / made_.inner);
    made_.step_rank = state->heads;
    const std::uint32_t channels = small(conv->outputs);
    if (made_.state > 0 && channels > made_.inner) made_.groups = (channels - made_.inner) / (2 * made_.state);
    if (made_.rules->recurrence != Recurrence::mamba1) return;
    for (const vram::Tensor& one : from_.tensors) {  // of the step: inner × rank
      if (one.role == Role::mixer_small && one.outputs.value() == made_.inner && one.inputs.value() > 1 &&
          one.inputs.value() != made_.state) {
        made_.step_rank = small(one.inputs);
      }
    }
  }

  Layer layer(std::uint32_t il) {
    Layer made;
    made.recurrent = cache(il, true) != nullptr;
    const vram::Tensor* up = tensor(Role::ffn_up, il);
    made.experts = tensor(Role::expert_up, il) != nullptr;
    if (up != nullptr) made.width = small(up->outputs * up->copies);
    const Cache* kept = cache(il, false);
    const vram::Tensor* out = tensor(Role::attention_o, il);
    if (out == nullptr && kept == nullptr) return made;
    made.latent = made_.kv_rank > 0;
    made.attention = !made.latent;
    made.heads = from_.dims.num_attention_heads;
    made.kv_heads = from_.dims.num_key_value_heads;
    made.key_dim = made.value_dim = from_.dims.head_dim;
    if (made.latent) return made;
    if (kept != nullptr) {
      set_cache(made, *kept);
    } else {
      borrow(made, il);
    }
    if (out != nullptr && made.value_dim > 0) made.heads = small(out->inputs) / made.value_dim;
    made.own_value = tensor(Role::attention_k, il) == nullptr || tensor(Role::attention_v, il) != nullptr;
    return made;
  }

  void set_cache(Layer& made, const Cache& kept) const {
    if (kept.kind == CacheKind::compressed && kept.tokens_per_entry > 1) {
      // Values and their weights of the entry that is filling, in room for the coarsest layer's (llama.cpp #22319).
      std::uint64_t coarsest = 0;
      for (const Cache& one : from_.caches) coarsest = std::max<std::uint64_t>(coarsest, one.tokens_per_entry);
      made.pending = 2 * coarsest * kept.entry_values;
    }
    made.kv_heads = kept.kv_heads;
    made.key_dim = kept.key_dim;
    made.value_dim = kept.value_dim;
    made.sliding = kept.window > 0 && made_.window > 0;
  }

  /// A layer without a cache reads that of the last layer of its kind.
  void borrow(Layer& made, std::uint32_t il) const {
    made.keeps_kv = false;
    const std::uint32_t period = made_.rules->window_period;
    const bool sliding = made_.window > 0 && period > 0 && (il + 1) % period != 0;
    for (std::size_t i = made_.layers.size(); i-- > 0;) {
      const Layer& earlier = made_.layers[i];
      if (!earlier.attention || earlier.sliding != sliding) continue;
      made.kv_heads = earlier.kv_heads;
      made.key_dim = earlier.key_dim;
      made.value_dim = earlier.value_dim;
      break;
    }
    made.sliding = sliding;
  }

  /// The types of an opened file's tensors.
  void take_types() {
    for (Tensor& to : made_.tensors) {
      const auto* row = std::find_if(std::begin(kRoles), std::end(kRoles), [&](const SlotRole& one) { return one.slot == to.slot; });
      if (row == std::end(kRoles)) continue;
      for (const vram::Tensor& one : from_.tensors) {
        const bool of_role = one.role == row->roles[0] || one.role == row->roles[1];
        const bool here = to.layer < 0 ? one.layer_set == kNoLayer
                                       : one.layer_set != kNoLayer &&
                                             holds(from_.layer_sets[static_cast<std::size_t>(one.layer_set)],
                                                   static_cast<std::uint32_t>(to.layer));
        if (!of_role || !here || one.inputs.value() <= 1 || one.inputs.value() != to.ne[0]) continue;
        to.type = one.format;
        break;
      }
    }
  }

  const vram::Model& from_;
  Model made_;
};

}  // namespace

std::string_view architecture_of(std::string_view model_type) {
  for (const Name& row : kNames) {
    if (row.model_type == model_type) return row.architecture;
  }
  return knows(model_type) ? model_type : std::string_view();
}

std::optional<Model> to_llamacpp(const vram::Model& from, std::string_view architecture) {
  return Converter(from, architecture).run();
}

}  // namespace vram::llamacpp
