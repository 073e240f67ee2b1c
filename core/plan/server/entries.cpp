#include "core/plan/server/entries.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/measured.h"
#include "core/plan/server/weights.h"
#include "core/plan/stage.h"
#include "core/scenario/measured.h"

namespace vram {
namespace {

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }

CacheFormat cache_format_of(const std::string& kv) {
  if (kv == "fp8") return CacheFormat::fp8;
  if (kv == "fp32") return CacheFormat::bits32;
  return kv == "bf16" ? CacheFormat::bits16 : CacheFormat::automatic;
}

Backend backend_of(const Accelerator& card) {
  if (card.vendor == "AMD") return Backend::rocm;
  if (card.vendor == "Intel") return Backend::xpu;
  return card.vendor == "Huawei" ? Backend::npu : Backend::cuda;
}

/// The card of the deployment's devices that has the least memory: engines give every rank the same.
const Accelerator& smallest_card(const Inputs& inputs, const Placed& placed) {
  const Accelerator* smallest = &inputs.card(placed.first);
  for (int device = placed.first; device < placed.first + placed.devices; ++device) {
    if (inputs.card(device).usable() < smallest->usable()) smallest = &inputs.card(device);
  }
  return *smallest;
}

/// Weights of layers that live in host memory: they stay there and are read from there (vLLM, --cpu-offload-gb).
Bytes add_moved(Ledger& ledger, const Stage& stage) {
  std::vector<Entry> on_host;
  if (stage.kept_layers < stage.last_layer) {
    add_weights(on_host, stage, "weights_host", stage.kept_layers, stage.last_layer, false);
  }
  Bytes moved;
  for (Entry& one : on_host) {
    moved += one.likely;
    one.device = one.last = kHost;
    for (int i = 0; i < stage.split.tensor_parallel * stage.split.replicas; ++i) ledger.push_back(one);
  }
  return moved;
}

void add_loaded_weights(std::vector<Entry>& entries, const Stage& stage, const LoadedWeights& loaded, Bytes moved) {
  Derivation derivation{"weights_loaded", {}};
  const auto part = [&](std::string_view name, Bytes bytes) {
    if (bytes > Bytes(0)) derivation.values.push_back({name, exact(bytes), ValueUnit::bytes});
  };
  part("dense", loaded.dense);
  part("experts", loaded.experts);
  part("embedding", loaded.embeddings);
  part("towers", loaded.towers);
  part("drafts", loaded.drafts);
  part("rotary", loaded.rotary);
  if (moved > Bytes(0)) derivation.values.push_back({"moved", -exact(moved), ValueUnit::bytes});
  entries.push_back(stage_entry(stage, Term::weights, Certainty::exact, loaded.total() - loaded.adapters - moved,
                                std::move(derivation)));
  if (loaded.adapters > Bytes(0)) {
    entries.push_back(stage_entry(stage, Term::adapters, Certainty::exact, loaded.adapters,
                                  {"adapters_loaded", {{"slots", exact(loaded.adapters), ValueUnit::bytes}}}));
  }
}

/// Bytes that one sequence of the whole context takes of the pool, in whole blocks.
struct Pages {
  double blocks = 0, block_bytes = 0;
};

Pages pages_of_sequence(const Stage& stage, const ServerPlan& served) {
  const double block_bytes = served.stages[static_cast<std::size_t>(stage.index)].block_bytes;
  if (served.settings.engine == Engine::vllm) return {static_cast<double>(served.request_blocks), block_bytes};
  const auto length = static_cast<std::uint64_t>(stage.deployment.context);
  const std::uint64_t step = std::max<std::uint64_t>(1, served.block_tokens);
  return {static_cast<double>((length + step - 1) / step), block_bytes};
}

/// Caches by kind, and what whole blocks and padded groups of layers take besides.
void add_pages(std::vector<Entry>& entries, const Stage& stage, const ServerPlan& served) {
  const std::size_t before = entries.size();
  add_caches(entries, stage);
  Bytes cached;
  for (std::size_t i = before; i < entries.size(); ++i) cached += entries[i].likely;
  const Pages pages = pages_of_sequence(stage, served);
  if (pages.blocks <= 0 || stage.deployment.prefix > 0) return;  // shared beginnings: whole blocks are shared too
  Derivation derivation{"kv_pages",
                        {{"sequences", static_cast<double>(stage.sequences)},
                         {"blocks", pages.blocks},
                         {"block_bytes", pages.block_bytes, ValueUnit::bytes},
                         {"cached", exact(cached), ValueUnit::bytes}}};
  const double taken = static_cast<double>(stage.sequences) * pages.blocks * pages.block_bytes;
  if (taken > exact(cached)) {
    entries.push_back(stage_entry(stage, Term::kv_cache, Certainty::exact, bytes_from(taken - exact(cached)),
                                  std::move(derivation)));
  } else if (taken < exact(cached) && served.settings.engine == Engine::vllm) {
    // The engine keeps less than the model's own account: in formats of its own, or fewer layers.
    entries.resize(before);
    derivation.formula = "kv_blocks";
    derivation.values.pop_back();
    entries.push_back(
        stage_entry(stage, Term::kv_cache, Certainty::exact, bytes_from(taken), std::move(derivation)));
  }
}

void add_overhead(std::vector<Entry>& entries, const Stage& stage, const ServerSettings& settings,
                  const ServerRank& rank, double loaded) {
  const bool profiled = settings.engine == Engine::vllm;
  entries.push_back(stage_band(stage, Term::activations, profiled ? Certainty::modelled : rank.activation.certainty,
                               rank.activation.low, rank.activation.likely, rank.activation.high,
                               {profiled ? "activations_profiled" : "activations_assumed",
                                {{"peak", std::floor(rank.activation.likely), ValueUnit::bytes},
                                 {"batch_tokens", static_cast<double>(settings.batch_tokens.value_or(0)),
                                  ValueUnit::tokens},
                                 {"rows", static_cast<double>(settings.max_sequences.value_or(0))}}}));
  // Loading is measured as what became less free, so a context that grew meanwhile is counted with it.
  const double growth = std::max(0.0, std::floor(rank.weights.likely - loaded));
  entries.push_back(stage_band(stage, Term::runtime, Certainty::assumed, rank.non_torch.low,
                               std::floor(rank.non_torch.likely) + growth, rank.non_torch.high + growth,
                               {"runtime_outside",
                                {{"context", std::floor(rank.non_torch.likely), ValueUnit::bytes},
                                 {"growth", growth, ValueUnit::bytes}}}));
  if (settings.eager.value_or(false)) return;
  const Estimate& graphs = rank.graphs_charged.likely > rank.graphs.likely ? rank.graphs_charged : rank.graphs;
  entries.push_back(stage_band(stage, Term::graphs, Certainty::assumed, graphs.low, graphs.likely, graphs.high,
                               {"graphs_captured", {{"pool", std::floor(graphs.likely), ValueUnit::bytes}}}));
}

/// What is neither used nor the pool's: the engine does not touch it.
void add_reserve(std::vector<Entry>& entries, const Stage& stage, Bytes memory, double pool) {
  double used = 0;
  for (const Entry& entry : entries) {
    if (category_of(entry.term) != Category::kv) used += exact(entry.likely);
  }
  const double reserve = exact(memory) - used - pool;
  if (reserve <= 0) return;
  entries.push_back(stage_entry(stage, Term::reserve, Certainty::exact, bytes_from(reserve),
                                {"reserve",
                                 {{"memory", exact(memory), ValueUnit::bytes},
                                  {"used", used, ValueUnit::bytes},
                                  {"pool", pool, ValueUnit::bytes}}}));
}

MeasuredParts measured_parts(const Deployment& deployment) {
  const auto bytes = [](double gib) {
    return gib > 0 ? std::optional<double>(exact(bytes_from_gib(gib))) : std::nullopt;
  };
  return {bytes(deployment.measured_activations_gib), bytes(deployment.measured_runtime_gib),
          bytes(deployment.measured_graphs_gib)};
}

EngineFigures figures_of(const ServerPlan& served) {
  EngineFigures figures;
  figures.pool = bytes_from(std::max(0.0, served.pool.likely));
  figures.pool_tokens = static_cast<std::uint64_t>(std::max(0.0, served.tokens.likely));
  figures.concurrency = std::max(0.0, served.concurrency.likely);
  figures.longest = static_cast<std::uint64_t>(std::max(0.0, served.longest.likely));
  figures.block_tokens = served.block_tokens;
  figures.max_sequences = served.settings.max_sequences.value_or(0);
  figures.batch_tokens = served.settings.batch_tokens.value_or(0);
  figures.memory_share = served.settings.memory_share.value_or(0);
  return figures;
}

}  // namespace

