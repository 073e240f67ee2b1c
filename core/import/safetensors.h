// safetensors: eight bytes of length, a JSON header of that length, then the data, which is never read.
//
//   8 B little-endian N │ N B {"__metadata__": {…}, "name": {"dtype": "BF16", "shape": [4096, 4096],
//                        │      "data_offsets": [0, 33554432]}, …} │ data, without holes, to the end of the file
//
// The header of a checkpoint with 90,000 tensors is 11 MB of JSON of one shape only, so it has a scanner of its own
// that makes no tree (measured in tests/bench); it takes nothing that JSON or this shape does not allow.
//
// Errors, each with {file}: reader.unreadable {at}, safetensors.too_short {size}, safetensors.header_too_long {length,
// most}, safetensors.header_past_end {length, size}, safetensors.syntax {at}, safetensors.field {tensor, field},
// safetensors.unknown_type {tensor, type}, safetensors.size_differs {tensor, stated, computed}, safetensors.gap
// {tensor}, safetensors.truncated {tensor, size, needed}, safetensors.trailing {size, needed},
// safetensors.duplicate {tensor}, safetensors.empty.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/import/reader.h"
#include "core/import/reader_tensors.h"

namespace vram {

/// Longest header that writers of the format allow (safetensors `MAX_HEADER_SIZE`).
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsFile {
  TensorList tensors;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< "format": "pt"; at most a few, the rest is left out
  std::uint64_t header_bytes = 0;                             ///< with the eight of its length
};

class SafetensorsReader final : public FileReader {
 public:
  explicit SafetensorsReader(FileInfo file);
  std::optional<ByteRange> wants() const override;
  Progress progress() const override;
  /// The header, once wants() has nothing more.
  Result<SafetensorsFile> take();

 private:
  void take_in(std::span<const std::byte> bytes) override;

  std::uint64_t length_ = 0;
  std::vector<char> header_;
  bool length_known_ = false;
};

/// The whole header's JSON; `header` becomes part of the list. `data_bytes`: of the file after its header.
Result<SafetensorsFile> parse_safetensors_header(std::vector<char> header, std::uint64_t data_bytes);

/// model.safetensors.index.json: which tensor is in which file.
struct SafetensorsIndex {
  std::vector<std::string> files;         ///< each once, in the order they first appear
  std::vector<std::uint32_t> tensors_in;  ///< how many of the tensors each file holds
  std::uint64_t tensors = 0;
  std::uint64_t total_size = 0;  ///< bytes, as stated; 0 = not stated
};

/// Errors: safetensors.syntax {at}, index.no_weight_map, index.duplicate {tensor}, index.too_many_files {most}.
Result<SafetensorsIndex> parse_safetensors_index(std::string_view text);

}  // namespace vram
