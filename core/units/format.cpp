#include "core/units/format.h"

#include <array>
#include <cstddef>

namespace vram {
namespace {

constexpr std::size_t kFormats = static_cast<std::size_t>(FormatId::count_);

constexpr StorageFormat plain(std::string_view id, double bits) { return {.id = id, .bits = bits}; }
constexpr StorageFormat block(std::string_view id, double bits, std::uint32_t values, std::uint32_t bytes,
                              std::uint32_t row_bytes = 0) {
  return {.id = id, .bits = bits, .block_values = values, .block_bytes = bytes, .row_bytes = row_bytes,
          .coverage = Coverage::linear_layers};
}

// Costs of the quantised formats follow the tensors that checkpoints store and vLLM keeps after loading
// (vLLM model_executor/layers/quantization, read 2026-08); GGML blocks follow ggml's type table.
constexpr std::array<StorageFormat, kFormats> kTable = {{
    plain("fp32", 32),
    plain("bf16", 16),
    plain("fp16", 16),
    plain("fp64", 64),
    plain("raw8", 8),
    plain("raw16", 16),
    plain("raw32", 32),
    plain("raw64", 64),
    // one fp32 scale for a tensor
    {.id = "fp8", .bits = 8, .tensor_bytes = 4, .coverage = Coverage::linear_layers},
    // one fp32 scale for an output channel (compressed-tensors, FBGEMM)
    {.id = "fp8_channel", .bits = 8, .scale_bytes = 4, .channel_scale = true, .coverage = Coverage::linear_layers},
    // one fp32 scale for a tile of 128 × 128 (DeepSeek V3, Qwen3-FP8, MiniMax)
    {.id = "fp8_block", .bits = 8, .scale_bytes = 4, .tile = 128, .coverage = Coverage::linear_layers},
    // OCP MX: one E8M0 byte for 32 values
    {.id = "mxfp8", .bits = 8, .group = 32, .scale_bytes = 1, .coverage = Coverage::linear_layers},
    // W8A8: one fp32 scale for an output channel
    {.id = "int8", .bits = 8, .scale_bytes = 4, .channel_scale = true, .coverage = Coverage::linear_layers},
    plain("fp6", 6),
    // group of 128 with a 16-bit scale and a 4-bit zero point
    {.id = "awq_int4", .bits = 4, .group = 128, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    {.id = "gptq_int4", .bits = 4, .group = 128, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    // compressed-tensors W4A16, symmetric: no zero points
    {.id = "int4_sym", .bits = 4, .group = 128, .scale_bytes = 2, .coverage = Coverage::linear_layers},
    // bitsandbytes: an fp32 absmax for 64 values (QLoRA paper, §3: 4.5 bits a parameter)
    {.id = "nf4", .bits = 4, .group = 64, .scale_bytes = 4, .coverage = Coverage::linear_layers},
    // double quantisation: an 8-bit absmax for 64 values and an fp32 for 256 of those (4.127 bits). As a block of
    // 64·256 values it is exact for whole blocks, which every real layer is.
    {.id = "nf4_dq", .bits = 4, .block_values = 16384, .block_bytes = 8452, .coverage = Coverage::linear_layers},
    // OCP MX: one E8M0 byte for 32 values; gpt-oss stores its experts so
    {.id = "mxfp4", .bits = 4, .group = 32, .scale_bytes = 1, .coverage = Coverage::linear_layers},
    // one fp8 scale for 16 values, two fp32 constants a tensor (global and input scale)
    {.id = "nvfp4", .bits = 4, .group = 16, .scale_bytes = 1, .tensor_bytes = 8, .coverage = Coverage::linear_layers},
    plain("fp4", 4),
    // the same storage with smaller groups, one group a channel, or eight bits (facts/engines.md A6.4)
    {.id = "awq_int4_g64", .bits = 4, .group = 64, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    {.id = "awq_int4_g32", .bits = 4, .group = 32, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    {.id = "gptq_int4_g64", .bits = 4, .group = 64, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    {.id = "gptq_int4_g32", .bits = 4, .group = 32, .scale_bytes = 2, .zero_bits = 4, .coverage = Coverage::linear_layers},
    {.id = "gptq_int4_channel", .bits = 4, .scale_bytes = 2, .channel_scale = true, .coverage = Coverage::linear_layers},
    {.id = "gptq_int8", .bits = 8, .group = 128, .scale_bytes = 2, .zero_bits = 8, .coverage = Coverage::linear_layers},
    {.id = "int4_sym_g64", .bits = 4, .group = 64, .scale_bytes = 2, .coverage = Coverage::linear_layers},
    {.id = "int4_sym_g32", .bits = 4, .group = 32, .scale_bytes = 2, .coverage = Coverage::linear_layers},
    {.id = "int4_sym_channel", .bits = 4, .scale_bytes = 2, .channel_scale = true, .coverage = Coverage::linear_layers},
    // DeepSeek V3.2 latent cache in vLLM: 512 fp8 values + 16 B of scales + 64 × 2 B rope = 656 B for 576 values
    block("fp8_ds_mla", 8, 576, 656),
    // ggml: values a block, bytes a block
    block("q4_0", 4, 32, 18),
    block("q4_1", 4, 32, 20),
    block("q5_0", 5, 32, 22),
    block("q5_1", 5, 32, 24),
    block("q8_0", 8, 32, 34),
    block("q8_1", 8, 32, 36),
    block("q2_k", 2, 256, 84),
    block("q3_k", 3, 256, 110),
    block("q4_k", 4, 256, 144),
    block("q5_k", 5, 256, 176),
    block("q6_k", 6, 256, 210),
    block("q8_k", 8, 256, 292),
    block("iq1_s", 1.5, 256, 50),
    block("iq1_m", 1.75, 256, 56),
    block("iq2_xxs", 2, 256, 66),
    block("iq2_xs", 2, 256, 74),
    block("iq2_s", 2, 256, 82),
    block("iq3_xxs", 3, 256, 98),
    block("iq3_s", 3, 256, 110),
    block("iq4_nl", 4, 32, 18),
    block("iq4_xs", 4, 256, 136),
    block("tq1_0", 1.6, 256, 54),
    block("tq2_0", 2, 256, 66),
    block("q1_0", 1, 128, 18),
    block("q2_0", 2, 64, 18),
    block("nvfp4_block", 4, 64, 36),
    // BitNet: two bits a value and one scale, padded to 32 bytes, a tensor
    {.id = "i2_s", .bits = 2, .tensor_bytes = 32, .coverage = Coverage::linear_layers},
    // ik_llama.cpp: the last number is what stands in front of each row (its type_traits, row_meta_size)
    block("q6_0", 6, 32, 26),
    block("iq1_bn", 1.5, 64, 13, 2),
    block("iq2_bn", 2, 64, 16, 4),
    block("iq2_k", 2, 256, 76),
    block("iq3_k", 3, 256, 110),
    block("iq4_k", 4, 256, 144),
    block("iq5_k", 5, 256, 176),
    block("iq6_k", 6, 256, 212),
    block("iq2_ks", 2, 256, 70, 2),
    block("iq3_ks", 3, 256, 102, 2),
    block("iq4_ks", 4, 256, 136, 4),
    block("iq5_ks", 5, 256, 168, 4),
    block("iq4_kss", 4, 256, 128, 4),
    block("iq2_kl", 2.5, 256, 86, 2),
    block("iq1_kt", 1.75, 256, 56, 4),
    block("iq2_kt", 2, 256, 68, 4),
    block("iq3_kt", 3, 256, 100, 4),
    block("iq4_kt", 4, 256, 128, 4),
    block("q8_kv", 8, 32, 32, 8),
    block("q8_k_r8", 8, 256, 258),
    block("iq1_s_r4", 1.5, 32, 6, 2),
    block("iq1_m_r4", 1.75, 32, 7, 2),
    {.id = "gptq_int3", .bits = 3, .group = 128, .scale_bytes = 2, .zero_bits = 3, .coverage = Coverage::linear_layers},
    {.id = "gptq_int2", .bits = 2, .group = 128, .scale_bytes = 2, .zero_bits = 2, .coverage = Coverage::linear_layers},
}};

constexpr bool every_format_is_named() {
  for (const StorageFormat& format : kTable) {
    if (format.id.empty()) return false;
  }
  return true;
}
static_assert(every_format_is_named(), "the table has a row for each FormatId, in its order");

/// Bytes of `values` values of `bits` bits, rounded up to whole bytes. Bits are multiples of 1/4.
Bytes packed(Count values, double bits) {
  const auto quarters = static_cast<std::uint64_t>(bits * 4);
  if (quarters % 32 == 0) return values * Bytes(quarters / 32);
  return Bytes(ceil_div(values * Count(quarters), Count(32)).value());
}

}  // namespace

std::span<const StorageFormat> storage_formats() { return kTable; }

const StorageFormat& storage_format(FormatId id) { return kTable[static_cast<std::size_t>(id) % kFormats]; }

std::optional<FormatId> find_format(std::string_view id) {
  for (std::size_t i = 0; i < kFormats; ++i) {
    if (kTable[i].id == id) return static_cast<FormatId>(i);
  }
  return std::nullopt;
}

Bytes stored_bytes(const StorageFormat& format, Count outputs, Count inputs) {
  const Count values = outputs * inputs;
  if (format.block_bytes != 0) {
    // ggml blocks run along a row; a bitsandbytes block runs over the whole flattened tensor
    const bool flattened = format.block_values > 256;
    const Count blocks = flattened ? ceil_div(values, Count(format.block_values))
                                   : outputs * ceil_div(inputs, Count(format.block_values));
    return blocks * Bytes(format.block_bytes) + outputs * Bytes(format.row_bytes);
  }
  Bytes bytes = packed(values, format.bits) + Bytes(format.tensor_bytes);
  if (format.group != 0) {
    const Count groups = outputs * ceil_div(inputs, Count(format.group));
    bytes += groups * Bytes(format.scale_bytes) + packed(groups, format.zero_bits);
  } else if (format.tile != 0) {
    bytes += ceil_div(outputs, Count(format.tile)) * ceil_div(inputs, Count(format.tile)) * Bytes(format.scale_bytes);
  } else if (format.channel_scale) {
    bytes += outputs * Bytes(format.scale_bytes);
  }
  return bytes;
}

Bytes cache_bytes(const StorageFormat& format, Count values) {
  if (format.block_bytes != 0) return ceil_div(values, Count(format.block_values)) * Bytes(format.block_bytes);
  Bytes bytes = packed(values, format.bits);
  if (format.group != 0) bytes += ceil_div(values, Count(format.group)) * Bytes(format.scale_bytes);
  return bytes;
}

}  // namespace vram
