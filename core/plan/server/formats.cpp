#include "core/plan/server/formats.h"
#include "core/plan/server/words.h"

#include <algorithm>
#include <string>

namespace vram {
namespace {

struct Name {
  std::string_view name;
  FormatId format;
};
constexpr Name kNames[] = {
    {"bf16", FormatId::bf16},
    {"fp16", FormatId::bf16},
    {"fp32", FormatId::fp32},
    {"fp8", FormatId::fp8},
    {"fp8_tensor", FormatId::fp8},
    {"fp8_block", FormatId::fp8_block},
    {"fp8_channel", FormatId::fp8_channel},
    {"mxfp8", FormatId::mxfp8},
    {"int8", FormatId::int8},
    {"mxfp4", FormatId::mxfp4},
    {"nvfp4", FormatId::nvfp4},
    {"fp4", FormatId::nvfp4},
    {"int4", FormatId::awq_int4},
    {"awq_int4_g128", FormatId::awq_int4},
    {"gptq_int4_g128", FormatId::gptq_int4},
    // published bitsandbytes checkpoints quantise their scales once more
    {"bnb_nf4", FormatId::nf4_dq},
    {"bnb_nf4_dq", FormatId::nf4_dq},
    {"ao_nf4", FormatId::nf4_dq},
};

bool is_expert(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }
bool is_attention(Role role) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v:
    case Role::attention_o:
    case Role::attention_gate:
    case Role::latent_q_down:
    case Role::latent_q_up:
    case Role::latent_kv_down:
    case Role::latent_kv_up:
    case Role::mixer_in:
    case Role::mixer_gate:
    case Role::mixer_out:
      return true;
    default:
      return false;
  }
}
bool is_matrix(const Tensor& tensor) { return tensor.inputs > Count(1); }

bool has_format(const Model& model, FormatId format) {
  return std::any_of(model.tensors.begin(), model.tensors.end(), [&](const Tensor& t) { return t.format == format; });
}

/// Families by what their NVFP4 checkpoints leave in sixteen bits (exclude lists of hf_quant_config.json).
enum class Left : std::uint8_t { nothing, attention, mixers, all_but_experts };
struct Habit {
  std::string_view model_types;
  Left left;
};
constexpr Habit kNvfp4Habits[] = {
    {"glm_moe_dsa gemma4", Left::all_but_experts},
    {"deepseek_v3 deepseek_v32 kimi_k2 kimi_k25 minimax_m2", Left::attention},
    {"qwen3_5_moe qwen3_next nemotron_h", Left::mixers},
};

bool is_mixer(Role role) { return role == Role::mixer_in || role == Role::mixer_gate || role == Role::mixer_out; }

Model nvfp4(const Model& model) {
  Model packed = with_weight_format(model, FormatId::nvfp4);
  Left left = Left::nothing;
  for (const Habit& habit : kNvfp4Habits) {
    if (has_word(habit.model_types, model.model_type)) left = habit.left;
  }
  const bool v4 = model.model_type == "deepseek_v4";
  const bool dense_hybrid = model.model_type == "qwen3_5";  // feed-forward in nvfp4, the rest in fp8
  for (std::size_t i = 0; i < packed.tensors.size(); ++i) {
    Tensor& tensor = packed.tensors[i];
    if (!is_matrix(tensor) || !is_quantised_role(tensor.role)) continue;
    const bool kept = tensor.part == Part::mtp || (left == Left::attention && is_attention(tensor.role)) ||
                      (left == Left::mixers && is_mixer(tensor.role)) ||
                      (left == Left::all_but_experts && !is_expert(tensor.role));
    if (v4 && !is_expert(tensor.role))
      tensor.format = model.tensors[i].format;
    else if (kept)
      tensor.format = model.compute_format;
    else if (dense_hybrid && is_attention(tensor.role))
      tensor.format = FormatId::fp8;
  }
  packed.origin = Origin::unverified;
  return packed;
}

/// Meta's FBGEMM checkpoints: only the feed-forward, and neither in the first nor in the last layer.
Model fbgemm(const Model& model) {
  Model packed = with_weight_format(model, model.compute_format);
  const auto last = static_cast<std::uint16_t>(std::max<std::uint32_t>(1, model.dims.num_hidden_layers) - 1);
  const std::size_t tensors = packed.tensors.size();
  for (std::size_t i = 0; i < tensors; ++i) {
    const Tensor tensor = packed.tensors[i];
    const bool ffn = tensor.role == Role::ffn_gate || tensor.role == Role::ffn_up || tensor.role == Role::ffn_down;
    if (!ffn || !is_matrix(tensor) || tensor.layer_set == kNoLayer) continue;
    LayerSet inner, ends;
    for (const std::uint16_t layer : packed.layer_sets[static_cast<std::size_t>(tensor.layer_set)]) {
      (layer == 0 || layer == last ? ends : inner).push_back(layer);
    }
    if (inner.empty()) continue;
    if (!ends.empty()) {
      Tensor plain = tensor;
      plain.layer_set = add_layer_set(packed, ends);
      packed.tensors.push_back(plain);
    }
    const std::int16_t set = add_layer_set(packed, inner);
    packed.tensors[i].layer_set = set;
    packed.tensors[i].format = FormatId::fp8_channel;
  }
  return packed;
}

Model fp8_and_mxfp4(const Model& model) {
  Model packed = with_weight_format(model, FormatId::fp8_block);
  for (Tensor& tensor : packed.tensors) {
    if (is_expert(tensor.role) && is_matrix(tensor)) tensor.format = FormatId::mxfp4;
    // MiMo's checkpoints list o_proj among the layers that stay
    if (tensor.role == Role::attention_o && model.model_type.starts_with("mimo")) tensor.format = model.compute_format;
  }
  return packed;
}

}  // namespace

std::optional<Model> in_served_format(const Model& model, std::string_view name) {
  if (name == "fp8_mxfp4") return has_format(model, FormatId::mxfp4) ? model : fp8_and_mxfp4(model);
  const auto row = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return n.name == name; });
  if (row == std::end(kNames)) {
    if (!name.starts_with("gguf_")) return std::nullopt;
    const auto block = find_format(name.substr(5));
    return block ? std::optional(with_weight_format(model, *block)) : std::nullopt;
  }
  if (row->format == FormatId::nvfp4) return nvfp4(model);
  if (name == "fp8_channel") return fbgemm(model);
  // The checkpoint as published keeps what its makers left out.
  if (row->format != FormatId::bf16 && has_format(model, row->format)) return model;
  Model packed = with_weight_format(model, row->format);
  if (row->format == FormatId::fp32) packed.compute_format = FormatId::fp32;
  if (row->format == FormatId::bf16) packed.compute_format = FormatId::bf16;
  return packed;
}

}  // namespace vram
