// Which layer is what: the many ways in which a config.json says where attention, windows, recurrences and experts are.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/import/families.h"

namespace vram {

/// What stands in a layer, in the words of `layer_types` and its kin.
enum class LayerKind : std::uint8_t { full, sliding, chunked, recurrent, mlp, experts };
std::optional<LayerKind> layer_kind(std::string_view word);

/// The number of layers; where it is left out, the length of a list with an entry for each.
std::uint32_t count_layers(FieldReader& fields);

/// The family's recurrence; of an unknown family, what its fields tell.
Recurrence recurrence_of(FamilyFields& fields);
/// Models without any attention (Mamba) have no attention heads.
bool is_attention_free(FamilyFields& fields);

struct LayerKinds {
  std::vector<LayerKind> kinds;
  std::uint32_t window = 0;      ///< of sliding layers; 0 = none
  bool window_unplaced = false;  ///< a window is given but not where, and the family is not known
};
LayerKinds read_layer_kinds(FamilyFields& fields, std::uint32_t layers, std::uint32_t context);

/// True for each layer whose feed-forward block is experts.
std::vector<bool> read_expert_layers(FamilyFields& fields, std::uint32_t layers);

}  // namespace vram
