// Reading test data and making small configs, for the tests of core/import's config and catalogue.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "core/import/config.h"

namespace vram {

/// A file of tests/data.
inline std::string test_data(std::string_view path) {
  std::ifstream file(std::string(VRAM_SOURCE_FOLDER "/tests/data/") + std::string(path));
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
inline bool has_test_data(std::string_view path) {
  return static_cast<bool>(std::ifstream(std::string(VRAM_SOURCE_FOLDER "/tests/data/") + std::string(path)));
}

inline Model model_from(std::string_view config) {
  const Result<Model> model = model_from_config_text(config);
  EXPECT_TRUE(model) << model.error().key;
  return model ? model.value() : Model();
}

/// What the reader says of a text it cannot read.
inline Message problem_with(std::string_view text) {
  const Result<Model> model = model_from_config_text(text);
  EXPECT_FALSE(model) << text.substr(0, 200);
  return model ? Message() : model.error();
}

/// A parameter of a message as text: names as they are, keys in braces.
inline std::string parameter(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.parameters) {
    if (key != name) continue;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* word = std::get_if<MessageKey>(&value)) return "{" + word->key + "}";
  }
  return "";
}

inline std::string total_of(const Model& model) { return std::to_string(count_parameters(model).total.value()); }

/// What the caches of a model hold, in values.
struct CacheValues {
  double kv = 0, windowed = 0, indexer = 0, state = 0;
  std::uint32_t window = 0;
};
inline CacheValues cache_values(const Model& model) {
  CacheValues values;
  for (const Cache& cache : model.caches) {
    if (cache.part != Part::text) continue;
    const auto layers = static_cast<double>(model.layers_of(cache.layer_set));
    const double entry = layers * cache.entry_values / cache.tokens_per_entry;
    const double heads = layers * cache.kv_heads * (cache.key_dim + cache.value_dim);
    switch (cache.kind) {
      case CacheKind::full:
        values.kv += heads;
        break;
      case CacheKind::latent:
      case CacheKind::compressed:
        values.kv += entry;
        break;
      case CacheKind::sliding:
      case CacheKind::chunked:
        values.windowed += heads;
        values.window = cache.window;
        break;
      case CacheKind::indexer:
        values.indexer += entry;
        break;
      case CacheKind::recurrent:
        values.state += layers * static_cast<double>(cache.state_values + cache.conv_values);
        break;
    }
  }
  return values;
}

/// The format of all tensors of a role; "mixed" when they differ, "" when there are none. Matrices only.
inline std::string format_of(const Model& model, Role role, Part part = Part::text) {
  std::string format;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role != role || tensor.part != part || tensor.inputs <= Count(1)) continue;
    const std::string id(storage_format(tensor.format).id);
    if (!format.empty() && format != id) return "mixed";
    format = id;
  }
  return format;
}

inline bool has_note(const Model& model, std::string_view key) {
  for (const Message& note : model.notes) {
    if (note.key == key) return true;
  }
  return false;
}

}  // namespace vram
