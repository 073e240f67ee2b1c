// An opened model as the text that a scenario carries (Deployment::config), and back.
//
// The shorter of two ways that keep every fact: a trimmed config.json when that is all there was, the inventory when
// tensors were read.
#pragma once
#include <string>
#include <string_view>

#include "core/import/open.h"
#include "core/model/model.h"
#include "core/units/result.h"

namespace vram {

std::string describe(const Opened& opened);

/// Errors: those of parse_json, model_from_config and model_from_json.
Result<Model> described_model(std::string_view description);

}  // namespace vram
