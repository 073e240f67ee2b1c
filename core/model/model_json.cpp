#include "core/model/model_json.h"

#include <array>
#include <utility>

namespace vram {
namespace {

constexpr std::array<std::string_view, 4> kOrigins = {"checkpoint", "config", "unverified", "size_only"};
constexpr std::array<std::string_view, 4> kParts = {"text", "vision", "audio", "mtp"};
constexpr std::uint64_t kMostLayers = 4096, kMostTensors = 4096, kMostSets = 1024, kMostNotes = 64;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 44;  // of one side of a matrix: far beyond any, safe to multiply

struct Dimension {
  const char* name;
  std::uint32_t Dimensions::*member;
};
constexpr Dimension kDimensions[] = {
    {"num_hidden_layers", &Dimensions::num_hidden_layers},
    {"hidden_size", &Dimensions::hidden_size},
    {"intermediate_size", &Dimensions::intermediate_size},
    {"vocab_size", &Dimensions::vocab_size},
    {"num_attention_heads", &Dimensions::num_attention_heads},
    {"num_key_value_heads", &Dimensions::num_key_value_heads},
    {"head_dim", &Dimensions::head_dim},
    {"max_position_embeddings", &Dimensions::max_position_embeddings},
    {"num_experts", &Dimensions::num_experts},
    {"num_experts_per_tok", &Dimensions::num_experts_per_tok},
    {"moe_intermediate_size", &Dimensions::moe_intermediate_size},
    {"num_nextn_predict_layers", &Dimensions::num_nextn_predict_layers},
    {"kv_lora_rank", &Dimensions::kv_lora_rank},
    {"q_lora_rank", &Dimensions::q_lora_rank},
    {"qk_rope_head_dim", &Dimensions::qk_rope_head_dim},
    {"qk_nope_head_dim", &Dimensions::qk_nope_head_dim},
    {"v_head_dim", &Dimensions::v_head_dim},
};

struct CacheNumber {
  const char* name;
  std::uint32_t Cache::*member;
};
constexpr CacheNumber kCacheNumbers[] = {
    {"kv_heads", &Cache::kv_heads},         {"key_dim", &Cache::key_dim},   {"value_dim", &Cache::value_dim},
    {"window", &Cache::window},             {"entry_values", &Cache::entry_values},
    {"tokens_per_entry", &Cache::tokens_per_entry}, {"scale_bytes", &Cache::scale_bytes}, {"heads", &Cache::heads},
};

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return i;
  }
  return std::nullopt;
}

