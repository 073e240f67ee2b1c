#include "core/plan/server/sglang.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan/server/bands.h"
#include "core/plan/server/cache.h"
#include "core/plan/server/weights.h"
#include "core/plan/shares.h"

namespace vram {
namespace {

constexpr double kMiBf = 1048576.0, kGiBf = 1073741824.0;

double bytes_of(Bytes bytes) { return static_cast<double>(bytes.value()); }

// ---- mem_fraction_static (server_args.py) ----------------------------------------------------------------

constexpr int kReservedByMemory = 407;  // June 2025: a reserve by size of card instead of a fixed share
constexpr int kReservedByParts = 502;   // September 2025: chunk + graphs + parallelism

struct CardRow {
  double below_gib;
  double chunk, graph_batch, graph_batch_tp4;
};
// Chunked prefill size and largest batch of decode graphs (TP < 4, TP ≥ 4).
constexpr CardRow kCards[] = {
    {20, 2048, 8, 8}, {35, 2048, 24, 80}, {60, 4096, 32, 160}, {160, 8192, 256, 512}, {1e9, 16384, 512, 512},
};

const CardRow& card_of(double memory_mib) {
  for (const CardRow& row : kCards) {
    if (memory_mib / 1024 < row.below_gib) return row;
  }
  return kCards[4];
}

double by_parts(const ServerSettings& settings, double memory_mib) {
  const CardRow& card = card_of(memory_mib);
  const double tp = std::max(1, settings.tensor_parallel), pp = std::max(1, settings.pipeline_parallel);
  const double chunk = static_cast<double>(settings.batch_tokens.value_or(static_cast<std::uint64_t>(card.chunk)));
  const double graphs = settings.eager.value_or(false) ? 0 : tp >= 4 ? card.graph_batch_tp4 : card.graph_batch;
  double reserved = 512 + 1.5 * std::max(chunk, 2048.0) + 1024 * tp * pp / 8 + 2 * graphs;
  if (settings.data_parallel > 1) reserved += 3 * graphs * settings.data_parallel * (graphs > 300 ? 1.5 : 1);
  if (memory_mib / 1024 > 60) reserved = std::max(reserved, 10240.0);
  return std::round((memory_mib - reserved) / memory_mib * 1000) / 1000;
}

double by_memory(const ServerSettings& settings, double memory_mib) {
  const double gib = memory_mib / 1024,
               devices = std::max(1, settings.tensor_parallel) * std::max(1, settings.pipeline_parallel);
  double reserved = gib < 35 ? 2.8 + devices / 10 : gib < 90 ? 9.5 + devices / 2 : gib < 160 ? 12 + devices / 2 : 32;
  if (settings.speculation.value_or(Speculation::none) != Speculation::none) reserved += 2;
  if (settings.data_parallel > 1) reserved += 4;
  return std::round((gib - reserved) / gib * 1000) / 1000;
}

double by_devices(const ServerSettings& settings) {
  const int tp = std::max(1, settings.tensor_parallel);
  return tp >= 16 ? 0.79 : tp >= 8 ? 0.81 : tp >= 4 ? 0.85 : tp == 2 ? 0.87 : 0.88;
}

/// Multimodal models keep more for their encoder; since June 2025 the more, the larger the tower is beside a 24-layer
/// ViT of 1,024.
double multimodal_factor(const Model& model, EngineVersion version) {
  double tower = 0;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part == Part::vision) tower += static_cast<double>(tensor.parameters().value());
  }
  if (tower == 0) return 1;
  if (version.number < kReservedByMemory) return 0.95;
  const double ratio = tower / 12 / (24.0 * 1024 * 1024);  // a layer of width d has about 12 d² weights
  return 0.95 * std::clamp(1 - 0.1 * (ratio - 1), 0.8, 1.05);
}

// ---- pools -----------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 2> kSharingFamilies = {"gemma3n", "gemma4"};
constexpr double kWindowRatio = 0.8;  // swa_full_tokens_ratio
constexpr int kWindowPools = 505;     // first release with pools of their own for window layers (by default)
constexpr double kStateShare = 0.9;   // mamba_full_memory_ratio

