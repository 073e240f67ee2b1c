#include "core/check/serving_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check/card_name.h"

namespace vram::check {
namespace {

constexpr double kGiBf = 1073741824.0;

std::optional<Engine> engine_of(std::string_view word) {
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::tensorrt_llm, Engine::lmdeploy}) {
    if (word == engine_key(engine)) return engine;
  }
  return std::nullopt;
}

CacheFormat cache_format_of(std::string_view word) {
  struct Row {
    std::string_view word;
    CacheFormat format;
  };
  constexpr Row rows[] = {
      {"bf16", CacheFormat::bits16},
      {"fp16", CacheFormat::bits16},
      {"fp32", CacheFormat::bits32},
      {"fp8", CacheFormat::fp8},
      {"fp8_e5m2", CacheFormat::fp8},
      {"fp8_e4m3", CacheFormat::fp8},
      {"int8", CacheFormat::int8},
      {"nvfp4", CacheFormat::nvfp4},
      {"fp8_ds_mla", CacheFormat::fp8_ds_mla},
      {"nvfp4_ds_mla", CacheFormat::nvfp4_ds_mla},
      {"turboquant_k8v4", CacheFormat::turboquant_k8v4},
  };
  for (const Row& row : rows) {
    if (row.word == word) return row.format;
  }
  return CacheFormat::automatic;
}

