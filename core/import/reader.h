// How a file is read without any input or output of our own: a reader *asks for ranges of bytes* and is given them.
//
//   SafetensorsReader reader({name, size});
//   while (const auto range = reader.wants()) reader.give(bytes_of(file, *range));   // page, command line, fuzzer
//   alike Result<TensorFile> header = reader.take();
//
// A page gives slices of a File, the command line preads, a test hands out an array. Only headers are asked for: of a
// 700 GB file a few MB. No reader trusts a length that the file states: what it keeps grows with the bytes that it was
// given, never with a number it read.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/units/result.h"

namespace vram {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  constexpr std::uint64_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct FileInfo {
  std::string name;  ///< as the user knows it; text from outside, never markup
  std::uint64_t size = 0;
};

/// Most that is asked for at once, and so the most that is read beyond a header whose end is not known yet.
constexpr std::uint64_t kReadStep = std::uint64_t{1} << 20;

struct Progress {
  std::uint64_t done = 0;    ///< bytes given so far
  std::uint64_t needed = 0;  ///< bytes in all; 0 = not known yet
  friend bool operator==(const Progress&, const Progress&) = default;
};

class FileReader {
 public:
  explicit FileReader(FileInfo file) : file_(std::move(file)) {}
  virtual ~FileReader() = default;

  /// The bytes needed next: within the file, at most kReadStep of them. Nothing: there is an answer or an error.
  virtual std::optional<ByteRange> wants() const = 0;
  virtual Progress progress() const = 0;
  /// The bytes that were asked for. Fewer than those means that the file could not be read to that point.
  void give(std::span<const std::byte> bytes) {
    const std::optional<ByteRange> wanted = wants();
    if (!wanted) return;
    const std::uint64_t size = std::min<std::uint64_t>(bytes.size(), wanted->size());
    if (size < wanted->size()) {
      fail(Message("reader.unreadable").with("at", static_cast<std::int64_t>(wanted->begin + size)));
      return;
    }
    take_in(bytes.first(static_cast<std::size_t>(size)));
  }

  const std::optional<Message>& error() const { return error_; }
  const FileInfo& file() const { return file_; }

 protected:
  FileReader(const FileReader&) = default;
  FileReader(FileReader&&) = default;
  FileReader& operator=(const FileReader&) = default;
  FileReader& operator=(FileReader&&) = default;

  virtual void take_in(std::span<const std::byte> bytes) = 0;
  /// Ends the reading; the first failure stands. Every message names the file.
  void fail(Message message) {
    if (!error_) error_ = std::move(message).with("file", file_.name);
  }

 private:
  FileInfo file_;
  std::optional<Message> error_;
};

/// Little-endian unsigned integer of `bytes.size()` ≤ 8 bytes.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace vram
