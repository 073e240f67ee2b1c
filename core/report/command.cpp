#include "core/report/command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/plan/stage.h"
#include "core/report/command_line.h"

namespace vram {
namespace {

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }

Bytes sum_of(const Plan& plan, std::size_t deployment, int device, bool (*counts)(Term)) {
  Bytes sum;
  for (const Entry& entry : plan.ledger) {
    if (entry.on(device) && entry.deployment == static_cast<int>(deployment) && counts(entry.term)) sum += entry.likely;
  }
  return sum;
}
bool is_weight(Term term) { return term == Term::weights || term == Term::adapters; }
bool is_cache(Term term) { return term == Term::kv_cache || term == Term::state; }
bool is_used(Term term) { return term != Term::reserve; }

bool shares_devices(const Plan& plan, std::size_t deployment) {
  const Placed& mine = plan.placed[deployment];
  for (std::size_t i = 0; i < plan.placed.size(); ++i) {
    const Placed& other = plan.placed[i];
    if (i != deployment && other.first < mine.first + mine.devices && mine.first < other.first + other.devices) {
      return true;
    }
  }
  return false;
}

/// The share of a device to tell the engine; 0 = its default will do. Each engine takes it of something else: vLLM of
/// all memory, SGLang of what is free at its start, TensorRT-LLM of what is free behind weights and buffers.
double memory_share(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  if (deployment.memory_share > 0) return static_cast<double>(deployment.memory_share) / 100;
  if (!shares_devices(plan, i)) return 0;
  const Placed& placed = plan.placed[i];
  const double memory = exact(plan.usable(placed.first)), used = exact(sum_of(plan, i, placed.first, is_used));
  const double others = exact(plan.of(placed.first).likely) - used;
  const double weights = exact(sum_of(plan, i, placed.first, is_weight));
  const double cache = exact(sum_of(plan, i, placed.first, is_cache));
  double share = used / memory;
  if (placed.engine == EngineId::sglang) share = (weights + cache) / std::max(1.0, memory - others);
  if (placed.engine == EngineId::tensorrt_llm) share = cache / std::max(1.0, memory - others - (used - cache));
  return std::min(0.99, std::ceil(share * 100) / 100);
}

/// What an engine can pack while it loads a 16-bit checkpoint; for the rest a checkpoint in that format is needed.
std::string_view packed_while_loading(EngineId engine, const std::string& weights) {
  if (weights == "fp8_block" && engine != EngineId::tensorrt_llm) return "fp8";
  if (weights == "nf4" && engine != EngineId::tensorrt_llm) return "bitsandbytes";
  return "";
}

void note_checkpoint(StartUp& start, const Deployment& deployment, EngineId engine) {
  const bool as_stored = deployment.weights == "stored" || deployment.weights == "bf16";
  if (as_stored || !packed_while_loading(engine, deployment.weights).empty()) return;
  start.notes.push_back(Message("command.needs_checkpoint")
                            .with("model", deployment.model)
                            .with("format", MessageKey{"choice.weights." + deployment.weights}));
}

/// GiB of weights that each device leaves in host memory, rounded up; 0 = none.
std::int64_t off_loaded_gib(const Plan& plan, std::size_t i) {
  const double host = gibibytes(sum_of(plan, i, kHost, is_weight));
  return static_cast<std::int64_t>(std::ceil(host / std::max(1, plan.placed[i].split.used())));
}

bool is_before_ampere(const Accelerator& card) {
  return card.vendor == "NVIDIA" && card.compute_capability.value_or(9) < 8;
}

/// More sequences at once than the engine takes without being told; 0 = as it does.
std::int64_t sequence_limit(const Deployment& deployment, const Placed& placed) {
  if (deployment.sequences > 0) return deployment.sequences;
  const std::uint64_t busiest = sequences_of_replica(deployment);
  const bool too_many = placed.figures && placed.figures->max_sequences > 0 && busiest > placed.figures->max_sequences;
  return too_many ? static_cast<std::int64_t>(busiest) : 0;
}

/// vLLM takes ranks of these sizes only (lora/config.py).
std::int64_t adapter_rank(std::int64_t rank) {
  for (const std::int64_t allowed : {8, 16, 32, 64, 128, 256, 320}) {
    if (rank <= allowed) return allowed;
  }
  return 512;
}

std::string vllm_command(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  const Accelerator& card = inputs.card(placed.first);
  CommandLine line(visible_devices(inputs, plan, placed, placed.split.used()) + "vllm serve");
  line.word(model_word(deployment));
  line.unless(1, "--tensor-parallel-size", placed.split.tensor_parallel);
  line.unless(1, "--pipeline-parallel-size", placed.split.pipeline_parallel);
  line.unless(1, "--data-parallel-size", placed.split.replicas);
  line.when(placed.split.whole_experts, "--enable-expert-parallel");
  line.when(!inputs.models[i].generates, "--runner").when(!inputs.models[i].generates, "pooling");
  line.flag("--max-model-len", deployment.context);
  line.unless(0, "--max-num-seqs", sequence_limit(deployment, placed));
  line.unless(0, "--max-num-batched-tokens", deployment.batch_tokens);
  if (const double share = memory_share(inputs, plan, i); share > 0) {
    line.flag("--gpu-memory-utilization", share_text(share));
  }
  const std::string_view packed = packed_while_loading(placed.engine, deployment.weights);
  if (!packed.empty()) line.flag("--quantization", packed);
  if (deployment.kv == "fp8") {
    const bool stores_only = card.vendor == "NVIDIA" && card.compute_capability.value_or(9) < 8.9;
    line.flag("--kv-cache-dtype", stores_only ? "fp8_e5m2" : "fp8");
  }
  if (deployment.kv == "fp32") line.flag("--dtype", "float32");
  else if (is_before_ampere(card)) line.flag("--dtype", "half");
  line.when(deployment.graphs == "no", "--enforce-eager");
  if (deployment.draft_tokens > 0) {
    line.flag("--speculative-config",
              R"({"method": "mtp", "num_speculative_tokens": )" + std::to_string(deployment.draft_tokens) + "}");
  }
  if (deployment.adapters > 0) {
    line.word("--enable-lora").flag("--max-loras", deployment.adapters);
    line.unless(16, "--max-lora-rank", adapter_rank(deployment.adapter_rank));
  }
  line.unless(0, "--cpu-offload-gb", off_loaded_gib(plan, i));
  line.unless(8000, "--port", 8000 + static_cast<std::int64_t>(i));
  return std::move(line).text();
}

std::string sglang_command(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  const Accelerator& card = inputs.card(placed.first);
  CommandLine line(visible_devices(inputs, plan, placed, placed.split.used()) + "python -m sglang.launch_server");
  line.flag("--model-path", model_word(deployment));
  line.unless(1, "--tp-size", placed.split.tensor_parallel);
  line.unless(1, "--pp-size", placed.split.pipeline_parallel);
  line.unless(1, "--dp-size", placed.split.replicas);
  if (placed.split.whole_experts) line.flag("--ep-size", placed.split.tensor_parallel);
  line.when(!inputs.models[i].generates, "--is-embedding");
  line.flag("--context-length", deployment.context);
  line.unless(0, "--max-running-requests", sequence_limit(deployment, placed));
  line.unless(0, "--chunked-prefill-size", deployment.batch_tokens);
  if (const double share = memory_share(inputs, plan, i); share > 0) {
    line.flag("--mem-fraction-static", share_text(share));
  }
  const std::string_view packed = packed_while_loading(placed.engine, deployment.weights);
  if (!packed.empty()) line.flag("--quantization", packed);
  if (deployment.kv == "fp8") {
    const bool stores_only = card.vendor == "NVIDIA" && card.compute_capability.value_or(9) < 8.9;
    line.flag("--kv-cache-dtype", stores_only ? "fp8_e5m2" : "fp8_e4m3");
  }
  if (deployment.kv == "fp32") line.flag("--dtype", "float32");
  else if (is_before_ampere(card)) line.flag("--dtype", "half");
  line.when(deployment.graphs == "no", "--disable-cuda-graph");
  if (deployment.draft_tokens > 0) {
    line.flag("--speculative-algorithm", "NEXTN").flag("--speculative-num-steps", deployment.draft_tokens);
    line.flag("--speculative-eagle-topk", 1).flag("--speculative-num-draft-tokens", deployment.draft_tokens + 1);
  }
  if (deployment.adapters > 0) {
    line.word("--enable-lora").flag("--max-loras-per-batch", deployment.adapters);
    line.flag("--max-lora-rank", deployment.adapter_rank);
  }
  line.unless(0, "--cpu-offload-gb", off_loaded_gib(plan, i));
  line.unless(30000, "--port", 30000 + static_cast<std::int64_t>(i));
  return std::move(line).text();
}

/// Settings that trtllm-serve takes from a file only.
std::string trtllm_options(const Deployment& deployment) {
  std::string yaml;
  if (deployment.kv == "fp8") yaml += "kv_cache_config: {dtype: fp8}\n";
  if (deployment.graphs == "no") yaml += "cuda_graph_config: null\n";
  if (deployment.draft_tokens > 0) {
    yaml += "speculative_config: {decoding_type: MTP, num_nextn_predict_layers: " +
            std::to_string(deployment.draft_tokens) + "}\n";
  }
  if (deployment.adapters > 0) {
    yaml += "lora_config: {max_loras: " + std::to_string(deployment.adapters) +
            ", max_lora_rank: " + std::to_string(deployment.adapter_rank) + "}\n";
  }
  return yaml;
}

std::vector<std::string> trtllm_commands(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  std::vector<std::string> lines;
  const std::string options = trtllm_options(deployment), file = "trtllm-" + std::to_string(i) + ".yml";
  if (!options.empty()) lines.push_back(file_line(options, file));
  CommandLine line(visible_devices(inputs, plan, placed, placed.split.used()) + "trtllm-serve");
  line.word(model_word(deployment));
  line.unless(1, "--tp_size", placed.split.tensor_parallel);
  line.unless(1, "--pp_size", placed.split.pipeline_parallel);
  if (placed.split.whole_experts) line.flag("--ep_size", placed.split.tensor_parallel);
  line.flag("--max_seq_len", deployment.context);
  line.unless(0, "--max_batch_size", sequence_limit(deployment, placed));
  line.unless(0, "--max_num_tokens", deployment.batch_tokens);
  if (const double share = memory_share(inputs, plan, i); share > 0) {
    line.flag("--kv_cache_free_gpu_memory_fraction", share_text(share));
  }
  if (!options.empty()) line.flag("--extra_llm_api_options", file);
  line.unless(8000, "--port", 8000 + static_cast<std::int64_t>(i));
  lines.push_back(std::move(line).text());
  return lines;
}

// ---- what the servers print ------------------------------------------------------------------------------

std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string two_decimals(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::vector<std::string> server_log(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Placed& placed = plan.placed[i];
  if (!placed.figures) return {};
  const EngineFigures& figures = *placed.figures;
  const auto context = static_cast<std::uint64_t>(inputs.scenario.deployments[i].context);
  const std::string weights = two_decimals(gibibytes(sum_of(plan, i, placed.first, is_weight)));
  const std::string pool = two_decimals(gibibytes(figures.pool)), tokens = std::to_string(figures.pool_tokens);
  const bool has_pool = inputs.models[i].generates && figures.pool_tokens > 0;
  std::vector<std::string> log;
  if (sum_of(plan, i, placed.first, is_weight) > plan.usable(placed.first)) {
    return {"torch.OutOfMemoryError: CUDA out of memory."};
  }
  if (placed.engine == EngineId::vllm) {
    log.push_back("Model loading took " + weights + " GiB memory");
    if (inputs.models[i].generates && figures.pool == Bytes(0)) {
      log.emplace_back("ValueError: No available memory for the cache blocks.");
    }
    if (!has_pool) return log;
    log.push_back("Available KV cache memory: " + pool + " GiB");
    log.push_back("GPU KV cache size: " + with_commas(figures.pool_tokens) + " tokens");
    if (figures.concurrency > 0) {
      log.push_back("Maximum concurrency for " + with_commas(context) +
                    " tokens per request: " + two_decimals(figures.concurrency) + "x");
    }
  } else if (placed.engine == EngineId::sglang) {
    log.push_back("Load weight end. mem usage=" + weights + " GB.");
    if (!has_pool) return log;
    log.push_back("KV Cache is allocated. #tokens: " + tokens + ", KV size: " + pool + " GB");
    std::string line = "max_total_num_tokens=" + tokens;
    if (figures.batch_tokens > 0) line += ", chunked_prefill_size=" + std::to_string(figures.batch_tokens);
    if (figures.max_sequences > 0) line += ", max_running_requests=" + std::to_string(figures.max_sequences);
    log.push_back(line + ", context_len=" + std::to_string(context));
  } else if (has_pool) {
    log.push_back("[MemUsageChange] Allocated " + pool + " GiB for max tokens in paged KV cache (" + tokens + ").");
  }
  return log;
}

}  // namespace

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return quoted + "'";
}

