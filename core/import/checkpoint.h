// From the list of stored tensors to a model's inventory.
//
//   TensorList header = …;                                       // of each file of a checkpoint
//   Model model;                                                 // empty, or what config.json or GGUF metadata told
//   if (auto error = add_inventory(model, {&header}, Naming::hugging_face)) …
//   weight_bytes(model)                                          // to the byte what the files hold
//
// Names say what a tensor is for (checkpoint_names.h), the tensors of one module together say its format
// (checkpoint_pack.h); here modules become entries of the inventory: layers that are alike share one, experts that are
// stored one by one become copies, fused projections are told apart where the head counts are known.
//
// Errors: checkpoint.layer_number {tensor, most}, checkpoint.too_varied {most}, checkpoint.not_a_model.
#pragma once
#include <optional>
#include <span>

#include "core/import/reader_tensors.h"
#include "core/model/model.h"
#include "core/units/result.h"

namespace vram {

enum class Naming : std::uint8_t { hugging_face, gguf };

/// Fills model.tensors with what is stored. `model.dims` helps where it is filled in; `tied`: the config says that head
/// and embedding are one. Notes: checkpoint.tied_twice {bytes}, checkpoint.unknown_tensors {count, bytes},
/// checkpoint.tensor_twice {tensor}.
std::optional<Message> add_inventory(Model& model, std::span<const TensorList* const> files, Naming naming,
                                     std::optional<bool> tied = std::nullopt);

/// Dimensions that are not known yet, from the shapes of the inventory. Notes: checkpoint.head_size_guessed {value},
/// checkpoint.experts_per_token_unknown.
void deduce_dimensions(Model& model);
/// Caches from the shapes of the inventory, for a model of which nothing else is known. Notes:
/// checkpoint.caches_deduced, checkpoint.state_unknown, checkpoint.indexer_unknown.
void deduce_caches(Model& model);

}  // namespace vram
