// Unpacks the page's program. First its bytes are read out of a text (web/text.mjs). Then LZMA as
// `xz --format=raw --lzma1=lc=2,lp=0,pb=0` writes it (web/pack.mjs), a fifth less than the gzip that browsers unpack by
// themselves. Names are those of the format's description (Igor Pavlov's
// lzma-specification.txt, public domain). Then the wasm's bytes return from where web/split.mjs has sorted them.
//
// It is a module of its own without a library, 2 KB, that unpacks into the memory which boot.js gives it.
#include <cstddef>
#include <cstdint>

namespace {

using Probability = std::uint16_t;  // of a zero, in 2048ths

struct Lengths {
  Probability choice[2], low[8], mid[8], high[256];
};

struct Decoder {
  const std::uint8_t* next;
  const std::uint8_t* end;
  std::uint32_t range, code;

  Probability is_match[12], is_repeat[12], is_repeat0_long[12], is_repeat_older[3][12];
  Probability literals[4 * 0x300], slots[4 * 64], near[128], align[16];
  Lengths matches, repeats;

  void normalize() {
    if (range >= 1u << 24) return;
    range <<= 8;
    code = code << 8 | (next < end ? *next++ : 0u);
  }

  unsigned bit(Probability& zero) {
    const std::uint32_t bound = (range >> 11) * zero;
    const bool one = code >= bound;
    if (one) {
      range -= bound;
      code -= bound;
      zero = static_cast<Probability>(zero - (zero >> 5));
    } else {
      range = bound;
      zero = static_cast<Probability>(zero + ((2048 - zero) >> 5));
    }
    normalize();
    return one;
  }

  unsigned direct(unsigned bits) {
    unsigned value = 0;
    while (bits-- > 0) {
      range >>= 1;
      const bool one = code >= range;
      if (one) code -= range;
      value = value << 1 | one;
      normalize();
    }
    return value;
  }

  /// A tree's bits from the highest down.
  unsigned tree(Probability* nodes, unsigned bits) {
    unsigned node = 1;
    for (unsigned i = 0; i < bits; ++i) node = node << 1 | bit(nodes[node]);
    return node - (1u << bits);
  }

  /// A tree's bits from the lowest up.
  unsigned reverse(Probability* nodes, unsigned bits) {
    unsigned node = 1, value = 0;
    for (unsigned i = 0; i < bits; ++i) {
      const unsigned one = bit(nodes[node]);
      node = node << 1 | one;
      value |= one << i;
    }
    return value;
  }

  /// `guess`: the byte that stands where a match just ended and is likely not the one that comes; -1 for none.
  std::uint8_t literal(unsigned before, int guess) {
    Probability* const nodes = literals + 0x300 * (before >> 6);
    unsigned node = 1;
    while (guess >= 0 && node < 0x100) {
      const unsigned guessed = static_cast<unsigned>(guess) >> 7 & 1, one = bit(nodes[((1 + guessed) << 8) + node]);
      guess <<= 1;
      node = node << 1 | one;
      if (guessed != one) break;
    }
    while (node < 0x100) node = node << 1 | bit(nodes[node]);
    return static_cast<std::uint8_t>(node);
  }

  unsigned length(Lengths& of) {
    if (bit(of.choice[0]) == 0) return 2 + tree(of.low, 3);
    if (bit(of.choice[1]) == 0) return 10 + tree(of.mid, 3);
    return 18 + tree(of.high, 8);
  }

  unsigned distance(unsigned matched) {
    const unsigned slot = tree(slots + 64 * (matched < 6 ? matched - 2 : 3), 6);
    if (slot < 4) return slot;
    const unsigned bits = (slot >> 1) - 1, base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reverse(near + base - slot, bits);
    const unsigned high = direct(bits - 4) << 4;
    return base + high + reverse(align, 4);
  }
};

Decoder decoder;

/// The rows of web/split.mjs, and the program that they make up.
struct Joiner {
  enum Row { sizes, instructions, locals, calls, constants, aligns, offsets, others, count_ };
  const std::uint8_t* rows[count_];
  std::uint8_t* out;

  std::uint8_t byte(Row row) { return *out++ = *rows[row]++; }

  std::uint32_t number(Row row) {
    std::uint32_t value = 0, shift = 0, next = 0;
    do {
      next = byte(row);
      if (shift < 32) value |= (next & 127) << shift;
      shift += 7;
    } while ((next & 128) != 0);
    return value;
  }

  void bytes(Row row, unsigned count) {
    for (; count > 0; --count) byte(row);
  }

  void instruction() {
    const unsigned code = byte(instructions);
    if (code >= 0x20 && code <= 0x22) {
      number(locals);
    } else if (code >= 0x28 && code <= 0x3e) {
      number(aligns);
      number(offsets);
    } else {
      rare(code);
    }
  }

