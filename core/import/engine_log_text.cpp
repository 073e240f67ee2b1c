#include "core/import/engine_log_text.h"

#include <algorithm>

#include "core/import/safetensors_scan.h"

namespace vram {
namespace {

constexpr char kEscape = '\x1B';
// Six decimals of a TiB are a byte; further ones are passed over, so that no product leaves 64 bits.
constexpr unsigned kMostDecimals = 6;

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Length of the control sequence that begins here: ESC [ … letter, ESC ] … BEL, or one other byte.
std::size_t control_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    std::size_t at = 2;
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
    return std::min(text.size(), at + 1);
  }
  if (text[1] == ']') {
    const std::size_t bell = text.find('\x07');
    return bell == std::string_view::npos ? text.size() : bell + 1;
  }
  return 2;
}

struct Decimal {
  std::uint64_t whole = 0, fraction = 0;
  unsigned decimals = 0;
  bool negative = false;
};

constexpr std::uint64_t power_of_ten(unsigned exponent) {
  std::uint64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

std::optional<Decimal> take_decimal(std::string_view& text) {
  std::string_view rest = text;
  skip_spaces(rest);
  Decimal decimal;
  if (!rest.empty() && rest.front() == '-') {
    decimal.negative = true;
    rest.remove_prefix(1);
  }
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;
  unsigned digits = 0;
  while (!rest.empty()) {
    const bool grouping = rest.front() == ',' && rest.size() >= 4 && is_digit(rest[1]) && is_digit(rest[2]) &&
                          is_digit(rest[3]) && (rest.size() == 4 || !is_digit(rest[4]));
    if (!grouping && !is_digit(rest.front())) break;
    if (!grouping) {
      if (++digits > 18) return std::nullopt;
      decimal.whole = decimal.whole * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    }
    rest.remove_prefix(1);
  }
  if (rest.size() >= 2 && rest.front() == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1)) {
      if (decimal.decimals == kMostDecimals) continue;
      decimal.fraction = decimal.fraction * 10 + static_cast<std::uint64_t>(rest.front() - '0');
      ++decimal.decimals;
    }
  }
  text = rest;
  return decimal;
}

/// 0 when it is no unit of memory.
std::uint64_t unit_of(std::string_view letters) {
  struct Unit {
    std::string_view letters;
    unsigned shift;
  };
  constexpr Unit kUnits[] = {{"B", 0},   {"bytes", 0}, {"KiB", 10}, {"KB", 10},  {"MiB", 20},
                             {"MB", 20}, {"GiB", 30},  {"GB", 30},  {"TiB", 40}, {"TB", 40}};
  for (const Unit& unit : kUnits) {
    if (letters == unit.letters) return std::uint64_t{1} << unit.shift;
  }
  return 0;
}

std::uint64_t take_unit(std::string_view& text) {
  std::string_view rest = text;
  skip_spaces(rest);
  std::size_t length = 0;
  while (length < rest.size() && length < 6 && is_word(rest[length]) && !is_digit(rest[length])) ++length;
  const std::uint64_t unit = unit_of(rest.substr(0, length));
  if (unit != 0) text = rest.substr(length);
  return unit;
}

Figure scaled(const Decimal& decimal, std::uint64_t unit, unsigned least_decimals) {
  Figure figure;
  figure.negative = decimal.negative;
  if (__builtin_mul_overflow(decimal.whole, unit, &figure.value)) figure.value = 0;  // no device is as large
  const std::uint64_t scale = power_of_ten(decimal.decimals);
  figure.value += (decimal.fraction * unit + scale / 2) / scale;
  const std::uint64_t kept = power_of_ten(std::max(decimal.decimals, unit == 1 ? 0 : least_decimals));
  figure.rounding = unit / (2 * kept);
  return figure;
}

}  // namespace

bool is_digit(char c) { return c >= '0' && c <= '9'; }

LogLines::LogLines(std::string_view text) : rest_(text) {
  wide_ = text.substr(0, 2) == "\xFF\xFE";
  if (wide_) rest_.remove_prefix(2);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
}

std::string_view LogLines::take_piece() {
  if (new_line_) ++number_;
  std::size_t end = rest_.find_first_of("\r\n");
  // In UTF-16 an end of line is two bytes, the first of them in an even place of the line; "\n" may also be half of
  // another character ("\u010A").
  while (wide_ && end != std::string_view::npos &&
         (end % 2 != 0 || end + 1 >= rest_.size() || rest_[end + 1] != '\0')) {
    end = rest_.find_first_of("\r\n", end + 1);
  }
  if (end == std::string_view::npos) {
    const std::string_view last = rest_;
    rest_ = {};
    return last;
  }
  const std::string_view piece = rest_.substr(0, end);
  new_line_ = rest_[end] == '\n';
  rest_.remove_prefix(end + (wide_ ? 2 : 1));
  return piece;
}

std::string_view LogLines::decoded(std::string_view piece) {
  wide_buffer_.clear();
  for (std::size_t i = 0; i + 1 < piece.size() && wide_buffer_.size() < kMostExamined; i += 2) {
    wide_buffer_ += piece[i + 1] == '\0' ? piece[i] : '?';  // what is read here is ASCII
  }
  return wide_buffer_;
}

std::string_view LogLines::without_colours(std::string_view piece) {
  // "#033[0m" is how syslog writes an escape.
  const auto next_control = [&](std::size_t from) {
    return std::min(piece.find(kEscape, from), piece.find("#033[", from));
  };
  std::size_t at = next_control(0);
  if (at == std::string_view::npos) return piece;
  buffer_.assign(piece.substr(0, at));
  while (at != std::string_view::npos) {
    const std::size_t syslog = piece[at] == '#' ? 3 : 0;
    const std::size_t end = at + syslog + control_length(piece.substr(at + syslog));
    at = next_control(end);
    buffer_.append(piece.substr(std::min(end, piece.size()), at == std::string_view::npos ? at : at - end));
  }
  return buffer_;
}

