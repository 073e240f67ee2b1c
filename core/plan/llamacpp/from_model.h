// Our model as llama.cpp sees it: which architecture it is, its layers one by one, and the tensors of its GGUF.
//
//   to_llamacpp(Qwen3-30B-A3B)                    "qwen3moe", 48 layers with 128 experts, tensors in 16 bits
//   to_llamacpp(opened GGUF file)                 the same with every tensor's own type
#pragma once
#include <optional>
#include <string_view>

#include "core/model/model.h"
#include "core/plan/llamacpp/model.h"

namespace vram::llamacpp {

/// general.architecture of the GGUF that a model_type of Hugging Face is converted to; "" when it is not known. A GGUF's
/// own architecture stands for itself.
std::string_view architecture_of(std::string_view model_type);

/// Nothing when the model has no layers (only its size is known) or does not generate. `architecture`: as a file states
/// it, when that is known better than the model's type ("bailingmoe2").
std::optional<Model> to_llamacpp(const vram::Model& from, std::string_view architecture = {});

}  // namespace vram::llamacpp
