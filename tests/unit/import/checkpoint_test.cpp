#include "core/import/checkpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "core/import/checkpoint_names.h"
#include "core/import/checkpoint_pack.h"
#include "core/import/gguf.h"
#include "core/import/safetensors.h"
#include "tests/unit/import/checkpoint_files.h"

namespace vram {
namespace {

using namespace testing_files;

TensorList list_of(const Checkpoint& checkpoint) {
  const Sparse file = safetensors(checkpoint.tensors);
  SafetensorsReader reader({"model.safetensors", file.size});
  feed(reader, file);
  auto result = reader.take();
  EXPECT_TRUE(result) << (result ? "" : result.error().key);
  return result ? std::move(std::move(result).value().tensors) : TensorList();
}

/// Read without config.json, as far as that goes.
Model model_of(const Checkpoint& checkpoint, Model model = {}) {
  const TensorList list = list_of(checkpoint);
  const TensorList* lists[] = {&list};
  const auto error = add_inventory(model, lists, Naming::hugging_face);
  EXPECT_FALSE(error) << (error ? error->key : "");
  EXPECT_EQ(weight_bytes(model), list.bytes()) << "every byte of the file stands in the inventory";
  deduce_dimensions(model);
  deduce_caches(model);
  return model;
}

const Tensor* find(const Model& model, Role role, Part part = Part::text) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role == role && tensor.part == part && tensor.inputs > Count(1)) return &tensor;
  }
  return nullptr;
}

std::size_t layers_of(const Model& model, Role role, Part part = Part::text) {
  const Tensor* tensor = find(model, role, part);
  return tensor == nullptr ? 0 : model.layers_of(tensor->layer_set);
}

bool has_note(const Model& model, std::string_view key) {
  return std::any_of(model.notes.begin(), model.notes.end(), [&](const Message& note) { return note.key == key; });
}