std::optional<std::uint64_t> count(const Json& object, std::string_view key) {
  const auto value = number(object, key);
  if (!value || *value < 1 || *value > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

int devices(const Json& object, std::string_view key) {
  const auto value = number(object, key);
  return value && *value >= 1 && *value <= 4096 ? static_cast<int>(*value) : 1;
}

std::optional<double> gib(const Json& object, std::string_view key) {
  const auto value = number(object, key);
  return value ? std::optional(*value * kGiBf) : std::nullopt;
}

/// Half a unit of the last digit that was printed: 58.11 → 0.005.
double half_digit(double value) {
  double step = 0.5;
  for (int digits = 0; digits < 6; ++digits, step /= 10) {
    const double scaled = value * 0.5 / step;
    if (std::abs(scaled - std::round(scaled)) < 1e-6) return std::min(step, 0.005);
  }
  return step;
}

void read_settings(const Json& row, ServingRow& result) {
  ServerSettings& s = result.settings;
  const Engine engine = engine_of(text(row, "engine").value_or("")).value_or(Engine::vllm);
  result.known_engine = engine_of(text(row, "engine").value_or("")).has_value();
  s.engine = engine;
  s.version = parse_engine_version(engine, text(row, "engine_version").value_or(""));
  s.tensor_parallel = devices(row, "tensor_parallel");
  result.knows_layout = number(row, "tensor_parallel").has_value();
  result.devices = number(row, "n_gpus").has_value() ? devices(row, "n_gpus") : 0;
  s.pipeline_parallel = devices(row, "pipeline_parallel");
  s.data_parallel = devices(row, "data_parallel");
  s.context_parallel = devices(row, "decode_context_parallel");
  s.expert_parallel = devices(row, "expert_parallel") > 1 || boolean(row, "expert_parallel").value_or(false);
  const auto cache = text(row, "kv_format");
  s.cache = cache_format_of(cache.value_or(""));
  s.cache_told = cache.has_value();
  for (const std::string_view key :
       {"gpu_memory_utilization", "mem_fraction_static", "kv_cache_free_gpu_mem_fraction"}) {
    if (const auto share = number(row, key); share && *share > 0 && *share <= 1) s.memory_share = share;
  }
  s.max_model_len = count(row, "max_model_len");
  s.batch_tokens = count(row, "max_num_batched_tokens");
  s.max_sequences = count(row, "max_num_seqs");
  s.prefix_caching = boolean(row, "prefix_caching");
  s.eager = boolean(row, "enforce_eager");
  if (const auto word = text(row, "speculative")) {
    s.speculation = *word == "none"     ? Speculation::none
                    : *word == "mtp"    ? Speculation::mtp
                    : *word == "dspark" ? Speculation::dspark
                                        : Speculation::separate;
  }
  if (const auto drafted = count(row, "speculative_tokens"))
    s.draft_tokens = static_cast<int>(std::min<std::uint64_t>(*drafted, 64));
  if (const auto type = text(row, "mamba_ssm_dtype"))
    s.state_format = *type == "float32" ? FormatId::fp32 : FormatId::bf16;
  const Json* lora = find(row, "lora");
  s.adapters = lora != nullptr && !lora->is_null() && *lora != false;
  s.text_only = boolean(row, "language_model_only").value_or(false);
  if (const Json* off_load = find(row, "cpu_offload");
      off_load != nullptr && !off_load->is_null() && *off_load != false) {
    const std::string words = off_load->is_string() ? off_load->get<std::string>() : "weights";
    s.tables_on_host = words.find("table") != std::string::npos;
    s.weights_on_host = !s.tables_on_host;
  }
  const std::string card = text(row, "gpu").value_or("");
  const auto names = [&](std::string_view word) { return card.find(word) != std::string::npos; };
  if (names("XPU") || names("Arc")) s.platform = Backend::xpu;
  if (names("Ascend")) s.platform = Backend::npu;
  if (names("Gaudi")) s.platform = Backend::hpu;
  if (names("MI3") || names("Instinct")) s.platform = Backend::rocm;
  if (const auto total = gib(row, "total_gpu_memory_gib_reported"); total && *total > 0)
    s.device_total = bytes_from(*total);
  const bool names_card = !text(row, "hardware_id").value_or("").empty();
  if (const double printed = memory_in_name(card); printed > 0 && !names_card && !s.device_total)
    s.device_total = bytes_from(printed);
}

ServingReport read_report(const Json& reported) {
  ServingReport r;
  r.weights = gib(reported, "weights_gib");
  r.activation = gib(reported, "activation_peak_gib");
  if (const auto peak = gib(reported, "peak_torch_gib"); peak && r.weights && !r.activation)
    r.activation = *peak - *r.weights;
  r.non_torch = gib(reported, "non_torch_gib");
  r.consumed = gib(reported, "consumed_weights_plus_nontorch_gib");
  r.graphs = gib(reported, "cuda_graph_gib");
  r.graph_estimate = gib(reported, "cuda_graph_estimate_gib");

  const auto both = [&](std::string_view k, std::string_view v) -> std::optional<double> {
    const auto keys = number(reported, k), values = number(reported, v);
    return keys && values ? std::optional((*keys + *values) * kGiBf) : std::nullopt;
  };
  if (const auto bytes = number(reported, "kv_bytes")) {
    r.pool = *bytes;
  } else if (const auto printed = number(reported, "kv_cache_gib")) {
    r.pool = *printed * kGiBf;
    r.pool_rounding = half_digit(*printed) * kGiBf;
  } else if (const auto halves = both("k_gb", "v_gb")) {
    r.pool = halves;
    r.pool_rounding = 0.01 * kGiBf;
  } else if (const auto full = both("full_k_gb", "full_v_gb"), window = both("swa_k_gb", "swa_v_gb"); full && window) {
    r.pool = *full + *window;
    r.pool_rounding = 0.02 * kGiBf;
  }
  if (both("k_gb", "v_gb")) r.pool_rounding = 0.01 * kGiBf;  // the sum of two printed halves
  r.blocks = number(reported, "gpu_blocks");
  r.tokens = number(reported, "kv_cache_tokens");
  if (!r.tokens) r.tokens = number(reported, "full_tokens");
  if (const auto block = number(reported, "block_size"); !r.tokens && r.blocks && block) r.tokens = *r.blocks * *block;
  r.window_tokens = number(reported, "swa_tokens");
  if (const Json* at = find(reported, "max_concurrency_at"); at != nullptr && at->is_object())
    r.concurrency = number(*at, "x");
  r.bytes_per_token = number(reported, "bytes_per_token_per_rank");
  if (const Json* needed = find(reported, "kv_needed_gib_for_len"); needed != nullptr && needed->is_object()) {
    r.needed_tokens = number(*needed, "tokens");
    r.needed_bytes = gib(*needed, "gib");
  }
  r.state_bytes = gib(reported, "mamba_ssm_gb");
  r.state_slots = number(reported, "mamba_slots");
  r.state_blocks = number(reported, "mamba_blocks");
  r.state_allocation = gib(reported, "mamba_cache_alloc_gib");
  return r;
}

std::vector<std::string> words(const Json& row, std::string_view key) {
  std::vector<std::string> result;
  const Json* list = find(row, key);
  if (list == nullptr || !list->is_array()) return result;
  for (const Json& item : *list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool ServingRow::is_complete_for(std::string_view quantity) const { return contains(complete_for, quantity); }

Result<ServingRow> serving_row(const Json& object) {
  ServingRow row;
  const auto id = text(object, "id");
  if (!id || id->empty()) return Message("serving.no_id");
  row.id = *id;
  row.model_key = text(object, "model_key").value_or("");
  row.hardware_id = text(object, "hardware_id").value_or("");
  row.weights_format = text(object, "weights_format").value_or("");
  row.complete = boolean(object, "complete").value_or(false);
  row.complete_for = words(object, "complete_for");
  read_settings(object, row);
  // The length a figure was printed for is a flag of that run.
  if (const Json* reported = find(object, "reported"); reported != nullptr && reported->is_object()) {
    row.report = read_report(*reported);
    if (const Json* at = find(*reported, "max_concurrency_at");
        !row.settings.max_model_len && at != nullptr && at->is_object()) {
      row.settings.max_model_len = count(*at, "tokens");
    }
  }
  return row;
}

}  // namespace vram::check
