#include "core/plan/generic.h"

#include <algorithm>
#include <utility>

#include "core/plan/formula.h"
#include "core/plan/measured.h"
#include "core/plan/shares.h"
#include "core/plan/stage.h"

namespace vram {
namespace {

// Assumed, not derivable: what start-up logs of many servers show. {low, likely, high} in MiB.
struct Assumed {
  std::uint64_t low, likely, high;
};
constexpr Assumed kContext{360, 512, 720};            // driver context and libraries: 0.35 … 0.7 GiB
constexpr Assumed kGraphs{64, 512, 1024};             // captured graphs and workspaces: 0.04 … 1 GiB
constexpr Assumed kTensorBuffers{200, 1024, 2200};    // all-reduce: 0.2 GiB over PCIe … 2.1 GiB over NVLink
constexpr Assumed kStageBuffers{64, 200, 512};        // send and receive between pipeline stages

// The activation model's spread over 26 vLLM logs is 1.5 % (median); over engines and versions it is far wider: a
// sampler that sorts takes 37 bytes a word and row where the later one takes 14, some engines keep less than 14.
constexpr double kActivationLow = 0.7, kActivationHigh = 1.5;
constexpr double kLogitBytes = 14;

constexpr std::uint64_t kBatchTokens = 8192;  // of one pass, unless told

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }
double whole(std::uint64_t value) { return static_cast<double>(value); }

Entry modelled(Entry made) {
  made.low = bytes_from(exact(made.likely) * kActivationLow);
  made.high = bytes_from(exact(made.likely) * kActivationHigh);
  return made;
}

/// Peak of one forward pass: the widest layer, or the logits and their sampler on the last stage, never both at once
/// (facts: engines.md, A1, "Peak activation").
void add_activations(std::vector<Entry>& entries, const Stage& stage) {
  const Dimensions& dims = stage.model.dims;
  const std::uint64_t users = stage.sequences;
  const Count in_flight = Count(users) * Count(static_cast<std::uint64_t>(stage.deployment.context));
  const auto told = static_cast<std::uint64_t>(stage.deployment.batch_tokens);
  const std::uint64_t tokens = std::min(told > 0 ? told : kBatchTokens, in_flight.value());
  const auto devices = static_cast<std::uint64_t>(stage.split.tensor_parallel);
  const std::uint64_t expert_width = ceil_div(Count(dims.moe_intermediate_size), Count(devices)).value();
  const std::uint64_t dense_width = ceil_div(Count(dims.intermediate_size), Count(devices)).value();
  const double value_bytes = bytes_of_value(storage_format(stage.model.compute_format));
  const NamedValue v_tokens{"batch_tokens", whole(tokens), ValueUnit::tokens};
  const NamedValue v_bytes{"value_bytes", value_bytes, ValueUnit::bytes_per_value};
  const NamedValue v_hidden{"hidden", whole(dims.hidden_size)};

  Derivation layer{"activations_layer", {v_tokens, v_bytes, {"ffn_width", whole(dense_width)}, v_hidden}};
  const std::uint64_t rows = std::min(tokens, users);
  Derivation output{"activations_output",
                    {{"rows", whole(rows)}, {"vocab", whole(dims.vocab_size)},
                     {"logit_bytes", kLogitBytes, ValueUnit::bytes_per_value}, v_tokens, v_bytes, v_hidden}};
  const double layer_bytes = evaluate_or_zero(layer);
  const double output_bytes = stage.is_last() && stage.model.generates ? evaluate_or_zero(output) : 0;
  const bool output_is_larger = output_bytes > layer_bytes;
  entries.push_back(modelled(stage_entry(stage, Term::activations, Certainty::modelled,
                                   bytes_from(output_is_larger ? output_bytes : layer_bytes),
                                   output_is_larger ? std::move(output) : std::move(layer))));
  if (dims.num_experts == 0 || dims.num_experts_per_tok == 0) return;
  Derivation experts{"activations_experts",
                     {v_tokens, {"experts_per_token", whole(dims.num_experts_per_tok)}, v_bytes,
                      {"expert_width", whole(expert_width)}, v_hidden}};
  const Bytes bytes = bytes_from(evaluate_or_zero(experts));
  entries.push_back(modelled(stage_entry(stage, Term::activations, Certainty::modelled, bytes, std::move(experts))));
}

Entry assumed(const Stage& stage, Term term, std::string_view formula, std::string_view name, Assumed amount) {
  Entry made = stage_entry(stage, term, Certainty::assumed, Count(amount.likely) * kMiB,
                     {formula, {{name, exact(Count(amount.likely) * kMiB), ValueUnit::bytes}}});
  made.low = Count(amount.low) * kMiB;
  made.high = Count(amount.high) * kMiB;
  return made;
}

/// What comes with running at all; a second deployment on the same devices is a second process with its own.
void add_runtime(std::vector<Entry>& entries, const Stage& stage) {
  entries.push_back(assumed(stage, Term::runtime, "runtime", "context", kContext));
  entries.push_back(assumed(stage, Term::graphs, "graphs", "pool", kGraphs));
  if (stage.split.tensor_parallel > 1) {
    entries.push_back(assumed(stage, Term::communication, "communication", "buffers", kTensorBuffers));
  } else if (stage.split.pipeline_parallel > 1) {
    entries.push_back(assumed(stage, Term::communication, "communication", "buffers", kStageBuffers));
  }
}

/// Layers that live in host memory pass through the device one at a time, the next being fetched while one computes.
void add_off_load(std::vector<Entry>& entries, Ledger& ledger, const Stage& stage) {
  if (stage.kept_layers >= stage.last_layer) return;
  std::vector<Entry> on_host;
  add_weights(on_host, stage, "weights_host", stage.kept_layers, stage.last_layer, false);
  for (Entry& moved : on_host) {
    moved.device = moved.last = kHost;
    for (int rank = 0; rank < stage.split.tensor_parallel * stage.split.replicas; ++rank) ledger.push_back(moved);
  }
  Bytes largest;
  for (int layer = stage.kept_layers; layer < stage.last_layer; ++layer) {
    Bytes bytes;
    for (const Bytes group : weights_by_group(stage, layer, layer + 1, false)) bytes += group;
    largest = std::max(largest, bytes);
  }
  entries.push_back(stage_entry(stage, Term::staging, Certainty::modelled, Count(2) * largest,
                          {"staging", {{"layer_bytes", exact(largest), ValueUnit::bytes}}}));
}

}  // namespace

void add_generic(Plan& plan, const Inputs& inputs, std::size_t deployment, int layers_on_host) {
  const Model& model = inputs.models[deployment];
  const Placed& placed = plan.placed[deployment];
  const Split& split = placed.split;
  const int layers = static_cast<int>(model.dims.num_hidden_layers);
  for (int index = 0; index < split.pipeline_parallel; ++index) {
    const auto [first, last] = stage_layers(layers, split.pipeline_parallel, index);
    const Deployment& used = inputs.scenario.deployments[deployment];
    const Stage stage{.inputs = inputs,
                      .model = model,
                      .deployment = used,
                      .deployment_index = static_cast<int>(deployment),
                      .split = split,
                      .index = index,
                      .first_layer = first,
                      .last_layer = last,
                      .kept_layers = std::max(first, last - layers_on_host),
                      .sequences = sequences_of_replica(used)};
    std::vector<Entry> entries;
    add_weights(entries, stage, "weights", first, stage.kept_layers, true);
    add_caches(entries, stage);
    add_activations(entries, stage);
    add_runtime(entries, stage);
    add_off_load(entries, plan.ledger, stage);
    use_measured(entries, 0, used);
    place(plan.ledger, stage, placed.first, std::move(entries));
  }
}

}  // namespace vram