bool LogLines::next(LogLine& line) {
  while (!rest_.empty()) {
    std::string_view piece = take_piece();
    if (wide_) piece = decoded(piece);
    piece = without_colours(piece.substr(0, kMostExamined));
    if (piece.empty()) continue;
    line = {piece, number_};
    return true;
  }
  return false;
}

std::optional<Figure> take_bytes(std::string_view& text, unsigned least_decimals) {
  std::string_view rest = text;
  const std::optional<Decimal> decimal = take_decimal(rest);
  if (!decimal) return std::nullopt;
  std::string_view after_number = rest;
  skip_spaces(after_number);
  if (!after_number.empty() && after_number.front() == '/') {
    std::string_view second = after_number.substr(1);
    if (take_decimal(second)) {
      const std::uint64_t shared = take_unit(second);
      if (shared == 0) return std::nullopt;
      text = rest;
      return scaled(*decimal, shared, least_decimals);
    }
  }
  const std::uint64_t unit = take_unit(rest);
  if (unit == 0) return std::nullopt;
  text = rest;
  return scaled(*decimal, unit, least_decimals);
}

std::optional<Figure> bytes_before(std::string_view text, std::size_t end, unsigned least_decimals) {
  std::size_t begin = end;
  const auto back = [&](auto passes) {
    while (begin > 0 && passes(text[begin - 1])) --begin;
  };
  back([](char c) { return c == ' '; });
  back([](char c) { return is_word(c) && !is_digit(c); });
  back([](char c) { return c == ' '; });
  back([](char c) { return is_digit(c) || c == '.' || c == ',' || c == '-'; });
  std::string_view figure = text.substr(begin, end - begin);
  while (!figure.empty() && (figure.front() == '.' || figure.front() == ',')) figure.remove_prefix(1);
  return take_bytes(figure, least_decimals);
}

std::optional<Figure> take_count(std::string_view& text) {
  const std::optional<Decimal> decimal = take_decimal(text);
  if (!decimal) return std::nullopt;
  Figure figure;
  figure.value = decimal->whole;
  figure.negative = decimal->negative;
  return figure;
}

std::optional<Figure> take_hundredths(std::string_view& text) {
  const std::optional<Decimal> decimal = take_decimal(text);
  if (!decimal || decimal->whole > std::uint64_t{1} << 50) return std::nullopt;
  const std::uint64_t scale = power_of_ten(decimal->decimals);
  Figure figure;
  figure.value = decimal->whole * 100 + (decimal->fraction * 100 + scale / 2) / scale;
  figure.rounding = std::max<std::uint64_t>(1, 50 / scale);
  figure.negative = decimal->negative;
  return figure;
}

std::optional<std::string_view> setting(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + name.size())) {
    if (at > 0 && is_word(line[at - 1])) continue;
    std::string_view rest = line.substr(at + name.size());
    if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) rest.remove_prefix(1);
    skip_spaces(rest);
    if (rest.empty() || (rest.front() != '=' && rest.front() != ':')) continue;
    rest.remove_prefix(1);
    skip_spaces(rest);
    if (rest.empty()) continue;
    const bool quoted = rest.front() == '\'' || rest.front() == '"';
    std::string_view value =
        quoted ? rest.substr(1, rest.find(rest.front(), 1) - 1) : rest.substr(0, rest.find_first_of(",;)}] \t"));
    while (!quoted && !value.empty() && value.back() == '.') value.remove_suffix(1);
    if (value.empty() || value == "None" || value == "null") continue;
    return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> option(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + name.size())) {
    std::string_view rest = line.substr(at + name.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '=')) continue;
    rest.remove_prefix(1);
    skip_spaces(rest);
    std::string_view value = rest.substr(0, rest.find_first_of(" \t\"'\\"));
    if (value.empty() || value.substr(0, 2) == "--") continue;
    return value;
  }
  return std::nullopt;
}

std::string_view word_before(std::string_view line, std::size_t end) {
  while (end > 0 && line[end - 1] == ' ') --end;
  const std::size_t space = end == 0 ? std::string_view::npos : line.find_last_of(" \t", end - 1);
  const std::size_t begin = space == std::string_view::npos ? 0 : space + 1;
  return line.substr(begin, end - begin);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::string_view> after(std::string_view line, std::string_view literal) {
  const std::size_t at = line.find(literal);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + literal.size());
}

int small_number(std::string_view text) {
  int number = -1;
  for (std::size_t i = 0; i < text.size() && is_digit(text[i]); ++i) {
    if (i == 9) return -1;
    number = std::max(number, 0) * 10 + (text[i] - '0');
  }
  return number;
}

std::string bounded(std::string_view text, std::size_t most) {
  std::string result(trimmed(text.substr(0, most)));
  // A cut within a character leaves its lead and up to two of its followers.
  if (text.size() > most) {
    std::size_t followers = 0;
    while (followers < 3 && followers < result.size() && (result[result.size() - 1 - followers] & '\xC0') == '\x80') {
      ++followers;
    }
    const std::size_t lead = result.size() - followers;
    if (lead > 0 && (result[lead - 1] & '\xC0') == '\xC0') result.resize(lead - 1);
  }
  const bool readable = is_utf8(result);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      c = ' ';
    else if (byte >= 0x80 && !readable)
      c = '?';
  }
  return result;
}

}  // namespace vram
