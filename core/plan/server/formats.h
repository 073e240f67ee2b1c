// A model in the weight format that a server loads, by the names people and logs give it.
//
// A quantised checkpoint leaves some linear layers in sixteen bits, and which ones is a habit of whoever made it:
//   nvfp4        by family: everything, all but attention, all but recurrent mixers, the routed experts alone
//   fp8_channel  Meta's FBGEMM: feed-forward of all but the first and last layer
//   fp8_mxfp4    experts in mxfp4, other linear layers in fp8 tiles (DeepSeek-V4)
#pragma once
#include <optional>
#include <string_view>

#include "core/model/model.h"

namespace vram {

/// Nothing where the name is unknown or does not say enough ("gguf" without a type).
std::optional<Model> in_served_format(const Model& model, std::string_view name);

}  // namespace vram
