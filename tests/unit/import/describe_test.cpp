#include "core/import/describe.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

constexpr std::string_view kLlama8B = R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
  "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
  "max_position_embeddings": 131072, "initializer_range": 0.02})";

TEST(Description, OfAConfigIsItsTrimmedText) {
  Opened opened;
  opened.config = kLlama8B;
  opened.model = model_from_config_text(kLlama8B, {.name = "Mine"}).value();
  const std::string text = describe(opened);
  EXPECT_EQ(text.find("inventory"), std::string::npos);
  EXPECT_EQ(described_model(text).value(), opened.model);
}

TEST(Description, OfACheckpointIsItsInventory) {
  Opened opened;
  opened.model = sample::dense(sample::kLlama70B, "Mine");
  opened.model.origin = Origin::checkpoint;
  EXPECT_EQ(described_model(describe(opened)).value(), opened.model);
}

TEST(Description, OfRubbishIsAnError) {
  EXPECT_EQ(described_model("").error().key, "json.empty");
  EXPECT_EQ(described_model("{\"inventory\": 7}").error().key, "inventory.malformed");
}

}  // namespace
}  // namespace vram
