#include "core/plan/server/vllm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/server/bands.h"
#include "core/plan/server/weights.h"
#include "core/plan/server/vllm_cache.h"
#include "core/plan/server/vllm_profile.h"

namespace vram {
namespace {

constexpr double kUnifiedGrowth = 0.28 * 1073741824.0;

double bytes_of(Bytes bytes) { return static_cast<double>(bytes.value()); }

/// What is said of a pool: blocks and the figures made of them.
struct Printed {
  double blocks = 0, tokens = 0, concurrency = 0, longest = 0;
};

Printed printed(const CacheLayout& layout, const ServerSettings& settings, double pool) {
  Printed result;
  if (pool <= 0 || layout.stage_block_bytes <= 0) return result;
  const auto blocks = static_cast<std::uint64_t>(pool / layout.stage_block_bytes);
  result.blocks = static_cast<double>(blocks);
  result.tokens = vllm_printed_tokens(layout, settings, blocks);
  result.concurrency = vllm_concurrency(layout, settings, blocks);
  result.longest = static_cast<double>(vllm_longest(layout, settings, pool));
  return result;
}

/// States of the first engine: allocated for every sequence at once, outside the pool.
void add_states(ServerPlan& plan, const Model& model, const ServerSettings& settings) {
  double state = 0;
  for (const LayerCache& cache : layer_caches(model, settings)) state += cache.layers * cache.state_bytes;
  const auto sequences = static_cast<double>(settings.max_sequences.value_or(256));
  plan.state_slots = Estimate::exactly(sequences);
  plan.state = Estimate::exactly(state * sequences);
}

}  // namespace

ServerPlan vllm_plan(const ServerSettings& given, const Model& model, const Accelerator& accelerator,
                     std::optional<double> pool) {
  const double total = bytes_of(given.device_total.value_or(accelerator.usable()));
  ServerPlan plan;
  plan.settings = vllm_defaults(given, model, accelerator, total);
  const ServerSettings& settings = plan.settings;
  const int stages = std::max(1, settings.pipeline_parallel);

  std::size_t fullest = 0;
  double fewest = 0;
  CacheLayout layout;  // of the fullest stage
  for (int stage = 0; stage < stages; ++stage) {
    ServerRank rank;
    rank.loaded = loaded_weights(model, settings, stage);
    // With unified memory the growth of the context is counted as well (logs of GB10: 0.27 and 0.30 GiB).
    const double unified = accelerator.form == FormFactor::soc ? kUnifiedGrowth : 0;
    rank.weights = weights_estimate(model, bytes_of(rank.loaded.total()) + unified);
    rank.activation = vllm_activation(model, settings, stage);
    rank.non_torch = vllm_non_torch(model, settings, accelerator);
    rank.graphs = vllm_graphs(model, settings);
    if (settings.weights_on_host) {  // how much of them was not told
      rank.weights.low = 0;
      rank.weights.certainty = Certainty::assumed;
    }
    const bool charged = has(settings.version, VllmChange::graphs_in_budget) && !settings.version.engine_v0;
    rank.graphs_estimated = vllm_graph_estimate(model, settings);
    rank.graphs_charged = charged ? rank.graphs_estimated : Estimate{0, 0, 0, Certainty::exact};
    use_measured(rank, settings.measured);
    const double requested = std::ceil(*settings.memory_share * total);
    rank.pool = difference(requested, {rank.weights, rank.activation, rank.non_torch, rank.graphs_charged});
    CacheLayout here = vllm_cache_layout(model, settings, stage);
    rank.block_bytes = here.stage_block_bytes;
    const double blocks = rank.block_bytes > 0 ? rank.pool.likely / rank.block_bytes : rank.pool.likely;
    if (stage == 0 || blocks < fewest) {
      fewest = blocks;
      fullest = plan.stages.size();
      layout = std::move(here);
    }
    plan.stages.push_back(rank);
  }

  plan.pool = pool ? Estimate::exactly(*pool) : plan.stages[fullest].pool;
  const Printed low = printed(layout, settings, plan.pool.low), likely = printed(layout, settings, plan.pool.likely),
                high = printed(layout, settings, plan.pool.high);
  const Certainty certainty = plan.pool.certainty;
  plan.blocks = static_cast<std::uint64_t>(likely.blocks);
  plan.block_tokens = layout.block_tokens;
  plan.request_blocks = vllm_request_blocks(layout, settings, *settings.max_model_len);
  plan.cache_groups = static_cast<int>(layout.groups.size());
  plan.padding_layers = layout.padding_layers;
  plan.tokens = {low.tokens, likely.tokens, high.tokens, certainty};
  plan.concurrency = {low.concurrency, likely.concurrency, high.concurrency, certainty};
  plan.longest = {low.longest, likely.longest, high.longest, certainty};
  plan.needed = Estimate::exactly(vllm_needed_bytes(layout, settings, *settings.max_model_len));
  // With states among the groups a pool of few, long blocks decides what is printed.
  plan.bytes_per_token_is_exact =
      layout.first_engine || std::none_of(layout.groups.begin(), layout.groups.end(), [&](const CacheGroup& group) {
        return group.use == CacheUse::state || layout.compressed;
      });
  const double per_token = plan.bytes_per_token_is_exact ? vllm_bytes_per_token(layout, settings)
                           : likely.tokens > 0           ? plan.pool.likely / likely.tokens
                                                         : 0;
  plan.bytes_per_token = Estimate::exactly(per_token);
  if (has_states(model) && layout.first_engine) add_states(plan, model, settings);
  return plan;
}

}  // namespace vram
