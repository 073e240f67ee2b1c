// A scanner for JSON whose shape is known: it walks over the text once, hands out what it passes and builds nothing.
//
// It is as strict as a full parser where it looks (strings, escapes, UTF-8, whole numbers) and bounded where it does
// not (values it skips are checked too, with a limit on their depth). Strings without escapes are views into the text;
// those with escapes are rewritten in place, which only ever makes them shorter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vram {

class JsonScan {
 public:
  /// The text is changed where strings have escapes.
  JsonScan(char* begin, char* end) : begin_(begin), at_(begin), end_(end) {}

  /// Skips white space; true and passes over it when `c` comes next.
  bool take(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool next_is(char c) {
    skip_space();
    return at_ != end_ && *at_ == c;
  }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  /// A string; its text in `out`.
  bool string(std::string_view& out);
  /// A whole number from 0 to 2^64 − 1, without sign, point or exponent.
  bool whole(std::uint64_t& out);
  /// Any value; nested at most kDepth deep.
  bool skip() { return skip(0); }
  /// Where the scanner stands, in bytes from the start.
  std::size_t place() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  static constexpr int kDepth = 32;

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool skip(int depth);
  bool skip_number();
  bool word(std::string_view text);
  bool escaped_string(char* start, std::string_view& out);
  bool hex4(std::uint32_t& out);
  bool unescape(char*& write);

  char *begin_, *at_, *end_;
};

/// True when the text is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

}  // namespace vram
