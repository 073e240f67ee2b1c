// config.json → a model.
//
//   Result<Model> model = model_from_config_text(file_text, {.name = "Llama 3.1 8B"});
//   if (!model) say(model.error());
//   count_parameters(model.value()).total     // 8,030,261,248
//
// What happens, and where:
//   1. is this a model's config at all, and whose?            config.cpp
//   2. its numbers, by meaning                                config_fields.*
//   3. what its family does that the config does not say      families.*
//   4. layer by layer: mixer, feed-forward block, norms       config_layers.*, config_special.*
//   5. tensors and caches                                     config_tensors.*, config_towers.*
//   6. stored formats                                         quantisation.*
//
// Pure, and safe on any input: every number is bounded, and what is wrong becomes a message. Errors:
//   json.* (core/units/json.h), config.not_a_model {found}, config.missing_field {field},
//   config.wrong_type {field, expected}, config.out_of_range {field, value, low, high},
//   config.list_length {field, length, layers}, config.unknown_layer_kind {field, word, layer},
//   config.unknown_recurrence {field}, config.no_text_model {model_type}, config.too_large.
#pragma once
#include <string>
#include <string_view>

#include "core/model/model.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram {

struct ConfigExtras {
  const Json* hf_quant_config = nullptr;  ///< hf_quant_config.json beside it, where there is one
  std::string name;                       ///< as shown; the config's own name or model_type when empty
};

Result<Model> model_from_config(const Json& config, const ConfigExtras& extras = {});
Result<Model> model_from_config_text(std::string_view text, const ConfigExtras& extras = {});

}  // namespace vram
