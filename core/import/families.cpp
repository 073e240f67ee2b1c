#include "core/import/families.h"

#include <string>

namespace vram {
namespace {

using D = FieldDefault;

// Rules: facts/models.md ("Common blocks" and the sections of each kind), which every row of the catalogue is tested
// against; defaults: the configuration classes of Hugging Face transformers. A row says only what differs from Llama.
// clang-format off: a row a family
constexpr Family kFamilies[] = {
    {.id = "llama yi aquila xverse", .architectures = "Llama Yi Aquila Xverse"},
    {.id = "llama4 llama4_text", .architectures = "Llama4", .qk_norm = QkNorm::without_weights,
     .window = WindowRule::periodic, .window_period = 4, .expert_width_is_intermediate = true,
     .defaults = {D{Field::shared_count, 1}, {Field::chunk, 8192}, {Field::head_dim, 128}, {Field::kv_heads, 8}}},
    {.id = "mistral ministral ministral3 pixtral", .architectures = "Mistral Ministral3 Ministral",
     .window = WindowRule::all, .defaults = {D{Field::kv_heads, 8}}},
    {.id = "mixtral", .architectures = "Mixtral", .window = WindowRule::all, .expert_width_is_intermediate = true,
     .defaults = {D{Field::kv_heads, 8}, {Field::experts, 8}, {Field::top_k, 2}}},
    {.id = "mistral4 mistral_large_3", .architectures = "MistralLarge3 Mistral4"},
    {.id = "qwen", .architectures = "QWenLMHeadModel", .qkv_bias = true, .o_bias = OutputBias::never,
     .width_is_double = true},
    {.id = "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text qwen2_audio",
     .architectures = "Qwen2 Qwen2VL Qwen2_5_VL Qwen2_5OmniThinker", .qkv_bias = true, .o_bias = OutputBias::never,
     .window = WindowRule::upper},
    {.id = "qwen2_moe", .architectures = "Qwen2Moe", .qkv_bias = true, .o_bias = OutputBias::never,
     .window = WindowRule::upper, .shared_gate = true},
    {.id = "qwen3 qwen3_vl qwen3_vl_text qwen3_text", .architectures = "Qwen3 Qwen3VL LightOnOCR",
     .qk_norm = QkNorm::per_head, .window = WindowRule::upper, .defaults = {D{Field::head_dim, 128}}},
    {.id = "qwen3_moe qwen3_vl_moe qwen3_vl_moe_text qwen3_omni_moe_text",
     .architectures = "Qwen3Moe Qwen3VLMoe Qwen3OmniMoe", .qk_norm = QkNorm::per_head, .window = WindowRule::upper,
     .defaults = {D{Field::head_dim, 128}}},
    {.id = "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
     .architectures = "Qwen3Next Qwen3_5 Qwen3_5Moe", .qk_norm = QkNorm::per_head, .gate = true, .shared_gate = true,
     .recurrence = Recurrence::gated_delta, .draft = Draft::as_last_layer,
     .defaults = {D{Field::head_dim, 256}, {Field::full_period, 4}, {Field::conv, 4}, {Field::linear_key_dim, 128},
                  {Field::linear_value_dim, 128}, {Field::linear_key_heads, 16}}},
    {.id = "deepseek", .architectures = "Deepseek"},
    {.id = "deepseek_v2", .architectures = "DeepseekV2"},
    {.id = "deepseek_v3 kimi_k2 deepseek_v32", .architectures = "DeepseekV3 DeepseekV32", .router_bias = true,
     .draft = Draft::as_last_layer, .draft_embeddings = true},
    {.id = "deepseek_v4 deepseek_ref", .architectures = "DeepseekV4", .layout = Layout::deepseek_v4, .sinks = true,
     .window = WindowRule::all, .router_bias = true, .draft = Draft::as_last_layer, .draft_embeddings = true},
    {.id = "kimi_linear kimi_k3", .architectures = "KimiLinear KimiK3", .router_bias = true,
     .recurrence = Recurrence::kda},
    {.id = "glm", .architectures = "Glm", .o_bias = OutputBias::never},
    {.id = "glm4 glm4v_text", .architectures = "Glm4 Glm4v", .norms = 4, .o_bias = OutputBias::never},
    {.id = "chatglm", .architectures = "ChatGLM ChatGLMModel", .qkv_bias = true, .o_bias = OutputBias::never},
    {.id = "glm4_moe", .architectures = "Glm4Moe", .o_bias = OutputBias::never, .qk_norm = QkNorm::per_head,
     .qk_norm_asked = true, .router_bias = true, .draft = Draft::as_last_layer, .draft_embeddings = true},
    {.id = "glm4v_moe glm4v_moe_text", .architectures = "Glm4vMoe", .o_bias = OutputBias::never,
     .qk_norm = QkNorm::per_head, .qk_norm_asked = true, .router_bias = true},
    {.id = "glm4_moe_lite", .architectures = "Glm4MoeLite", .router_bias = true, .draft = Draft::as_last_layer,
     .draft_embeddings = true},
    {.id = "glm_moe_dsa", .architectures = "GlmMoeDsa", .router_bias = true, .draft = Draft::as_last_layer},
    {.id = "minimax_m2", .architectures = "MiniMaxM2", .qk_norm = QkNorm::full, .expert_width_is_intermediate = true,
     .router_bias = true},
    {.id = "minimax_m3 minimax_m3_vl", .architectures = "MiniMaxM3 MiniMaxM3Sparse", .qk_norm = QkNorm::per_head,
     .expert_width_is_intermediate = true, .router_bias = true, .draft = Draft::as_last_layer},
    {.id = "minimax_text_01 minimax_m1 minimax", .architectures = "MiniMaxText01 MiniMaxM1 MiniMax",
     .expert_width_is_intermediate = true, .recurrence = Recurrence::lightning},
    {.id = "gemma", .architectures = "Gemma", .tied = true, .defaults = {D{Field::head_dim, 256}}},
    {.id = "gemma2", .architectures = "Gemma2", .norms = 4, .tied = true, .window = WindowRule::periodic,
     .window_period = 2, .defaults = {D{Field::head_dim, 256}, {Field::window, 4096}}},
    {.id = "gemma3 gemma3_text", .architectures = "Gemma3", .norms = 4, .tied = true, .qk_norm = QkNorm::per_head,
     .window = WindowRule::periodic, .window_period = 6,
     .defaults = {D{Field::head_dim, 256}, {Field::window, 4096}, {Field::heads, 8}, {Field::kv_heads, 4},
                  {Field::vocabulary, 262208}, {Field::context, 131072}}},
    {.id = "gemma3n gemma3n_text", .architectures = "Gemma3n", .layout = Layout::gemma3n, .norms = 4, .tied = true,
     .qk_norm = QkNorm::per_head, .window = WindowRule::periodic, .window_period = 5,
     .defaults = {D{Field::head_dim, 256}, {Field::window, 512}, {Field::heads, 8}, {Field::kv_heads, 2},
                  {Field::vocabulary, 262400}, {Field::context, 32768}}},
    {.id = "gemma4 gemma4_text", .architectures = "Gemma4", .layout = Layout::gemma4, .norms = 4, .tied = true,
     .qk_norm = QkNorm::per_head, .window = WindowRule::periodic, .window_period = 6,
     .defaults = {D{Field::head_dim, 256}, {Field::window, 512}, {Field::global_head_dim, 512},
                  {Field::vocabulary, 262144}}},
    {.id = "phi phi-msft", .architectures = "Phi", .norm = Norm::layer, .norms = 1, .qkv_bias = true, .mlp_bias = true,
     .head_bias = true, .gated = false},
    {.id = "phi3 phi4mm", .architectures = "Phi3 Phi4MM", .window = WindowRule::all},
    {.id = "phimoe", .architectures = "PhiMoE", .norm = Norm::layer, .qkv_bias = true, .head_bias = true,
     .window = WindowRule::all, .expert_width_is_intermediate = true},
    {.id = "gpt_oss", .architectures = "GptOss", .qkv_bias = true, .sinks = true, .window = WindowRule::periodic,
     .window_period = 2, .expert_width_is_intermediate = true, .router_bias = true, .expert_bias = true,
     .defaults = {D{Field::head_dim, 64}}},
    {.id = "cohere", .architectures = "Cohere", .norm = Norm::layer_without_bias, .norms = 1, .tied = true,
     .qk_norm = QkNorm::full, .qk_norm_asked = true},
    {.id = "cohere2", .architectures = "Cohere2", .norm = Norm::layer_without_bias, .norms = 1, .tied = true,
     .window = WindowRule::periodic, .window_period = 4, .defaults = {D{Field::window, 4096}}},
    {.id = "falcon RefinedWeb RefinedWebModel", .architectures = "Falcon RW", .norm = Norm::layer, .norms = 1,
     .gated = false, .tied = true, .one_kv_head = true},
    {.id = "falcon_h1", .architectures = "FalconH1", .layout = Layout::parallel_mixer, .recurrence = Recurrence::mamba2,
     .defaults = {D{Field::groups, 1}, {Field::conv, 4}, {Field::state, 256}, {Field::mamba_expand, 2}}},
    {.id = "falcon_mamba", .architectures = "FalconMamba", .norms = 1, .recurrence = Recurrence::mamba1,
     .defaults = {D{Field::conv, 4}, {Field::state, 16}, {Field::mamba_expand, 2}}},
    {.id = "mamba", .architectures = "Mamba", .norms = 1, .tied = true, .recurrence = Recurrence::mamba1,
     .defaults = {D{Field::conv, 4}, {Field::state, 16}, {Field::mamba_expand, 2}}},
    {.id = "mamba2", .architectures = "Mamba2", .norms = 1, .recurrence = Recurrence::mamba2,
     .defaults = {D{Field::conv, 4}, {Field::state, 128}, {Field::mamba_expand, 2}, {Field::head_dim, 64},
                  {Field::groups, 8}}},
    {.id = "nemotron_h", .architectures = "NemotronH", .layout = Layout::exclusive, .norms = 1, .gated = false,
     .router_bias = true, .recurrence = Recurrence::mamba2, .draft = Draft::mixed},
    {.id = "nemotron-nas deci", .architectures = "DeciLM"},
    {.id = "nemotron", .architectures = "Nemotron", .norm = Norm::layer, .gated = false},
    {.id = "granite", .architectures = "Granite"},
    {.id = "granitemoe granitemoeshared", .architectures = "GraniteMoe GraniteMoeShared",
     .expert_width_is_intermediate = true},
    {.id = "granitemoehybrid", .architectures = "GraniteMoeHybrid", .expert_width_is_intermediate = true,
     .recurrence = Recurrence::mamba2,
     .defaults = {D{Field::conv, 4}, {Field::state, 256}, {Field::mamba_expand, 2}, {Field::groups, 1}}},
    {.id = "jamba", .architectures = "Jamba", .expert_width_is_intermediate = true, .recurrence = Recurrence::mamba1,
     .defaults = {D{Field::full_period, 8}, {Field::full_offset, 4}, {Field::moe_offset, 1}, {Field::conv, 4},
                  {Field::state, 16}, {Field::mamba_expand, 2}}},
    {.id = "lfm2 lfm2_moe", .architectures = "Lfm2 Lfm2Moe", .tied = true, .qk_norm = QkNorm::per_head,
     .router_bias = true, .recurrence = Recurrence::short_conv},
    {.id = "olmo", .architectures = "Olmo", .norm = Norm::without_weights},
    {.id = "olmo2", .architectures = "Olmo2", .qk_norm = QkNorm::full},
    {.id = "olmo3", .architectures = "Olmo3", .qk_norm = QkNorm::full, .window = WindowRule::periodic,
     .window_period = 4},
    {.id = "olmoe", .architectures = "Olmoe", .qk_norm = QkNorm::full, .expert_width_is_intermediate = true},
    {.id = "internlm", .architectures = "InternLM", .qkv_bias = true},
    {.id = "internlm2", .architectures = "InternLM2"},
    {.id = "internlm3", .architectures = "InternLM3", .o_bias = OutputBias::never},
    {.id = "baichuan", .architectures = "Baichuan BaiChuan"},
    {.id = "ernie4_5", .architectures = "Ernie4_5", .tied = true},
    {.id = "ernie4_5_moe", .architectures = "Ernie4_5_Moe", .tied = true, .router_bias = true, .draft = Draft::dense},
    {.id = "hunyuan_v1_dense", .architectures = "HunYuanDenseV1", .tied = true, .qk_norm = QkNorm::per_head},
    {.id = "hunyuan_v1_moe hunyuan", .architectures = "HunYuanMoEV1 HunYuan", .tied = true, .qk_norm = QkNorm::per_head,
     .expert_width_is_intermediate = true},
    {.id = "hy_v3", .architectures = "HYV3", .qk_norm = QkNorm::per_head, .router_bias = true,
     .draft = Draft::as_last_layer},
    {.id = "seed_oss", .architectures = "SeedOss", .qkv_bias = true, .o_bias = OutputBias::never,
     .defaults = {D{Field::head_dim, 128}}},
    {.id = "mimo", .architectures = "MiMo", .qkv_bias = true, .o_bias = OutputBias::never,
     .draft = Draft::as_last_layer},
    {.id = "mimo_v2_flash mimo_v2", .architectures = "MiMoV2Flash MiMoV2", .router_bias = true,
     .draft = Draft::dense_window, .defaults = {D{Field::draft_layers, 3}}},
    {.id = "step3p5 step3p7", .architectures = "Step3p5 Step3p7Flash", .qk_norm = QkNorm::per_head, .router_bias = true,
     .draft = Draft::as_last_layer},
    {.id = "bailing_moe bailing_moe_v2", .architectures = "BailingMoe BailingMoeV2", .qk_norm = QkNorm::per_head,
     .router_bias = true, .draft = Draft::as_last_layer},
    {.id = "exaone", .architectures = "Exaone"},
    {.id = "exaone4", .architectures = "Exaone4", .qk_norm = QkNorm::per_head, .window = WindowRule::periodic,
     .window_period = 4},
    {.id = "smollm3", .architectures = "SmolLM3", .tied = true},
    {.id = "minicpm", .architectures = "MiniCPM", .tied = true},
    {.id = "minicpm3", .architectures = "MiniCPM3", .tied = true},
    {.id = "muse_glimmer", .architectures = "MuseGlimmer", .norms = 4, .qk_norm = QkNorm::per_head, .gate = true,
     .window = WindowRule::periodic, .window_period = 4},
    {.id = "grok-1 grok-2", .architectures = "Grok1Model Grok1", .norms = 4, .expert_width_is_intermediate = true},
    {.id = "dbrx", .architectures = "Dbrx", .norm = Norm::layer_without_bias},
    {.id = "arctic", .architectures = "Arctic", .norms = 3, .expert_width_is_intermediate = true,
     .dense_beside_experts = true, .dense_width_is_hidden = true},
    {.id = "apertus", .architectures = "Apertus", .gated = false, .qk_norm = QkNorm::per_head},
    {.id = "arcee", .architectures = "Arcee", .gated = false},
    {.id = "afmoe", .architectures = "Afmoe", .norms = 4, .qk_norm = QkNorm::per_head, .gate = true,
     .window = WindowRule::periodic, .window_period = 4, .router_bias = true},
    {.id = "gpt2", .architectures = "GPT2", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true, .gated = false,
     .tied = true, .learned_positions = true},
    {.id = "gpt_bigcode", .architectures = "GPTBigCode", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true,
     .gated = false, .tied = true, .learned_positions = true, .one_kv_head = true},
    {.id = "starcoder2", .architectures = "Starcoder2", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true,
     .gated = false, .tied = true, .window = WindowRule::all},
    {.id = "bloom", .architectures = "Bloom", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true, .gated = false,
     .tied = true, .embedding_norm = true},
    {.id = "gptj", .architectures = "GPTJ", .norm = Norm::layer, .norms = 1, .mlp_bias = true, .head_bias = true,
     .gated = false},
    {.id = "gpt_neox", .architectures = "GPTNeoX", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true,
     .gated = false},
    {.id = "opt", .architectures = "OPT", .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true, .gated = false,
     .tied = true, .learned_positions = true, .position_offset = 2},
    {.id = "bert roberta xlm-roberta", .architectures = "Bert Roberta XLMRoberta", .layout = Layout::bert,
     .norm = Norm::layer, .qkv_bias = true, .mlp_bias = true, .gated = false, .embedding_norm = true,
     .final_norm = false, .learned_positions = true},
    {.id = "nomic_bert", .architectures = "NomicBert", .layout = Layout::bert, .norm = Norm::layer,
     .embedding_norm = true, .final_norm = false},
    {.id = "t5 mt5 umt5", .architectures = "T5 MT5", .layout = Layout::t5},
    {.id = "whisper", .architectures = "Whisper", .layout = Layout::whisper, .norm = Norm::layer, .qkv_bias = true,
     .mlp_bias = true, .gated = false, .tied = true, .learned_positions = true},
};
// clang-format on

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

/// "LlamaForCausalLM" → "Llama"; names without such an ending stay.
std::string_view stem_of(std::string_view architecture) {
  const std::size_t end = architecture.rfind("For");
  if (end != std::string_view::npos && end != 0) return architecture.substr(0, end);
  if (architecture.size() > 5 && architecture.ends_with("Model")) architecture.remove_suffix(5);
  return architecture;
}

}  // namespace

std::span<const Family> families() { return kFamilies; }

const Family* find_family(std::string_view model_type, std::string_view architecture) {
  for (const Family& family : kFamilies) {
    if (has_word(family.id, model_type)) return &family;
  }
  for (const Family& family : kFamilies) {
    if (has_word(family.architectures, architecture) || has_word(family.architectures, stem_of(architecture)))
      return &family;
  }
  return nullptr;
}

const Family& unknown_family() { return kFamilies[0]; }

std::uint32_t FamilyFields::value(Field field, std::uint32_t fallback) {
  if (const auto given = fields.get(field)) return *given;
  for (const FieldDefault& row : family.defaults) {
    if (row.field == field) return row.value;
  }
  return fallback;
}

std::uint32_t FamilyFields::need(Field field) {
  const std::uint32_t given = value(field);
  return given != 0 ? given : fields.need(field);
}

const Json* FamilyFields::list(std::string_view path) const {
  const Json* value = fields.member(path);
  return value != nullptr && value->is_array() && !value->empty() ? value : nullptr;
}

std::uint32_t FamilyFields::plain(std::string_view key, std::uint32_t high, std::uint32_t fallback) {
  const auto given = integer(fields.text(), key);
  return given && *given > 0 && *given <= high ? static_cast<std::uint32_t>(*given) : fallback;
}

void FamilyFields::check_length(std::size_t length, std::uint32_t layers, std::string_view key) {
  if (length >= layers) return;
  fields.fail(Message("config.list_length")
                  .with("field", std::string(key))
                  .with("length", static_cast<std::int64_t>(length))
                  .with("layers", std::int64_t{layers}));
}

}  // namespace vram
