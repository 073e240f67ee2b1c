// config.json → model: exact counts, rules that config.json does not state, and what is said of files that are none.
#include "core/import/config.h"

#include <gtest/gtest.h>

#include "assets/assets.h"
#include "config_support.h"
#include "core/import/families.h"

namespace vram {
namespace {

constexpr std::string_view kLlama8B = R"({
  "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
  "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
  "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "tie_word_embeddings": false})";

std::string with(std::string_view config, std::string_view replaced, std::string_view by) {
  std::string text(config);
  const std::size_t at = text.find(replaced);
  EXPECT_NE(at, std::string::npos) << replaced;
  return text.replace(at, replaced.size(), by);
}

TEST(Config, Llama8BCountsToThePublishedParameter) {
  const Model model = model_from(kLlama8B);
  EXPECT_EQ(total_of(model), "8030261248");
  EXPECT_EQ(weight_bytes(model), Bytes(2 * 8'030'261'248));
  EXPECT_EQ(model.origin, Origin::config);
  EXPECT_LE(model.tensors.size(), 12U);
  EXPECT_TRUE(model.notes.empty());
}

TEST(Config, Llama70BCountsToThePublishedParameter) {
  const Model model = model_from(R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256})");
  EXPECT_EQ(total_of(model), "70553706496");
  EXPECT_EQ(cache_values(model).kv, 80 * 2 * 8 * 128);
}

struct Counted {
  const char* name;
  const char* config;
  const char* total;  // published: Hugging Face safetensors metadata, unless said otherwise
};
const Counted kDense[] = {
    {"Qwen2.5-7B", R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
      "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064})",
     "7615616512"},
    {"Qwen3-4B", R"({"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": true})",
     "4022468096"},
    {"Mistral-7B-v0.3",
     R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32768})",
     "7248023552"},
    {"phi-4", R"({"model_type": "phi3", "hidden_size": 5120, "intermediate_size": 17920, "num_hidden_layers": 40,
      "num_attention_heads": 40, "num_key_value_heads": 10, "vocab_size": 100352})",
     "14659507200"},
    {"granite-3.3-8b",
     R"({"model_type": "granite", "hidden_size": 4096, "intermediate_size": 12800, "num_hidden_layers": 40,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 49159, "tie_word_embeddings": true})",
     "8170864640"},
    {"Yi-1.5-34B", R"({"model_type": "llama", "hidden_size": 7168, "intermediate_size": 20480, "num_hidden_layers": 60,
      "num_attention_heads": 56, "num_key_value_heads": 8, "vocab_size": 64000})",
     "34388917248"},
    {"gemma-2-9b", R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
      "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 256000})",
     "9241705984"},
    {"Mixtral-8x7B",
     R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8,
      "num_experts_per_tok": 2})",
     "46702792704"},
};

TEST(Config, DenseFamiliesCountToThePublishedParameter) {
  for (const Counted& row : kDense) EXPECT_EQ(total_of(model_from(row.config)), row.total) << row.name;
}

