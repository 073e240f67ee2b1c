#include "core/import/safetensors_scan.h"

#include <cstring>

namespace vram {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighs = 0x8080808080808080u;

/// Nonzero when one of eight bytes ends a plain run: a quote, a backslash, a control character or a byte above 127.
std::uint64_t is_special(std::uint64_t word) {
  const auto zero_byte = [](std::uint64_t v) { return (v - kOnes) & ~v & kHighs; };
  return (word & kHighs) | zero_byte(word ^ (kOnes * '"')) | zero_byte(word ^ (kOnes * '\\')) |
         ((word - kOnes * 0x20) & ~word & kHighs);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool JsonScan::string(std::string_view& out) {
  if (!take('"')) return false;
  char* const start = at_;
  bool ascii = true;
  while (true) {
    while (end_ - at_ >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, 8);
      if (is_special(word) != 0) break;
      at_ += 8;
    }
    if (at_ == end_) return false;
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') break;
    if (c == '\\') return escaped_string(start, out);
    if (c < 0x20) return false;
    ascii = ascii && c < 0x80;
    ++at_;
  }
  out = std::string_view(start, static_cast<std::size_t>(at_ - start));
  ++at_;
  return ascii || is_utf8(out);
}

bool JsonScan::escaped_string(char* start, std::string_view& out) {
  char* write = at_;
  while (at_ != end_) {
    const char c = *at_;
    if (c == '"') {
      ++at_;
      out = std::string_view(start, static_cast<std::size_t>(write - start));
      return is_utf8(out);
    }
    if (static_cast<unsigned char>(c) < 0x20) return false;
    ++at_;
    if (c != '\\') {
      *write++ = c;
    } else if (!unescape(write)) {
      return false;
    }
  }
  return false;
}

bool JsonScan::hex4(std::uint32_t& out) {
  if (end_ - at_ < 4) return false;
  out = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = *at_;
    std::uint32_t digit = 0;
    if (is_digit(c))
      digit = static_cast<std::uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<std::uint32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<std::uint32_t>(c - 'A' + 10);
    else
      return false;
    out = out << 4 | digit;
  }
  return true;
}

bool JsonScan::unescape(char*& write) {
  if (at_ == end_) return false;
  const char kind = *at_++;
  constexpr std::string_view kinds = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
  if (const std::size_t which = kinds.find(kind); which != std::string_view::npos) {
    *write++ = values[which];
    return true;
  }
  std::uint32_t code = 0;
  if (kind != 'u' || !hex4(code)) return false;
  if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
    std::uint32_t low = 0;
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    if (!hex4(low) || low < 0xDC00 || low > 0xDFFF) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  const auto put = [&write](std::uint32_t byte) { *write++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return true;
}

bool JsonScan::whole(std::uint64_t& out) {
  skip_space();
  if (at_ == end_ || !is_digit(*at_)) return false;
  const bool zero_first = *at_ == '0';
  std::uint64_t value = 0;
  const char* const start = at_;
  for (; at_ != end_ && is_digit(*at_); ++at_) {
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  if (zero_first && at_ - start > 1) return false;
  if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) return false;
  out = value;
  return true;
}

bool JsonScan::skip_number() {
  const auto digits = [this] {
    const char* const start = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ - start;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  const bool zero_first = at_ != end_ && *at_ == '0';
  const std::ptrdiff_t whole_digits = digits();
  if (whole_digits == 0 || (zero_first && whole_digits > 1)) return false;
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (digits() == 0) return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (digits() == 0) return false;
  }
  return true;
}

bool JsonScan::word(std::string_view text) {
  if (static_cast<std::size_t>(end_ - at_) < text.size() || std::string_view(at_, text.size()) != text) return false;
  at_ += text.size();
  return true;
}

bool JsonScan::skip(int depth) {
  if (depth > kDepth) return false;
  skip_space();
  if (at_ == end_) return false;
  std::string_view ignored;
  switch (*at_) {
    case '"':
      return string(ignored);
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    case '{':
      ++at_;
      if (take('}')) return true;
      do {
        if (!string(ignored) || !take(':') || !skip(depth + 1)) return false;
      } while (take(','));
      return take('}');
    case '[':
      ++at_;
      if (take(']')) return true;
      do {
        if (!skip(depth + 1)) return false;
      } while (take(','));
      return take(']');
    default:
      return skip_number();
  }
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = lead >= 0xC2 && lead <= 0xDF   ? 1
                             : lead >= 0xE0 && lead <= 0xEF ? 2
                             : lead >= 0xF0 && lead <= 0xF4 ? 3
                                                            : 0;
    if (more == 0 || text.size() - i <= more) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    const unsigned char second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

}  // namespace vram
