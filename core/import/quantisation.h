// How a checkpoint is stored: `quantization_config` of config.json and hf_quant_config.json → a format for every
// tensor.
//
// Understood: fp8 (blocks of 128 × 128, per tensor, per channel), compressed-tensors, modelopt (FP8, NVFP4, MXFP8,
// mixed), AWQ, GPTQ and AutoRound, bitsandbytes, mxfp4 (gpt-oss), FBGEMM fp8, Quark; DeepSeek V4's `expert_dtype`.
// Lists of modules that are left out or given a format of their own are matched as those tools match them
// (quantisation_names.h). Anything else is said in a note and the sizes are those of sixteen bits.
#pragma once
#include <optional>
#include <vector>

#include "core/import/quantisation_names.h"
#include "core/model/model.h"
#include "core/units/json.h"

namespace vram {

struct Quantisation {
  std::optional<FormatId> base;     ///< of every linear layer that no list names
  std::optional<FormatId> experts;  ///< of routed experts, where it differs
  bool only_experts = false;        ///< `base` is for routed experts alone
  bool head = false;                ///< the head is quantised too (GPTQ `lm_head`)
  NameList left_out;                ///< stay as they are
  NameList listed;                  ///< have a format of their own
  std::vector<Message> notes;
};

/// `root` and `text`: config.json and its text model; `hf_quant_config` may be null.
Quantisation read_quantisation(const Json& root, const Json& text, const Json* hf_quant_config);

/// Adds the pieces to the model as tensors, each with its stored format; `plain` is the format of what is not
/// quantised.
void store_pieces(const std::vector<Piece>& pieces, const Quantisation& quantisation, FormatId plain, Model& model);

}  // namespace vram