TEST(Config, ATiedHeadIsNotStoredTwiceButIsUsed) {
  const Model model = model_from(with(kLlama8B, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"));
  EXPECT_EQ(total_of(model), std::to_string(8'030'261'248 - 128256LL * 4096));
  EXPECT_EQ(count_parameters(model).active, Count(8'030'261'248 - 128256LL * 4096));
}

TEST(Config, ReadsTheTextModelOfACompositeOne) {
  const Model model =
      model_from(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
    "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}, "vision_config": {}})");
  // Everything else is left out of the published file: Gemma 3's defaults.
  const ParameterCounts counts = count_parameters(model);
  EXPECT_EQ(counts.text, Count(3'880'263'168));
  EXPECT_EQ(counts.vision, Count(419'816'304));
  EXPECT_EQ(counts.total, Count(4'300'079'472));
}

TEST(Config, Gemma3KeepsFiveWindowsForEachFullLayerUnasked) {
  const Model model = model_from(R"({"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
    "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1, "vocab_size": 262144, "sliding_window": 512})");
  const CacheValues values = cache_values(model);
  EXPECT_EQ(values.kv, 4 * 2 * 256);
  EXPECT_EQ(values.windowed, 22 * 2 * 256);
  EXPECT_EQ(values.window, 512U);
}

TEST(Config, AWindowAsLongAsTheContextIsNone) {
  constexpr std::string_view mistral = R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 32768,
    "sliding_window": 4096})";
  EXPECT_EQ(cache_values(model_from(mistral)).kv, 0);
  EXPECT_EQ(cache_values(model_from(with(mistral, "\"sliding_window\": 4096", "\"sliding_window\": 32768"))).windowed,
            0);
}

TEST(Config, AWindowThatIsSwitchedOffIsNone) {
  const Model model =
      model_from(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
      "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "sliding_window": 4096,
      "max_window_layers": 14, "use_sliding_window": false})");
  EXPECT_EQ(cache_values(model).windowed, 0);
}

TEST(Config, LayersThatBorrowACacheHaveNoneOfTheirOwn) {
  const Model model =
      model_from(R"({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text", "hidden_size": 2048,
    "intermediate_size": [8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192], "num_hidden_layers": 10,
    "num_kv_shared_layers": 5}})");
  const CacheValues values = cache_values(model);
  EXPECT_EQ(values.kv, 1 * 2 * 2 * 256);
  EXPECT_EQ(values.windowed, 4 * 2 * 2 * 256);
}

TEST(Config, AnEncoderRemembersNothing) {
  const Model model =
      model_from(R"({"architectures": ["XLMRobertaForSequenceClassification"], "model_type": "xlm-roberta",
    "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 250002,
    "max_position_embeddings": 8194, "type_vocab_size": 1, "torch_dtype": "float32"})");
  EXPECT_EQ(total_of(model), "567755777");  // BAAI/bge-reranker-v2-m3
  EXPECT_FALSE(model.generates);
  EXPECT_TRUE(model.caches.empty());
  EXPECT_EQ(weight_bytes(model), Bytes(4 * 567'755'777ULL));
}

TEST(Config, AnEmbeddingModelOfADecoderHasNoHead) {
  const Model model = model_from(with(kLlama8B, "LlamaForCausalLM", "LlamaModel"));
  EXPECT_EQ(total_of(model), std::to_string(8'030'261'248 - 128256LL * 4096));
  EXPECT_FALSE(model.generates);
  EXPECT_FALSE(model.caches.empty());  // its layers are causal: engines keep a cache while they read
}

TEST(Config, LayersOfANasModelDiffer) {
  // Three blocks of Llama-Nemotron: attention of 8 heads a key and a wide MLP; MLP alone; attention alone.
  const Model model = model_from(R"({"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64,
    "num_key_value_heads": null, "num_hidden_layers": 3, "vocab_size": 128256, "block_configs": [
      {"attention": {"n_heads_in_group": 8, "no_op": false}, "ffn": {"ffn_mult": 5.25, "no_op": false}},
      {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 2.625, "no_op": false}},
      {"attention": {"n_heads_in_group": 8, "no_op": false}, "ffn": {"ffn_mult": null, "no_op": true}}]})");
  EXPECT_EQ(cache_values(model).kv, 2 * 2 * 8 * 128);
  const std::uint64_t attention = 2 * (8192ULL * 8192 + 8192 * 1024), norms = 4 * 8192 + 8192;
  EXPECT_EQ(count_parameters(model).total,
            Count(2 * 128256ULL * 8192 + 2 * attention + 3 * 8192ULL * (28672 + 14336) + norms));
}

TEST(Config, LayersAreCountedByTheirListWhereTheNumberIsLeftOut) {
  const Model model = model_from(R"({"model_type": "nemotron_h", "hidden_size": 256, "intermediate_size": 512,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1000, "ssm_state_size": 16,
    "mamba_num_heads": 8, "mamba_head_dim": 64, "n_groups": 2, "conv_kernel": 4,
    "layers_block_type": ["mamba", "mlp", "attention", "mlp"]})");
  EXPECT_EQ(model.dims.num_hidden_layers, 4U);
  EXPECT_EQ(cache_values(model).kv, 2 * 2 * 64);
  EXPECT_EQ(cache_values(model).state, 8 * 64 * 16 + (8 * 64 + 2 * 2 * 16) * 3);
}

TEST(Config, AnUnknownFamilyIsReadByItsFieldsAndSaysSo) {
  const Model model = model_from(
      with(kLlama8B, "\"model_type\": \"llama\"", "\"model_type\": \"brand_new\"")
          .replace(with(kLlama8B, "\"model_type\": \"llama\"", "\"model_type\": \"brand_new\"").find("LlamaFor"), 8,
                   "BrandFor"));
  EXPECT_EQ(total_of(model), "8030261248");
  EXPECT_EQ(model.origin, Origin::unverified);
  ASSERT_TRUE(has_note(model, "config.note.unknown_family"));
  EXPECT_EQ(parameter(model.notes.front(), "model_type"), "brand_new");
}

TEST(Config, AnUnknownHybridIsReadAsAHybrid) {
  const Model model = model_from(R"({"model_type": "brand_new", "hidden_size": 2048, "intermediate_size": 5120,
    "num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 1000,
    "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"], "linear_num_key_heads": 16,
    "linear_key_head_dim": 128, "linear_num_value_heads": 32, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4})");
  EXPECT_EQ(model.origin, Origin::unverified);
  EXPECT_EQ(cache_values(model).kv, 2 * 2 * 256);
  EXPECT_EQ(cache_values(model).state, 3 * (32 * 128 * 128 + (2 * 2048 + 4096) * 3));
}

TEST(Config, AnUnknownModelOfOneBlockALayerIsReadSo) {
  const Model model = model_from(R"({"model_type": "brand_new", "hidden_size": 64, "intermediate_size": 128,
    "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100, "hybrid_override_pattern": "-*"})");
  EXPECT_EQ(count_parameters(model).total, Count(2 * 100 * 64 + 3 * 64 * 128 + 4 * 64 * 64 + 3 * 64));
}

TEST(Config, ATextModelInsideAThinkerHasItsTowersThere) {
  const Model model = model_from(R"({"model_type": "qwen2_5_omni", "talker_config": {}, "thinker_config": {
    "model_type": "qwen2_5_omni_thinker", "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420,
      "out_hidden_size": 3584}, "audio_config": {"d_model": 1280}, "text_config": {"model_type": "qwen2_5_omni_text",
      "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
      "num_key_value_heads": 4, "vocab_size": 152064}}})");
  EXPECT_EQ(count_parameters(model).text, Count(7'615'616'512));
  EXPECT_EQ(count_parameters(model).vision, Count(676'550'144));  // that of Qwen2.5-VL-7B
  EXPECT_TRUE(has_note(model, "config.note.tower_not_counted"));
  EXPECT_TRUE(has_note(model, "config.note.talker_left_out"));
}

TEST(Config, AFamilyIsFoundByTheNameOfItsClass) {
  EXPECT_EQ(find_family("", "LlamaForCausalLM")->id.substr(0, 5), "llama");
  EXPECT_EQ(find_family("git", "Grok1ForCausalLM")->id, "grok-1 grok-2");
  EXPECT_EQ(find_family("bert", "")->layout, Layout::bert);
  EXPECT_EQ(find_family("", ""), nullptr);
  EXPECT_EQ(find_family("llam", "Llam"), nullptr);
}

TEST(Config, InfinityAsPythonWritesItIsNoError) {
  const Model model = model_from(
      with(kLlama8B, "\"vocab_size\": 128256",
           "\"time_step_limit\": [0.0, Infinity], \"note\": \"a \\\"NaN\\\" stays\", \"vocab_size\": 128256"));
  EXPECT_EQ(total_of(model), "8030261248");
}

TEST(Config, AStoredTypeDecidesTheBytes) {
  EXPECT_EQ(weight_bytes(model_from(with(kLlama8B, "bfloat16", "float32"))), Bytes(4 * 8'030'261'248));
  EXPECT_EQ(model_from(with(kLlama8B, "bfloat16", "float32")).compute_format, FormatId::fp16);
  EXPECT_EQ(model_from(with(kLlama8B, "bfloat16", "float16")).compute_format, FormatId::fp16);
}

// ---- what is no model's config
// -----------------------------------------------------------------------------------------

struct Wrong {
  const char* text;
  const char* key;
  const char* name;  // of a parameter
  const char* value;
};
const Wrong kWrong[] = {
    {"", "json.empty", "", ""},
    {"<!DOCTYPE html><html>", "json.not_json", "found", "{file_kind.html}"},
    {"[1, 2]", "config.not_a_model", "found", "{file_kind.other_json}"},
    {R"({"name": "left-pad", "version": "1.0.0"})", "config.not_a_model", "found", "{file_kind.other_json}"},
    {R"({"peft_type": "LORA", "r": 8, "base_model_name_or_path": "x", "hidden_size": 4096})", "config.not_a_model",
     "found", "{file_kind.adapter_config}"},
    {R"({"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096})", "config.not_a_model", "found",
     "{file_kind.tokenizer_config}"},
    {R"({"metadata": {"total_size": 1}, "weight_map": {}})", "config.not_a_model", "found",
     "{file_kind.safetensors_index}"},
    {R"({"do_sample": true, "max_new_tokens": 20})", "config.not_a_model", "found", "{file_kind.generation_config}"},
    {R"({"image_processor_type": "A", "size": 1})", "config.not_a_model", "found", "{file_kind.preprocessor_config}"},
    {R"({"_class_name": "FluxTransformer2DModel", "num_layers": 19})", "config.not_a_model", "found",
     "{file_kind.diffusers}"},
    {R"({"quantization": {"quant_algo": "FP8"}, "producer": {}})", "config.not_a_model", "found",
     "{file_kind.hf_quant_config}"},
    {R"({"architectures": ["CLIPVisionModel"], "model_type": "clip_vision", "vision_config": {"depth": 3}})",
     "config.no_text_model", "model_type", "clip_vision"},
};

TEST(Config, OtherFilesAreCalledWhatTheyAre) {
  for (const Wrong& row : kWrong) {
    const Message problem = problem_with(row.text);
    EXPECT_EQ(problem.key, row.key) << row.text;
    if (*row.name != '\0') {
      EXPECT_EQ(parameter(problem, row.name), row.value) << row.text;
    }
  }
}

struct Broken {
  const char* from;
  const char* to;
  const char* key;
  const char* field;
};
const Broken kBroken[] = {
    {"\"hidden_size\": 4096, ", "", "config.missing_field", "hidden_size"},
    {"\"vocab_size\": 128256,", "", "config.missing_field", "vocab_size"},
    {"\"num_attention_heads\": 32, ", "", "config.missing_field", "num_attention_heads"},
    {"\"intermediate_size\": 14336,", "", "config.missing_field", "intermediate_size"},
    {"\"num_hidden_layers\": 32, ", "", "config.missing_field", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": 0", "config.out_of_range", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": -1", "config.out_of_range", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": 1000000000", "config.out_of_range", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": 1e18", "config.wrong_type", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": 18446744073709551615", "config.out_of_range",
     "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": 32.5", "config.wrong_type", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": \"32\"", "config.wrong_type", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": true", "config.wrong_type", "num_hidden_layers"},
    {"\"num_hidden_layers\": 32", "\"num_hidden_layers\": {}", "config.wrong_type", "num_hidden_layers"},
    {"\"hidden_size\": 4096", "\"hidden_size\": 4294967296", "config.out_of_range", "hidden_size"},
    {"\"num_key_value_heads\": 8", "\"num_key_value_heads\": 64", "config.out_of_range", "num_key_value_heads"},
    {"\"tie_word_embeddings\": false", "\"tie_word_embeddings\": \"no\"", "config.wrong_type", "tie_word_embeddings"},
    {"\"torch_dtype\"", "\"layer_types\": [\"full_attention\"], \"torch_dtype\"", "config.list_length", "layer_types"},
    {"\"torch_dtype\"", "\"layer_types\": [\"telepathy\"], \"torch_dtype\"", "config.unknown_layer_kind",
     "layer_types"},
    {"\"torch_dtype\"", "\"layer_types\": [7], \"torch_dtype\"", "config.wrong_type", "layer_types"},
    {"\"torch_dtype\"", "\"intermediate_size \": 1, \"num_local_experts\": 8, \"moe_layer_freq\": [1], \"torch_dtype\"",
     "config.list_length", "moe_layer_freq"},
};

TEST(Config, AnImpossibleValueIsNamed) {
  for (const Broken& row : kBroken) {
    const Message problem = problem_with(with(kLlama8B, row.from, row.to));
    EXPECT_EQ(problem.key, row.key) << row.to;
    EXPECT_EQ(parameter(problem, "field"), row.field) << row.to;
  }
}

TEST(Config, TheAllowedRangeIsSaid) {
  const Message problem =
      problem_with(with(kLlama8B, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 1000000000"));
  EXPECT_EQ(parameter(problem, "value"), "1000000000");
  EXPECT_EQ(parameter(problem, "low"), "1");
  EXPECT_EQ(parameter(problem, "high"), "4096");
}

TEST(Config, TheLargestOfAllAllowedDimensionsIsTooLargeAndHarmless) {
  const Message problem =
      problem_with(R"({"model_type": "mixtral", "hidden_size": 1048576, "intermediate_size": 4194304,
    "num_hidden_layers": 4096, "num_attention_heads": 65536, "head_dim": 65536, "vocab_size": 67108864,
    "num_local_experts": 65536, "num_experts_per_tok": 65536})");
  EXPECT_EQ(problem.key, "config.too_large");
}

TEST(Config, EveryTruncationIsAnErrorAndNotACrash) {
  const std::string whole = test_data("configs/moonshotai--Kimi-K3.json");
  for (std::size_t length = 0; length + 2 < whole.size(); length += 37) {
    EXPECT_FALSE(model_from_config_text(std::string_view(whole).substr(0, length))) << length;
  }
}

TEST(Config, EveryMissingMemberIsAModelOrAMessage) {
  for (const std::string_view file :
       {"configs/deepseek-ai--DeepSeek-V4-Flash.json", "configs/nvidia--Nemotron-H-56B-Base-8K.json",
        "configs/zai-org--GLM-5.json", "configs/openai--gpt-oss-20b.json"}) {
    std::string text = test_data(file);
    const std::size_t infinity = text.find("Infinity");
    if (infinity != std::string::npos) text.replace(infinity, 8, "1");
    const Json whole = parse_json(text).value();
    for (const auto& member : whole.items()) {
      for (const Json& instead :
           {Json(nullptr), Json("x"), Json(-1), Json(0), Json::array(), Json::object(), Json(true)}) {
        Json changed = whole;
        changed[member.key()] = instead;
        const Result<Model> model = model_from_config(changed);
        if (!model) {
          EXPECT_FALSE(model.error().key.empty()) << member.key();
        }
      }
    }
  }
}

// ---- words
// ---------------------------------------------------------------------------------------------------------------

struct Said {
  const char* key;
  const char* parameters;  // as the English text must have them, in any order
};
const Said kSaid[] = {
    {"config.not_a_model", "found"},
    {"config.missing_field", "field"},
    {"config.wrong_type", "field expected"},
    {"config.out_of_range", "field value low high"},
    {"config.list_length", "field length layers"},
    {"config.unknown_layer_kind", "field word layer"},
    {"config.unknown_recurrence", "field"},
    {"config.no_text_model", "model_type"},
    {"config.too_large", ""},
    {"config.note.unknown_family", "model_type read_as"},
    {"config.note.window_not_used", "window"},
    {"config.note.draft_layers_left_out", "layers"},
    {"config.note.linear_blocks", ""},
    {"config.note.assumed", "field value"},
    {"config.note.tower_estimated", "part"},
    {"config.note.tower_not_counted", "part"},
    {"config.note.talker_left_out", ""},
    {"config.note.quantisation_not_read", "method"},
    {"config.note.patterns_left_out", "limit"},
    {"catalogue.bad_row", "row field"},
    {"catalogue.note.size_only", "model"},
    {"catalogue.note.unverified", "model"},
    {"catalogue.note.unverified_fields", "model fields"},
    {"json_type.number", ""},
    {"json_type.whole_number", ""},
    {"json_type.yes_or_no", ""},
    {"json_type.text", ""},
    {"file_kind.adapter_config", ""},
    {"file_kind.safetensors_index", ""},
    {"file_kind.tokenizer_config", ""},
    {"file_kind.tokenizer", ""},
    {"file_kind.preprocessor_config", ""},
    {"file_kind.generation_config", ""},
    {"file_kind.hf_quant_config", ""},
    {"file_kind.diffusers", ""},
    {"file_kind.deepspeed", ""},
    {"file_kind.training_arguments", ""},
    {"file_kind.other_json", ""},
    {"part.vision", ""},
    {"part.audio", ""},
};

TEST(ConfigWords, EveryMessageHasWordsThatUseItsParameters) {
  const Json words = parse_json(assets::file("strings/import_config.json")).value();
  for (const Said& said : kSaid) {
    ASSERT_TRUE(words.contains(said.key)) << said.key;
    const std::string english = words[said.key]["en"].get<std::string>();
    std::istringstream names(said.parameters);
    for (std::string name; names >> name;) {
      EXPECT_NE(english.find("{" + name + "}"), std::string::npos) << said.key << " does not say " << name;
    }
  }
}

}  // namespace
}  // namespace vram
