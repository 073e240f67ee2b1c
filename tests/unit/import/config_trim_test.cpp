#include "core/import/config_trim.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

constexpr std::string_view kLlama8B = R"({
  "architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 128000, "eos_token_id": 128001,
  "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336,
  "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama", "num_attention_heads": 32,
  "num_hidden_layers": 32, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
  "rope_theta": 500000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "use_cache": true,
  "vocab_size": 128256})";

TEST(TrimmedConfig, ReadsAsTheSameModelAndIsShort) {
  const Json config = parse_json(kLlama8B).value();
  const std::string trimmed = trimmed_config(config, {.name = "My model"});
  const Result<Model> model = model_from_trimmed_config(trimmed);
  ASSERT_TRUE(model);
  EXPECT_EQ(model.value(), model_from_config(config, {.name = "My model"}).value());
  EXPECT_EQ(model.value().name, "My model");
  EXPECT_EQ(trimmed.find("initializer_range"), std::string::npos);
  EXPECT_LT(trimmed.size(), 320u);
}

TEST(TrimmedConfig, OfWhatIsNoConfigIsNothing) {
  EXPECT_EQ(trimmed_config(Json::array()), "");
  EXPECT_EQ(trimmed_config(parse_json(R"({"a": 1})").value()), "");
}

}  // namespace
}  // namespace vram
