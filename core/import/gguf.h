// GGUF versions 2 and 3: metadata, then a table of tensors, then their data, which is never read.
//
//   "GGUF" │ u32 version │ u64 tensors │ u64 keys │ keys: name, type, value … │ tensors: name, shape, type, place … │
//   data (a text is a u64 length and its bytes; everything is little-endian; data begins at the next multiple of
//   `general.alignment`, and each tensor lies at a multiple of it)
//
// The tokenizer's arrays come before the tensors and are most of a header. Texts in them are walked over, arrays of
// numbers are jumped over without being asked for, and nothing of them is kept but their length. Files that were split
// (`split.count`) are read one by one; open.h puts them together.
//
// Errors, each with {file}: reader.unreadable {at}, gguf.too_short {size}, gguf.magic, gguf.version {version},
// gguf.version_1, gguf.big_endian, gguf.truncated {at}, gguf.count {what, count, most}, gguf.text_too_long {at,
// length}, gguf.value_type {key, type}, gguf.nested_array {key}, gguf.array_past_end {key, count}, gguf.duplicate_key
// {key}, gguf.alignment {alignment}, gguf.header_too_long {most}, gguf.tensor_shape {tensor}, gguf.tensor_type {tensor,
// type}, gguf.removed_type {tensor, type}, gguf.tensor_row {tensor, length, block}, gguf.tensor_place {tensor},
// gguf.tensor_past_end {tensor, size, needed}, gguf.duplicate_tensor {tensor}.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/import/reader.h"
#include "core/import/reader_tensors.h"

namespace vram {

/// A value of the metadata. Of an array only its length is kept, and its whole numbers when there are few (layers).
struct GgufValue {
  std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>> value;
  std::uint64_t count = 0;  ///< of an array
};

struct GgufFile {
  std::uint32_t version = 0;
  TensorList tensors;                                      ///< shapes slowest dimension first, as in safetensors
  std::vector<std::pair<std::string, GgufValue>> entries;  ///< by key, sorted
  std::uint64_t header_bytes = 0;
  std::vector<Message> notes;  ///< gguf.size_by_place {tensor}: its type's size is not what our table says

  const GgufValue* find(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::string text(std::string_view key) const;  ///< "" = none
  const std::vector<std::int64_t>* integers(std::string_view key) const;
  std::uint64_t array_length(std::string_view key) const;  ///< 0 = none
};

/// The format of a ggml type number (of ik_llama.cpp too), nothing when unknown or removed.
std::optional<FormatId> gguf_format(std::uint32_t type);

class GgufReader final : public FileReader {
 public:
  explicit GgufReader(FileInfo file);
  std::optional<ByteRange> wants() const override;
  /// How long a header is turns out at its end.
  Progress progress() const override { return {given_, stage_ == Stage::done ? given_ : 0}; }
  Result<GgufFile> take();

 private:
  enum class Stage : std::uint8_t { start, key, texts, tensors, done };
  enum class Step : std::uint8_t { went_on, needs_more, stopped };

  void take_in(std::span<const std::byte> bytes) override;
  Step step();
  Step read_start();
  Step read_key();
  Step read_array(const std::string& key, std::uint64_t value_at);
  Step walk_texts();
  Step read_tensor();
  void check_places();

  std::uint64_t position() const { return window_begin_ + used_; }
  std::uint64_t left_in_file() const { return file().size - position(); }
  std::size_t available() const { return window_.size() - used_; }
  bool has(std::uint64_t offset, std::uint64_t bytes) const { return available() >= offset + bytes; }
  std::uint64_t number_at(std::uint64_t offset, std::size_t bytes) const;
  std::string text_at(std::uint64_t offset, std::uint64_t length) const;
  void advance(std::uint64_t bytes);
  Step stop(Message message);
  Step keep(std::string key, GgufValue value, std::uint64_t bytes);

  // Bytes given and not used up yet; a jump empties it and moves its begin.
  std::vector<std::byte> window_;
  std::size_t used_ = 0;
  std::uint64_t window_begin_ = 0, given_ = 0;

  Stage stage_ = Stage::start;
  std::uint64_t tensors_left_ = 0, keys_left_ = 0, texts_left_ = 0;
  std::vector<std::uint64_t> places_;  ///< of each tensor in the data
  GgufFile out_;
};

}  // namespace vram
