// A config.json cut down to what is read of it, so that a link can carry an opened model.
//
// Each member is left out in turn and stays out when the model reads the same without it: nothing has to be listed, and
// a field that a family starts to use is kept from then on.
#pragma once
#include <string>

#include "core/import/config.h"

namespace vram {

/// The smallest text that reads as the same model, hf_quant_config.json included under its name. Empty when the config
/// cannot be read.
std::string trimmed_config(const Json& config, const ConfigExtras& extras = {});

/// Reads such a text.
Result<Model> model_from_trimmed_config(std::string_view text);

}  // namespace vram
