// Storage formats: bits of a value *and* the exact cost of what comes with it (scales, zero points, blocks, padding).
//
// A matrix of `outputs` × `inputs` values in a format costs, exactly:
//   block formats (GGML)          outputs × (ceil(inputs / block_values) × block_bytes + row_bytes)
//   group formats (AWQ, GPTQ, NVFP4)
//                                 values × bits / 8
//                               + outputs × ceil(inputs / group) × (scale bytes + zero-point bits / 8)
//   tile formats (fp8 128 × 128)  values × bits / 8 + ceil(outputs / tile) × ceil(inputs / tile) × scale bytes
//   channel and tensor formats    values × bits / 8 + outputs × scale bytes, or + scale bytes
//
// Worked example, AWQ int4 with groups of 128, 4096 × 14336:
//   packed 4096·14336/2 = 29,360,128; scales 4096·112·2 = 917,504; zeros 4096·112/2 = 229,376 → 30,507,008 bytes
//   = 4.156 bits a value, not 4.
//
// Nominal bits times parameters is what the supplier's article calls a rough lower bound; this is the real storage.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/units/bytes.h"

namespace vram {

/// Every format, in the order of `storage_formats()`. Numbers may change between releases; `StorageFormat::id` may not.
enum class FormatId : std::uint8_t {
  // plain
  fp32, bf16, fp16, fp64, raw8, raw16, raw32, raw64,
  // eight bits
  fp8, fp8_channel, fp8_block, mxfp8, int8,
  // six and four bits
  fp6, awq_int4, gptq_int4, int4_sym, nf4, nf4_dq, mxfp4, nvfp4, fp4,
  // integers with other groups than 128, and eight bits in groups
  awq_int4_g64, awq_int4_g32, gptq_int4_g64, gptq_int4_g32, gptq_int4_channel, gptq_int8, int4_sym_g64, int4_sym_g32,
  int4_sym_channel,
  // two halves of a latent cache
  fp8_ds_mla,
  // GGML block types (facts: llama.cpp ggml.c type_traits)
  q4_0, q4_1, q5_0, q5_1, q8_0, q8_1, q2_k, q3_k, q4_k, q5_k, q6_k, q8_k,
  iq1_s, iq1_m, iq2_xxs, iq2_xs, iq2_s, iq3_xxs, iq3_s, iq4_nl, iq4_xs, tq1_0, tq2_0,
  q1_0, q2_0, nvfp4_block, i2_s,
  // of ik_llama.cpp only
  q6_0, iq1_bn, iq2_bn, iq2_k, iq3_k, iq4_k, iq5_k, iq6_k, iq2_ks, iq3_ks, iq4_ks, iq5_ks, iq4_kss, iq2_kl,
  iq1_kt, iq2_kt, iq3_kt, iq4_kt, q8_kv, q8_k_r8, iq1_s_r4, iq1_m_r4,
  // GPTQ below four bits
  gptq_int3, gptq_int2,
  count_
};

/// Which tensors a format is applied to when a model is quantised to it.
enum class Coverage : std::uint8_t {
  everything,       ///< a plain type: fp32, bf16, fp16
  linear_layers,    ///< linear layers of the text model; embedding, head, norms, routers, towers stay in 16 bits
  experts_only,     ///< routed experts alone (gpt-oss MXFP4)
};

struct StorageFormat {
  std::string_view id;        ///< "bf16", "awq_int4_g128", "q4_k"
  double bits = 0;            ///< nominal bits a value, without what comes with it
  std::uint32_t block_values = 1, block_bytes = 0;  ///< block formats; block_bytes 0 = none
  std::uint32_t row_bytes = 0;                      ///< block formats: a scale in front of each row (ik_llama.cpp)
  std::uint32_t group = 0;                          ///< values along the inputs that share one scale; 0 = none
  std::uint32_t scale_bytes = 0;                    ///< of each group, tile, output channel or tensor
  std::uint32_t zero_bits = 0;                      ///< zero point of each group
  std::uint32_t tile = 0;                           ///< square tile sharing one scale; 0 = none
  bool channel_scale = false;                       ///< one scale an output
  std::uint32_t tensor_bytes = 0;                   ///< constants of each tensor (global scales)
  Coverage coverage = Coverage::everything;
};

std::span<const StorageFormat> storage_formats();
const StorageFormat& storage_format(FormatId id);
/// The format called `id`, or nothing.
std::optional<FormatId> find_format(std::string_view id);

/// Exact bytes of one matrix. Vectors are outputs × 1.
Bytes stored_bytes(const StorageFormat& format, Count outputs, Count inputs);
/// Bytes of `values` of a cache; caches have no tiles, their scales are part of the block.
Bytes cache_bytes(const StorageFormat& format, Count values);

}  // namespace vram
