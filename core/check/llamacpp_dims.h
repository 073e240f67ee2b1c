// A model of llama.cpp from the dimensions that a row of measurements carries (data/README.md, models.jsonl: `dims`).
#pragma once
#include <optional>
#include <string_view>

#include "core/plan/llamacpp/model.h"
#include "core/units/json.h"

namespace vram::check {

/// Nothing when a dimension without which no layer can be built is missing or out of range.
std::optional<llamacpp::Model> model_from_dims(std::string_view arch, const Json& dims);

}  // namespace vram::check
