#include "core/plan/server/rotary.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/plan/server/storage.h"
#include "core/plan/server/words.h"

namespace vram {
namespace {

struct RotaryRule {
  std::string_view model_types;       ///< separated by spaces
  double share = 1;                   ///< of the head that turns (partial_rotary_factor)
  std::uint32_t positions_times = 1;  ///< linear scaling stretches the table; M-RoPE keeps four times as many positions
  std::uint32_t width = 0;            ///< that turns, where it is not a share of the head
  bool local_table = false;           ///< window layers have a table of their own, unstretched
  bool full_precision = false;        ///< fp32 whatever the model's type
  bool none = false;                  ///< no rotary embedding at all
};

// Configurations of the families (rope_scaling, partial_rotary_factor, mrope_section) and vLLM
// model_executor/layers/rotary_embedding (MRotaryEmbedding keeps max_position_embeddings × 4).
constexpr RotaryRule kRules[] = {
    {.model_types = "gemma3 gemma3_text", .positions_times = 8, .local_table = true},
    {.model_types = "gemma3n gemma3n_text", .local_table = true},
    {.model_types = "gemma4 gemma4_text", .local_table = true},
    {.model_types = "qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text", .share = 0.25, .positions_times = 4},
    {.model_types = "qwen3_next", .share = 0.25},
    {.model_types = "qwen2_vl qwen2_5_vl qwen3_vl qwen3_vl_moe qwen3_omni_moe qwen2_5_omni_thinker qwen3_omni_moe_text",
     .positions_times = 4},
    {.model_types = "gpt_oss", .full_precision = true},
    {.model_types = "deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 kimi_k25", .full_precision = true},
    {.model_types = "deepseek_v4 deepseek_ref", .width = 64, .local_table = true, .full_precision = true},
    {.model_types = "glm4 glm glm4_moe chatglm", .share = 0.5},
    {.model_types = "minimax_m2 minimax_m3 minimax_m3_vl", .share = 0.5},
    {.model_types = "phi", .share = 0.4},
    {.model_types = "mimo_v2_flash mimo_v2", .share = 0.334, .local_table = true},
    {.model_types = "step3p5 step3p7", .share = 0.5, .local_table = true},
    {.model_types =
         "kimi_linear kimi_k3 nemotron_h bamba jamba falcon_mamba mamba mamba2 gpt2 opt bloom bert whisper t5",
     .none = true},
};

RotaryRule rule_of(const Model& model) {
  for (const RotaryRule& rule : kRules) {
    if (has_word(rule.model_types, model.model_type)) return rule;
  }
  return {};
}

}  // namespace

Bytes rotary_bytes(const Model& model, const ServerSettings& settings) {
  RotaryRule rule = rule_of(model);
  const Dimensions& dims = model.dims;
  const bool gemma3 = has_word("gemma3 gemma3_text", model.model_type);
  if (gemma3 && settings.engine == Engine::sglang) rule.none = true;  // computed at every step instead
  if (rule.none || dims.max_position_embeddings == 0 || !model.generates) return Bytes(0);
  const bool latent = dims.kv_lora_rank != 0;
  const std::uint32_t fallback = latent || dims.qk_rope_head_dim != 0 ? dims.qk_rope_head_dim : dims.head_dim;
  const bool wide = rule.full_precision || model.compute_format == FormatId::fp32;
  const auto table = [&](std::uint32_t width, std::uint64_t times) {
    auto turned = static_cast<std::uint64_t>(rule.width != 0 ? rule.width : width * rule.share);
    turned -= turned % 2;
    return allocated(Count(dims.max_position_embeddings) * Count(times) * Count(turned) * Bytes(wide ? 4 : 2));
  };
  // A head width may differ between window layers and the others (Gemma 4): then so do the tables.
  std::uint32_t full_width = fallback, local_width = fallback;
  if (!latent) {
    for (const Cache& cache : model.caches) {
      if (cache.part != Part::text || cache.key_dim == 0) continue;
      if (cache.kind == CacheKind::full) full_width = cache.key_dim;
      if (cache.kind == CacheKind::sliding && cache.value_dim != 0) local_width = cache.key_dim;
    }
  }
  if (!latent && dims.qk_rope_head_dim != 0) full_width = local_width = dims.qk_rope_head_dim;
  // Gemma-3-1B is the one of its family whose context is not stretched.
  const bool stretched = !gemma3 || dims.max_position_embeddings > 32768;
  Bytes sum = table(full_width, stretched ? rule.positions_times : 1);
  if (rule.local_table) sum += table(local_width, 1);
  return sum;
}

}  // namespace vram
