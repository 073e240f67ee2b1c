#include "core/plan/server/trtllm.h"

#include <algorithm>
#include <cmath>

#include "core/plan/server/bands.h"
#include "core/plan/server/cache.h"
#include "core/plan/server/weights.h"

namespace vram {
namespace {

constexpr double kGiBf = 1073741824.0;
constexpr int kTorchBackend = 10000;  // 1.0: the PyTorch back-end is the default
constexpr std::uint64_t kBatchTokens = 8192, kBatchTokensBefore = 2048;

double bytes_of(Bytes bytes) { return static_cast<double>(bytes.value()); }

ServerSettings with_defaults(const ServerSettings& given, const Model& model) {
  ServerSettings s = given;
  const bool lmdeploy = s.engine == Engine::lmdeploy;
  if (!s.memory_share) s.memory_share = lmdeploy ? 0.8 : 0.9;
  if (!s.batch_tokens) s.batch_tokens = s.version.number >= kTorchBackend ? kBatchTokens : kBatchTokensBefore;
  if (!s.max_model_len) s.max_model_len = std::max<std::uint64_t>(1, model.dims.max_position_embeddings);
  if (!s.speculation) s.speculation = Speculation::none;
  if (!s.draft_tokens) s.draft_tokens = 0;
  return s;
}

std::uint64_t block_tokens(const ServerSettings& settings) {
  if (settings.engine == Engine::lmdeploy) return 64;
  return settings.version.number >= kTorchBackend ? 32 : 64;
}

ServerRank plan_stage(const Model& model, const ServerSettings& settings, double total, int stage) {
  ServerRank rank;
  rank.loaded = loaded_weights(model, settings, stage);
  const double weights = bytes_of(rank.loaded.total());
  rank.weights = weights_estimate(model, weights);
  const Dimensions& dims = model.dims;
  const double width = static_cast<double>(
      std::max(dims.intermediate_size, dims.moe_intermediate_size * std::max(1u, dims.num_experts_per_tok)));
  const double activation = static_cast<double>(*settings.batch_tokens) * 2 *
                            (3 * width / std::max(1, settings.tensor_parallel) + 6.0 * dims.hidden_size);
  rank.activation = {activation * 0.5, activation + 0.3 * kGiBf, activation * 2 + 1.5 * kGiBf, Certainty::assumed};
  rank.non_torch = {0.4 * kGiBf, 0.8 * kGiBf, 2.5 * kGiBf, Certainty::assumed};
  rank.graphs = {0, 0.3 * kGiBf, 1.5 * kGiBf, Certainty::assumed};
  use_measured(rank, settings.measured);
  const double share = *settings.memory_share;
  const Estimate left = difference(total, {rank.weights, rank.activation, rank.non_torch});
  rank.pool = {left.low * share, left.likely * share, left.high * share, left.certainty};
  const auto [first, last] = server_stage_layers(static_cast<int>(dims.num_hidden_layers), settings, stage);
  const bool drafts = stage + 1 >= std::max(1, settings.pipeline_parallel);
  double cell = 0;  // of a token
  for (const LayerCache& cache : layer_caches(model, settings, first, last, drafts)) {
    cell += cache.layers * cache.token_bytes / cache.tokens_per_entry;
  }
  rank.block_bytes = cell * static_cast<double>(block_tokens(settings));
  return rank;
}

}  // namespace

ServerPlan trtllm_plan(const ServerSettings& given, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool) {
  const double total = bytes_of(given.device_total.value_or(accelerator.usable()));
  ServerPlan plan;
  plan.settings = with_defaults(given, model);
  // All stages hold the same blocks: the one that has room for fewest decides.
  std::size_t fullest = 0;
  const auto room = [&](const ServerRank& rank) {
    return rank.block_bytes > 0 ? rank.pool.likely / rank.block_bytes : rank.pool.likely;
  };
  for (int stage = 0; stage < std::max(1, plan.settings.pipeline_parallel); ++stage) {
    plan.stages.push_back(plan_stage(model, plan.settings, total, stage));
    if (room(plan.stages.back()) < room(plan.stages[fullest])) fullest = plan.stages.size() - 1;
  }
  const ServerRank& rank = plan.stages[fullest];
  plan.pool = pool ? Estimate::exactly(*pool) : rank.pool;
  plan.block_tokens = block_tokens(plan.settings);
  const auto step = static_cast<double>(plan.block_tokens);
  const auto tokens = [&](double bytes) {
    return rank.block_bytes > 0 && bytes > 0 ? std::floor(bytes / rank.block_bytes) * step : 0;
  };
  plan.tokens = {tokens(plan.pool.low), tokens(plan.pool.likely), tokens(plan.pool.high), plan.pool.certainty};
  plan.blocks = static_cast<std::uint64_t>(plan.tokens.likely / step);
  plan.bytes_per_token = Estimate::exactly(rank.block_bytes / step);
  return plan;
}

}  // namespace vram
