#include "core/plan/llamacpp/entries.h"

#include <algorithm>
#include <utility>

#include "core/plan/llamacpp/fit.h"
#include "core/plan/llamacpp/from_model.h"
#include "core/plan/llamacpp/tensors.h"
#include "core/plan/measured.h"
#include "core/plan/stage.h"

namespace vram {
namespace {

// Assumed: a CUDA context with llama.cpp's kernels loaded, as drivers show it beside the buffers.
constexpr double kContextLow = 300.0 * 1048576, kContext = 420.0 * 1048576, kContextHigh = 620.0 * 1048576;
/// The oracle's plans are met within 0.15 % in nine of ten; graphs of other builds are further off.
constexpr double kComputeSpread = 0.05;

llamacpp::Program program_of(EngineId engine) {
  switch (engine) {
    case EngineId::ik_llama_cpp: return llamacpp::Program::ik_llama_cpp;
    case EngineId::ollama: return llamacpp::Program::ollama;
    case EngineId::lm_studio: return llamacpp::Program::lm_studio;
    default: return llamacpp::Program::llama_cpp;
  }
}

FormatId value_type(const std::string& kv) {
  if (kv == "fp32") return FormatId::fp32;
  if (kv == "bf16") return FormatId::bf16;
  if (kv == "q4_0") return FormatId::q4_0;
  return kv == "q8_0" || kv == "fp8" ? FormatId::q8_0 : FormatId::fp16;
}

/// Our model in llama.cpp's eyes, with the types of the mix that was asked for.
std::optional<llamacpp::Model> converted(const Model& model, const Deployment& deployment) {
  std::optional<llamacpp::Model> made = llamacpp::to_llamacpp(model);
  const std::string_view mix = mix_of(deployment.weights);
  if (made && !mix.empty()) llamacpp::apply_mix(*made, mix);
  return made;
}

double whole(std::uint64_t value) { return static_cast<double>(value); }

/// One backend's share of a deployment; `device` may be kHost.
class DeviceShare {
 public:
  DeviceShare(Ledger& ledger, int deployment, int device) : ledger_(ledger), deployment_(deployment), device_(device) {}

  void add(Term term, Certainty certainty, double low, std::uint64_t likely, double high, Derivation derivation) {
    if (likely == 0) return;
    Entry entry;
    entry.device = entry.last = device_;
    entry.deployment = deployment_;
    entry.term = term;
    entry.certainty = certainty;
    entry.likely = Bytes(likely);
    entry.low = std::min(entry.likely, bytes_from(low));
    entry.high = std::max(entry.likely, bytes_from(high));
    entry.derivation = std::move(derivation);
    ledger_.push_back(std::move(entry));
  }
  void exactly(Term term, std::uint64_t bytes, Derivation derivation) {
    add(term, Certainty::exact, whole(bytes), bytes, whole(bytes), std::move(derivation));
  }

