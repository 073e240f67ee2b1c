// Headers of well-known models, tensor by tensor, as their authors store them.
#pragma once
#include <string>
#include <vector>

#include "tests/unit/import/tensor_files.h"

namespace vram::testing_files {

/// A list of safetensors entries that grows.
class Checkpoint {
 public:
  Checkpoint& add(std::string name, std::vector<std::uint64_t> shape, const char* dtype = "BF16") {
    tensors.push_back({std::move(name), dtype, std::move(shape)});
    return *this;
  }
  /// A linear layer with weight, of outputs × inputs.
  Checkpoint& linear(const std::string& name, std::uint64_t outputs, std::uint64_t inputs, const char* dtype = "BF16") {
    return add(name + ".weight", {outputs, inputs}, dtype);
  }
  /// DeepSeek's fp8: a scale for each tile of 128 × 128.
  Checkpoint& fp8_block(const std::string& name, std::uint64_t outputs, std::uint64_t inputs) {
    add(name + ".weight", {outputs, inputs}, "F8_E4M3");
    return add(name + ".weight_scale_inv", {(outputs + 127) / 128, (inputs + 127) / 128}, "F32");
  }
  std::vector<SafeTensor> tensors;
};

inline std::string layer(int number, std::string_view rest) {
  return "model.layers." + std::to_string(number) + "." + std::string(rest);
}

/// meta-llama/Llama-3.1-8B: 8,030,261,248 parameters, 16,060,522,496 bytes (its index's total_size).
inline Checkpoint llama_31_8b() {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {128256, 4096});
  for (int l = 0; l < 32; ++l) {
    c.add(layer(l, "input_layernorm.weight"), {4096});
    c.linear(layer(l, "mlp.down_proj"), 4096, 14336);
    c.linear(layer(l, "mlp.gate_proj"), 14336, 4096);
    c.linear(layer(l, "mlp.up_proj"), 14336, 4096);
    c.add(layer(l, "post_attention_layernorm.weight"), {4096});
    c.linear(layer(l, "self_attn.k_proj"), 1024, 4096);
    c.linear(layer(l, "self_attn.o_proj"), 4096, 4096);
    c.linear(layer(l, "self_attn.q_proj"), 4096, 4096);
    c.linear(layer(l, "self_attn.v_proj"), 1024, 4096);
  }
  c.add("model.norm.weight", {4096}).add("lm_head.weight", {128256, 4096});
  return c;
}

inline const char* llama_31_8b_config() {
  return R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4096,"intermediate_size":14336,
    "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,
    "max_position_embeddings":131072,"tie_word_embeddings":false,"torch_dtype":"bfloat16"})";
}

/// Qwen/Qwen3-30B-A3B: experts one by one; 30,532,122,624 parameters.
inline Checkpoint qwen3_30b_a3b() {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {151936, 2048});
  for (int l = 0; l < 48; ++l) {
    c.add(layer(l, "input_layernorm.weight"), {2048}).add(layer(l, "post_attention_layernorm.weight"), {2048});
    c.add(layer(l, "self_attn.q_norm.weight"), {128}).add(layer(l, "self_attn.k_norm.weight"), {128});
    c.linear(layer(l, "self_attn.q_proj"), 4096, 2048).linear(layer(l, "self_attn.k_proj"), 512, 2048);
    c.linear(layer(l, "self_attn.v_proj"), 512, 2048).linear(layer(l, "self_attn.o_proj"), 2048, 4096);
    c.linear(layer(l, "mlp.gate"), 128, 2048);
    for (int e = 0; e < 128; ++e) {
      const std::string expert = layer(l, "mlp.experts." + std::to_string(e) + ".");
      c.linear(expert + "gate_proj", 768, 2048)
          .linear(expert + "up_proj", 768, 2048)
          .linear(expert + "down_proj", 2048, 768);
    }
  }
  c.add("model.norm.weight", {2048}).add("lm_head.weight", {151936, 2048});
  return c;
}

/// openai/gpt-oss-20b: experts in MXFP4 blocks; 20,914,757,184 parameters in 13,761,264,768 bytes.
inline Checkpoint gpt_oss_20b() {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {201088, 2880});
  for (int l = 0; l < 24; ++l) {
    c.add(layer(l, "input_layernorm.weight"), {2880}).add(layer(l, "post_attention_layernorm.weight"), {2880});
    c.linear(layer(l, "self_attn.q_proj"), 4096, 2880).add(layer(l, "self_attn.q_proj.bias"), {4096});
    c.linear(layer(l, "self_attn.k_proj"), 512, 2880).add(layer(l, "self_attn.k_proj.bias"), {512});
    c.linear(layer(l, "self_attn.v_proj"), 512, 2880).add(layer(l, "self_attn.v_proj.bias"), {512});
    c.linear(layer(l, "self_attn.o_proj"), 2880, 4096).add(layer(l, "self_attn.o_proj.bias"), {2880});
    c.add(layer(l, "self_attn.sinks"), {64});
    c.linear(layer(l, "mlp.router"), 32, 2880).add(layer(l, "mlp.router.bias"), {32});
    c.add(layer(l, "mlp.experts.gate_up_proj_blocks"), {32, 5760, 90, 16}, "U8");
    c.add(layer(l, "mlp.experts.gate_up_proj_scales"), {32, 5760, 90}, "U8");
    c.add(layer(l, "mlp.experts.gate_up_proj_bias"), {32, 5760});
    c.add(layer(l, "mlp.experts.down_proj_blocks"), {32, 2880, 90, 16}, "U8");
    c.add(layer(l, "mlp.experts.down_proj_scales"), {32, 2880, 90}, "U8");
    c.add(layer(l, "mlp.experts.down_proj_bias"), {32, 2880});
  }
  c.add("model.norm.weight", {2880}).add("lm_head.weight", {201088, 2880});
  return c;
}

