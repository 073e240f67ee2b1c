// The page of all models.
#include "core/report/models_table.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

constexpr std::string_view kModels = R"({"models": [
  {"id": "a/Llama-8B", "name": "Llama 8B", "total": 8030261248, "source": "config; safetensors",
   "config": {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
              "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}},
  {"id": "a/Size", "name": "Big | one", "size": 247000000000, "source": "label"}]})";
constexpr std::string_view kKnown = R"({"columns": ["text", "kv", "kv_windowed", "state", "indexer"],
  "models": {"a/Llama-8B": [8030261248, 65536, 0, 0, null]}})";

TEST(ModelsTable, SetsCountsAndCachesBesideTheKnownOnes) {
  const auto models = models_from_json(kModels).value();
  const auto known = known_models_from_json(kKnown).value();
  const std::vector<ModelTableRow> rows = models_table(models, known);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].counted, Count(8'030'261'248));
  EXPECT_EQ(rows[0].deviation(), 0);
  EXPECT_EQ(rows[0].kv_per_token, Count(65536));
  EXPECT_EQ(rows[0].known->kv_per_token, 65536);
  EXPECT_FALSE(rows[0].known->indexer_per_token);
  EXPECT_EQ(rows[1].origin, Origin::size_only);
}

TEST(ModelsTable, ListsApartWhatIsProvenAndWhatIsNot) {
  const auto models = models_from_json(kModels).value();
  const auto known = known_models_from_json(kKnown).value();
  const std::string page = models_markdown(models_table(models, known));
  EXPECT_NE(page.find("## Proven (1)"), std::string::npos);
  EXPECT_NE(page.find("## Known by size only (1)"), std::string::npos);
  EXPECT_NE(page.find("65,536 ✓"), std::string::npos);
  EXPECT_NE(page.find("| Big \\| one |"), std::string::npos);
}

TEST(ModelsTable, KnownNumbersNeedTheirColumns) {
  EXPECT_EQ(known_models_from_json("{}").error().key, "models_table.no_columns");
  EXPECT_EQ(known_models_from_json("").error().key, "json.empty");
}

}  // namespace
}  // namespace vram
