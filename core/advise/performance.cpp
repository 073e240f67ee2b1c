#include "core/advise/performance.h"

#include <algorithm>

#include "core/plan/training/entries.h"

namespace vram {
namespace {

speed::Engine speed_engine(EngineId engine) {
  switch (engine) {
    case EngineId::vllm: return speed::Engine::vllm;
    case EngineId::sglang: return speed::Engine::sglang;
    case EngineId::tensorrt_llm: return speed::Engine::tensorrt_llm;
    default: return is_llamacpp(engine) ? speed::Engine::llama_cpp : speed::Engine::other;
  }
}

/// Experts dealt out whole are dealt over all copies together, and each copy attends to its own sequences.
speed::Split speed_split(const Split& split) {
  speed::Split cut{.tensor = split.tensor_parallel, .pipeline = split.pipeline_parallel, .data = split.replicas};
  if (!split.whole_experts) return cut;
  const bool each_attends = split.tensor_parallel == 1 && split.replicas > 1;
  if (each_attends) {
    cut.tensor = split.replicas;
    cut.data = 1;
    cut.attention_data = true;
  }
  cut.expert = cut.tensor;
  return cut;
}

const Accelerator& slowest_card(const Inputs& inputs, const Placed& placed) {
  const Accelerator* slowest = &inputs.card(placed.first);
  for (int device = placed.first; device < placed.first + placed.devices; ++device) {
    const Accelerator& card = inputs.card(device);
    if (card.bandwidth_gbs.value_or(0) < slowest->bandwidth_gbs.value_or(0)) slowest = &card;
  }
  return *slowest;
}

/// Bytes of a device for keys and values: the engine's own pool, or what caches take now and could still take.
double pool_of(const Plan& plan, const Placed& placed) {
  if (placed.figures && placed.figures->pool > Bytes(0)) return static_cast<double>(placed.figures->pool.value());
  std::optional<Bytes> least;
  for (int device = placed.first; device < placed.first + placed.devices; ++device) {
    const Bytes others = plan.of(device).likely + reserved(plan.ledger, device);
    const Bytes pool = total(plan.ledger, device, Category::kv).likely + (plan.usable(device) - others);
    if (!least || pool < *least) least = pool;
  }
  return least ? static_cast<double>(least->value()) : 0;
}

bool is_on_host(const Placed& placed) {
  return placed.layers_on_host > 0 || !placed.host_experts.empty() || placed.cache_on_host;
}

}  // namespace

std::size_t first_that_generates(const Inputs& inputs) {
  std::size_t which = 0;
  while (which + 1 < inputs.models.size() && !inputs.models[which].generates) ++which;
  return which;
}

speed::Case speed_case(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                       std::size_t deployment) {
  const Deployment& used = inputs.scenario.deployments[deployment];
  const Placed& placed = plan.placed[deployment];
  speed::Case one;
  one.model = &inputs.models[deployment];
  one.accelerator = &slowest_card(inputs, placed);
  one.interconnect = &interconnect;
  one.engine = speed_engine(placed.engine);
  one.doubts.engine = one.engine == speed::Engine::other;
  one.split = speed_split(placed.split);
  one.cache = used.kv == "auto" ? one.model->compute_format : find_format(used.kv).value_or(one.model->compute_format);

  const std::int64_t answer = std::clamp<std::int64_t>(used.answer, 1, std::max<std::int64_t>(1, used.context - 1));
  const std::int64_t input = std::max<std::int64_t>(1, used.context - answer);
  one.load.input_tokens = static_cast<double>(input);
  one.load.output_tokens = static_cast<double>(answer);
  one.load.prefix_share = static_cast<double>(std::min(used.prefix, input)) / static_cast<double>(input);
  one.load.concurrency = static_cast<double>(used.users);
  one.drafting.tokens = static_cast<int>(used.draft_tokens);

  one.pool_bytes = pool_of(plan, placed);
  if (placed.figures && placed.figures->max_sequences > 0) {
    one.max_sequences = static_cast<double>(placed.figures->max_sequences);
  }
  if (placed.figures && placed.figures->batch_tokens > 0) {
    one.batch_tokens = static_cast<double>(placed.figures->batch_tokens);
  }
  if (one.accelerator->per_node) one.cards_per_node = static_cast<int>(*one.accelerator->per_node);
  return one;
}

Result<speed::Speed> performance(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                                 std::size_t deployment) {
  if (plan.training) return Message("performance.trains");
  if (is_on_host(plan.placed[deployment]) || plan.layers_on_host > 0) return Message("performance.on_host");
  return speed::serving_speed(speed_case(inputs, plan, interconnect, deployment));
}

std::optional<speed::TrainingTime> job_time(const Inputs& inputs, const Plan& plan) {
  if (!plan.training) return std::nullopt;
  const Scenario& scenario = inputs.scenario;
  return speed::training_time(inputs.models.front(), training_settings(inputs, plan.devices), inputs.accelerator,
                              {.tokens = scenario.train_tokens_m * 1e6, .epochs = scenario.epochs});
}

}  // namespace vram