/// deepseek-ai/DeepSeek-V3: latent attention, fp8 tiles, 58 layers of 256 experts and one draft layer, cut to
/// `layers` layers of which the first `dense` have no experts.
inline Checkpoint deepseek_v3(int layers, int dense) {
  Checkpoint c;
  c.add("model.embed_tokens.weight", {129280, 7168});
  for (int l = 0; l <= layers; ++l) {
    c.fp8_block(layer(l, "self_attn.q_a_proj"), 1536, 7168).add(layer(l, "self_attn.q_a_layernorm.weight"), {1536});
    c.fp8_block(layer(l, "self_attn.q_b_proj"), 24576, 1536);
    c.fp8_block(layer(l, "self_attn.kv_a_proj_with_mqa"), 576, 7168)
        .add(layer(l, "self_attn.kv_a_layernorm.weight"), {512});
    c.fp8_block(layer(l, "self_attn.kv_b_proj"), 32768, 512).fp8_block(layer(l, "self_attn.o_proj"), 7168, 16384);
    c.add(layer(l, "input_layernorm.weight"), {7168}).add(layer(l, "post_attention_layernorm.weight"), {7168});
    if (l < dense) {
      c.fp8_block(layer(l, "mlp.gate_proj"), 18432, 7168).fp8_block(layer(l, "mlp.up_proj"), 18432, 7168);
      c.fp8_block(layer(l, "mlp.down_proj"), 7168, 18432);
    } else {
      c.linear(layer(l, "mlp.gate"), 256, 7168).add(layer(l, "mlp.gate.e_score_correction_bias"), {256}, "F32");
      for (int e = 0; e < 257; ++e) {
        const std::string expert = layer(l, e < 256 ? "mlp.experts." + std::to_string(e) + "." : "mlp.shared_experts.");
        c.fp8_block(expert + "gate_proj", 2048, 7168)
            .fp8_block(expert + "up_proj", 2048, 7168)
            .fp8_block(expert + "down_proj", 7168, 2048);
      }
    }
    if (l == layers) {  // the draft layer
      c.linear(layer(l, "eh_proj"), 7168, 14336)
          .add(layer(l, "enorm.weight"), {7168})
          .add(layer(l, "hnorm.weight"), {7168});
      c.add(layer(l, "shared_head.norm.weight"), {7168}).add(layer(l, "shared_head.head.weight"), {129280, 7168});
      c.add(layer(l, "embed_tokens.weight"), {129280, 7168});
    }
  }
  c.add("model.norm.weight", {7168}).add("lm_head.weight", {129280, 7168});
  return c;
}

/// Llama-3.1-8B as llama.cpp writes it, some layers in Q6_K as its Q4_K_M does.
inline GgufWriter llama_31_8b_gguf() {
  GgufWriter w;
  w.text("general.architecture", "llama").text("general.name", "Llama 3.1 8B").integer("llama.block_count", 32);
  w.integer("llama.context_length", 131072)
      .integer("llama.embedding_length", 4096)
      .integer("llama.feed_forward_length", 14336);
  w.integer("llama.attention.head_count", 32).integer("llama.attention.head_count_kv", 8);
  w.integer("llama.vocab_size", 128256);
  const auto q4 = [](std::uint64_t in, std::uint64_t out) { return out * in / 256 * 144; };
  const auto q6 = [](std::uint64_t in, std::uint64_t out) { return out * in / 256 * 210; };
  w.tensor("token_embd.weight", 12, {4096, 128256}, q4(4096, 128256));
  for (int l = 0; l < 32; ++l) {
    const std::string blk = "blk." + std::to_string(l) + ".";
    const bool better = l < 4 || l >= 28 || l % 3 == 0;
    w.tensor(blk + "attn_norm.weight", 0, {4096}, 16384);
    w.tensor(blk + "ffn_down.weight", better ? 14 : 12, {14336, 4096}, better ? q6(14336, 4096) : q4(14336, 4096));
    w.tensor(blk + "ffn_gate.weight", 12, {4096, 14336}, q4(4096, 14336));
    w.tensor(blk + "ffn_up.weight", 12, {4096, 14336}, q4(4096, 14336));
    w.tensor(blk + "ffn_norm.weight", 0, {4096}, 16384);
    w.tensor(blk + "attn_k.weight", 12, {4096, 1024}, q4(4096, 1024));
    w.tensor(blk + "attn_output.weight", 12, {4096, 4096}, q4(4096, 4096));
    w.tensor(blk + "attn_q.weight", 12, {4096, 4096}, q4(4096, 4096));
    w.tensor(blk + "attn_v.weight", better ? 14 : 12, {4096, 1024}, better ? q6(4096, 1024) : q4(4096, 1024));
  }
  w.tensor("output_norm.weight", 0, {4096}, 16384);
  w.tensor("output.weight", 14, {4096, 128256}, q6(4096, 128256));
  return w;
}

}  // namespace vram::testing_files
