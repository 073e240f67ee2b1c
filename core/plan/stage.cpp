#include "core/plan/stage.h"

#include <algorithm>
#include <utility>

#include "core/plan/shares.h"

namespace vram {
namespace {

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

FormatId cache_format(const Stage& stage) {
  return find_format(stage.deployment.kv).value_or(stage.model.compute_format);
}

/// A formula of whole sequences, where some of their tokens are kept once for all.
void share_prefix(Derivation& derivation, std::uint64_t prefix) {
  if (prefix == 0) return;
  if (derivation.formula == "kv_full") derivation.formula = "kv_full_prefix";
  else if (derivation.formula == "kv_latent") derivation.formula = "kv_latent_prefix";
  else if (derivation.formula == "kv_indexer") derivation.formula = "kv_indexer_prefix";
  derivation.values.push_back({"prefix", whole(prefix), ValueUnit::tokens});
}

void add_cache(std::vector<Entry>& entries, const Stage& stage, const Cache& cache) {
  if (cache.part == Part::mtp && !stage.drafts) return;
  const LayerSet& set = stage.model.layer_sets[static_cast<std::size_t>(cache.layer_set)];
  const std::uint64_t layers = cache.part == Part::mtp ? (stage.is_last() ? set.size() : 0)
                                                       : layers_between(set, stage.first_layer, stage.last_layer);
  if (layers == 0) return;
  const int tensor_parallel = stage.split.tensor_parallel;
  const std::uint64_t sequences = stage.sequences;
  const auto tokens = static_cast<std::uint64_t>(stage.deployment.context);
  const StorageFormat& format = storage_format(cache_format(stage));
  const double value_bytes = bytes_of_value(format);
  const Count layer_sequences = Count(layers) * Count(sequences);
  // Tokens of all sequences; what all requests begin with is kept once.
  const std::uint64_t prefix = std::min(static_cast<std::uint64_t>(stage.deployment.prefix), tokens);
  const Count token_sequences = Count(prefix) + Count(tokens - prefix) * Count(sequences);

  const NamedValue v_layers{"layers", whole(layers), ValueUnit::layers};
  const NamedValue v_bytes{"value_bytes", value_bytes, ValueUnit::bytes_per_value};
  const NamedValue v_tokens{"tokens", whole(tokens), ValueUnit::tokens};
  const NamedValue v_sequences{"sequences", whole(sequences), ValueUnit::none};
  const NamedValue v_window{"window", whole(cache.window), ValueUnit::tokens};
  const NamedValue v_entry{"entry_values", whole(cache.entry_values), ValueUnit::none};

  const auto add = [&](Term term, Bytes bytes, Derivation derivation) {
    entries.push_back(stage_entry(stage, term, Certainty::exact, bytes, std::move(derivation)));
  };

  switch (cache.kind) {
    case CacheKind::full:
    case CacheKind::sliding:
    case CacheKind::chunked: {
      const std::uint32_t heads = share_of_heads(cache.kv_heads, tensor_parallel);
      const bool windowed = cache.kind != CacheKind::full && cache.window > 0;
      const Count kept = windowed ? Count(std::min<std::uint64_t>(tokens, cache.window)) * Count(sequences)
                                  : token_sequences;
      const Count values = Count(heads) * (Count(cache.key_dim) + Count(cache.value_dim)) * Count(layers) * kept;
      Derivation derivation{windowed ? "kv_window" : "kv_full",
                            {v_layers, {"kv_heads", whole(heads)}, {"key_dim", whole(cache.key_dim)},
                             {"value_dim", whole(cache.value_dim)}, v_bytes, v_tokens}};
      if (windowed) derivation.values.push_back(v_window);
      derivation.values.push_back(v_sequences);
      if (!windowed) share_prefix(derivation, prefix);
      add(Term::kv_cache, cache_bytes(format, values), std::move(derivation));
      return;
    }
    case CacheKind::latent: {
      Derivation derivation{"kv_latent", {v_layers, v_entry, v_bytes, v_tokens, v_sequences}};
      share_prefix(derivation, prefix);
      add(Term::kv_cache, cache_bytes(format, Count(cache.entry_values) * Count(layers) * token_sequences),
          std::move(derivation));
      return;
    }
    case CacheKind::indexer: {
      // Indexer keys are fp8 with a scale of their own in every server that has them (vLLM, SGLang).
      const StorageFormat& own = cache.scale_bytes > 0 ? storage_format(FormatId::fp8) : format;
      const Bytes one = cache_bytes(own, Count(cache.entry_values)) + Bytes(cache.scale_bytes);
      Derivation derivation{"kv_indexer",
                            {v_layers, v_entry, {"value_bytes", bytes_of_value(own), ValueUnit::bytes_per_value},
                             {"scale_bytes", whole(cache.scale_bytes), ValueUnit::bytes}, v_tokens, v_sequences}};
      share_prefix(derivation, prefix);
      add(Term::kv_cache, one * Count(layers) * token_sequences, std::move(derivation));
      return;
    }
    case CacheKind::compressed: {
      const Count kept = ceil_div(Count(tokens), Count(std::max<std::uint32_t>(1, cache.tokens_per_entry))) +
                         Count(cache.window);
      const Count values = Count(cache.entry_values) * kept;
      add(Term::kv_cache, cache_bytes(format, values * layer_sequences),
          {"kv_compressed",
           {v_layers, v_entry, v_bytes, v_tokens, {"tokens_per_entry", whole(cache.tokens_per_entry), ValueUnit::tokens},
            v_window, v_sequences}});
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
      add(Term::state, one * layer_sequences,
          {"state",
           {v_layers, {"state_values", whole(state.value())},
            {"state_bytes", bytes_of_value(state_format), ValueUnit::bytes_per_value},
            {"conv_values", whole(conv.value())},
            {"conv_bytes", bytes_of_value(conv_format), ValueUnit::bytes_per_value}, v_sequences}});
      return;
    }
  }
}

}  // namespace

bool Stage::holds(const Tensor& tensor) const {
  const bool at_end = tensor.role == Role::head || tensor.role == Role::final_norm;
  if (tensor.stored) return at_end ? is_last() : is_first();
  return is_last() && !is_first();  // a tied head needs a copy of the embedding on the last stage
}

std::uint64_t sequences_of_replica(const Deployment& deployment) {
  const auto busiest = static_cast<std::uint64_t>(std::max(deployment.users, deployment.peak_users));
  return ceil_div(Count(busiest), Count(static_cast<std::uint64_t>(std::max<std::int64_t>(1, deployment.replicas)))).value();
}

Entry stage_entry(const Stage& stage, Term term, Certainty certainty, Bytes bytes, Derivation derivation) {
  Entry made;
  made.deployment = stage.deployment_index;
  made.term = term;
  made.certainty = certainty;
  made.low = made.likely = made.high = bytes;
  made.derivation = std::move(derivation);
  return made;
}

Entry stage_band(const Stage& stage, Term term, Certainty certainty, double low, double likely, double high,
                 Derivation derivation) {
  Entry made = stage_entry(stage, term, certainty, bytes_from(likely), std::move(derivation));
  made.low = std::min(made.likely, bytes_from(low));
  made.high = std::max(made.likely, bytes_from(high));
  return made;
}

WeightGroups weights_by_group(const Stage& stage, int first, int last, bool outside) {
  WeightGroups groups{};
  for (const Tensor& tensor : stage.model.tensors) {
    if (tensor.part == Part::mtp && !stage.drafts) continue;  // loaded only for speculative decoding
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
    if (groups[i] > Bytes(0)) derivation.values.push_back({kWeightGroups[i], exact(groups[i]), ValueUnit::bytes});
  }
  if (sum == Bytes(0)) return;
  Entry made = stage_entry(stage, Term::weights, Certainty::exact, sum, std::move(derivation));
  if (stage.model.origin == Origin::size_only) {  // nobody published the shapes: a label rounds, formats mix
    made.certainty = Certainty::assumed;
    made.low = bytes_from(exact(sum) * 0.95);
    made.high = bytes_from(exact(sum) * 1.15);
  }
  entries.push_back(std::move(made));
}

void add_caches(std::vector<Entry>& entries, const Stage& stage) {
  if (!stage.model.generates) return;
  for (const Cache& cache : stage.model.caches) add_cache(entries, stage, cache);
}

double bytes_of_value(const StorageFormat& format) {
  if (format.block_bytes != 0) return static_cast<double>(format.block_bytes) / format.block_values;
  return format.bits / 8;
}

void place(Ledger& ledger, const Stage& stage, int first_device, std::vector<Entry> entries) {
  if (ledger.empty()) {
    ledger.reserve(entries.size() * static_cast<std::size_t>(stage.split.replicas * stage.split.pipeline_parallel));
  }
  const int tensor = stage.split.tensor_parallel, copy = tensor * stage.split.pipeline_parallel;
  for (int replica = 0; replica < stage.split.replicas; ++replica) {
    const bool last = replica + 1 == stage.split.replicas;
    for (Entry& one : entries) {
      one.device = first_device + replica * copy + stage.index * tensor;
      one.last = one.device + tensor - 1;
      if (last) ledger.push_back(std::move(one));
      else ledger.push_back(one);
    }
  }
}

}  // namespace vram
