// Derivations in words and figures.
#include <cmath>

#include "core/plan/formula.h"
#include "core/report/report.h"

namespace vram {
namespace {

std::string shown(const NamedValue& value, const Language& language) {
  switch (value.unit) {
    case ValueUnit::bytes:
      return language.memory(bytes_from(value.value));
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

}  // namespace

std::string explain(const Entry& entry, const Language& language) {
  std::string line;
  const std::vector<FormulaPiece> shown_pieces = pieces(entry.derivation);
  for (const FormulaPiece& piece : shown_pieces) {
    line += piece.value != nullptr ? shown(*piece.value, language) : symbol(piece.text);
  }
  const bool says_more_than_result = shown_pieces.size() > 1;  // a single value is its own result
  return says_more_than_result ? line + " = " + language.memory(entry.likely) : line;
}

std::vector<ExplainedValue> explain_values(const Entry& entry, const Language& language) {
  std::vector<ExplainedValue> rows;
  for (const NamedValue& value : entry.derivation.values) {
    rows.push_back({language.word("value." + std::string(value.name)), shown(value, language)});
  }
  return rows;
}

}  // namespace vram
