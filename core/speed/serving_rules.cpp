#include "core/speed/serving_rules.h"

#include <algorithm>
#include <cmath>

namespace vram::speed {
namespace {

constexpr double kGib = 1073741824.0;

/// Context, libraries, activations and graphs of a server: start-up logs show 1.5 to 4 GiB (facts: engines.md, part A).
constexpr double kOutside = 2.4 * kGib;
/// A server that was seen running fits: a share higher than the default was set when the default leaves nothing.
constexpr double kHighestShare = 0.96;
constexpr double kSmallestPool = 0.5 * kGib;

/// SGLang's mem_fraction_static (facts: engines.md, part B1): what it keeps for activations and graphs, in MiB.
double sglang_reserved(double memory_mib, double chunk, int devices) {
  const double graphs = memory_mib >= 60 * 1024 ? 2.0 * 512 : 2.0 * 80;
  const double reserved = 512 + 1.5 * std::max(chunk, 2048.0) + 128.0 * devices + graphs;
  return memory_mib > 60 * 1024 ? std::max(reserved, 10240.0) : reserved;
}

double usable_gib(const Accelerator& accelerator) {
  return static_cast<double>(accelerator.usable().value()) / kGib;
}

}  // namespace

EngineRules engine_rules(Engine engine, const Accelerator& accelerator, const Constants& constants) {
  EngineRules rules;
  const double gib = usable_gib(accelerator);
  const bool large = gib >= 70;
  switch (engine) {
    case Engine::vllm:
    case Engine::other:
      rules.constants = constants.vllm;
      rules.batch_tokens = large ? 8192 : 2048;       // get_batch_defaults, API server
      rules.max_sequences = large ? 1024 : 256;
      break;
    case Engine::sglang:
      rules.constants = constants.sglang;
      rules.inputs_first = true;
      rules.batch_tokens = gib < 35 ? 2048 : gib < 60 ? 4096 : gib < 160 ? 8192 : 16384;
      rules.max_sequences = 2048;
      rules.memory_share = 0.88;
      break;
    case Engine::tensorrt_llm:
      rules.constants = constants.tensorrt_llm;
      rules.whole_answer = true;                      // GUARANTEED_NO_EVICT
      rules.max_sequences = 2048;
      break;
    case Engine::lmdeploy:
      rules.constants = constants.vllm;
      rules.max_sequences = 256;
      rules.memory_share = 0.8;
      break;
    case Engine::llama_cpp:
      rules.constants = constants.llama_cpp;
      rules.batch_tokens = 512;                       // n_ubatch
      rules.max_sequences = 256;
      rules.whole_answer = true;                      // a slot owns its context
      rules.pipelines = false;
      rules.prefers_layers = true;
      rules.memory_share = 0.97;
      break;
  }
  return rules;
}

double pool_bytes(const Case& one, const ModelWork& work, const EngineRules& rules) {
  if (one.pool_bytes) return *one.pool_bytes;
  const double usable = usable_gib(*one.accelerator) * kGib;
  const double weights = work.stored_bytes / std::max(1, one.split.pipeline);
  const double share = one.memory_share.value_or(rules.memory_share);
  double pool = usable * share - weights - kOutside;
  if (one.engine == Engine::sglang && !one.memory_share) {
    const double kept = sglang_reserved(usable / kGib * 1024, rules.batch_tokens, one.split.tensor * one.split.pipeline);
    pool = usable - kept * kGib / 1024 - weights - 0.5 * kGib;
  } else if (one.engine == Engine::tensorrt_llm) {
    pool = share * (usable - weights - kOutside);   // a share of what is free after loading
  }
  if (pool > 0.05 * usable) return pool;
  return std::max(kSmallestPool, usable * std::max(share, kHighestShare) - weights - kOutside);
}

bool weights_fit(const Case& one, const ModelWork& work) {
  const double usable = usable_gib(*one.accelerator) * kGib;
  return work.stored_bytes / std::max(1, one.split.pipeline) + kSmallestPool < kHighestShare * usable;
}

double requests_in_pool(const Case& one, const ModelWork& work, const EngineRules& rules, double pool) {
  // Pages are taken as answers grow: a request holds its input and, over its life, half of its answer. Engines that
  // admit requests so have to push some out again when answers are long, which leaves about six tenths.
  const double answer = rules.whole_answer ? 1.0 : 0.6;
  const double tokens = one.load.input_tokens + answer * one.load.output_tokens;
  double bytes = 0;
  for (const Remembered& remembered : work.remembered) {
    double kept = tokens;
    if (remembered.window > 0 &&
        (remembered.kind == CacheKind::sliding || remembered.kind == CacheKind::chunked)) {
      kept = std::min(tokens, remembered.window);
    }
    bytes += remembered.bytes_per_token * kept + remembered.bytes_per_sequence;
  }
  bytes /= std::max(1, one.split.pipeline);
  if (bytes <= 0) return 1e9;
  const double places = work.attention_data ? work.tensor : 1;
  return std::max(1.0, places * pool / bytes);
}

}  // namespace vram::speed
