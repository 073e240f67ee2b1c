// Vision and audio towers: their parameters from their dimensions, added to the inventory as one tensor a tower.
#pragma once
#include <vector>

#include "core/import/config_tensors.h"
#include "core/units/json.h"

namespace vram {

/// Pieces of the towers that `root` (a whole config.json) describes. `hidden` is the width of the text model.
/// A tower that is described but whose kind is not known is counted as a plain vision transformer, with a note.
std::vector<Piece> tower_pieces(const Json& root, std::string_view model_type, std::uint32_t hidden,
                                std::vector<Message>& notes);

}  // namespace vram
