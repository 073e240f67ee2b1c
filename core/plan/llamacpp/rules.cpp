#include "core/plan/llamacpp/model.h"

#include <algorithm>
#include <array>

namespace vram::llamacpp {
namespace {

// One row an architecture, read in llama.cpp's src/models/*.cpp (libllama 0.5.0). A row says what differs from Llama.
constexpr Rules kRules[] = {
    {.arch = "llama"},
    {.arch = "llama4", .since = 202504, .window_period = 4},
    {.arch = "mistral3", .since = 202512},
    {.arch = "mistral4", .since = 202603},
    {.arch = "deci", .since = 202412},
    {.arch = "granite", .since = 202409, .scaled_input = true, .residual_scale = true, .scaled_logits = true},
    {.arch = "granitemoe", .since = 202409, .scaled_input = true, .residual_scale = true, .scaled_logits = true},
    {.arch = "smollm3", .since = 202507, .no_rope_period = 4},
    {.arch = "qwen2", .since = 202402, .qkv_bias = true},
    {.arch = "qwen2moe", .since = 202404, .qkv_bias = true, .normed_weights = false, .shared_gate = true},
    {.arch = "qwen3", .since = 202504, .head_norm = HeadNorm::per_head},
    {.arch = "qwen3moe", .since = 202504, .head_norm = HeadNorm::per_head},
    {.arch = "qwen3vl", .since = 202510, .head_norm = HeadNorm::per_head, .position_width = 4},
    {.arch = "qwen3vlmoe", .since = 202510, .head_norm = HeadNorm::per_head, .position_width = 4},
    {.arch = "qwen35", .since = 202602, .feed_norm_is_post_attention = true, .head_norm = HeadNorm::per_head, .attention_gate = true,
     .expand_norm = true, .rows = RowsTaken::after_norm, .recurrence = Recurrence::delta_net, .position_width = 4},
    {.arch = "qwen35moe", .since = 202602, .feed_norm_is_post_attention = true, .head_norm = HeadNorm::per_head, .attention_gate = true,
     .shared_gate = true, .expand_norm = true, .rows = RowsTaken::after_norm, .recurrence = Recurrence::delta_net,
     .position_width = 4},
    {.arch = "qwen3next", .since = 202511, .feed_norm_is_post_attention = true, .head_norm = HeadNorm::per_head, .attention_gate = true,
     .shared_gate = true, .expand_norm = true, .recurrence = Recurrence::delta_net},
    {.arch = "gemma", .since = 202402, .scaled_query = true, .scaled_input = true},
    {.arch = "gemma2", .since = 202406, .post_norm = true, .scaled_query = true, .scaled_input = true, .capped_scores = true,
     .capped_logits = true, .window_period = 2},
    {.arch = "gemma3", .since = 202503, .post_norm = true, .head_norm = HeadNorm::per_head, .scaled_query = true, .scaled_input = true,
     .window_period = 6},
    {.arch = "gemma3n", .since = 202506, .output_first = true, .flow = Flow::gemma3n, .post_norm = true, .head_norm = HeadNorm::per_head, .value_norm = true,
     .scaled_input = true, .capped_logits = true, .rows = RowsTaken::before_norm, .window_period = 5,
     .shared_kv_from = 20},
    {.arch = "gemma4", .since = 202604, .output_first = true, .post_norm = true, .head_norm = HeadNorm::per_head, .value_norm = true, .fused_gate_up = true,
     .plain_norm_router = true, .scaled_input = true, .capped_logits = true, .rows = RowsTaken::after_norm,
     .window_period = 6, .rope_factors = true},
    {.arch = "gpt-oss", .since = 202508, .feed_norm_is_post_attention = true, .qkv_bias = true, .o_bias = true, .sinks = true,
     .gating = Gating::softmax_of_chosen, .normed_weights = false, .expert_bias = true, .window_period = 2},
    {.arch = "phi2", .since = 202312, .flow = Flow::parallel, .layer_norm = true, .norm_bias = true, .qkv_bias = true, .o_bias = true,
     .scaled_query = true, .feed = Activation::plain, .feed_bias = true},
    {.arch = "phi3", .since = 202404, .residual_first = true, .fused_qkv = true, .scaled_query = true, .feed = Activation::fused},
    {.arch = "phimoe", .since = 202501, .layer_norm = true, .norm_bias = true, .qkv_bias = true, .o_bias = true, .scaled_query = true},
    {.arch = "command-r", .since = 202403, .flow = Flow::parallel, .layer_norm = true, .scaled_logits = true},
    {.arch = "cohere2", .since = 202501, .flow = Flow::parallel, .layer_norm = true, .rope_on_windows_only = true, .scaled_logits = true,
     .window_period = 4},
    {.arch = "olmo2", .since = 202411, .pre_norm = false, .post_norm = true, .head_norm = HeadNorm::full, .window_period = 4},
    {.arch = "olmoe", .since = 202409, .head_norm = HeadNorm::full, .normed_weights = false},
    {.arch = "exaone4", .since = 202507, .pre_norm = false, .post_norm = true, .head_norm = HeadNorm::per_head,
     .rope_on_windows_only = true, .window_period = 4},
    {.arch = "starcoder2", .since = 202403, .layer_norm = true, .norm_bias = true, .qkv_bias = true, .o_bias = true,
     .feed = Activation::plain, .feed_bias = true},
    {.arch = "gptneox", .layer_norm = true, .norm_bias = true, .fused_qkv = true, .qkv_bias = true, .o_bias = true,
     .feed = Activation::plain, .feed_bias = true},
    {.arch = "seed_oss", .since = 202508, .feed_norm_is_post_attention = true, .qkv_bias = true},
    {.arch = "chatglm", .since = 202407, .fused_qkv = true, .qkv_bias = true, .feed = Activation::fused},
    {.arch = "glm4", .since = 202504, .post_norm = true, .feed = Activation::fused},
    {.arch = "glm4moe", .since = 202508, .feed_norm_is_post_attention = true, .qkv_bias = true, .gating = Gating::sigmoid,
     .probability_bias = true, .scaled_weights = true, .stores_draft = true},
    {.arch = "minimax-m2", .since = 202510, .head_norm = HeadNorm::full, .gating = Gating::sigmoid, .probability_bias = true},
    {.arch = "ernie4_5", .since = 202507},
    {.arch = "ernie4_5-moe", .since = 202507, .probability_bias = true},
    {.arch = "hunyuan-dense", .since = 202508, .head_norm = HeadNorm::per_head_after_rope},
    {.arch = "hunyuan-moe", .since = 202507, .head_norm = HeadNorm::per_head_after_rope, .shared_first = true},
    {.arch = "bailingmoe", .since = 202503, .normed_weights = false},
    {.arch = "bailingmoe2", .since = 202510, .head_norm = HeadNorm::per_head, .fused_qkv = true, .gating = Gating::sigmoid,
     .probability_bias = true, .scaled_weights = true, .stores_draft = true},
    {.arch = "deepseek", .since = 202501, .normed_weights = false},
    {.arch = "deepseek2", .since = 202405, .gating = Gating::sigmoid, .probability_bias = true, .scaled_weights = true},
    {.arch = "mamba", .since = 202403, .flow = Flow::single, .rope = false, .recurrence = Recurrence::mamba1, .positions = false},
    {.arch = "mamba2", .since = 202507, .flow = Flow::single, .rope = false, .recurrence = Recurrence::mamba2, .mixer_norm = true,
     .positions = false},
    {.arch = "jamba", .since = 202507, .residual_first = true, .rope = false, .normed_weights = false,
     .recurrence = Recurrence::mamba1, .step_norms = true, .positions = false},
    {.arch = "falcon-h1", .since = 202507, .recurrence = Recurrence::mamba2},
    {.arch = "granitehybrid", .since = 202507, .scaled_input = true, .residual_scale = true, .scaled_logits = true,
     .recurrence = Recurrence::mamba2, .mixer_norm = true},
    {.arch = "nemotron_h", .since = 202508, .flow = Flow::single, .rope = false, .feed = Activation::squared,
     .recurrence = Recurrence::mamba2, .mixer_norm = true, .positions = false},
    {.arch = "nemotron_h_moe", .since = 202512, .flow = Flow::single, .rope = false, .feed = Activation::squared,
     .gating = Gating::sigmoid, .probability_bias = true, .scaled_weights = true,
     .recurrence = Recurrence::mamba2, .mixer_norm = true, .positions = false},
    {.arch = "lfm2", .since = 202507, .residual_first = true, .head_norm = HeadNorm::per_head, .recurrence = Recurrence::short_conv},
    {.arch = "lfm2moe", .since = 202510, .residual_first = true, .head_norm = HeadNorm::per_head, .gating = Gating::sigmoid,
     .probability_bias = true, .recurrence = Recurrence::short_conv},
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Slot::count_)> kSlotNames = {
    "token_embd", "output", "output_norm", "output_norm.bias",
    "per_layer_token_embd", "per_layer_model_proj", "per_layer_proj_norm", "altup_proj", "altup_unembd_proj", "rope_freqs",
    "attn_norm", "attn_norm.bias", "attn_q", "attn_k", "attn_v", "attn_qkv", "attn_q.bias", "attn_k.bias", "attn_v.bias",
    "attn_qkv.bias", "attn_output", "attn_output.bias", "attn_q_norm", "attn_k_norm", "post_attention_norm", "attn_sinks",
    "attn_gate",
    "attn_q_a", "attn_q_a_norm", "attn_q_b", "attn_kv_a_mqa", "attn_kv_a_norm", "attn_k_b", "attn_v_b", "attn_kv_b",
    "ffn_norm", "ffn_norm.bias", "ffn_gate", "ffn_up", "ffn_down", "ffn_up.bias", "ffn_down.bias", "post_ffw_norm",
    "pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2",
    "ffn_gate_inp", "ffn_gate_inp.bias", "ffn_gate_inp.scale", "exp_probs_b",
    "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_gate_up_exps", "ffn_gate_exps.bias", "ffn_up_exps.bias",
    "ffn_down_exps.bias", "ffn_down_exps.scale", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp", "ffn_gate_inp_shexp",
    "ffn_latent_down", "ffn_latent_up",
    "ssm_in", "ssm_conv1d", "ssm_conv1d.bias", "ssm_x", "ssm_dt", "ssm_dt.bias", "ssm_a", "ssm_d", "ssm_norm", "ssm_out",
    "ssm_dt_norm", "ssm_b_norm", "ssm_c_norm", "ssm_beta", "ssm_alpha", "ssm_ba",
    "shortconv.in_proj", "shortconv.conv", "shortconv.out_proj",
    "layer_output_scale", "inp_gate", "proj", "post_norm",
    "laurel_l", "laurel_r", "laurel_post_norm", "altup_correct_coef", "altup_correct_scale", "altup_predict_coef",
    "altup_router", "altup_router_norm",
    "nextn.eh_proj", "nextn.enorm", "nextn.hnorm", "nextn.embed_tokens", "nextn.shared_head_head", "nextn.shared_head_norm",
};

}  // namespace

const Rules& rules_of(std::string_view arch) {
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rules& row) { return row.arch == arch; });
  return found == std::end(kRules) ? kRules[0] : *found;
}

bool knows(std::string_view arch) { return rules_of(arch).arch == arch; }

std::string_view slot_name(Slot slot) { return kSlotNames[static_cast<std::size_t>(slot)]; }

Model Model::with_expanded_latent() const {
  Model made = *this;
  for (Layer& layer : made.layers) {
    if (!layer.latent) continue;
    layer.latent = false;
    layer.attention = layer.expanded = true;
    layer.kv_heads = layer.heads;
    layer.key_dim = nope_dim + rope_dim;
    layer.value_dim = v_dim;
  }
  return made;
}

bool Model::has_recurrent() const {
  return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.recurrent; });
}
bool Model::has_attention() const {
  return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.attention || layer.latent; });
}

}  // namespace vram::llamacpp