std::optional<Role> find_role(std::string_view name) {
  for (int i = 0; i < static_cast<int>(Role::count_); ++i) {
    if (role_key(static_cast<Role>(i)) == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

std::optional<CacheKind> find_cache_kind(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(CacheKind::recurrent); ++i) {
    if (cache_key(static_cast<CacheKind>(i)) == name) return static_cast<CacheKind>(i);
  }
  return std::nullopt;
}

/// "0-31,40": runs of layers.
std::string set_text(const LayerSet& set) {
  std::string text;
  for (std::size_t i = 0; i < set.size();) {
    std::size_t last = i;
    while (last + 1 < set.size() && set[last + 1] == set[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(set[i]);
    if (last > i) text += '-' + std::to_string(set[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::uint64_t> read_number(std::string_view& text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9') {
    number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  }
  text.remove_prefix(digits);
  if (digits == 0 || number >= kMostLayers) return std::nullopt;
  return number;
}

std::optional<LayerSet> read_set(std::string_view text) {
  LayerSet set;
  while (!text.empty()) {
    const auto first = read_number(text);
    auto last = first;
    if (first && text.starts_with('-')) {
      text.remove_prefix(1);
      last = read_number(text);
    }
    const bool ascending = first && last && *last >= *first && (set.empty() || *first > set.back());
    if (!ascending || !(text.empty() || text.starts_with(','))) return std::nullopt;
    for (std::uint64_t layer = *first; layer <= *last; ++layer) set.push_back(static_cast<std::uint16_t>(layer));
    if (!text.empty()) text.remove_prefix(1);
  }
  return set;
}

Json note_json(const Message& note) {
  Json parameters = Json::object();
  for (const auto& [name, value] : note.parameters) {
    if (const auto* words = std::get_if<std::string>(&value)) parameters[name] = *words;
    else if (const auto* whole = std::get_if<std::int64_t>(&value)) parameters[name] = *whole;
    else if (const auto* real = std::get_if<double>(&value)) parameters[name] = *real;
    else if (const auto* bytes = std::get_if<Bytes>(&value)) parameters[name] = {{"bytes", bytes->value()}};
    else parameters[name] = {{"key", std::get_if<MessageKey>(&value)->key}};
  }
  return {{"key", note.key}, {"with", std::move(parameters)}};
}

std::optional<Message> read_note(const Json& json) {
  const auto key = text(json, "key");
  if (!key) return std::nullopt;
  Message note(*key);
  const Json* parameters = find(json, "with");
  if (parameters == nullptr || !parameters->is_object()) return note;
  for (const auto& [name, value] : parameters->items()) {
    if (value.is_string()) note.with(name, value.get<std::string>());
    else if (const auto whole = integer(*parameters, name); whole && !value.is_number_float()) note.with(name, *whole);
    else if (value.is_number()) note.with(name, value.get<double>());
    else if (const auto bytes = integer(value, "bytes"); bytes && *bytes >= 0) note.with(name, Bytes(static_cast<std::uint64_t>(*bytes)));
    else if (const auto word = text(value, "key")) note.with(name, MessageKey{*word});
  }
  return note;
}

Message malformed(std::string_view where) { return Message("inventory.malformed").with("where", std::string(where)); }

std::optional<std::uint64_t> size_at(const Json& row, std::size_t index) {
  if (index >= row.size() || !row[index].is_number_integer()) return std::nullopt;
  if (!row[index].is_number_unsigned() && row[index].get<std::int64_t>() < 0) return std::nullopt;
  const auto size = row[index].get<std::uint64_t>();
  if (size > kMostSize) return std::nullopt;
  return size;
}

/// [role, set, format, outputs, inputs, copies = 1, part = "text", stored = true, exact = 0]
std::optional<Tensor> read_tensor(const Json& row, std::size_t sets) {
  if (!row.is_array() || row.size() < 5 || !row[0].is_string() || !row[1].is_number_integer() || !row[2].is_string()) {
    return std::nullopt;
  }
  const auto role = find_role(row[0].get_ref<const std::string&>());
  const auto format = find_format(row[2].get_ref<const std::string&>());
  // A document made in memory keeps 0 as a signed number, a parsed one as an unsigned: only the sign counts.
  const bool negative = !row[1].is_number_unsigned() && row[1].get<std::int64_t>() < 0;
  const auto set = negative ? std::uint64_t{0} : row[1].get<std::uint64_t>();
  const auto outputs = size_at(row, 3), inputs = size_at(row, 4);
  if (!role || !format || !outputs || !inputs || (!negative && set >= sets)) return std::nullopt;
  Tensor tensor;
  tensor.role = *role;
  tensor.format = *format;
  tensor.layer_set = negative ? kNoLayer : static_cast<std::int16_t>(set);
  tensor.outputs = Count(*outputs);
  tensor.inputs = Count(*inputs);
  if (row.size() > 5) {
    const auto copies = size_at(row, 5);
    if (!copies) return std::nullopt;
    tensor.copies = Count(*copies);
  }
  if (row.size() > 6) {
    const auto part = row[6].is_string() ? index_of(kParts, row[6].get_ref<const std::string&>()) : std::nullopt;
    if (!part) return std::nullopt;
    tensor.part = static_cast<Part>(*part);
  }
  if (row.size() > 7) tensor.stored = row[7].is_boolean() ? row[7].get<bool>() : true;
  if (row.size() > 8) {
    const auto exact = size_at(row, 8);
    if (!exact) return std::nullopt;
    tensor.exact = Bytes(*exact);
  }
  return tensor;
}

std::optional<Cache> read_cache(const Json& json, std::size_t sets) {
  const auto kind = find_cache_kind(text(json, "kind").value_or(""));
  const auto set = integer(json, "set");
  if (!kind || !set || *set < 0 || static_cast<std::uint64_t>(*set) >= sets) return std::nullopt;
  Cache cache;
  cache.kind = *kind;
  cache.layer_set = static_cast<std::int16_t>(*set);
  for (const CacheNumber& number : kCacheNumbers) {
    const auto value = integer(json, number.name);
    if (!value) continue;
    if (*value < 0 || *value > (std::int64_t{1} << 30)) return std::nullopt;
    cache.*(number.member) = static_cast<std::uint32_t>(*value);
  }
  const auto state = integer(json, "state_values").value_or(0), conv = integer(json, "conv_values").value_or(0);
  if (state < 0 || conv < 0 || static_cast<std::uint64_t>(state) > kMostSize || static_cast<std::uint64_t>(conv) > kMostSize) {
    return std::nullopt;
  }
  cache.state_values = static_cast<std::uint64_t>(state);
  cache.conv_values = static_cast<std::uint64_t>(conv);
  if (const auto format = find_format(text(json, "state_format").value_or(""))) cache.state_format = *format;
  if (const auto format = find_format(text(json, "conv_format").value_or(""))) cache.conv_format = *format;
  const auto part = index_of(kParts, text(json, "part").value_or("text"));
  if (!part) return std::nullopt;
  cache.part = static_cast<Part>(*part);
  return cache;
}

Json cache_json(const Cache& cache) {
  const Cache defaults;
  Json json = {{"kind", cache_key(cache.kind)}, {"set", cache.layer_set}};
  if (cache.part != Part::text) json["part"] = part_key(cache.part);
  for (const CacheNumber& number : kCacheNumbers) {
    if (cache.*(number.member) != defaults.*(number.member)) json[number.name] = cache.*(number.member);
  }
  if (cache.state_values != 0) json["state_values"] = cache.state_values;
  if (cache.conv_values != 0) json["conv_values"] = cache.conv_values;
  if (cache.state_format != defaults.state_format) json["state_format"] = storage_format(cache.state_format).id;
  if (cache.conv_format != defaults.conv_format) json["conv_format"] = storage_format(cache.conv_format).id;
  return json;
}

}  // namespace

Json model_to_json(const Model& model) {
  Json json = {{"inventory", kInventoryVersion},
               {"name", model.name},
               {"type", model.model_type},
               {"origin", kOrigins[static_cast<std::size_t>(model.origin)]},
               {"compute", storage_format(model.compute_format).id}};
  if (!model.generates) json["generates"] = false;
  json["dims"] = Json::object();
  for (const Dimension& dimension : kDimensions) {
    if (const auto value = model.dims.*(dimension.member); value != 0) json["dims"][dimension.name] = value;
  }
  json["sets"] = Json::array();
  for (const LayerSet& set : model.layer_sets) json["sets"].push_back(set_text(set));
  json["tensors"] = Json::array();
  for (const Tensor& tensor : model.tensors) {
    Json row = Json::array();
    row.push_back(role_key(tensor.role));
    row.push_back(tensor.layer_set);
    row.push_back(storage_format(tensor.format).id);
    row.push_back(tensor.outputs.value());
    row.push_back(tensor.inputs.value());
    const bool has_exact = tensor.exact > Bytes(0), has_stored = has_exact || !tensor.stored;
    const bool has_part = has_stored || tensor.part != Part::text;
    if (has_part || tensor.copies != Count(1)) row.push_back(tensor.copies.value());
    if (has_part) row.push_back(part_key(tensor.part));
    if (has_stored) row.push_back(tensor.stored);
    if (has_exact) row.push_back(tensor.exact.value());
    json["tensors"].push_back(std::move(row));
  }
  json["caches"] = Json::array();
  for (const Cache& cache : model.caches) json["caches"].push_back(cache_json(cache));
  if (!model.notes.empty()) {
    json["notes"] = Json::array();
    for (const Message& note : model.notes) json["notes"].push_back(note_json(note));
  }
  return json;
}

bool is_model_json(const Json& json) { return find(json, "inventory") != nullptr; }

Result<Model> model_from_json(const Json& json) {
  if (integer(json, "inventory") != std::int64_t{kInventoryVersion}) return malformed("inventory");
  Model model;
  model.name = text(json, "name").value_or("");
  model.model_type = text(json, "type").value_or("");
  const auto origin = index_of(kOrigins, text(json, "origin").value_or("unverified"));
  const auto compute = find_format(text(json, "compute").value_or("bf16"));
  if (!origin || !compute) return malformed("origin");
  model.origin = static_cast<Origin>(*origin);
  model.compute_format = *compute;
  model.generates = boolean(json, "generates").value_or(true);
  if (const Json* dims = find(json, "dims")) {
    for (const Dimension& dimension : kDimensions) {
      const auto value = integer(*dims, dimension.name);
      if (!value) continue;
      if (*value < 0 || *value > (std::int64_t{1} << 30)) return malformed(dimension.name);
      model.dims.*(dimension.member) = static_cast<std::uint32_t>(*value);
    }
  }
  if (model.dims.num_hidden_layers > kMostLayers) return malformed("num_hidden_layers");
  const auto list = [&](const char* key, std::uint64_t most) -> const Json* {
    const Json* found = find(json, key);
    return found != nullptr && found->is_array() && found->size() <= most ? found : nullptr;
  };
  const Json *sets = list("sets", kMostSets), *tensors = list("tensors", kMostTensors), *caches = list("caches", kMostSets);
  if (sets == nullptr) return malformed("sets");
  for (const Json& one : *sets) {
    auto set = one.is_string() ? read_set(one.get_ref<const std::string&>()) : std::nullopt;
    if (!set) return malformed("sets");
    model.layer_sets.push_back(*std::move(set));
  }
  if (tensors == nullptr || tensors->empty()) return malformed("tensors");
  for (const Json& one : *tensors) {
    const auto tensor = read_tensor(one, model.layer_sets.size());
    if (!tensor) return malformed("tensors");
    model.tensors.push_back(*tensor);
  }
  if (caches == nullptr) return malformed("caches");
  for (const Json& one : *caches) {
    const auto cache = read_cache(one, model.layer_sets.size());
    if (!cache) return malformed("caches");
    model.caches.push_back(*cache);
  }
  if (const Json* notes = list("notes", kMostNotes)) {
    for (const Json& one : *notes) {
      if (auto note = read_note(one)) model.notes.push_back(*std::move(note));
    }
  }
  return model;
}

}  // namespace vram
