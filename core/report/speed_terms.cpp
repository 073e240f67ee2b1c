// Where a request's time goes: each part with its share, and the calculation with its values in place.
#include <array>
#include <cmath>

#include "core/report/advise.h"
#include "core/units/order.h"

namespace vram {
namespace {

constexpr double kWorthSaying = 0.01;   ///< of a request's time

struct Scale {
  double from;                          ///< the least value shown in it
  double unit;                          ///< of the value in one of it
  std::string_view word;                ///< string "speed.unit.<word>"
};

/// Three figures that count, in the largest unit that leaves something before the point.
std::string scaled(double value, std::span<const Scale> scales, const Language& language) {
  const Scale* chosen = &scales.back();
  for (const Scale& one : scales) {
    if (std::abs(value) < one.from) continue;
    chosen = &one;
    break;
  }
  const double shown = value / chosen->unit;
  const int decimals = std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
  return language.number(shown, decimals) + "\xC2\xA0" + language.word("speed.unit." + std::string(chosen->word));
}

std::string value_text(const speed::NamedValue& value, const Language& language) {
  constexpr std::array<Scale, 3> kBytes = {{{1e9, 1e9, "gb"}, {1e6, 1e6, "mb"}, {0, 1e3, "kb"}}};
  constexpr std::array<Scale, 1> kBandwidth = {{{0, 1e9, "gb_per_second"}}};
  constexpr std::array<Scale, 1> kOperations = {{{0, 1e12, "tflops"}}};
  constexpr std::array<Scale, 3> kSeconds = {
      {{1, 1, "seconds"}, {1e-3, 1e-3, "milliseconds"}, {0, 1e-6, "microseconds"}}};
  switch (value.unit) {
    case speed::ValueUnit::bytes: return scaled(value.value, kBytes, language);
    case speed::ValueUnit::bytes_per_second: return scaled(value.value, kBandwidth, language);
    case speed::ValueUnit::operations_per_second: return scaled(value.value, kOperations, language);
    case speed::ValueUnit::seconds: return scaled(value.value, kSeconds, language);
    case speed::ValueUnit::share: return language.percent(value.value);
    case speed::ValueUnit::tokens:
    case speed::ValueUnit::none: break;
  }
  if (value.value >= 1e8) {
    return language.text(Message("number.billion").with("n", language.number(value.value / 1e9, 1)));
  }
  return language.number(value.value, value.value < 100 && value.value != std::floor(value.value) ? 1 : 0);
}

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string piece_text(const speed::Term& term, std::string_view piece, const Language& language) {
  for (const speed::NamedValue& value : term.values) {
    if (value.name != piece) continue;
    return language.word("speed.value." + std::string(piece)) + " (" + value_text(value, language) + ")";
  }
  if (piece == "*") return " \xC3\x97 ";
  if (piece == "/") return " \xC3\xB7 ";
  return std::string(piece);
}

std::string_view next_piece(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_name(rest[length])) ++length;
  const std::string_view piece = rest.substr(0, std::max<std::size_t>(length, 1));
  rest.remove_prefix(piece.size());
  return piece;
}

/// A summand of nothing: one of its factors is 0.
bool is_nothing(const speed::Term& term, std::string_view summand) {
  while (!summand.empty()) {
    const std::string_view piece = next_piece(summand);
    for (const speed::NamedValue& value : term.values) {
      if (value.name == piece && value.value == 0) return true;
    }
  }
  return false;
}

/// The formula with words and figures in place of its names: "weights read in a step (35.3 GB) ÷ …".
std::string calculation(const speed::Term& term, const Language& language) {
  constexpr std::string_view kPlus = " + ";  // none of the formulas adds within parentheses
  std::string text;
  for (std::string_view rest = term.formula; !rest.empty();) {
    std::string_view summand = rest.substr(0, rest.find(kPlus));
    rest.remove_prefix(std::min(rest.size(), summand.size() + kPlus.size()));
    if (is_nothing(term, summand)) continue;
    if (!text.empty()) text += kPlus;
    while (!summand.empty()) {
      const std::string_view piece = next_piece(summand);
      if (piece != " ") text += piece_text(term, piece, language);
    }
  }
  const bool of_answer = term.spent == speed::Spent::products || term.spent == speed::Spent::attention;
  const double seconds = of_answer ? term.seconds : term.step_seconds;
  return text + " = " + value_text({"", seconds, speed::ValueUnit::seconds}, language);
}

}  // namespace

Section speed_terms_section(const speed::Speed& speed, const Language& language) {
  Section section{.heading = language.word("speed.terms"), .paragraphs = {}, .table = {}, .depth = true};
  section.table.caption = section.heading;
  section.table.head = {language.word("speed.terms_what"), language.word("speed.terms_share"),
                        language.word("speed.terms_calculation")};
  std::vector<speed::Term> terms = speed.terms;
  sort_stably(terms, [](const speed::Term& a, const speed::Term& b) { return a.share > b.share; });
  for (const speed::Term& term : terms) {
    if (term.share < kWorthSaying) continue;
    section.table.rows.push_back({language.word("speed.spent." + std::string(speed::spent_key(term.spent))),
                                  language.percent(term.share), calculation(term, language)});
  }
  if (!section.table.rows.empty()) section.paragraphs.push_back(language.word("speed.terms_hint"));
  return section;
}

}  // namespace vram
