#include "core/plan/generic.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/plan/formula.h"
#include "core/plan/shares.h"

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

constexpr std::array<std::string_view, 8> kGroups = {"embedding", "attention", "feed_forward", "experts",
                                                     "mixer",     "head",      "norms",        "towers"};
std::size_t group_of(const Tensor& tensor) {
  if (tensor.part == Part::vision || tensor.part == Part::audio) return 7;
  switch (tensor.role) {
    case Role::embedding: case Role::position_embedding: case Role::per_layer_embedding: return 0;
    case Role::attention_q: case Role::attention_k: case Role::attention_v: case Role::attention_o:
    case Role::attention_gate: case Role::attention_sinks:
    case Role::latent_q_down: case Role::latent_q_up: case Role::latent_kv_down: case Role::latent_kv_up:
    case Role::indexer: return 1;
    case Role::ffn_gate: case Role::ffn_up: case Role::ffn_down: return 2;
    case Role::router: case Role::router_bias:
    case Role::expert_gate: case Role::expert_up: case Role::expert_down:
    case Role::shared_expert_gate: case Role::shared_expert_up: case Role::shared_expert_down:
    case Role::shared_expert_router: case Role::expert_latent: return 3;
    case Role::mixer_in: case Role::mixer_conv: case Role::mixer_gate: case Role::mixer_small:
    case Role::mixer_norm: case Role::mixer_out: return 4;
    case Role::head: return 5;
    case Role::tower: case Role::projector: return 7;
    default: return 6;
  }
}

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }
double whole(std::uint64_t value) { return static_cast<double>(value); }

/// One pipeline stage of a deployment; all its tensor-parallel devices hold the same.
struct Stage {
  const Inputs& inputs;
  const Model& model;
  const Deployment& deployment;
  int deployment_index;
  Split split;
  int index, first_layer, last_layer;
  int kept_layers;               ///< end of the layers that stay on the device

  bool is_first() const { return index == 0; }
  bool is_last() const { return index + 1 == split.pipeline_parallel; }

  /// Does this stage hold a tensor that stands outside the layers?
  bool holds(const Tensor& tensor) const {
    const bool at_end = tensor.role == Role::head || tensor.role == Role::final_norm;
    if (tensor.stored) return at_end ? is_last() : is_first();
    return is_last() && !is_first();  // a tied head needs a copy of the embedding on the last stage
  }
};

Entry entry(const Stage& stage, Term term, Certainty certainty, Bytes bytes, Derivation derivation) {
  Entry made;
  made.deployment = stage.deployment_index;
  made.term = term;
  made.certainty = certainty;
  made.low = made.likely = made.high = bytes;
  made.derivation = std::move(derivation);
  return made;
}

/// Weights of layers [first, last) and, where `outside`, of what stands outside the layers, by what they are for.
std::array<Bytes, kGroups.size()> weights_by_group(const Stage& stage, int first, int last, bool outside) {
  std::array<Bytes, kGroups.size()> groups{};
  for (const Tensor& tensor : stage.model.tensors) {
    if (tensor.part == Part::mtp) continue;  // draft layers are loaded only for speculative decoding
    const Bytes share = share_bytes(tensor, stage.model.dims, stage.split.tensor_parallel);
    if (tensor.layer_set == kNoLayer) {
      if (outside && stage.holds(tensor)) groups[group_of(tensor)] += share;
    } else if (tensor.stored) {
      const LayerSet& set = stage.model.layer_sets[static_cast<std::size_t>(tensor.layer_set)];
      const bool in_text = tensor.part == Part::text;
      const std::uint64_t layers =
          in_text ? layers_between(set, first, last) : (outside && stage.is_first() ? set.size() : 0);
      groups[group_of(tensor)] += share * Count(layers);
    }
  }
  return groups;
}

void add_weights(std::vector<Entry>& entries, const Stage& stage, std::string_view formula, int first, int last,
                 bool outside) {
  Bytes sum;
  Derivation derivation{formula, {}};
  const auto groups = weights_by_group(stage, first, last, outside);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sum += groups[i];
    if (groups[i] > Bytes(0)) derivation.values.push_back({kGroups[i], exact(groups[i]), ValueUnit::bytes});
  }
  if (sum == Bytes(0)) return;
  Entry made = entry(stage, Term::weights, Certainty::exact, sum, std::move(derivation));
  if (stage.model.origin == Origin::size_only) {  // nobody published the shapes: a label rounds, formats mix
    made.certainty = Certainty::assumed;
    made.low = bytes_from(exact(sum) * 0.95);
    made.high = bytes_from(exact(sum) * 1.15);
  }
  entries.push_back(std::move(made));
}

FormatId cache_format(const Stage& stage) {
  return find_format(stage.deployment.kv).value_or(stage.model.compute_format);
}