ServerSettings server_settings(const Deployment& deployment, const Placed& placed) {
  ServerSettings settings;
  settings.engine = server_of(placed.engine);
  settings.version = deployment.engine_version.empty()
                         ? newest_version(settings.engine)
                         : parse_engine_version(settings.engine, deployment.engine_version);
  settings.version.known = true;
  settings.tensor_parallel = placed.split.tensor_parallel;
  settings.pipeline_parallel = placed.split.pipeline_parallel;
  settings.expert_parallel = placed.split.whole_experts;
  // Dealt-out experts are dealt over all copies together, and each copy attends to sequences of its own.
  if (placed.split.whole_experts) settings.data_parallel = placed.split.replicas;
  settings.cache = cache_format_of(deployment.kv);
  settings.cache_told = true;
  if (deployment.memory_share > 0) settings.memory_share = static_cast<double>(deployment.memory_share) / 100;
  settings.max_model_len = static_cast<std::uint64_t>(deployment.context);
  if (deployment.batch_tokens > 0) settings.batch_tokens = static_cast<std::uint64_t>(deployment.batch_tokens);
  if (deployment.sequences > 0) settings.max_sequences = static_cast<std::uint64_t>(deployment.sequences);
  settings.eager = deployment.graphs == "no";
  settings.speculation = deployment.draft_tokens > 0 ? Speculation::mtp : Speculation::none;
  settings.draft_tokens = static_cast<int>(deployment.draft_tokens);
  settings.adapters = deployment.adapters > 0;
  settings.adapter_rank = static_cast<int>(deployment.adapter_rank);
  settings.adapter_slots = static_cast<int>(std::max<std::int64_t>(1, deployment.adapters));
  return settings;
}

