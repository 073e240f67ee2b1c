// Derivations in words and figures.
#include <cmath>

#include "core/plan/formula.h"
#include "core/report/report.h"

namespace vram {
namespace {

/// Terms of a sum are rounded at the same place: a reader who adds them up is off by a hundredth, not by tenths.
std::string term_text(Bytes bytes, bool of_a_sum, const Language& language) {
  const bool large = bytes >= Bytes(kGiB.value() / 2);
  return of_a_sum && large ? language.memory_hundredths(bytes) : language.memory(bytes);
}

std::string shown(const NamedValue& value, bool of_a_sum, const Language& language) {
  switch (value.unit) {
    case ValueUnit::bytes:
      return term_text(bytes_from(value.value), of_a_sum, language);
    case ValueUnit::bytes_per_value: {
      const bool whole = std::floor(value.value) == value.value;
      return whole ? language.number(static_cast<std::int64_t>(value.value)) + "\xC2\xA0" "B"
                   : language.number(value.value, value.value * 100 == std::floor(value.value * 100) ? 2 : 4) +
                         "\xC2\xA0" "B";
    }
    default:
      return language.number(static_cast<std::int64_t>(value.value));
  }
}

std::string symbol(std::string_view text) {
  if (text == "*") return " \xC3\x97 ";
  if (text == "/") return " \xC3\xB7 ";
  if (text == "-") return " \xE2\x88\x92 ";
  if (text == "+") return " + ";
  if (text == ",") return "; ";
  return std::string(text);
}

bool adds(const FormulaPiece& piece) { return piece.value == nullptr && (piece.text == "+" || piece.text == "-"); }

bool is_bytes(const FormulaPiece& piece) { return piece.value != nullptr && piece.value->unit == ValueUnit::bytes; }

bool adds_bytes(const std::vector<FormulaPiece>& all) {
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    if (adds(all[i]) && (is_bytes(all[i - 1]) || is_bytes(all[i + 1]))) return true;
  }
  return false;
}

/// Without terms of zero bytes that are added or taken away.
std::vector<FormulaPiece> without_nothing(const std::vector<FormulaPiece>& all) {
  const auto scales = [](const FormulaPiece& piece) {
    return piece.value == nullptr && (piece.text == "*" || piece.text == "/");
  };
  std::vector<FormulaPiece> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool nothing = i + 1 < all.size() && adds(all[i]) && is_bytes(all[i + 1]) &&
                         all[i + 1].value->value == 0;
    if (nothing && (i + 2 == all.size() || !scales(all[i + 2]))) ++i;
    else kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace

std::string explain(const Entry& entry, const Language& language) {
  std::string line;
  const std::vector<FormulaPiece> shown_pieces = without_nothing(pieces(entry.derivation));
  const bool sum = adds_bytes(shown_pieces);
  for (const FormulaPiece& piece : shown_pieces) {
    line += piece.value != nullptr ? shown(*piece.value, sum, language) : symbol(piece.text);
  }
  const bool says_more_than_result = shown_pieces.size() > 1;  // a single value is its own result
  return says_more_than_result ? line + " = " + term_text(entry.likely, sum, language) : line;
}

std::vector<ExplainedValue> explain_values(const Entry& entry, const Language& language) {
  std::vector<ExplainedValue> rows;
  for (const NamedValue& value : entry.derivation.values) {
    rows.push_back({language.word("value." + std::string(value.name)), shown(value, false, language)});
  }
  return rows;
}

}  // namespace vram
