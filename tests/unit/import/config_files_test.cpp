// Published config.json files, and older families: every one is imported and compared with what is known of its model.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "config_support.h"

namespace vram {
namespace {

enum Column { text, vision, mtp, active, kv, kv_windowed, window, state, indexer };

std::optional<double> known(const Json& row, Column column) {
  const Json& value = row[static_cast<std::size_t>(column)];
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

/// The draft layers of these store an embedding and a head of their own, which the known numbers leave out: their
/// published totals (684,531,386,000 for DeepSeek-V3, 292,021,347,282 for V4-Flash base) count them.
bool drafts_have_embeddings(const Model& model) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part == Part::mtp && tensor.role == Role::embedding) return true;
  }
  return false;
}

void expect_known(const std::string& name, const Model& model, const Json& row) {
  const ParameterCounts counts = count_parameters(model);
  const CacheValues values = cache_values(model);
  const auto expect = [&](const char* what, double ours, std::optional<double> theirs, double tolerance = 0) {
    if (theirs) {
      EXPECT_NEAR(ours, *theirs, *theirs * tolerance + 0.5) << name << ": " << what;
    }
  };
  const bool minimax_m3 =
      model.model_type == "minimax_m3";  // the known numbers leave out its index projections, 0.05 %
  expect("text", static_cast<double>(counts.text.value()), known(row, text), minimax_m3 ? 6e-4 : 0);
  if (known(row, mtp).value_or(0) > 0) {
    double drafts = static_cast<double>(counts.mtp.value());
    if (drafts_have_embeddings(model) && model.dims.num_nextn_predict_layers == 1 &&
        model.model_type.find("glm") == std::string::npos) {
      drafts -= 2.0 * model.dims.vocab_size * model.dims.hidden_size;
    }
    expect("mtp", drafts, known(row, mtp), minimax_m3 ? 6e-4 : 0);
  }
  if (model.generates && model.model_type != "t5" && model.model_type != "gpt2") {
    const bool compressed = model.model_type.starts_with("deepseek_v4") || model.model_type == "deepseek_ref";
    expect("kv", values.kv + (compressed ? values.indexer : 0), known(row, kv));
    expect("windowed", values.windowed, known(row, kv_windowed));
    expect("window", values.window, known(row, window));
    expect("state", values.state, known(row, state));
    if (!compressed) expect("indexer", values.indexer, known(row, indexer));
  }
}

TEST(ConfigFiles, PublishedConfigsHaveTheKnownCountsAndCaches) {
  const Json names = parse_json(test_data("configs.json")).value();
  const Json expected = parse_json(test_data("models_expected.json")).value();
  int compared = 0;
  for (const auto& file : names["configs"].items()) {
    const Result<Model> model = model_from_config_text(test_data("configs/" + file.key() + ".json"));
    ASSERT_TRUE(model) << file.key() << " " << model.error().key;
    EXPECT_EQ(model.value().origin, Origin::config) << file.key();
    EXPECT_LT(model.value().tensors.size(), 100U) << file.key();
    if (file.value().is_null()) continue;
    const std::string id = file.value().get<std::string>();
    ASSERT_TRUE(expected["models"].contains(id)) << id;
    expect_known(file.key(), model.value(), expected["models"][id]);
    ++compared;
  }
  EXPECT_GE(compared, 60);
}

TEST(ConfigFiles, AVariantWithASmallerVocabularyCountsLess) {
  // Mixtral-8x22B-v0.1 has 32,000 tokens, the instruct version (140,630,071,296 parameters) 32,768
  EXPECT_EQ(total_of(model_from(test_data("configs/mistralai--Mixtral-8x22B-v0.1.json"))),
            std::to_string(140'630'071'296 - 2 * 768 * 6144));
}

TEST(ConfigFiles, OlderAndRarerFamiliesHaveTheKnownCountsAndCaches) {
  const Json more = parse_json(test_data("models_more.json")).value();
  EXPECT_GE(more["models"].size(), 70U);
  for (const Json& row : more["models"]) {
    const std::string id = row["id"].get<std::string>();
    const Result<Model> model = model_from_config(row["config"]);
    ASSERT_TRUE(model) << id << " " << model.error().key;
    EXPECT_EQ(model.value().origin, Origin::config) << id;
    expect_known(id, model.value(), row["expected"]);
    if (row["computed"].get<bool>() || !row["counts"].is_array()) continue;
    const ParameterCounts counts = count_parameters(model.value());
    double sum = 0;
    for (const Json& part : row["counts"]) {
      const std::string word = part.get<std::string>();
      sum += static_cast<double>((word == "text"     ? counts.text
                                  : word == "vision" ? counts.vision
                                  : word == "audio"  ? counts.audio
                                                     : counts.mtp)
                                     .value());
    }
    EXPECT_NEAR(sum / row["total"].get<double>(), 1, 5e-4) << id;
  }
}

}  // namespace
}  // namespace vram
