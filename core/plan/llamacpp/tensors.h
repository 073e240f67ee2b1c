// The tensors of a model's GGUF, and the types a quantisation mix gives them.
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan/llamacpp/model.h"

namespace vram::llamacpp {

/// Lists the tensors that llama.cpp expects of the model (load_tensors of its architecture), unquantised: matrices in
/// `matrices` (fp16 or bf16), vectors and routers in fp32.
void list_tensors(Model& model, FormatId matrices);

/// Gives the tensors the types of a mix: "Q4_K_M", "IQ4_XS", "MXFP4_MOE", "F16", … False when the mix is not known.
bool apply_mix(Model& model, std::string_view mix);

std::uint64_t tensor_bytes(const Tensor& tensor);
/// Of all tensors in the file, those that are not loaded too.
std::uint64_t file_bytes(const Model& model);

/// Tensors by type.
using TypeCounts = std::vector<std::pair<FormatId, std::uint32_t>>;
/// Whether the model's tensors have the types in these numbers.
bool has_types(const Model& model, const TypeCounts& types);
/// Gives the matrices types in these numbers, where a quantiser would: the fewest bits to experts, the most to the head.
/// The types they have now, by the mix's name, decide between alike ones. `file_size`: bytes; 0 = not known.
void spread_types(Model& model, TypeCounts types, double file_size = 0);

}  // namespace vram::llamacpp