std::string model_word(const Deployment& deployment) {
  if (!deployment.config.empty() || deployment.model.empty()) return "./model";
  return deployment.model.front() == '-' ? "./" + deployment.model : deployment.model;
}

std::string visible_devices(const Inputs& inputs, const Plan& plan, const Placed& placed, int used) {
  if (placed.first == 0 && used >= plan.devices) return "";
  std::string list = inputs.accelerator.vendor == "AMD" ? "HIP_VISIBLE_DEVICES=" : "CUDA_VISIBLE_DEVICES=";
  for (int i = 0; i < used; ++i) list += (i > 0 ? "," : "") + std::to_string(placed.first + i);
  return list + " ";
}

std::string file_line(std::string_view text, std::string_view file) {
  std::string escaped;  // printf's %b reads \n back
  for (const char c : text) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  return "printf %b " + shell_word(escaped) + " > " + shell_word(file);
}

std::string share_text(double share) { return two_decimals(share); }

StartUp start_up(const Inputs& inputs, const Plan& plan, std::size_t deployment) {
  const Placed& placed = plan.placed[deployment];
  if (is_llamacpp(placed.engine)) return llamacpp_start_up(inputs, plan, deployment);
  StartUp start;
  if (placed.engine == EngineId::generic) return start;
  if (placed.engine == EngineId::vllm) start.lines = {vllm_command(inputs, plan, deployment)};
  else if (placed.engine == EngineId::sglang) start.lines = {sglang_command(inputs, plan, deployment)};
  else start.lines = trtllm_commands(inputs, plan, deployment);
  note_checkpoint(start, inputs.scenario.deployments[deployment], placed.engine);
  if (placed.engine == EngineId::tensorrt_llm && placed.split.replicas > 1) {
    start.notes.push_back(Message("command.each_copy").with("copies", std::int64_t{placed.split.replicas}));
  }
  start.log = server_log(inputs, plan, deployment);
  return start;
}

}  // namespace vram
