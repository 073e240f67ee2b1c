// Families whose layers hold more than a mixer and a feed-forward block.
#pragma once
#include "core/import/config_layers.h"

namespace vram {

/// Adds to `model` what its family's layout has besides ordinary layers, and corrects what it has otherwise.
void apply_special_layout(FieldReader& fields, TextModel& model);

}  // namespace vram