void add_server(Plan& plan, const Inputs& inputs, std::size_t deployment, bool alone,
                int layers_on_host) {
  const Model& model = inputs.models[deployment];
  const Deployment& used = inputs.scenario.deployments[deployment];
  Placed& placed = plan.placed[deployment];
  const Accelerator& card = smallest_card(inputs, placed);
  ServerSettings told = server_settings(used, placed);
  told.platform = backend_of(card);
  const ServerPlan estimated = plan_server_as_told(told, model, card);
  told.measured = measured_parts(used);
  const ServerPlan served = has_measured(used) ? plan_server_as_told(told, model, card) : estimated;
  const ServerSettings& settings = served.settings;
  placed.figures = figures_of(served);

  const int layers = static_cast<int>(model.dims.num_hidden_layers);
  for (int index = 0; index < placed.split.pipeline_parallel; ++index) {
    const auto [first, last] = server_stage_layers(layers, settings, index);
    const Stage stage{.inputs = inputs,
                      .model = model,
                      .deployment = used,
                      .deployment_index = static_cast<int>(deployment),
                      .split = placed.split,
                      .index = index,
                      .first_layer = first,
                      .last_layer = last,
                      .kept_layers = std::max(first, last - layers_on_host),
                      .sequences = sequences_of_replica(used),
                      .drafts = used.draft_tokens > 0};
    const ServerRank& rank = served.stages[static_cast<std::size_t>(index)];
    const LoadedWeights& loaded = rank.loaded;
    std::vector<Entry> entries;
    // What moves is cut as by any program; experts that are dealt over copies are less here than that.
    const Bytes moved = std::min(add_moved(plan.ledger, stage), loaded.total() - loaded.adapters);
    add_loaded_weights(entries, stage, loaded, moved);
    if (model.generates) add_pages(entries, stage, served);
    add_overhead(entries, stage, settings, estimated.stages[static_cast<std::size_t>(index)], exact(loaded.total()));
    use_measured(entries, 0, used);
    const bool sized = alone || used.memory_share > 0;
    if (sized && model.generates) {
      add_reserve(entries, stage, card.usable(), std::max(0.0, rank.pool.likely) + exact(moved));
    }
    place(plan.ledger, stage, placed.first, std::move(entries));
  }
}

}  // namespace vram
