#include "core/plan/server/vllm_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/plan/server/cache.h"
#include "core/plan/server/words.h"

namespace vram {
namespace {

constexpr double kGiBf = 1073741824.0;

// ---- defaults of the scheduler (engine/arg_utils.py get_batch_defaults) ----------------------------------

struct BatchDefaults {
  double at_least_gib;
  bool not_a100;
  std::uint64_t batch_tokens, max_sequences;
};
constexpr BatchDefaults kBatchDefaults[] = {
    {160, true, 16384, 1024},  // since 0.28
    {70, true, 8192, 1024},
    {0, false, 2048, 256},  // the rest, and every A100
};

BatchDefaults batch_defaults(const ServerSettings& settings, const Accelerator& accelerator, double total) {
  if (settings.version.engine_v0) return {0, false, 2048, 256};
  const bool a100 = accelerator.id.starts_with("a100") || accelerator.name.find("A100") != std::string::npos;
  for (const BatchDefaults& row : kBatchDefaults) {
    if (row.at_least_gib >= 160 && !has(settings.version, VllmChange::large_gpu_batches)) continue;
    if (total / kGiBf >= row.at_least_gib && !(row.not_a100 && a100)) return row;
  }
  return kBatchDefaults[2];
}

// ---- encoders --------------------------------------------------------------------------------------------

/// The largest batch of items that the profiling run gives an encoder.
struct Encoder {
  std::string_view model_types;
  double patches, width, inner, tokens;
  std::uint64_t least_batch = 0;  ///< items must fit a batch whole (prefix-LM attention over images)
};
// Processors' largest images: Qwen-VL 16,384 tokens of 4 patches. Widths: vision configurations of the families.
constexpr Encoder kEncoders[] = {
    {"qwen2_vl qwen2_5_vl", 65536, 1280, 3420, 16384, 0},
    {"qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe", 65536, 1152, 4304, 16384, 0},
    {"gemma3", 4096, 1152, 4304, 256, 0},
    {"gemma4", 2520, 1152, 4304, 280, 2496},
    {"llama4", 16 * 577, 1408, 5632, 16 * 144, 0},
    {"kimi_k25", 16384, 1152, 4304, 4096, 0},
};

const Encoder* encoder_of(const Model& model) {
  for (const Encoder& row : kEncoders) {
    if (has_word(row.model_types, model.model_type)) return &row;
  }
  return nullptr;
}

// ---- activations -----------------------------------------------------------------------------------------

// Bytes beside each logit while sampling. Sorting for top-k and top-p: logits twice in fp32, indices, sorted copies.
constexpr double kSortingSampler = 37.55, kSampler = 14, kSamplerFp32 = 16, kSecondRunnerSampler = 6;
constexpr double kFixed = 0.12 * kGiBf, kFixedBefore017 = 0.04 * kGiBf, kFixedSecondRunner = 0.05 * kGiBf;
constexpr double kMultimodal = 0.2 * kGiBf;

/// The second model runner is the default for dense models and a few others from 0.27, for all from 0.29
/// (facts/engines.md §0; the latter from what logs of 0.31 leave for activations).
bool second_runner(const Model& model, const ServerSettings& settings) {
  if (settings.version.runner_v2) return true;
  if (settings.version.engine_v0 || settings.version.number < 2700) return false;
  if (settings.version.number >= 2900) return true;
  const bool hybrid = std::any_of(model.caches.begin(), model.caches.end(),
                                  [](const Cache& cache) { return cache.kind == CacheKind::recurrent; });
  const bool dense = model.dims.num_experts == 0 && !hybrid && !is_multimodal(model, settings);
  return dense || has_word("deepseek_v2 deepseek_v3 deepseek_v4 granitemoe qwen2_moe kimi_k3", model.model_type);
}

double sampler_bytes(const Model& model, const ServerSettings& settings) {
  if (settings.version.engine_v0 || !has(settings.version, VllmChange::sampler_without_sort)) return kSortingSampler;
  if (second_runner(model, settings)) return kSecondRunnerSampler;
  return model.compute_format == FormatId::fp32 ? kSamplerFp32 : kSampler;
}

/// Scratch of the fused experts' kernel: both products of every token and expert, kept from 0.17 on.
double expert_workspace(const Model& model, const ServerSettings& settings, double tokens, double value) {
  const Dimensions& dims = model.dims;
  if (dims.num_experts == 0) return 0;
  const bool packed = std::any_of(model.tensors.begin(), model.tensors.end(), [](const Tensor& t) {
    return t.role == Role::expert_up && t.format == FormatId::mxfp4 && t.inputs > Count(1);
  });
  if (packed && model.model_type == "gpt_oss") return 0;  // matmul_ogs writes in place
  const double devices = settings.expert_parallel ? 1 : std::max(1, settings.tensor_parallel);
  const double width = dims.moe_intermediate_size / devices, hidden = dims.hidden_size;
  return value * tokens * dims.num_experts_per_tok * (std::max(width, hidden) + std::max(2 * width, hidden));
}

/// Widest dense block of a layer: an ordinary MLP or the shared expert.
double ffn_width(const Model& model) {
  double width = 0;
  for (const Tensor& tensor : model.tensors) {
    const bool up = tensor.role == Role::ffn_up || tensor.role == Role::shared_expert_up;
    if (up && tensor.part == Part::text) width = std::max(width, static_cast<double>(tensor.outputs.value()));
  }
  return width;
}

}  // namespace

bool is_multimodal(const Model& model, const ServerSettings& settings) {
  return !settings.text_only && std::any_of(model.tensors.begin(), model.tensors.end(), [](const Tensor& tensor) {
    return tensor.part == Part::vision || tensor.part == Part::audio;
  });
}

ServerSettings vllm_defaults(const ServerSettings& given, const Model& model, const Accelerator& accelerator,
                             double total) {
  ServerSettings s = given;
  if (!s.memory_share) s.memory_share = has(s.version, VllmChange::graphs_in_budget) ? 0.92 : 0.90;
  if (!s.max_model_len) s.max_model_len = std::max<std::uint64_t>(1, model.dims.max_position_embeddings);
  const BatchDefaults defaults = batch_defaults(s, accelerator, total);
  const std::uint64_t length = *s.max_model_len;
  if (!s.max_sequences) s.max_sequences = defaults.max_sequences;
  if (!s.batch_tokens) {
    s.batch_tokens = defaults.batch_tokens;
    if (s.version.engine_v0) {
      // No chunked prefill up to 32k: a whole prompt is one batch. Above, chunks of 512, later 2048.
      s.batch_tokens = length > 32768 ? (s.version.number < 605 ? 512 : 2048) : std::max<std::uint64_t>(2048, length);
    }
    s.batch_tokens = std::min(*s.batch_tokens, *s.max_sequences * length);
    if (const Encoder* encoder = encoder_of(model); encoder != nullptr && is_multimodal(model, s)) {
      s.batch_tokens = std::max(*s.batch_tokens, encoder->least_batch);
    }
  }
  s.max_sequences = std::min(*s.max_sequences, *s.batch_tokens);
  if (!s.prefix_caching) {
    s.prefix_caching = !has_states(model) || has(s.version, VllmChange::hybrid_prefix_caching);
  }
  if (!s.eager) s.eager = false;
  if (!s.speculation) s.speculation = Speculation::none;
  if (!s.draft_tokens) s.draft_tokens = *s.speculation == Speculation::none ? 0 : 1;
  return s;
}

Estimate vllm_activation(const Model& model, const ServerSettings& settings, int stage) {
  const Dimensions& dims = model.dims;
  const double value = model.compute_format == FormatId::fp32 ? 4 : 2;
  const auto tokens = static_cast<double>(settings.batch_tokens.value_or(2048));
  const double rows = std::min(tokens, static_cast<double>(settings.max_sequences.value_or(256)));
  const double hidden = dims.hidden_size;
  const bool last = stage + 1 >= std::max(1, settings.pipeline_parallel);
  const bool multimodal = is_multimodal(model, settings);
  const bool modern = !settings.version.engine_v0 && has(settings.version, VllmChange::sampler_without_sort);

  const double experts = expert_workspace(model, settings, tokens, value);
  const double width = ffn_width(model) / std::max(1, settings.tensor_parallel);
  double peak = tokens * value * 3 * (width + hidden) + experts + (last ? 0 : value * tokens * hidden);
  if (last && model.generates) {
    const double sampler = sampler_bytes(model, settings) * rows * dims.vocab_size + value * tokens * hidden +
                           (modern ? experts : 0) + (multimodal ? kMultimodal : 0);
    peak = std::max(peak, sampler);
  }
  if (const Encoder* encoder = encoder_of(model); encoder != nullptr && multimodal && stage == 0) {
    // One tensor of the inner width less since 0.21, and cut over the devices (logs of Qwen3.5 and 3.6).
    const bool lean = has(settings.version, VllmChange::graphs_in_budget);
    const double inner = lean ? 4 * encoder->inner / std::max(1, settings.tensor_parallel) : 6 * encoder->inner;
    peak = std::max(peak, encoder->patches * (inner + 6 * encoder->width) + 2 * encoder->tokens * hidden);
  }
  const bool sparse = std::any_of(model.caches.begin(), model.caches.end(), [](const Cache& cache) {
    return cache.kind == CacheKind::indexer && cache.tokens_per_entry <= 1 && cache.scale_bytes != 0;
  });
  if (sparse) peak += 40.0 * static_cast<double>(settings.max_model_len.value_or(0)) * 132;  // DSA: gathered index keys
  peak += !modern ? kFixedBefore017 : second_runner(model, settings) ? kFixedSecondRunner : kFixed;
  // Spread over the logs: median 1.5 %, p90 5 % (tests/accuracy/serving).
  return {peak * 0.93, peak, peak * 1.07, Certainty::modelled};
}

Estimate vllm_non_torch(const Model&, const ServerSettings& settings, const Accelerator& accelerator) {
  const auto around = [](double low, double likely, double high) {
    return Estimate{low * kGiBf, likely * kGiBf, high * kGiBf, Certainty::assumed};
  };
  const bool several = settings.tensor_parallel > 1 || settings.data_parallel > 1;
  if (settings.version.engine_v0) return several ? around(0.1, 0.3, 3.6) : around(0.05, 0.3, 1.8);
  if (accelerator.form == FormFactor::soc && several) {
    // Several machines: what other processes of each take is counted too since profiling looks at all that is consumed.
    return settings.version.number >= 2600 ? around(0.1, 2.4, 5.8) : around(0.1, 0.2, 5.8);
  }
  if (accelerator.form == FormFactor::soc) return around(0.05, 0.3, 1.5);
  if (settings.tensor_parallel > 1) {
    const bool linked = accelerator.link && !accelerator.link->bridge;  // all-reduce buffers in each other's memory
    if (!linked) return around(0.1, 0.2, 1.2);
    return settings.tensor_parallel == 2 ? around(2.0, 2.07, 2.3) : around(0.8, 2.15, 2.4);
  }
  if (settings.pipeline_parallel > 1) return around(0.05, 0.07, 0.3);
  if (has(settings.version, VllmChange::larger_non_torch)) return around(0.05, 0.25, 0.35);
  return around(0.05, 0.13, 0.25);
}

namespace {

/// Batch sizes that graphs are captured for: 1, 2, 4, every 8 to 248, every 16 from 256 to the largest.
int captured_sizes(const ServerSettings& settings) {
  const auto drafted = static_cast<std::uint64_t>(1 + settings.draft_tokens.value_or(0));
  const std::uint64_t most = std::min<std::uint64_t>(
      {2 * settings.max_sequences.value_or(256) * drafted, 512, settings.batch_tokens.value_or(2048)});
  int sizes = 0;
  for (const std::uint64_t size : {1, 2, 4}) sizes += size <= most ? 1 : 0;
  sizes += static_cast<int>(std::min<std::uint64_t>(most, 248) / 8);
  if (most >= 256) sizes += static_cast<int>((most - 256) / 16) + 1;
  return sizes;
}

}  // namespace

Estimate vllm_graph_estimate(const Model& model, const ServerSettings& settings) {
  if (settings.eager.value_or(false) || second_runner(model, settings)) return Estimate{0, 0, 0, Certainty::assumed};
  // Logs: 0.8 … 1.6 GiB for servers set up for 1,024 sequences, 0.1 … 0.6 for smaller ones.
  const double gib = settings.max_sequences.value_or(256) >= 1024 ? 1.02 : 0.12 + 0.005 * captured_sizes(settings);
  return {gib * 0.3 * kGiBf, gib * kGiBf, gib * 1.6 * kGiBf, Certainty::assumed};
}

Estimate vllm_graphs(const Model& model, const ServerSettings& settings) {
  if (settings.eager.value_or(false)) return Estimate{0, 0, 0, Certainty::assumed};
  // Measured: first engine 0.7 … 1.1; second 0.9 for 1,024 sequences, about 0.5 for 256; second runner 0 … 1.1 GiB.
  double gib = settings.max_sequences.value_or(256) >= 1024 ? 0.9 : 0.1 + 0.008 * captured_sizes(settings);
  if (settings.version.engine_v0) gib = 1.0;
  if (second_runner(model, settings)) gib = 0.2;
  return {0, gib * kGiBf, (gib + 0.3) * 2.5 * kGiBf, Certainty::assumed};
}

}  // namespace vram
