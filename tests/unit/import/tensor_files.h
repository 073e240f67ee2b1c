// Writes the files that the readers read: whole ones byte by byte, and wrong ones on purpose.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/import/reader.h"

namespace vram::testing_files {

using Bytes8 = std::vector<std::byte>;

/// Little-endian bytes, growing.
class Writer {
 public:
  Writer& number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  Writer& raw(std::string_view text) {
    for (const char c : text) out_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  Writer& text(std::string_view text) { return number(text.size(), 8).raw(text); }
  Writer& zeros(std::uint64_t count) {
    out_.resize(out_.size() + static_cast<std::size_t>(count));
    return *this;
  }
  Writer& align(std::uint64_t step) { return zeros((step - out_.size() % step) % step); }
  std::size_t size() const { return out_.size(); }
  Bytes8 take() { return std::move(out_); }

 private:
  Bytes8 out_;
};

/// A file that is `head` and then nothing but zeros up to `size`, which exist only when they are asked for.
struct Sparse {
  Bytes8 head;
  std::uint64_t size = 0;

  Sparse() = default;
  Sparse(Bytes8 bytes) : head(std::move(bytes)), size(head.size()) {}
  Sparse(Bytes8 bytes, std::uint64_t whole) : head(std::move(bytes)), size(whole) {}

  Bytes8 read(ByteRange range) const {
    Bytes8 out(static_cast<std::size_t>(range.size()));
    if (range.begin < head.size()) {
      const std::uint64_t here = std::min<std::uint64_t>(range.end, head.size()) - range.begin;
      std::memcpy(out.data(), head.data() + range.begin, static_cast<std::size_t>(here));
    }
    return out;
  }
};

/// What a reader asked for.
struct Trace {
  std::vector<ByteRange> ranges;
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const ByteRange& range : ranges) sum += range.size();
    return sum;
  }
  std::uint64_t furthest() const { return ranges.empty() ? 0 : ranges.back().end; }
};

inline Trace feed(FileReader& reader, const Sparse& file) {
  Trace trace;
  while (const auto range = reader.wants()) {
    trace.ranges.push_back(*range);
    reader.give(file.read(*range));
  }
  return trace;
}

// --- safetensors

struct SafeTensor {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
};

inline std::uint64_t bits_of(std::string_view dtype) {
  if (dtype == "F4") return 4;
  if (dtype.substr(0, 3) == "F6_") return 6;
  if (dtype == "BF16" || dtype == "F16" || dtype == "I16" || dtype == "U16") return 16;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 32;
  if (dtype == "F64" || dtype == "I64" || dtype == "U64" || dtype == "C64") return 64;
  return 8;
}

inline std::string safetensors_json(const std::vector<SafeTensor>& tensors, std::uint64_t* data = nullptr) {
  std::string json = R"({"__metadata__":{"format":"pt"})";
  std::uint64_t at = 0;
  for (const SafeTensor& t : tensors) {
    std::uint64_t elements = 1;
    std::string shape;
    for (const std::uint64_t d : t.shape) {
      elements *= d;
      shape += (shape.empty() ? "" : ",") + std::to_string(d);
    }
    const std::uint64_t bytes = elements * bits_of(t.dtype) / 8;
    json += ",\"" + t.name + "\":{\"dtype\":\"" + t.dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
            std::to_string(at) + "," + std::to_string(at + bytes) + "]}";
    at += bytes;
  }
  if (data != nullptr) *data = at;
  return json + "}";
}

/// The header with its length, of a file as long as its data needs.
inline Sparse safetensors_with(std::string_view json, std::uint64_t data) {
  Writer w;
  w.text(json);
  const std::uint64_t header = w.size();
  return Sparse(w.take(), header + data);
}

inline Sparse safetensors(const std::vector<SafeTensor>& tensors) {
  std::uint64_t data = 0;
  const std::string json = safetensors_json(tensors, &data);
  return safetensors_with(json, data);
}

// --- GGUF

