// Which of many files make one checkpoint: the parts of a split GGUF, the shards of a safetensors checkpoint.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/open.h"

namespace vram {

struct SplitPart {
  std::string_view name;
  const GgufFile* file = nullptr;
};
/// One model, whole or with all its parts. Errors: open.several_models, open.missing_parts, open.part_twice.
std::optional<Message> check_split(std::span<const SplitPart> parts);

struct ShardCandidate {
  std::string_view name;
  const TensorList* tensors = nullptr;
};
struct ShardChoice {
  std::vector<FileUse> uses;     ///< of each candidate
  std::optional<Message> error;  ///< open.missing_parts, open.several_models, open.only_adapter
};
/// Files that an index names, or that are numbered together, are the checkpoint; others are a second copy (as many
/// bytes, or the same names), an adapter (only low-rank pairs), or more of the same (draft layers in a file of their
/// own).
ShardChoice choose_checkpoint(std::span<const ShardCandidate> files, const SafetensorsIndex* index);

/// "dir/model-00001-of-00003.gguf" → "model".
std::string name_without_ending(std::string_view file);

}  // namespace vram