/// Layers that borrow keys and values (Gemma 3n, 4) have room of their own all the same: a layer counts when it
/// projects keys of that width.
int layers_held(const Model& model, const Cache& cache, int layers, std::pair<int, int> range) {
  if (cache.kv_heads == 0 || cache.part != Part::text) return layers;
  int projecting = 0;
  for (const Tensor& tensor : model.tensors) {
    const bool keys = tensor.role == Role::attention_k && tensor.part == Part::text && tensor.inputs > Count(1) &&
                      tensor.layer_set != kNoLayer;
    if (keys && tensor.outputs == Count(cache.kv_heads) * Count(cache.key_dim))
      projecting += static_cast<int>(
          layers_between(model.layer_sets[static_cast<std::size_t>(tensor.layer_set)], range.first, range.second));
  }
  return std::max(layers, projecting);
}

struct Cell {
  double full = 0, window = 0, draft = 0;  ///< bytes a token on one device
  double state = 0;                        ///< bytes a slot, all layers
  double state_only = 0;                   ///< without convolutions
};

Cell cell_of(const Model& model, const ServerSettings& settings, int stage, bool as_sized) {
  ServerSettings attention = settings;
  if (settings.data_parallel > 1)
    attention.tensor_parallel = std::max(1, settings.tensor_parallel / settings.data_parallel);
  // States are kept in sixteen bits unless a flag says otherwise (a log of 0.5.17: 75.5 MB a slot of 48 layers).
  if (!attention.state_format) attention.state_format = FormatId::bf16;
  Cell cell;
  const auto range = server_stage_layers(static_cast<int>(model.dims.num_hidden_layers), settings, stage);
  const bool last = stage + 1 >= std::max(1, settings.pipeline_parallel);
  const bool shares = std::any_of(kSharingFamilies.begin(), kSharingFamilies.end(),
                                  [&](std::string_view family) { return model.model_type.starts_with(family); });
  for (const LayerCache& cache : layer_caches(model, attention, range.first, range.second, last)) {
    const int layers = shares ? layers_held(model, model.caches[cache.cache], cache.layers, range) : cache.layers;
    const double bytes = layers * cache.token_bytes / cache.tokens_per_entry;
    if (cache.part == Part::mtp) {
      cell.draft += bytes;
    } else if (cache.use == CacheUse::state) {
      cell.state += cache.layers * (cache.state_bytes + cache.convolution_bytes);
      cell.state_only += cache.layers * cache.state_bytes;
    } else if (cache.use == CacheUse::window && settings.version.number >= kWindowPools) {
      cell.window += bytes;
    } else if (cache.use == CacheUse::indexer && as_sized && settings.version.number < 504) {
      continue;  // forgotten when the pool was sized (sglang#11309)
    } else {
      cell.full += bytes;
    }
  }
  return cell;
}

ServerSettings with_defaults(const ServerSettings& given, const Model& model, double memory_mib) {
  ServerSettings s = given;
  if (!s.speculation) s.speculation = Speculation::none;
  if (!s.draft_tokens) s.draft_tokens = *s.speculation == Speculation::none ? 0 : 4;
  if (!s.max_model_len) s.max_model_len = std::max<std::uint64_t>(1, model.dims.max_position_embeddings);
  if (!s.eager) s.eager = false;
  if (!s.prefix_caching) s.prefix_caching = true;
  if (!s.memory_share) s.memory_share = sglang_default_fraction(s, model, memory_mib);
  return s;
}

}  // namespace

double sglang_default_fraction(const ServerSettings& settings, const Model& model, double memory_mib) {
  if (settings.version.number < kReservedByMemory)
    return by_devices(settings) * multimodal_factor(model, settings.version);
  const double share =
      settings.version.number < kReservedByParts ? by_memory(settings, memory_mib) : by_parts(settings, memory_mib);
  return share * multimodal_factor(model, settings.version);
}