  void rare(unsigned code) {
    switch (code) {
      case 0x02: case 0x03: case 0x04: byte(instructions); break;
      case 0x0c: case 0x0d: case 0x23: case 0x24: case 0x3f: case 0x40: case 0x42: number(others); break;
      case 0x0e:
        for (std::uint32_t left = number(others) + 1; left > 0; --left) number(others);
        break;
      case 0x10: number(calls); break;
      case 0x11: number(others), number(others); break;
      case 0x41: number(constants); break;
      case 0x43: bytes(others, 4); break;
      case 0x44: bytes(others, 8); break;
      case 0xfc: {
        const unsigned more = byte(instructions);
        if (more == 10 || more == 11) number(others);
        if (more == 10) number(others);
        break;
      }
      default: break;
    }
  }

  void function() {
    const std::uint32_t length = number(sizes);
    const std::uint8_t* const end = out + length;
    for (std::uint32_t kinds = number(sizes); kinds > 0; --kinds) {
      number(sizes);
      byte(sizes);
    }
    while (out < end) instruction();
  }
};

}  // namespace

/// The bytes that web/text.mjs made `text` of, in its place; returns how many they are. What an editor put between, line
/// ends and the like, is passed over.
extern "C" std::size_t bytes(std::uint8_t* text, std::size_t length) {
  std::uint8_t* out = text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint32_t character = text[i];
    if (character <= ' ' || character > '~' || character == '<') continue;
    const std::uint32_t number = character - 33 - (character > '<' ? 1 : 0);
    bits = number < 35 ? bits << 6 | number : bits << 7 | (number + 35);
    count += number < 35 ? 6 : 7;
    if (count < 8) continue;
    count -= 8;
    *out++ = static_cast<std::uint8_t>(bits >> count);
  }
  return static_cast<std::size_t>(out - text);
}

/// Unpacks to `out` until its `size`; returns 1, or 0 when the packed bytes are damaged.
extern "C" int unpack(const std::uint8_t* packed, std::size_t packed_size, std::uint8_t* out, std::size_t size) {
  Decoder& in = decoder;
  for (auto* at = in.is_match; at < reinterpret_cast<Probability*>(&decoder + 1); ++at) *at = 1024;
  in.next = packed + 5;  // the first byte is always zero
  in.end = packed + packed_size;
  in.range = 0xFFFFFFFF;
  in.code = 0;
  for (int i = 1; i < 5; ++i) in.code = in.code << 8 | packed[i];

  unsigned state = 0, distances[4] = {};
  std::size_t at = 0;
  while (at < size) {
    if (in.bit(in.is_match[state]) == 0) {
      out[at] = in.literal(at == 0 ? 0u : out[at - 1], state < 7 ? -1 : out[at - distances[0] - 1]);
      ++at;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    unsigned count = 1;
    if (in.bit(in.is_repeat[state]) == 0) {
      for (int i = 3; i > 0; --i) distances[i] = distances[i - 1];
      count = in.length(in.matches);
      distances[0] = in.distance(count);
      state = state < 7 ? 7 : 10;
    } else {
      int older = 0;
      while (older < 3 && in.bit(in.is_repeat_older[older][state]) != 0) ++older;
      const unsigned again = distances[older];
      for (int i = older; i > 0; --i) distances[i] = distances[i - 1];
      distances[0] = again;
      if (older == 0 && in.bit(in.is_repeat0_long[state]) == 0) {
        state = state < 7 ? 9 : 11;
      } else {
        count = in.length(in.repeats);
        state = state < 7 ? 8 : 11;
      }
    }
    if (distances[0] >= at || count > size - at) return 0;
    for (; count > 0; --count, ++at) out[at] = out[at - distances[0] - 1];
  }
  return 1;
}

/// Puts a program of `size` bytes together at `out`, from what web/split.mjs made of it. Damaged bytes give another
/// program, which the browser refuses, or end in a trap.
extern "C" void join(const std::uint8_t* sorted, std::uint8_t* out, std::size_t size) {
  const auto length = [&](int i) {
    const std::uint8_t* const at = sorted + 4 * i;
    return at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24;
  };
  std::uint8_t* const end = out + size;
  const std::uint8_t* at = sorted + 4 * (1 + Joiner::count_);
  Joiner joiner{};
  joiner.out = out;
  for (int left = length(0); left > 0; --left) *joiner.out++ = *at++;
  for (int row = 0; row < Joiner::count_; ++row) {
    joiner.rows[row] = at;
    at += length(1 + row);
  }
  for (std::uint32_t left = joiner.number(Joiner::sizes); left > 0; --left) joiner.function();
  while (joiner.out < end) *joiner.out++ = *at++;
}
