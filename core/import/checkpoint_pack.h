// Tensors of one module put together: values, scales, zero points → one matrix in the format that it really is.
//
// A linear layer in four bits is stored as whole words: AWQ keeps a 4096 × 14336 matrix as an I32 tensor of 4096 × 1792
// with scales and zero points beside it. Counting elements would give an eighth of the parameters. What a module is can
// be told from the names, types and shapes of its tensors:
//   qweight I32, scales, qzeros          AWQ (packed along outputs) or GPTQ (along inputs), bits from the shapes
//   weight_packed I32, weight_scale      compressed-tensors
//   weight U8, weight_scale F8, 16:1     NVFP4              weight U8 or I8, scale E8M0, 32:1   MXFP4
//   …_blocks U8, …_scales U8             MXFP4 of gpt-oss
//   weight U8, weight.absmax             bitsandbytes NF4/FP4
//   weight F8, one scale / a row of them / a tile of them      fp8, fp8_channel, fp8_block
//   weight I8, scale or SCB              int8
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/import/reader_tensors.h"
#include "core/model/model.h"

namespace vram {

struct ModulePart {
  std::string_view component;
  const StoredTensor* tensor = nullptr;
  std::span<const std::uint64_t> shape;
};

/// A matrix, `copies` of it in one tensor where experts are stacked.
struct Matrix {
  FormatId format = FormatId::bf16;
  Count outputs, inputs{1}, copies{1};
  Bytes bytes;              ///< of all copies, with scales
  bool shape_known = true;  ///< false: the values are known in number only, as `outputs` × 1
};

/// The values of a module and everything that goes with them, without its bias. `hidden`: width of the model, 0 = not
/// known; it tells the direction of stacked experts. Parts must not be empty.
Matrix matrix_of(std::span<const ModulePart> parts, Role role, std::uint64_t hidden);

}  // namespace vram