struct GgufTensor {
  std::string name;
  std::uint32_t type = 0;                 ///< number in ggml
  std::vector<std::uint64_t> dimensions;  ///< fastest first, as GGUF writes them
  std::uint64_t bytes = 0;                ///< in the file
};

/// Keys and tensors as they are added; `finish` gives a file with room for the data.
class GgufWriter {
 public:
  enum Type : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

  GgufWriter& key(std::string_view name, Type type) {
    ++keys_;
    keys_out_.text(name).number(type, 4);
    return *this;
  }
  GgufWriter& integer(std::string_view name, std::uint64_t value, Type type = u32) {
    key(name, type);
    keys_out_.number(value, type == u64 || type == i64 ? 8 : type == u16 || type == i16 ? 2 : type <= i8 ? 1 : 4);
    return *this;
  }
  GgufWriter& flag(std::string_view name, bool value) {
    key(name, boolean);
    keys_out_.number(value ? 1 : 0, 1);
    return *this;
  }
  GgufWriter& real(std::string_view name, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    key(name, f32);
    keys_out_.number(bits, 4);
    return *this;
  }
  GgufWriter& text(std::string_view name, std::string_view value) {
    key(name, string);
    keys_out_.text(value);
    return *this;
  }
  GgufWriter& texts(std::string_view name, const std::vector<std::string>& values) {
    key(name, array);
    keys_out_.number(string, 4).number(values.size(), 8);
    for (const std::string& value : values) keys_out_.text(value);
    return *this;
  }
  GgufWriter& numbers(std::string_view name, const std::vector<std::uint64_t>& values, Type type = i32) {
    key(name, array);
    keys_out_.number(type, 4).number(values.size(), 8);
    for (const std::uint64_t value : values) {
      keys_out_.number(value, type == boolean || type == u8 ? 1 : type == u64 || type == i64 ? 8 : 4);
    }
    return *this;
  }
  GgufWriter& tensor(std::string_view name, std::uint32_t type, std::vector<std::uint64_t> dimensions,
                     std::uint64_t bytes) {
    tensors_.push_back({std::string(name), type, std::move(dimensions), bytes});
    return *this;
  }
  GgufWriter& version(std::uint32_t value) {
    version_ = value;
    return *this;
  }
  GgufWriter& alignment(std::uint64_t value) {
    alignment_ = value;
    return integer("general.alignment", value);
  }
  Writer& keys_raw() { return keys_out_; }
  GgufWriter& counts(std::uint64_t tensors, std::uint64_t keys) {
    stated_tensors_ = tensors;
    stated_keys_ = keys;
    stated_ = true;
    return *this;
  }

  std::vector<GgufTensor>& tensors() { return tensors_; }

  Sparse finish() {
    Writer w;
    w.raw("GGUF").number(version_, 4).number(stated_ ? stated_tensors_ : tensors_.size(), 8);
    w.number(stated_ ? stated_keys_ : keys_, 8);
    const Bytes8 keys = keys_out_.take();
    w.raw(std::string_view(reinterpret_cast<const char*>(keys.data()), keys.size()));
    std::uint64_t place = 0;
    for (const GgufTensor& t : tensors_) {
      w.text(t.name).number(t.dimensions.size(), 4);
      for (const std::uint64_t d : t.dimensions) w.number(d, 8);
      w.number(t.type, 4).number(place, 8);
      place += (t.bytes + alignment_ - 1) / alignment_ * alignment_;
    }
    header_ = w.size();
    w.align(alignment_);
    const std::uint64_t data_at = w.size();
    return Sparse(w.take(), data_at + place);
  }
  std::uint64_t header() const { return header_; }  ///< bytes up to the end of the tensor table; after finish

 private:
  Writer keys_out_;
  std::vector<GgufTensor> tensors_;
  std::uint64_t keys_ = 0, stated_tensors_ = 0, stated_keys_ = 0, alignment_ = 32, header_ = 0;
  std::uint32_t version_ = 3;
  bool stated_ = false;
};

}  // namespace vram::testing_files
