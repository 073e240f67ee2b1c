// Stored formats: what quantization_config and hf_quant_config.json say of each tensor.
#include "core/import/quantisation.h"

#include <gtest/gtest.h>

#include <chrono>

#include "config_support.h"

namespace vram {
namespace {

/// A small dense model with the given quantization_config.
Model dense(std::string_view quantisation) {
  return model_from(R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 4,
    "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 32000, "quantization_config": )" +
                    std::string(quantisation) + "}");
}
Model from_file(const std::string& name) {
  const std::string path = "configs/" + name;
  ConfigExtras extras{.name = name};
  Json beside;
  if (has_test_data(path + ".hf_quant_config.json")) {
    beside = parse_json(test_data(path + ".hf_quant_config.json")).value();
    extras.hf_quant_config = &beside;
  }
  const Result<Model> model = model_from_config_text(test_data(path + ".json"), extras);
  EXPECT_TRUE(model) << name;
  return model ? model.value() : Model();
}

struct Method {
  const char* config;
  const char* format;  // of linear layers
};
// The spellings of Hugging Face transformers, compressed-tensors and modelopt (their documentation, 2025-2026).
const Method kMethods[] = {
    {R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block"},
    {R"({"quant_method": "fp8", "activation_scheme": "static"})", "fp8"},
    {R"({"quant_method": "fbgemm_fp8"})", "fp8_channel"},
    {R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})", "awq_int4"},
    {R"({"quant_method": "awq", "w_bit": 4, "q_group_size": 64, "zero_point": true})", "awq_int4_g64"},
    {R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true})", "gptq_int4"},
    {R"({"quant_method": "gptq", "bits": 4, "group_size": 32})", "gptq_int4_g32"},
    {R"({"quant_method": "gptq", "bits": 4, "group_size": -1})", "gptq_int4_channel"},
    {R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", "gptq_int8"},
    {R"({"quant_method": "auto-round", "bits": 4, "group_size": 128})", "gptq_int4"},
    {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4"})", "nf4"},
    {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true})", "nf4_dq"},
    {R"({"quant_method": "bitsandbytes", "load_in_8bit": true})", "int8"},
    {R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]})", "nvfp4"},
    {R"({"quant_method": "modelopt", "quant_algo": "FP8"})", "fp8"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 4, "type": "int", "group_size": 128, "strategy": "group", "symmetric": true}}}})",
     "int4_sym"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": false}}}})",
     "awq_int4"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}})",
     "fp8_channel"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}}})",
     "fp8"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 8, "type": "int", "strategy": "channel"}}}})",
     "int8"},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
        "weights": {"num_bits": 4, "type": "float", "group_size": 16}}}})",
     "nvfp4"},
    {R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}}})",
     "fp8"},
};

TEST(Quantisation, EachMethodIsItsFormatAndLeavesTheRestAlone) {
  for (const Method& row : kMethods) {
    const Model model = dense(row.config);
    EXPECT_EQ(format_of(model, Role::ffn_down), row.format) << row.config;
    EXPECT_EQ(format_of(model, Role::attention_q), row.format) << row.config;
    EXPECT_EQ(format_of(model, Role::embedding), "bf16") << row.config;
    EXPECT_EQ(format_of(model, Role::head), "bf16") << row.config;
    EXPECT_TRUE(model.notes.empty()) << row.config;
  }
}

TEST(Quantisation, AnUnknownMethodIsSaidAndSizesStayThoseOfSixteenBits) {
  for (const std::string_view method : {"aqlm", "exl3", "hqq", "vptq"}) {
    const Model model = dense(R"({"quant_method": ")" + std::string(method) + R"("})");
    EXPECT_EQ(format_of(model, Role::ffn_down), "bf16");
    ASSERT_TRUE(has_note(model, "config.note.quantisation_not_read"));
    EXPECT_EQ(parameter(model.notes.front(), "method"), method);
  }
}

struct LeftOut {
  const char* entry;
  const char* role;  // formats after it of: q, down
  const char* q;
  const char* down;
};
const LeftOut kLeftOut[] = {
    {"model.layers.0.self_attn.q_proj", "one module of one layer", "mixed", "fp8_block"},
    {"model.layers.0.self_attn", "one block of one layer", "mixed", "fp8_block"},
    {"model.layers.*.self_attn", "one block of all layers", "bf16", "fp8_block"},
    {"model.language_model.layers.2.self_attn*", "a pattern of one layer", "mixed", "fp8_block"},
    {"language_model.model.layers.3.*", "all of one layer", "mixed", "mixed"},
    {"re:.*self_attn.*", "an expression", "bf16", "fp8_block"},
    {"re:.*mlp\\\\.(gate|up|down)_proj.*", "an expression with alternatives", "fp8_block", "bf16"},
    {"re:.*layers\\\\.[0-1]\\\\..*", "an expression with numbers", "mixed", "mixed"},
    {"*.mlp.*", "a pattern without a layer", "fp8_block", "bf16"},
    {"q_proj", "a module of that name", "bf16", "fp8_block"},
    {"gate", "another module", "fp8_block", "fp8_block"},
    {"vision_tower*", "another part", "fp8_block", "fp8_block"},
};

