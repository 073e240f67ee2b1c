// Counts and bytes that cannot overflow silently.
//
// Every size in this program is an integer number of bytes. Products of file-supplied dimensions can exceed 2^64, so
// arithmetic here *saturates and stays saturated*: once a sum or a product does not fit, the value is `overflowed()`
// and every value computed from it is too. A caller checks once, at the end, instead of after each step.
//
//   Count(1) << 40 …            tokens, parameters, layers: dimensionless
//   Bytes                       storage
//   Bytes b = Count(80) * Count(8) * Bytes(128);
//   gibibytes(b)                binary GiB (2^30), what drivers report
//   gigabytes(b)                decimal GB (10^9), what labels and files say
//
// GB and GiB differ by 7.4 %; a number without its unit never leaves this program.
#pragma once
#include <compare>
#include <cstdint>
#include <limits>

namespace vram {

namespace detail {

/// A 64-bit unsigned integer whose maximum means "did not fit". The tag keeps counts and bytes apart.
template <class Tag>
class Saturating {
 public:
  static constexpr std::uint64_t kOverflow = std::numeric_limits<std::uint64_t>::max();

  constexpr Saturating() = default;
  constexpr explicit Saturating(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr bool overflowed() const { return value_ == kOverflow; }

  friend constexpr Saturating operator+(Saturating a, Saturating b) {
    std::uint64_t sum = 0;
    if (a.overflowed() || b.overflowed() || __builtin_add_overflow(a.value_, b.value_, &sum)) return overflow();
    return Saturating(sum);
  }
  /// Stops at zero: what is left of a budget is never negative, a shortage is asked for separately.
  friend constexpr Saturating operator-(Saturating a, Saturating b) {
    if (a.overflowed() || b.overflowed()) return overflow();
    return Saturating(a.value_ > b.value_ ? a.value_ - b.value_ : 0);
  }
  constexpr Saturating& operator+=(Saturating other) { return *this = *this + other; }
  constexpr Saturating& operator-=(Saturating other) { return *this = *this - other; }

  friend constexpr bool operator==(Saturating a, Saturating b) { return a.value_ == b.value_; }
  friend constexpr std::strong_ordering operator<=>(Saturating a, Saturating b) { return a.value_ <=> b.value_; }

  static constexpr Saturating overflow() { return Saturating(kOverflow); }
  static constexpr Saturating multiply(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    const bool lost = a == kOverflow || b == kOverflow || __builtin_mul_overflow(a, b, &product);
    return lost ? overflow() : Saturating(product);
  }

 private:
  std::uint64_t value_ = 0;
};

struct CountTag;
struct BytesTag;

}  // namespace detail

using Count = detail::Saturating<detail::CountTag>;
using Bytes = detail::Saturating<detail::BytesTag>;

constexpr Count operator*(Count a, Count b) { return Count::multiply(a.value(), b.value()); }
constexpr Bytes operator*(Count a, Bytes b) { return Bytes::multiply(a.value(), b.value()); }
constexpr Bytes operator*(Bytes a, Count b) { return b * a; }

/// a / b rounded up; 0 when b is 0.
constexpr Count ceil_div(Count a, Count b) {
  if (a.overflowed() || b.overflowed()) return Count::overflow();
  return Count(b.value() == 0 ? 0 : a.value() / b.value() + (a.value() % b.value() != 0 ? 1 : 0));
}
/// `value` rounded up to a multiple of `step`; `value` itself when step is 0.
constexpr Bytes round_up(Bytes value, Bytes step) {
  if (step.value() == 0) return value;
  return ceil_div(Count(value.value()), Count(step.value())) * step;
}

constexpr Bytes kKiB{std::uint64_t{1} << 10};
constexpr Bytes kMiB{std::uint64_t{1} << 20};
constexpr Bytes kGiB{std::uint64_t{1} << 30};
constexpr Bytes kGB{1'000'000'000};

/// For display and for ratios only; sums stay in integers.
constexpr double gibibytes(Bytes b) { return static_cast<double>(b.value()) / static_cast<double>(kGiB.value()); }
constexpr double gigabytes(Bytes b) { return static_cast<double>(b.value()) / static_cast<double>(kGB.value()); }
/// Nearest whole byte; negative and not-a-number become 0, too large becomes overflow.
constexpr Bytes bytes_from(double bytes) {
  if (!(bytes > 0)) return Bytes(0);
  if (bytes >= 18446744073709549568.0) return Bytes::overflow();
  return Bytes(static_cast<std::uint64_t>(bytes + 0.5));
}
constexpr Bytes bytes_from_gib(double gib) { return bytes_from(gib * static_cast<double>(kGiB.value())); }

}  // namespace vram