double bytes_of_value(const StorageFormat& format) {
  if (format.block_bytes != 0) return static_cast<double>(format.block_bytes) / format.block_values;
  return format.bits / 8;
}

void add_cache(std::vector<Entry>& entries, const Stage& stage, const Cache& cache) {
  if (cache.part == Part::mtp) return;
  const LayerSet& set = stage.model.layer_sets[static_cast<std::size_t>(cache.layer_set)];
  const std::uint64_t layers = layers_between(set, stage.first_layer, stage.last_layer);
  if (layers == 0) return;
  const int tensor_parallel = stage.split.tensor_parallel;
  const auto sequences = static_cast<std::uint64_t>(stage.deployment.users);
  const auto tokens = static_cast<std::uint64_t>(stage.deployment.context);
  const StorageFormat& format = storage_format(cache_format(stage));
  const double value_bytes = bytes_of_value(format);
  const Count layer_sequences = Count(layers) * Count(sequences);

  const NamedValue v_layers{"layers", whole(layers), ValueUnit::layers};
  const NamedValue v_bytes{"value_bytes", value_bytes, ValueUnit::bytes_per_value};
  const NamedValue v_tokens{"tokens", whole(tokens), ValueUnit::tokens};
  const NamedValue v_sequences{"sequences", whole(sequences), ValueUnit::none};
  const NamedValue v_window{"window", whole(cache.window), ValueUnit::tokens};
  const NamedValue v_entry{"entry_values", whole(cache.entry_values), ValueUnit::none};

  switch (cache.kind) {
    case CacheKind::full:
    case CacheKind::sliding:
    case CacheKind::chunked: {
      const std::uint32_t heads = share_of_heads(cache.kv_heads, tensor_parallel);
      const bool windowed = cache.kind != CacheKind::full && cache.window > 0;
      const std::uint64_t kept = windowed ? std::min<std::uint64_t>(tokens, cache.window) : tokens;
      const Count values = Count(heads) * (Count(cache.key_dim) + Count(cache.value_dim)) * Count(kept);
      Derivation derivation{windowed ? "kv_window" : "kv_full",
                            {v_layers, {"kv_heads", whole(heads)}, {"key_dim", whole(cache.key_dim)},
                             {"value_dim", whole(cache.value_dim)}, v_bytes, v_tokens}};
      if (windowed) derivation.values.push_back(v_window);
      derivation.values.push_back(v_sequences);
      entries.push_back(entry(stage, Term::kv_cache, Certainty::exact, cache_bytes(format, values * layer_sequences),
                              std::move(derivation)));
      return;
    }
    case CacheKind::latent: {
      const Count values = Count(cache.entry_values) * Count(tokens);
      entries.push_back(entry(stage, Term::kv_cache, Certainty::exact, cache_bytes(format, values * layer_sequences),
                              {"kv_latent", {v_layers, v_entry, v_bytes, v_tokens, v_sequences}}));
      return;
    }
    case CacheKind::indexer: {
      // Indexer keys are fp8 with a scale of their own in every server that has them (vLLM, SGLang).
      const StorageFormat& own = cache.scale_bytes > 0 ? storage_format(FormatId::fp8) : format;
      const Bytes one = cache_bytes(own, Count(cache.entry_values)) + Bytes(cache.scale_bytes);
      entries.push_back(entry(stage, Term::kv_cache, Certainty::exact, one * Count(tokens) * layer_sequences,
                              {"kv_indexer",
                               {v_layers, v_entry, {"value_bytes", bytes_of_value(own), ValueUnit::bytes_per_value},
                                {"scale_bytes", whole(cache.scale_bytes), ValueUnit::bytes}, v_tokens, v_sequences}}));
      return;
    }
    case CacheKind::compressed: {
      const Count kept = ceil_div(Count(tokens), Count(std::max<std::uint32_t>(1, cache.tokens_per_entry))) +
                         Count(cache.window);
      const Count values = Count(cache.entry_values) * kept;
      entries.push_back(entry(stage, Term::kv_cache, Certainty::exact, cache_bytes(format, values * layer_sequences),
                              {"kv_compressed",
                               {v_layers, v_entry, v_bytes, v_tokens,
                                {"tokens_per_entry", whole(cache.tokens_per_entry), ValueUnit::tokens}, v_window,
                                v_sequences}}));
      return;
    }
    case CacheKind::recurrent: {
      const std::uint32_t heads = std::max<std::uint32_t>(1, cache.heads);
      const Count kept(share_of_heads(heads, tensor_parallel));
      const Count state = ceil_div(Count(cache.state_values) * kept, Count(heads));
      const Count conv = ceil_div(Count(cache.conv_values) * kept, Count(heads));
      const StorageFormat& state_format = storage_format(cache.state_format);
      const StorageFormat& conv_format = storage_format(cache.conv_format);
      const Bytes one = cache_bytes(state_format, state) + cache_bytes(conv_format, conv);
      entries.push_back(entry(stage, Term::state, Certainty::exact, one * layer_sequences,
                              {"state",
                               {v_layers, {"state_values", whole(state.value())},
                                {"state_bytes", bytes_of_value(state_format), ValueUnit::bytes_per_value},
                                {"conv_values", whole(conv.value())},
                                {"conv_bytes", bytes_of_value(conv_format), ValueUnit::bytes_per_value},
                                v_sequences}}));
      return;
    }
  }
}

