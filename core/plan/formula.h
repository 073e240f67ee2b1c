// Formulas of derivations: one table of expressions, and their evaluation.
//
// An expression is written in the names of its values: "layers * kv_heads * (key_dim + value_dim) * value_bytes * tokens
// * sequences". The page shows it with the values in place of the names; tests evaluate it and compare with the bytes.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/ledger.h"
#include "core/units/result.h"

namespace vram {

struct Formula {
  std::string_view key, expression;  ///< + − * / ( ) numbers, names, ceil(x), min(x, y), max(x, y); "sum": all values
  std::string_view source;           ///< where the rule is written down
};

std::span<const Formula> formulas();
const Formula* find_formula(std::string_view key);

/// The expression's value. Errors: formula.unknown {formula}, formula.no_value {name}, formula.malformed {formula}.
Result<double> evaluate(const Derivation& derivation);
/// The same where the derivation is the program's own and cannot be wrong; 0 if it is.
double evaluate_or_zero(const Derivation& derivation);

/// Expression cut into pieces for showing: operators as text, names with their values.
struct FormulaPiece {
  std::string_view text;               ///< operator, parenthesis, number, function name; empty when `value` is set
  const NamedValue* value = nullptr;   ///< points into the derivation
};
std::vector<FormulaPiece> pieces(const Derivation& derivation);

}  // namespace vram
