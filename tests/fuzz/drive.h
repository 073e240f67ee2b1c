// What every fuzz target does with a reader: give it what it asks for, and hold it to its promises.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "core/import/reader.h"

namespace vram::fuzz {

inline void require(bool kept, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (kept) return;
  std::fprintf(stderr, "%s:%d: a promise was not kept\n", file, line);
  std::abort();
}

/// A file: the fuzzer's bytes, then zeros.
struct Source {
  std::span<const std::byte> bytes;
  std::uint64_t size = 0;

  std::vector<std::byte> read(ByteRange range) const {
    require(range.begin < range.end && range.end <= size && range.size() <= kReadStep);
    std::vector<std::byte> out(range.size());
    if (range.begin < bytes.size()) {
      const std::uint64_t here = std::min<std::uint64_t>(range.end, bytes.size()) - range.begin;
      std::memcpy(out.data(), bytes.data() + range.begin, here);
    }
    return out;
  }
};

/// Never asks for the same bytes twice, never for what is not there, and comes to an end.
inline void drive(FileReader& reader, const Source& source) {
  std::uint64_t end = 0;
  while (const auto range = reader.wants()) {
    require(range->begin >= end);
    end = range->end;
    reader.give(source.read(*range));
  }
  require(reader.progress().done <= source.size);
}

inline std::span<const std::byte> as_bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

/// The input as a whole file, and as the beginning of a longer one.
template <class Run>
void as_files(const std::uint8_t* data, std::size_t size, Run run) {
  run(Source{as_bytes(data, size), size});
  run(Source{as_bytes(data, size), size + (std::uint64_t{1} << 21)});
}

}  // namespace vram::fuzz