TEST(CheckpointInventory, OfLlamaIsExactAndShort) {
  const Model model = model_of(llama_31_8b());
  EXPECT_EQ(count_parameters(model).total, Count(8'030'261'248));
  EXPECT_EQ(weight_bytes(model), Bytes(16'060'522'496));
  EXPECT_EQ(model.tensors.size(), 11U) << "32 layers share their entries; two norms of a layer are one entry";
  EXPECT_EQ(layers_of(model, Role::attention_k), 32U);
  EXPECT_EQ(find(model, Role::ffn_down)->outputs, Count(4096));
  EXPECT_EQ(model.origin, Origin::checkpoint);
}

TEST(CheckpointInventory, OfLlamaTellsItsDimensionsAndCache) {
  const Model model = model_of(llama_31_8b());
  EXPECT_EQ(model.dims.num_hidden_layers, 32U);
  EXPECT_EQ(model.dims.hidden_size, 4096U);
  EXPECT_EQ(model.dims.vocab_size, 128256U);
  EXPECT_EQ(model.dims.intermediate_size, 14336U);
  EXPECT_EQ(model.dims.head_dim, 128U) << "a guess, and said to be one";
  EXPECT_EQ(model.dims.num_key_value_heads, 8U);
  EXPECT_TRUE(has_note(model, "checkpoint.head_size_guessed"));
  EXPECT_TRUE(has_note(model, "checkpoint.caches_deduced"));
  ASSERT_EQ(model.caches.size(), 1U);
  EXPECT_EQ(model.caches[0].values_per_token(), Count(2 * 8 * 128));
  EXPECT_EQ(model.layers_of(model.caches[0].layer_set), 32U);
}

TEST(CheckpointInventory, CountsExpertsThatAreStoredOneByOneAsCopies) {
  const Model model = model_of(qwen3_30b_a3b());
  EXPECT_EQ(count_parameters(model).total, Count(30'532'122'624));
  const Tensor* experts = find(model, Role::expert_gate);
  ASSERT_NE(experts, nullptr);
  EXPECT_EQ(experts->copies, Count(128));
  EXPECT_EQ(layers_of(model, Role::expert_gate), 48U);
  EXPECT_EQ(model.dims.num_experts, 128U);
  EXPECT_EQ(model.dims.head_dim, 128U) << "from the norm of each head";
  EXPECT_FALSE(has_note(model, "checkpoint.head_size_guessed"));
  EXPECT_TRUE(has_note(model, "checkpoint.experts_per_token_unknown"));
}

TEST(CheckpointInventory, SeesTheFourBitValuesInGptOssBytes) {
  const Model model = model_of(gpt_oss_20b());
  EXPECT_EQ(count_parameters(model).total, Count(20'914'757'184));
  EXPECT_EQ(weight_bytes(model), Bytes(13'761'264'768));
  const Tensor* gate = find(model, Role::expert_gate);
  ASSERT_NE(gate, nullptr);
  EXPECT_EQ(gate->format, FormatId::mxfp4);
  EXPECT_EQ(gate->copies, Count(32));
  EXPECT_EQ(gate->outputs, Count(2880)) << "gate and up are told apart";
  EXPECT_EQ(find(model, Role::expert_down)->inputs, Count(2880));
  EXPECT_EQ(find(model, Role::router)->outputs, Count(32));
}

TEST(CheckpointInventory, OfDeepSeekKeepsItsDraftLayerApart) {
  const Model model = model_of(deepseek_v3(5, 3));
  EXPECT_EQ(model.dims.num_hidden_layers, 5U);
  EXPECT_EQ(layers_of(model, Role::ffn_gate), 3U);
  EXPECT_EQ(layers_of(model, Role::expert_gate), 2U);
  EXPECT_EQ(find(model, Role::expert_gate)->format, FormatId::fp8_block);
  EXPECT_EQ(find(model, Role::expert_gate)->exact, Bytes(0)) << "the format's rule explains every byte";
  EXPECT_EQ(layers_of(model, Role::expert_gate, Part::mtp), 1U);
  EXPECT_NE(find(model, Role::mtp_projection, Part::mtp), nullptr);
  EXPECT_NE(find(model, Role::embedding, Part::mtp), nullptr);
  EXPECT_EQ(model.dims.kv_lora_rank, 512U);
  EXPECT_EQ(model.dims.q_lora_rank, 1536U);
  EXPECT_EQ(model.dims.qk_rope_head_dim, 64U);
  EXPECT_EQ(model.dims.num_nextn_predict_layers, 1U);
  ASSERT_EQ(model.caches.size(), 2U);
  EXPECT_EQ(model.caches[0].kind, CacheKind::latent);
  EXPECT_EQ(model.caches[0].entry_values, 576U);
  EXPECT_EQ(model.caches[1].part, Part::mtp);
}

TEST(CheckpointInventory, OfAllOfDeepSeekV3CountsAsPublished) {
  const Model model = model_of(deepseek_v3(61, 3));
  EXPECT_EQ(count_parameters(model).text, Count(671'026'419'200));
}

TEST(CheckpointInventory, SharesAHeadThatIsNotStored) {
  Checkpoint c = llama_31_8b();
  c.tensors.pop_back();
  const Model model = model_of(c);
  const Tensor* head = find(model, Role::head);
  ASSERT_NE(head, nullptr);
  EXPECT_FALSE(head->stored);
  EXPECT_EQ(head->outputs, Count(128256));
}

TEST(CheckpointInventory, LoadsATiedHeadOnceThoughItIsStoredTwice) {
  const Checkpoint c = llama_31_8b();
  const TensorList list = list_of(c);
  const TensorList* lists[] = {&list};
  Model model;
  ASSERT_FALSE(add_inventory(model, lists, Naming::hugging_face, true));
  EXPECT_FALSE(find(model, Role::head)->stored);
  ASSERT_TRUE(has_note(model, "checkpoint.tied_twice"));
  EXPECT_EQ(weight_bytes(model) + Bytes(2U * 128256 * 4096), list.bytes());
}

TEST(CheckpointInventory, CountsATensorInTwoFilesOnce) {
  const TensorList list = list_of(llama_31_8b());
  const TensorList* lists[] = {&list, &list};
  Model model;
  ASSERT_FALSE(add_inventory(model, lists, Naming::hugging_face));
  EXPECT_EQ(count_parameters(model).total, Count(8'030'261'248));
  EXPECT_TRUE(has_note(model, "checkpoint.tensor_twice"));
}

TEST(CheckpointInventory, TellsFusedProjectionsApartWhenHeadsAreKnown) {
  Checkpoint c;  // Phi-3-mini: 32 heads of 96
  c.add("model.embed_tokens.weight", {32064, 3072})
      .add("lm_head.weight", {32064, 3072})
      .add("model.norm.weight", {3072});
  for (int l = 0; l < 32; ++l) {
    c.linear(layer(l, "self_attn.qkv_proj"), 9216, 3072).linear(layer(l, "self_attn.o_proj"), 3072, 3072);
    c.linear(layer(l, "mlp.gate_up_proj"), 16384, 3072).linear(layer(l, "mlp.down_proj"), 3072, 8192);
    c.add(layer(l, "input_layernorm.weight"), {3072}).add(layer(l, "post_attention_layernorm.weight"), {3072});
  }
  Model known;
  known.dims.num_attention_heads = known.dims.num_key_value_heads = 32;
  known.dims.head_dim = 96;
  const Model model = model_of(c, known);
  EXPECT_EQ(count_parameters(model).total, Count(3'821'079'552));
  EXPECT_EQ(find(model, Role::attention_v)->outputs, Count(3072));
  EXPECT_EQ(find(model, Role::ffn_up)->outputs, Count(8192));
}

TEST(CheckpointInventory, PutsTowersIntoTheirPart) {
  Checkpoint c = llama_31_8b();
  for (int l = 0; l < 27; ++l) c.linear("visual.blocks." + std::to_string(l) + ".attn.qkv", 3456, 1152);
  c.add("visual.patch_embed.proj.weight", {1152, 3, 2, 16, 16}).add("visual.merger.linear_fc1.weight", {4608, 4608});
  c.linear("audio_tower.layers.0.fc1", 5120, 1280).linear("multi_modal_projector.linear_1", 4096, 1024);
  const Model model = model_of(c);
  const ParameterCounts counts = count_parameters(model);
  EXPECT_EQ(counts.text, Count(8'030'261'248));
  EXPECT_EQ(counts.vision, Count(27U * 3456 * 1152 + 1152 * 3 * 2 * 16 * 16 + 4608 * 4608 + 4096 * 1024));
  EXPECT_EQ(counts.audio, Count(5120 * 1280));
}

TEST(CheckpointInventory, NamesRecurrentMixersWhateverTheyAreCalled) {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {1000, 512}).add("lm_head.weight", {1000, 512});
  for (int l = 0; l < 4; ++l) {
    if (l == 3) {
      for (const char* p : {"q", "k", "v", "o"}) c.linear(layer(l, "self_attn." + std::string(p) + "_proj"), 512, 512);
      continue;
    }
    c.linear(layer(l, "linear_attn.in_proj_qkvz"), 2048, 512).linear(layer(l, "linear_attn.in_proj_ba"), 16, 512);
    c.add(layer(l, "linear_attn.conv1d.weight"), {1536, 1, 4})
        .add(layer(l, "linear_attn.A_log"), {8})
        .add(layer(l, "linear_attn.dt_bias"), {8});
    c.add(layer(l, "linear_attn.norm.weight"), {64}).linear(layer(l, "linear_attn.out_proj"), 512, 512);
  }
  const Model model = model_of(c);
  EXPECT_EQ(layers_of(model, Role::mixer_in), 3U);
  EXPECT_EQ(find(model, Role::mixer_conv)->outputs, Count(1536));
  EXPECT_EQ(layers_of(model, Role::mixer_out), 3U);
  EXPECT_EQ(layers_of(model, Role::attention_q), 1U);
  EXPECT_TRUE(has_note(model, "checkpoint.state_unknown"));
}

TEST(CheckpointInventory, KnowsKimiDeltaAttentionByItsOwnTensors) {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {1000, 512}).add("lm_head.weight", {1000, 512});
  for (int l = 0; l < 2; ++l) {
    for (const char* p : {"q", "k", "v", "o"}) c.linear(layer(l, "self_attn." + std::string(p) + "_proj"), 512, 512);
  }
  c.add(layer(0, "self_attn.A_log"), {1, 1, 4, 1}).add(layer(0, "self_attn.q_conv1d.weight"), {512, 1, 4});
  const Model model = model_of(c);
  EXPECT_EQ(layers_of(model, Role::mixer_in), 1U);
  EXPECT_EQ(find(model, Role::mixer_in)->copies, Count(3)) << "q, k and v are alike";
  EXPECT_EQ(layers_of(model, Role::attention_q), 1U);
}

TEST(CheckpointInventory, CountsTablesAsBytesNotAsParameters) {
  Checkpoint c = llama_31_8b();
  for (int l = 0; l < 32; ++l) c.add(layer(l, "self_attn.rotary_emb.inv_freq"), {64}, "F32");
  const Model model = model_of(c);
  EXPECT_EQ(count_parameters(model).total, Count(8'030'261'248));
}

TEST(CheckpointInventory, RefusesLayersAndVarietyThatNoModelHas) {
  Checkpoint far;
  far.linear(layer(5000, "mlp.up_proj"), 8, 8);
  const TensorList far_list = list_of(far);
  const TensorList* lists[] = {&far_list};
  Model model;
  EXPECT_EQ(add_inventory(model, lists, Naming::hugging_face)->key, "checkpoint.layer_number");

  Checkpoint varied;
  for (int i = 0; i < 9000; ++i)
    varied.linear("model.layers.0.mlp.w" + std::to_string(i) + "x", 8, static_cast<std::uint64_t>(2 + i));
  const TensorList varied_list = list_of(varied);
  lists[0] = &varied_list;
  EXPECT_EQ(add_inventory(model, lists, Naming::hugging_face)->key, "checkpoint.too_varied");

  Checkpoint nothing;
  nothing.add("a", {8}).add("b", {8, 8});
  const TensorList other = list_of(nothing);
  lists[0] = &other;
  EXPECT_EQ(add_inventory(model, lists, Naming::hugging_face)->key, "checkpoint.not_a_model");
}

// --- formats

struct Stored {
  const char* component;
  const char* dtype;
  std::vector<std::uint64_t> shape;
};
struct Packed {
  const char* what;
  std::vector<Stored> parts;
  FormatId format;
  std::uint64_t outputs, inputs, copies;
  bool exact_by_rule;
};

Matrix matrix_of_parts(const std::vector<Stored>& parts, Role role, std::uint64_t hidden) {
  std::vector<SafeTensor> tensors;
  for (const Stored& part : parts) tensors.push_back({"m." + std::string(part.component), part.dtype, part.shape});
  const Sparse file = safetensors(tensors);
  SafetensorsReader reader({"m", file.size});
  feed(reader, file);
  const auto read = reader.take();
  EXPECT_TRUE(read);
  std::vector<ModulePart> modules;
  const TensorList& list = read.value().tensors;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    modules.push_back({parts[i].component, &list.tensors()[i], list.shape(list.tensors()[i])});
  }
  return matrix_of(modules, role, hidden);
}

TEST(CheckpointFormats, AreToldFromTheTensorsOfAModule) {
  const Packed cases[] = {
      {"AWQ",
       {{"qweight", "I32", {4096, 1792}}, {"scales", "F16", {32, 14336}}, {"qzeros", "I32", {32, 1792}}},
       FormatId::awq_int4,
       14336,
       4096,
       1,
       true},
      {"GPTQ, g128",
       {{"qweight", "I32", {512, 14336}}, {"scales", "F16", {32, 14336}}, {"qzeros", "I32", {32, 1792}}},
       FormatId::gptq_int4,
       14336,
       4096,
       1,
       true},
      {"GPTQ with an order",
       {{"qweight", "I32", {512, 14336}},
        {"scales", "F16", {32, 14336}},
        {"qzeros", "I32", {32, 1792}},
        {"g_idx", "I32", {4096}}},
       FormatId::gptq_int4,
       14336,
       4096,
       1,
       false},
      {"GPTQ of eight bits",
       {{"qweight", "I32", {1024, 512}},
        {"scales", "F16", {32, 512}},
        {"qzeros", "I32", {32, 128}},
        {"g_idx", "I32", {4096}}},
       FormatId::int8,
       512,
       4096,
       1,
       false},
      {"compressed-tensors W4A16",
       {{"weight_packed", "I32", {1024, 512}}, {"weight_scale", "BF16", {1024, 32}}, {"weight_shape", "I64", {2}}},
       FormatId::int4_sym,
       1024,
       4096,
       1,
       false},
      {"NVFP4 of modelopt",
       {{"weight", "U8", {1024, 2048}},
        {"weight_scale", "F8_E4M3", {1024, 256}},
        {"weight_scale_2", "F32", {}},
        {"input_scale", "F32", {}}},
       FormatId::nvfp4,
       1024,
       4096,
       1,
       true},
      {"NVFP4 of compressed-tensors",
       {{"weight_packed", "U8", {1024, 2048}},
        {"weight_scale", "F8_E4M3", {1024, 256}},
        {"weight_global_scale", "F32", {1}}},
       FormatId::nvfp4,
       1024,
       4096,
       1,
       false},
      {"MXFP4 with E8M0",
       {{"weight", "I8", {2048, 3584}}, {"scale", "F8_E8M0", {2048, 224}}},
       FormatId::mxfp4,
       2048,
       7168,
       1,
       true},
      {"MXFP4 in true fours",
       {{"weight", "F4", {2048, 7168}}, {"weight_scale", "F8_E8M0", {2048, 224}}},
       FormatId::mxfp4,
       2048,
       7168,
       1,
       true},
      {"fp8 with one scale",
       {{"weight", "F8_E4M3", {512, 256}}, {"weight_scale", "F32", {1}}},
       FormatId::fp8,
       512,
       256,
       1,
       true},
      {"fp8 with two scales",
       {{"weight", "F8_E4M3", {512, 256}}, {"weight_scale", "F32", {}}, {"input_scale", "F32", {}}},
       FormatId::fp8,
       512,
       256,
       1,
       false},
      {"fp8 by output",
       {{"weight", "F8_E4M3", {512, 256}}, {"weight_scale", "F32", {512, 1}}},
       FormatId::fp8_channel,
       512,
       256,
       1,
       true},
      {"fp8 by tile",
       {{"weight", "F8_E4M3", {512, 384}}, {"weight_scale_inv", "F32", {4, 3}}},
       FormatId::fp8_block,
       512,
       384,
       1,
       true},
      {"MXFP8",
       {{"weight", "F8_E4M3", {512, 256}}, {"weight_scale_inv", "U8", {512, 8}}},
       FormatId::mxfp8,
       512,
       256,
       1,
       true},
      {"int8 by output",
       {{"weight", "I8", {512, 256}}, {"weight_scale", "F32", {512, 1}}},
       FormatId::int8,
       512,
       256,
       1,
       true},
      {"int8 of bitsandbytes",
       {{"weight", "I8", {512, 256}}, {"SCB", "F32", {512}}},
       FormatId::int8,
       512,
       256,
       1,
       true},
      {"a plain matrix", {{"weight", "F16", {512, 256}}}, FormatId::fp16, 512, 256, 1, true},
      {"a convolution", {{"weight", "BF16", {512, 1, 4}}}, FormatId::bf16, 512, 4, 1, true},
      {"a scale alone", {{"k_scale", "F32", {}}}, FormatId::fp32, 1, 1, 1, true},
  };
  for (const Packed& c : cases) {
    const Matrix m = matrix_of_parts(c.parts, Role::ffn_up, 4096);
    EXPECT_EQ(storage_format(m.format).id, storage_format(c.format).id) << c.what;
    EXPECT_EQ(m.outputs, Count(c.outputs)) << c.what;
    EXPECT_EQ(m.inputs, Count(c.inputs)) << c.what;
    EXPECT_EQ(m.copies, Count(c.copies)) << c.what;
    const Bytes rule = m.copies * stored_bytes(storage_format(m.format), m.outputs, m.inputs);
    EXPECT_EQ(m.bytes == rule, c.exact_by_rule) << c.what << ' ' << m.bytes.value() << " or " << rule.value();
  }
}

TEST(CheckpointFormats, KnowBitsandbytesByItsConstants) {
  const std::vector<Stored> nf4 = {
      {"weight", "U8", {29360128, 1}},           {"weight.absmax", "U8", {917504}},
      {"weight.nested_absmax", "F32", {3584}},   {"weight.quant_map", "F32", {16}},
      {"weight.nested_quant_map", "F32", {256}}, {"weight.quant_state.bitsandbytes__nf4", "U8", {91}}};
  const Matrix up = matrix_of_parts(nf4, Role::ffn_up, 4096);
  EXPECT_EQ(up.format, FormatId::nf4_dq);
  EXPECT_EQ(up.outputs, Count(14336));
  EXPECT_EQ(up.inputs, Count(4096));
  const Matrix down = matrix_of_parts(nf4, Role::ffn_down, 4096);
  EXPECT_EQ(down.outputs, Count(4096));
  EXPECT_EQ(down.inputs, Count(14336));
  const Matrix unknown = matrix_of_parts(nf4, Role::ffn_up, 0);
  EXPECT_EQ(unknown.outputs * unknown.inputs, Count(14336U * 4096))
      << "the number is known even where the shape is not";
  EXPECT_FALSE(unknown.shape_known);
}

TEST(CheckpointFormats, TurnStackedExpertsWithTheirInputsFirst) {
  const Matrix up = matrix_of_parts({{"", "BF16", {16, 5120, 16384}}}, Role::expert_gate, 5120);
  EXPECT_EQ(up.copies, Count(16));
  EXPECT_EQ(up.outputs, Count(16384));
  EXPECT_EQ(up.inputs, Count(5120));
  const Matrix down = matrix_of_parts({{"", "BF16", {16, 8192, 5120}}}, Role::expert_down, 5120);
  EXPECT_EQ(down.outputs, Count(5120));
  EXPECT_EQ(down.inputs, Count(8192));
}

// --- names

struct Name {
  const char* name;
  const char* stem;
  int layer, expert;
  const char* component;
};

TEST(CheckpointNames, AreCutIntoNumbersStemAndLastWord) {
  const Name cases[] = {
      {"model.layers.3.mlp.experts.17.gate_proj.weight_scale_inv", "model.layers.#.mlp.experts.#.gate_proj", 3, 17,
       "weight_scale_inv"},
      {"model.layers.12.self_attn.q_proj.weight", "model.layers.#.self_attn.q_proj", 12, -1, "weight"},
      {"transformer.h.0.attn.c_attn.bias", "transformer.h.#.attn.c_attn", 0, -1, "bias"},
      {"blk.7.ffn_gate.3.weight", "blk.#.ffn_gate.#", 7, 3, "weight"},
      {"blk.7.ssm_a", "blk.#.ssm_a", 7, -1, ""},
      {"model.layers.0.mlp.experts.gate_up_proj_blocks", "model.layers.#.mlp.experts.gate_up_proj", 0, -1, "blocks"},
      {"model.layers.0.mlp.down_proj.weight.quant_state.bitsandbytes__nf4", "model.layers.#.mlp.down_proj", 0, -1,
       "weight.quant_state.bitsandbytes__nf4"},
      {"encoder.block.1.layer.0.SelfAttention.q.weight", "encoder.block.#.layer.0.SelfAttention.q", 1, -1, "weight"},
      {"lm_head.weight", "lm_head", -1, -1, "weight"},
      {"model.layers.0.linear_attn.dt_bias", "model.layers.#.linear_attn.dt_bias", 0, -1, ""},
  };
  std::string stem;
  for (const Name& c : cases) {
    const SplitName split = split_name(c.name, stem);
    EXPECT_EQ(stem, c.stem);
    EXPECT_EQ(split.layer, c.layer) << c.name;
    EXPECT_EQ(split.expert, c.expert) << c.name;
    EXPECT_EQ(split.component, c.component) << c.name;
  }
}

struct Word {
  const char* stem;
  Role role;
};

TEST(CheckpointNames, MeanTheSameInEveryFamily) {
  const Word cases[] = {
      {"model.embed_tokens", Role::embedding},
      {"transformer.wte", Role::embedding},
      {"backbone.embeddings", Role::embedding},
      {"gpt_neox.embed_in", Role::embedding},
      {"lm_head", Role::head},
      {"transformer.output_layer", Role::head},
      {"model.norm", Role::final_norm},
      {"transformer.ln_f", Role::final_norm},
      {"backbone.norm_f", Role::final_norm},
      {"transformer.wpe", Role::position_embedding},
      {"model.language_model.embed_tokens_per_layer", Role::per_layer_embedding},
      {"model.layers.#.self_attn.q_proj", Role::attention_q},
      {"layers.#.attention.wq", Role::attention_q},
      {"encoder.layer.#.attention.self.query", Role::attention_q},
      {"bert.encoder.layer.#.attention.output.dense", Role::attention_o},
      {"bert.encoder.layer.#.intermediate.dense", Role::ffn_up},
      {"bert.encoder.layer.#.output.dense", Role::ffn_down},
      {"gpt_neox.layers.#.attention.dense", Role::attention_o},
      {"transformer.h.#.attn.c_proj", Role::attention_o},
      {"transformer.h.#.mlp.c_proj", Role::ffn_down},
      {"transformer.h.#.mlp.c_fc", Role::ffn_up},
      {"transformer.h.#.self_attention.query_key_value", Role::attention_q},
      {"model.layers.#.self_attn.W_pack", Role::attention_q},
      {"model.layers.#.self_attn.q_norm", Role::attention_norm},
      {"model.layers.#.self_attn.sinks", Role::attention_sinks},
      {"model.layers.#.self_attn.kv_a_proj_with_mqa", Role::latent_kv_down},
      {"model.layers.#.self_attn.kv_b_proj", Role::latent_kv_up},
      {"model.layers.#.self_attn.kv_a_layernorm", Role::latent_norm},
      {"model.layers.#.self_attn.indexer.wk", Role::indexer},
      {"model.layers.#.input_layernorm", Role::layer_norm},
      {"model.layers.#.mlp.gate_proj", Role::ffn_gate},
      {"layers.#.feed_forward.w2", Role::ffn_down},
      {"model.layers.#.mlp.gate", Role::router},
      {"model.layers.#.block_sparse_moe.gate", Role::router},
      {"model.layers.#.block_sparse_moe.experts.#.w1", Role::expert_gate},
      {"model.layers.#.feed_forward.router", Role::router},
      {"model.layers.#.mlp.gate.wg", Role::router},
      {"model.layers.#.mlp.gate.e_score_correction_bias", Role::router_bias},
      {"model.layers.#.feed_forward.shared_expert.down_proj", Role::shared_expert_down},
      {"model.layers.#.mlp.shared_experts.gate_proj", Role::shared_expert_gate},
      {"model.layers.#.mlp.shared_expert_gate", Role::shared_expert_router},
      {"model.layers.#.block_sparse_moe.input_linear", Role::expert_gate},
      {"model.layers.#.shared_mlp.output_linear", Role::shared_expert_down},
      {"model.layers.#.mamba.in_proj", Role::mixer_in},
      {"model.layers.#.mamba.A_log", Role::mixer_small},
      {"backbone.layers.#.mixer.in_proj", Role::mixer_in},
      {"backbone.layers.#.mixer.q_proj", Role::attention_q},
      {"backbone.layers.#.mixer.up_proj", Role::ffn_up},
      {"backbone.layers.#.mixer.experts.#.up_proj", Role::expert_up},
      {"backbone.layers.#.mixer.gate", Role::router},
      {"backbone.layers.#.mixer.fc1_latent_proj", Role::expert_latent},
      {"backbone.layers.#.mixer.conv1d", Role::mixer_conv},
      {"model.layers.#.conv.in_proj", Role::mixer_in},
      {"model.layers.#.conv.conv", Role::mixer_conv},
      {"model.layers.#.self_attn.output_gate", Role::mixer_gate},
      {"model.visual.blocks.#.attn.qkv", Role::tower},
      {"vision_tower.vision_model.encoder.layers.#.mlp.fc1", Role::tower},
      {"multi_modal_projector.linear_1", Role::projector},
      {"model.layers.#.eh_proj", Role::mtp_projection},
      {"mtp.fc", Role::mtp_projection},
  };
  for (const Word& c : cases) {
    const Role role = meaning_of(c.stem).role;
    EXPECT_EQ(role_key(role), role_key(c.role)) << c.stem;
  }
}

TEST(CheckpointNames, OfGgufAreATable) {
  const Word cases[] = {
      {"token_embd", Role::embedding},
      {"output", Role::head},
      {"output_norm", Role::final_norm},
      {"per_layer_token_embd", Role::per_layer_embedding},
      {"blk.#.attn_q", Role::attention_q},
      {"blk.#.attn_kv_a_mqa", Role::latent_kv_down},
      {"blk.#.attn_k_b", Role::latent_kv_up},
      {"blk.#.ffn_gate_inp", Role::router},
      {"blk.#.exp_probs_b", Role::router_bias},
      {"blk.#.ffn_up_exps", Role::expert_up},
      {"blk.#.ffn_gate.#", Role::expert_gate},
      {"blk.#.ffn_down_shexp", Role::shared_expert_down},
      {"blk.#.ssm_conv1d", Role::mixer_conv},
      {"blk.#.ssm_out", Role::mixer_out},
      {"blk.#.shortconv.in_proj", Role::mixer_in},
      {"blk.#.nextn.eh_proj", Role::mtp_projection},
      {"blk.#.indexer.attn_k", Role::indexer},
      {"blk.#.attn_norm", Role::layer_norm},
      {"v.blk.#.attn_q", Role::tower},
      {"mm.0", Role::projector},
      {"blk.#.time_mix_key", Role::mixer_in},
      {"blk.#.attn_sinks", Role::attention_sinks},
      {"blk.#.laurel_l", Role::layer_other},
  };
  for (const Word& c : cases) EXPECT_EQ(role_key(meaning_of_gguf(c.stem).role), role_key(c.role)) << c.stem;
}

TEST(CheckpointInventory, OfGgufSplitsLayersByTheirFormat) {
  GgufWriter w = llama_31_8b_gguf();
  const Sparse file = w.finish();
  GgufReader reader({"m.gguf", file.size});
  feed(reader, file);
  const auto read = reader.take();
  ASSERT_TRUE(read) << read.error().key;
  Model model;
  const TensorList* lists[] = {&read.value().tensors};
  ASSERT_FALSE(add_inventory(model, lists, Naming::gguf));
  EXPECT_EQ(count_parameters(model).total, Count(8'030'261'248));
  EXPECT_EQ(weight_bytes(model), read.value().tensors.bytes());
  int downs = 0;
  std::size_t layers = 0;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role != Role::ffn_down) continue;
    ++downs;
    layers += model.layers_of(tensor.layer_set);
  }
  EXPECT_EQ(downs, 2) << "Q4_K and Q6_K";
  EXPECT_EQ(layers, 32U);
}

}  // namespace
}  // namespace vram