Entry modelled(Entry made) {
  made.low = bytes_from(exact(made.likely) * kActivationLow);
  made.high = bytes_from(exact(made.likely) * kActivationHigh);
  return made;
}

/// Peak of one forward pass: the widest layer, or the logits and their sampler on the last stage, never both at once
/// (facts: engines.md, A1, "Peak activation").
void add_activations(std::vector<Entry>& entries, const Stage& stage) {
  const Dimensions& dims = stage.model.dims;
  const auto users = static_cast<std::uint64_t>(stage.deployment.users);
  const Count in_flight = Count(users) * Count(static_cast<std::uint64_t>(stage.deployment.context));
  const std::uint64_t tokens =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(stage.deployment.batch_tokens), in_flight.value());
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
  entries.push_back(modelled(entry(stage, Term::activations, Certainty::modelled,
                                   bytes_from(output_is_larger ? output_bytes : layer_bytes),
                                   output_is_larger ? std::move(output) : std::move(layer))));
  if (dims.num_experts == 0 || dims.num_experts_per_tok == 0) return;
  Derivation experts{"activations_experts",
                     {v_tokens, {"experts_per_token", whole(dims.num_experts_per_tok)}, v_bytes,
                      {"expert_width", whole(expert_width)}, v_hidden}};
  const Bytes bytes = bytes_from(evaluate_or_zero(experts));
  entries.push_back(modelled(entry(stage, Term::activations, Certainty::modelled, bytes, std::move(experts))));
}

Entry assumed(const Stage& stage, Term term, std::string_view formula, std::string_view name, Assumed amount) {
  Entry made = entry(stage, term, Certainty::assumed, Count(amount.likely) * kMiB,
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
    moved.device = kHost;
    for (int rank = 0; rank < stage.split.tensor_parallel; ++rank) ledger.push_back(moved);
  }
  Bytes largest;
  for (int layer = stage.kept_layers; layer < stage.last_layer; ++layer) {
    Bytes bytes;
    for (const Bytes group : weights_by_group(stage, layer, layer + 1, false)) bytes += group;
    largest = std::max(largest, bytes);
  }
  entries.push_back(entry(stage, Term::staging, Certainty::modelled, Count(2) * largest,
                          {"staging", {{"layer_bytes", exact(largest), ValueUnit::bytes}}}));
}

}  // namespace

Split choose_split(const Model& model, const Deployment& deployment, int devices) {
  const int heads = static_cast<int>(model.dims.num_attention_heads);
  const int layers = std::max(1, static_cast<int>(model.dims.num_hidden_layers));
  if (deployment.split == "layers") return {1, std::min(devices, layers)};
  int tensor_parallel = 1;
  for (int candidate = 1; candidate <= devices; ++candidate) {
    const bool heads_divide = heads == 0 ? candidate == devices : heads % candidate == 0;
    if (devices % candidate == 0 && heads_divide && devices / candidate <= layers) tensor_parallel = candidate;
  }
  return {tensor_parallel, std::min(devices / tensor_parallel, layers)};
}

void add_deployment(Plan& plan, const Inputs& inputs, std::size_t deployment, int layers_on_host) {
  const Model& model = inputs.models[deployment];
  const Split split = choose_split(model, inputs.scenario.deployments[deployment], plan.devices);
  plan.splits.push_back(split);
  const int layers = static_cast<int>(model.dims.num_hidden_layers);
  for (int index = 0; index < split.pipeline_parallel; ++index) {
    const auto [first, last] = stage_layers(layers, split.pipeline_parallel, index);
    const Stage stage{inputs, model,  inputs.scenario.deployments[deployment], static_cast<int>(deployment),
                      split, index, first, last, std::max(first, last - layers_on_host)};
    std::vector<Entry> entries;
    add_weights(entries, stage, "weights", first, stage.kept_layers, true);
    if (model.generates) {
      for (const Cache& cache : model.caches) add_cache(entries, stage, cache);
    }
    add_activations(entries, stage);
    add_runtime(entries, stage);
    add_off_load(entries, plan.ledger, stage);
    for (int rank = 0; rank < split.tensor_parallel; ++rank) {
      for (Entry one : entries) {
        one.device = index * split.tensor_parallel + rank;
        plan.ledger.push_back(std::move(one));
      }
    }
  }
}

}  // namespace vram
