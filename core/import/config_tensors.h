// From layers to tensors and caches.
//
// A piece is a tensor with the layers that have it and the names by which quantisation lists know it; quantisation
// (quantisation.h) then gives every piece its stored format, splitting it where layers differ.
#pragma once
#include <string_view>
#include <vector>

#include "core/import/config_layers.h"
#include "core/model/model.h"

namespace vram {

struct Piece {
  Role role = Role::other;
  Part part = Part::text;
  LayerSet layers{};  ///< empty: once in the model
  Count outputs, inputs{1}, copies{1};
  bool stored = true;
  /// Module names below the layer ("self_attn.q_proj attn.wq"), separated by spaces, the Hugging Face one first.
  std::string_view names;
};

std::vector<Piece> text_pieces(const TextModel& model);
/// Adds the caches of the text model. Pieces' layer sets are added when the pieces become tensors.
void add_caches(const TextModel& text, Model& model);

}  // namespace vram
