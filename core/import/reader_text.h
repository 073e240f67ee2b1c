// A whole text file, for the JSON beside the weights.
#pragma once
#include <string>
#include <utility>

#include "core/import/reader.h"

namespace vram {

/// Errors: reader.unreadable {at, file}, reader.text_too_large {size, most, file}.
class TextReader final : public FileReader {
 public:
  TextReader(FileInfo file, std::uint64_t most) : FileReader(std::move(file)) {
    if (this->file().size > most) {
      fail(Message("reader.text_too_large").with("size", Bytes(this->file().size)).with("most", Bytes(most)));
    }
  }
  std::optional<ByteRange> wants() const override {
    if (error() || text_.size() == file().size) return std::nullopt;
    return ByteRange{text_.size(), std::min<std::uint64_t>(file().size, text_.size() + kReadStep)};
  }
  Progress progress() const override { return {text_.size(), file().size}; }
  Result<std::string> take() {
    if (error()) return *error();
    return std::move(text_);
  }

 private:
  void take_in(std::span<const std::byte> bytes) override {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::string text_;
};

}  // namespace vram
