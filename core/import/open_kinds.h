// What a file is, told by its first bytes: names lie.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/import/reader.h"

namespace vram {

enum class FileKind : std::uint8_t {
  gguf,
  safetensors,
  config,
  index,
  quant_config,
  scenario,  ///< what the page saved: core/scenario reads it
  other_json,
  empty,
  text,
  engine_log,
  html,
  pdf,
  zip,
  archive,
  pickle,
  lfs,
  image,
  hdf5,
  old_ggml,
  binary,
  count_
};
/// Key of strings: "file_kind.pdf".
std::string_view file_kind_key(FileKind kind);

/// Bytes of the beginning that decide.
constexpr std::uint64_t kSniff = 4096;

/// `begin`: the first kSniff bytes, or all there are. JSON is told apart by the members that begin it; what is not
/// known by then is `other_json`, and a config until it is read. A name decides only between readers that would refuse
/// anything else ("x.gguf" of unknown content is given to the GGUF reader, which says what is wrong with it), and calls
/// a text a start-up log ("x.log") whose first lines say nothing.
FileKind file_kind(const FileInfo& file, std::span<const std::byte> begin);

}  // namespace vram