TEST(Quantisation, ListsOfModulesLeaveOutWhatTheyName) {
  for (const LeftOut& row : kLeftOut) {
    const Model model =
        dense(R"({"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": [")" +
              std::string(row.entry) + R"("]})");
    EXPECT_EQ(format_of(model, Role::attention_q), row.q) << row.entry;
    EXPECT_EQ(format_of(model, Role::ffn_down), row.down) << row.entry;
  }
}

struct Expression {
  const char* pattern;
  const char* text;
  bool matches;
};
const Expression kExpressions[] = {
    {".*self_attn.*", "model.layers.0.self_attn.q_proj", true},
    {"model", "model.layers", true},  // from the start, not to the end
    {"layers", "model.layers", false},
    {"model$", "model.layers", false},
    {".*\\.(gate|up)_proj$", "mlp.gate_proj", true},
    {".*\\.(gate|up)_proj$", "mlp.down_proj", false},
    {"(ab)*c", "ababc", true},
    {"(ab)+c", "c", false},
    {"a?b", "b", true},
    {"[^a-c]x", "dx", true},
    {"[^a-c]x", "bx", false},
    {"layers\\.(1|2)\\d?\\.", "layers.17.", true},
    {"(?:a|b)(c|d)", "bd", true},
    {"", "anything", true},
};

TEST(Quantisation, ExpressionsMatchAsInPython) {
  for (const Expression& row : kExpressions)
    EXPECT_EQ(matches_regex(row.pattern, row.text), row.matches) << row.pattern << " " << row.text;
}