namespace {

/// One stage of the pipeline, and the caches it is for.
struct PlannedStage {
  ServerRank rank;
  Cell held;
  double stored = 0;  ///< bytes a token of the pool
  Estimate state_slots;
};

PlannedStage plan_stage(const Model& model, const ServerSettings& settings, const Accelerator& accelerator,
                        double total, int stage) {
  PlannedStage made;
  ServerRank& rank = made.rank;
  // Free memory is compared before and after: context and libraries grow by 0.12 … 0.28 GiB meanwhile.
  rank.loaded = loaded_weights(model, settings, stage);
  const double weights = bytes_of(rank.loaded.total());
  rank.weights = {weights + 0.05 * kGiBf, weights + 0.13 * kGiBf, weights + 0.4 * kGiBf, Certainty::modelled};
  rank.weights.low = std::min(rank.weights.low, weights * 0.995);
  rank.weights.high = std::max(rank.weights.high, weights * 1.01);
  // Communication is set up before the first measurement: with several devices on a link 2 … 3 GiB are gone (a log of
  // 4 × B200: 175.34 of 178.35). Under data-parallel attention there is nothing to reduce.
  const bool alone = settings.tensor_parallel == 1 || settings.data_parallel > 1;
  const double before = alone ? 0.55 : accelerator.link ? 2.1 : 0.8;
  const double free_before = std::max(0.0, total - before * kGiBf);
  const double reserve = free_before * (1 - *settings.memory_share);
  rank.activation = {0, reserve * 0.4, reserve, Certainty::assumed};
  rank.non_torch = {0.4 * kGiBf, 0.55 * kGiBf, 1.0 * kGiBf, Certainty::assumed};
  rank.graphs = {0.2 * kGiBf, 1.5 * kGiBf, 4 * kGiBf, Certainty::assumed};
  use_measured(rank, settings.measured);
  const Estimate outside{before * 0.7 * kGiBf, before * kGiBf, before * 1.5 * kGiBf, Certainty::assumed};
  const double share = *settings.memory_share;
  Estimate rest = difference(
      total * share,
      {rank.weights, {outside.low * share, outside.likely * share, outside.high * share, Certainty::assumed}});

  made.held = cell_of(model, settings, stage, false);
  const Cell sized = cell_of(model, settings, stage, true);
  if (sized.state > 0) {
    const double slots = std::floor(rest.likely * kStateShare / (1 + kStateShare) / sized.state);
    made.state_slots = {0, slots, slots * 2, Certainty::modelled};
    const double taken = slots * sized.state;
    rest = {rest.low - taken, rest.likely - taken, rest.high, rest.certainty};
  }
  const auto cell_bytes = [](const Cell& cell) { return cell.full + cell.window * kWindowRatio; };
  const double by_size = cell_bytes(sized) + sized.draft;
  made.stored = cell_bytes(made.held);
  rank.pool = by_size > 0 ? Estimate{rest.low / by_size * made.stored, rest.likely / by_size * made.stored,
                                     rest.high / by_size * made.stored, rest.certainty}
                          : rest;
  rank.block_bytes = made.stored;
  return made;
}

}  // namespace

ServerPlan sglang_plan(const ServerSettings& given, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool) {
  const double total = bytes_of(given.device_total.value_or(accelerator.usable()));
  const double memory_mib = accelerator.driver_mib.value_or(total / kMiBf * 1.005);
  ServerPlan plan;
  plan.settings = with_defaults(given, model, memory_mib);
  const ServerSettings& settings = plan.settings;

  // All stages hold the same tokens: the one that has room for fewest decides.
  PlannedStage fullest;
  double fewest = 0;
  for (int stage = 0; stage < std::max(1, settings.pipeline_parallel); ++stage) {
    PlannedStage made = plan_stage(model, settings, accelerator, total, stage);
    plan.stages.push_back(made.rank);
    const double tokens = made.stored > 0 ? made.rank.pool.likely / made.stored : made.rank.pool.likely;
    if (stage > 0 && tokens >= fewest) continue;
    fewest = tokens;
    fullest = std::move(made);
  }
  const double stored = fullest.stored;
  const Cell& held = fullest.held;
  plan.state_slots = fullest.state_slots;
  plan.pool = pool ? Estimate::exactly(*pool) : fullest.rank.pool;
  plan.block_tokens = 1;
  const auto tokens = [&](double bytes) { return stored > 0 && bytes > 0 ? std::floor(bytes / stored) : 0; };
  plan.tokens = {tokens(plan.pool.low), tokens(plan.pool.likely), tokens(plan.pool.high), plan.pool.certainty};
  plan.bytes_per_token = Estimate::exactly(stored);
  if (held.window > 0) {
    plan.window_tokens = {plan.tokens.low * kWindowRatio, std::floor(plan.tokens.likely * kWindowRatio),
                          plan.tokens.high * kWindowRatio, plan.tokens.certainty};
  }
  if (held.state > 0) {
    plan.state = {held.state_only, held.state_only, held.state_only * 2, Certainty::modelled};  // of one slot
  }
  plan.concurrency = {};
  return plan;
}

}  // namespace vram
