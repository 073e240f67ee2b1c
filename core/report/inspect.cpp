#include "core/report/inspect.h"

#include <algorithm>
#include <array>

namespace vram {
namespace {

struct Share {
  Count parameters;
  Bytes bytes;
};

/// Parameters and stored bytes under a name each, in the order of their first tensor.
template <class NameOf>
std::vector<std::pair<std::string, Share>> shares_by(const Model& model, NameOf name_of) {
  std::vector<std::pair<std::string, Share>> shares;
  for (const Tensor& tensor : model.tensors) {
    if (!tensor.stored) continue;
    const std::string name(name_of(tensor));
    auto found = std::find_if(shares.begin(), shares.end(), [&](const auto& share) { return share.first == name; });
    if (found == shares.end()) found = shares.insert(shares.end(), {name, {}});
    const Count layers(model.layers_of(tensor.layer_set));
    found->second.parameters += tensor.parameters() * layers;
    found->second.bytes += tensor.bytes() * layers;
  }
  return shares;
}

std::string_view origin_key(Origin origin) {
  constexpr std::array<std::string_view, 4> keys = {"checkpoint", "config", "unverified", "size_only"};
  return keys[static_cast<std::size_t>(origin)];
}

std::string cache_line(const Model& model, const Cache& cache, const Language& language) {
  const auto layers = static_cast<std::int64_t>(model.layers_of(cache.layer_set));
  const Bytes state = cache_bytes(storage_format(cache.state_format), Count(cache.state_values)) +
                      cache_bytes(storage_format(cache.conv_format), Count(cache.conv_values));
  Message message("inspect.cache." + std::string(cache_key(cache.kind)));
  message.with("layers", layers).with("heads", std::int64_t{cache.kv_heads}).with("key", std::int64_t{cache.key_dim});
  message.with("value", std::int64_t{cache.value_dim}).with("window", std::int64_t{cache.window});
  message.with("entry", std::int64_t{cache.entry_values}).with("tokens", std::int64_t{cache.tokens_per_entry});
  message.with("state", state);
  return language.text(message) + (cache.part == Part::mtp ? " (MTP)" : "");
}

std::string count_text(Count count, const Language& language) {
  return count.overflowed() ? "> 10^19" : language.number(static_cast<std::int64_t>(count.value()));
}

}  // namespace

CacheCosts cache_costs(const Model& model) {
  CacheCosts costs;
  if (!model.generates) return costs;
  constexpr Bytes kTwo{2};
  for (const Cache& cache : model.caches) {
    if (cache.part == Part::mtp) continue;
    const Count layers(model.layers_of(cache.layer_set));
    const Bytes values = cache.values_per_token() * layers * kTwo;
    switch (cache.kind) {
      case CacheKind::full:
      case CacheKind::latent:
        costs.per_token += values;
        break;
      case CacheKind::sliding:
      case CacheKind::chunked:
        costs.windowed_per_token += values;
        break;
      case CacheKind::compressed:
        costs.per_token += values;
        if (cache.window > 0) costs.windowed_per_token += Count(cache.entry_values) * layers * kTwo;
        break;
      case CacheKind::indexer:
        costs.indexer_per_token += layers * (Bytes(cache.entry_values) + Bytes(cache.scale_bytes));
        break;
      case CacheKind::recurrent:
        costs.fixed_per_sequence +=
            layers * (cache_bytes(storage_format(cache.state_format), Count(cache.state_values)) +
                      cache_bytes(storage_format(cache.conv_format), Count(cache.conv_values)));
        break;
    }
    costs.window = std::max(costs.window, cache.window);
  }
  return costs;
}

Json inspection_json(const Model& model, const Language& language) {
  const ParameterCounts counts = count_parameters(model);
  const CacheCosts costs = cache_costs(model);
  Json json = {{"name", model.name},
               {"model_type", model.model_type},
               {"origin", origin_key(model.origin)},
               {"generates", model.generates},
               {"parameters_total", counts.total.value()},
               {"parameters_text", counts.text.value()},
               {"parameters_vision", counts.vision.value()},
               {"parameters_audio", counts.audio.value()},
               {"parameters_mtp", counts.mtp.value()},
               {"parameters_active", counts.active.value()},
               {"bytes_total", weight_bytes(model).value()},
               {"kv_bytes_per_token", costs.per_token.value()},
               {"kv_windowed_bytes_per_token", costs.windowed_per_token.value()},
               {"window", costs.window == 0 ? Json(nullptr) : Json(costs.window)},
               {"indexer_bytes_per_token", costs.indexer_per_token.value()},
               {"fixed_state_bytes", costs.fixed_per_sequence.value()}};
  json["dimensions"] = {{"num_hidden_layers", model.dims.num_hidden_layers},
                        {"hidden_size", model.dims.hidden_size},
                        {"intermediate_size", model.dims.intermediate_size},
                        {"num_attention_heads", model.dims.num_attention_heads},
                        {"num_key_value_heads", model.dims.num_key_value_heads},
                        {"head_dim", model.dims.head_dim},
                        {"vocab_size", model.dims.vocab_size},
                        {"max_position_embeddings", model.dims.max_position_embeddings},
                        {"num_experts", model.dims.num_experts},
                        {"num_experts_per_tok", model.dims.num_experts_per_tok}};
  const auto add_shares = [&](const char* key, const auto& shares) {
    json[key] = Json::object();
    for (const auto& [name, share] : shares) {
      json[key][name] = {{"parameters", share.parameters.value()}, {"bytes", share.bytes.value()}};
    }
  };
  add_shares("by_format", shares_by(model, [](const Tensor& t) { return storage_format(t.format).id; }));
  add_shares("by_role", shares_by(model, [](const Tensor& t) { return role_key(t.role); }));
  json["caches"] = Json::array();
  for (const Cache& cache : model.caches) {
    json["caches"].push_back({{"kind", cache_key(cache.kind)},
                              {"part", part_key(cache.part)},
                              {"layers", model.layers_of(cache.layer_set)},
                              {"window", cache.window},
                              {"values_per_token", cache.values_per_token().value()}});
  }
  json["notes"] = Json::array();
  for (const Message& note : model.notes) json["notes"].push_back(language.text(note));
  return json;
}

std::string inspection_text(const Model& model, const Language& language) {
  const ParameterCounts counts = count_parameters(model);
  const CacheCosts costs = cache_costs(model);
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += language.word(key) + ": " + value + "\n";
  };
  line("inspect.model", model.name + " (" + model.model_type + ", " +
                            language.word("origin." + std::string(origin_key(model.origin))) + ")");
  line("inspect.total", count_text(counts.total, language));
  const std::pair<const char*, Count> parts[] = {{"inspect.text", counts.text},     {"inspect.vision", counts.vision},
                                                 {"inspect.audio", counts.audio},   {"inspect.mtp", counts.mtp},
                                                 {"inspect.active", counts.active}};
  for (const auto& [key, count] : parts) {
    if (count > Count(0)) line(key, count_text(count, language));
  }
  line("inspect.bytes", language.memory(weight_bytes(model)) + " = " +
                            count_text(Count(weight_bytes(model).value()), language) + "\xC2\xA0" "B");
  for (const auto& [name, share] : shares_by(model, [](const Tensor& t) { return storage_format(t.format).id; })) {
    text += "  " + name + ": " + language.memory(share.bytes) + "\n";
  }
  if (!model.generates) {
    text += language.word("inspect.no_cache") + "\n";
  } else {
    line("inspect.kv", language.memory(costs.per_token));
    for (const Cache& cache : model.caches) text += "  " + cache_line(model, cache, language) + "\n";
    if (costs.fixed_per_sequence > Bytes(0)) line("inspect.fixed", language.memory(costs.fixed_per_sequence));
  }
  for (const Message& note : model.notes) text += language.text(note) + "\n";
  return text;
}

}  // namespace vram