TEST(Quantisation, AHostileExpressionGivesUp) {
  const std::string text(400, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(matches_regex("(a*)*(a*)*(a*)*b", text));
  EXPECT_FALSE(matches_regex("((((((((((a*)*)*)*)*)*)*)*)*)*b", text));
  EXPECT_FALSE(matches_regex(std::string(300, '(') + "b", text));
  EXPECT_FALSE(matches_regex("[", text));
  EXPECT_NO_FATAL_FAILURE((void)matches_regex("(((", "x"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Quantisation, ShellPatternsMatchWholeNames) {
  EXPECT_TRUE(matches_glob("layers.*.mlp", "layers.12.mlp"));
  EXPECT_FALSE(matches_glob("layers.*.mlp", "layers.12.mlp.gate"));
  EXPECT_TRUE(matches_glob("*experts*", "mlp.experts.w1"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_FALSE(matches_glob("a", "ab"));
  EXPECT_TRUE(matches_glob("**", ""));
}

struct Stored {
  const char* file;
  Role role;
  Part part;
  const char* format;
};
const Stored kStored[] = {
    {"deepseek-ai--DeepSeek-V3", Role::expert_down, Part::text, "fp8_block"},
    {"deepseek-ai--DeepSeek-V3", Role::expert_down, Part::mtp, "fp8_block"},
    {"deepseek-ai--DeepSeek-V3", Role::router, Part::text, "bf16"},
    {"deepseek-ai--DeepSeek-V4-Flash", Role::expert_down, Part::text, "mxfp4"},
    {"deepseek-ai--DeepSeek-V4-Flash", Role::shared_expert_down, Part::text, "fp8_block"},
    {"sgl-project--DeepSeek-V4-Flash-FP8", Role::expert_down, Part::text, "fp8_block"},
    {"nvidia--DeepSeek-V4-Flash-NVFP4", Role::expert_down, Part::text, "nvfp4"},
    {"nvidia--DeepSeek-V4-Flash-NVFP4", Role::expert_down, Part::mtp, "mxfp4"},
    {"nvidia--DeepSeek-V4-Flash-NVFP4", Role::latent_q_up, Part::text, "fp8_block"},
    {"openai--gpt-oss-120b", Role::expert_up, Part::text, "mxfp4"},
    {"openai--gpt-oss-120b", Role::attention_q, Part::text, "bf16"},
    {"moonshotai--Kimi-K2.5", Role::expert_up, Part::text, "int4_sym_g32"},
    {"moonshotai--Kimi-K2.5", Role::latent_q_up, Part::text, "bf16"},
    {"moonshotai--Kimi-K2.5", Role::ffn_up, Part::text, "bf16"},
    {"moonshotai--Kimi-K3", Role::expert_up, Part::text, "mxfp4"},
    {"nvidia--Kimi-K2.5-NVFP4", Role::expert_up, Part::text, "nvfp4"},
    {"nvidia--Kimi-K2.5-NVFP4", Role::attention_o, Part::text, "bf16"},
    {"nvidia--GLM-5-NVFP4", Role::latent_kv_up, Part::text, "bf16"},
    {"nvidia--GLM-5-NVFP4", Role::expert_up, Part::text, "nvfp4"},
    {"nvidia--GLM-5.2-NVFP4", Role::shared_expert_up, Part::text, "bf16"},
    {"zai-org--GLM-5-FP8", Role::latent_kv_up, Part::text, "fp8_block"},
    {"nvidia--Gemma-4-26B-A4B-NVFP4", Role::expert_up, Part::text, "nvfp4"},
    {"nvidia--Gemma-4-26B-A4B-NVFP4", Role::ffn_up, Part::text, "bf16"},
    {"nvidia--Gemma-4-31B-IT-NVFP4", Role::ffn_up, Part::text, "nvfp4"},
    {"nvidia--Gemma-4-31B-IT-NVFP4", Role::attention_q, Part::text, "bf16"},
    {"nvidia--Qwen3.6-35B-A3B-NVFP4", Role::attention_q, Part::text, "fp8"},
    {"nvidia--Qwen3.6-35B-A3B-NVFP4", Role::mixer_out, Part::text, "fp8"},
    {"nvidia--Qwen3.6-35B-A3B-NVFP4", Role::expert_up, Part::text, "nvfp4"},
    {"nvidia--Qwen3.6-35B-A3B-NVFP4", Role::head, Part::text, "nvfp4"},
    {"nvidia--Qwen3.6-35B-A3B-NVFP4", Role::expert_up, Part::mtp, "bf16"},
    {"nvidia--Qwen3.5-397B-A17B-NVFP4", Role::mixer_in, Part::text, "bf16"},
    {"nvidia--Qwen3.5-397B-A17B-NVFP4", Role::expert_up, Part::text, "nvfp4"},
    {"nvidia--Qwen3-235B-A22B-NVFP4", Role::attention_q, Part::text, "nvfp4"},
    {"nvidia--Qwen3-235B-A22B-NVFP4", Role::head, Part::text, "bf16"},
    {"nvidia--MiniMax-M2.5-NVFP4", Role::attention_q, Part::text, "bf16"},
    {"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", Role::attention_q, Part::text, "bf16"},
    {"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", Role::mixer_in, Part::text, "mixed"},
    {"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8", Role::expert_up, Part::text, "fp8"},
    {"nvidia--Llama-3.1-70B-Instruct-FP8", Role::ffn_up, Part::text, "fp8"},
    {"Qwen--Qwen3-30B-A3B-FP8", Role::router, Part::text, "bf16"},
    {"Qwen--Qwen3-30B-A3B-FP8", Role::expert_up, Part::text, "fp8_block"},
};

TEST(Quantisation, PublishedCheckpointsAreStoredAsTheirListsSay) {
  for (const Stored& row : kStored)
    EXPECT_EQ(format_of(from_file(row.file), row.role, row.part), row.format) << row.file << " " << role_key(row.role);
}

TEST(Quantisation, BytesAreThoseOfThePublishedCheckpoints) {
  // vLLM's log of nvidia/GLM-5.2-NVFP4: checkpoint 433 GiB
  EXPECT_NEAR(gibibytes(weight_bytes(from_file("nvidia--GLM-5.2-NVFP4"))), 433, 0.5);
  // Element counts that repositories publish, scales included, become bytes: Kimi K2.5 595 GB, DeepSeek-V3 688.6 GB
  EXPECT_NEAR(gigabytes(weight_bytes(from_file("moonshotai--Kimi-K2.5"))), 595, 1);
  EXPECT_NEAR(gigabytes(weight_bytes(from_file("deepseek-ai--DeepSeek-V3"))), 688.6, 0.1);
}

TEST(Quantisation, TwentyTwoThousandListedModulesAreReadInAMoment) {
  // The shape of nvidia/MiniMax-M3-NVFP4: every expert of every layer by name.
  Json config = parse_json(test_data("configs/MiniMaxAI--MiniMax-M3.json")).value();
  Json layers = Json::object();
  for (int layer = 0; layer < 60; ++layer) {
    const std::string prefix = "language_model.model.layers." + std::to_string(layer) + ".";
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      layers[prefix + "self_attn." + name] = {{"quant_algo", "MXFP8"}};
  }
  auto& members = layers.get_ref<Json::object_t&>();
  for (int layer = 3; layer < 60; ++layer) {
    const std::string prefix = "language_model.model.layers." + std::to_string(layer) + ".block_sparse_moe.experts.";
    for (int expert = 0; expert < 128; ++expert) {
      for (const char* name : {".w1", ".w2", ".w3"}) {
        members.std::vector<Json::object_t::value_type>::emplace_back(prefix + std::to_string(expert) + name,
                                                                      Json({{"quant_algo", "NVFP4"}}));
      }
    }
  }
  config["quantization_config"] = {
      {"quant_method", "modelopt"}, {"quant_algo", "MIXED_PRECISION"}, {"quantized_layers", std::move(layers)}};
  const auto start = std::chrono::steady_clock::now();
  const Result<Model> model = model_from_config(config);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  ASSERT_TRUE(model);
  EXPECT_EQ(format_of(model.value(), Role::expert_up), "nvfp4");
  EXPECT_EQ(format_of(model.value(), Role::attention_o), "mxfp8");
  EXPECT_EQ(format_of(model.value(), Role::shared_expert_up), "bf16");
}

}  // namespace
}  // namespace vram