 private:
  Ledger& ledger_;
  int deployment_, device_;
};

void add_cells(DeviceShare& share, const llamacpp::CachePlan& cache, std::size_t backend) {
  if (backend >= cache.by_backend.size() || cache.by_backend[backend] == 0) return;
  const std::uint64_t bytes = cache.by_backend[backend];
  const double cells = whole(cache.cells) * whole(cache.streams);
  share.exactly(Term::kv_cache, bytes,
                {"llamacpp_cells",
                 {{"cells", whole(cache.cells), ValueUnit::tokens},
                  {"streams", whole(cache.streams)},
                  {"cell_bytes", cells > 0 ? whole(bytes) / cells : 0, ValueUnit::bytes}}});
}

void add_backend(DeviceShare& share, const llamacpp::Plan& made, std::size_t backend, std::uint64_t sequences) {
  const std::uint64_t weights = made.weights[backend];
  share.exactly(Term::weights, weights, {"llamacpp_weights", {{"buffer", whole(weights), ValueUnit::bytes}}});
  add_cells(share, made.full, backend);
  add_cells(share, made.window, backend);
  if (backend < made.recurrent.size()) {
    const std::uint64_t state = made.recurrent[backend];
    share.exactly(Term::state, state,
                  {"llamacpp_state",
                   {{"sequences", whole(sequences)},
                    {"sequence_bytes", whole(state) / std::max(1.0, whole(sequences)), ValueUnit::bytes}}});
  }
  if (backend < made.compute.size()) {
    const std::uint64_t bytes = made.compute[backend];
    share.add(Term::activations, Certainty::modelled, whole(bytes) * (1 - kComputeSpread), bytes,
              whole(bytes) * (1 + kComputeSpread), {"llamacpp_compute", {{"buffer", whole(bytes), ValueUnit::bytes}}});
  }
}

void count_moved(Placed& placed, const llamacpp::Settings& settings, const llamacpp::Model& model) {
  const std::size_t layers = model.layers.size();
  if (settings.gpu_layers >= 0) {
    const auto kept = static_cast<std::size_t>(std::max(0, settings.gpu_layers));
    placed.layers_on_host = static_cast<int>(layers + 1 - std::min(kept, layers + 1));
  }
  // Layers in front may be dense: they have nothing to move.
  const std::vector<std::uint64_t> experts = llamacpp::expert_bytes(model);
  for (std::size_t il = 0; il < std::min(layers, settings.host_experts.size()); ++il) {
    if (settings.host_experts[il] && experts[il] > 0) placed.host_experts.push_back(static_cast<int>(il));
  }
  placed.cache_on_host = !settings.cache_on_device;
}

void move_to_host(llamacpp::Settings& settings, const llamacpp::Model& model, std::string_view what,
                  const std::vector<std::uint64_t>& capacity, Moves moves) {
  if (moves == Moves::nothing || what == "no") return;
  if (what == "cache") {
    settings.cache_on_device = false;
    return;
  }
  const auto layers = static_cast<int>(model.layers.size());
  if (what == "experts") settings.gpu_layers = layers + 1;
  if (moves == Moves::what_does_not_fit) {
    settings = llamacpp::fitted(model, settings, capacity);
  } else if (what == "experts") {
    settings.host_experts.assign(model.layers.size(), true);
  } else {
    settings.gpu_layers = 0;
  }
}

}  // namespace

llamacpp::Settings llamacpp_settings(const Deployment& deployment, const Placed& placed) {
  llamacpp::Settings settings;
  settings.program = program_of(placed.engine);
  const int build =
      llamacpp::build_of(settings.program, deployment.engine_version).value_or(llamacpp::kNewestBuild);
  settings.build = llamacpp::build_rules(settings.program, build, settings.api);
  const std::uint64_t sequences = std::max<std::uint64_t>(1, sequences_of_replica(deployment));
  const Count cells = Count(static_cast<std::uint64_t>(deployment.context)) * Count(sequences);
  settings.context = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells.value(), UINT32_MAX - 255));
  settings.sequences = static_cast<std::uint32_t>(sequences);
  if (deployment.batch_tokens > 0) {
    settings.ubatch = static_cast<std::uint32_t>(deployment.batch_tokens);
    settings.batch = std::max(settings.batch, settings.ubatch);
  }
  settings.type_k = settings.type_v = value_type(deployment.kv);
  settings.devices = placed.split.tensor_parallel * placed.split.pipeline_parallel;
  return settings;
}

bool add_llamacpp(Plan& plan, const Inputs& inputs, std::size_t deployment, Moves moves) {
  const Deployment& used = inputs.scenario.deployments[deployment];
  Placed& placed = plan.placed[deployment];
  const std::optional<llamacpp::Model> model = converted(inputs.models[deployment], used);
  if (!model) return false;
  llamacpp::Settings settings = llamacpp_settings(used, placed);
  if (const std::string_view why = llamacpp::refusal(*model, settings); !why.empty()) {
    plan.refusal = Message(why).with("engine", std::string(engine_name(placed.engine)));
    settings.sequences = std::min(settings.sequences, llamacpp::kMostSequences);
  }

  const int devices = settings.devices;
  std::vector<std::uint64_t> capacity;
  for (int device = 0; device < devices; ++device) {
    const double measured = used.measured_runtime_gib;
    const Bytes context = measured > 0 ? bytes_from_gib(measured) : bytes_from(kContext);
    const Bytes others = plan.of(placed.first + device).likely + context;
    capacity.push_back((plan.usable(placed.first + device) - others).value());
    settings.split.push_back(whole(capacity.back()));
  }
  move_to_host(settings, *model, inputs.scenario.offload, capacity, moves);
  count_moved(placed, settings, *model);
  const llamacpp::Plan made = llamacpp::plan(*model, settings);
  if (!made.complete) return false;

  for (int replica = 0; replica < placed.split.replicas; ++replica) {
    for (int device = 0; device < devices; ++device) {
      const std::size_t before = plan.ledger.size();
      DeviceShare share(plan.ledger, static_cast<int>(deployment), placed.first + replica * devices + device);
      add_backend(share, made, static_cast<std::size_t>(device), settings.sequences);
      share.add(Term::runtime, Certainty::assumed, kContextLow, static_cast<std::uint64_t>(kContext), kContextHigh,
                {"llamacpp_context", {{"context", kContext, ValueUnit::bytes}}});
      use_measured(plan.ledger, before, used);
    }
    DeviceShare host(plan.ledger, static_cast<int>(deployment), kHost);
    add_backend(host, made, static_cast<std::size_t>(devices), settings.sequences);
    host.exactly(Term::output, made.output,
                 {"llamacpp_output",
                  {{"sequences", whole(settings.sequences)},
                   {"vocab", whole(model->n_vocab)},
                   {"logit_bytes", 4, ValueUnit::bytes_per_value}}});
  }
  return true;
}

}  // namespace vram
