// The ledger: a plan is entries of {device, term, bytes, how sure, derivation}. Bars, verdicts, exports, comparisons and
// the letter read it and nothing else.
//
// A derivation is data: a formula from formulas.cpp and the named values put into it. It can be shown in any language
// ("80 × 8 × (128 + 128) × 2 B × 32 768 × 8 = 80.0 GiB") and evaluated again: tests do, for every entry.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model.h"
#include "core/units/bytes.h"

namespace vram {

enum class Term : std::uint8_t {
  weights, adapters, kv_cache, state, activations, staging, output, graphs, communication, runtime,
  reserve,                                     ///< not used: what an engine leaves free of a device (its memory share)
  // training
  master_weights, gradients, optimizer, step, gathered, workspace, kept, layer, input_gradients, scores, logits,
  held_outputs, reference, rollout, load, save, fragments,
  count_
};
std::string_view term_key(Term term);          ///< "weights", "kv_cache", …

/// What fills memory, in the order and colour of every bar.
enum class Category : std::uint8_t { weights, kv, activations, optimizer, runtime, count_ };
Category category_of(Term term);
std::string_view category_key(Category category);

/// exact: bytes of tensors and caches; measured: read from a start-up log of this scenario; modelled: activations and
/// buffers; assumed: contexts, libraries, fragmentation. The surer one first.
enum class Certainty : std::uint8_t { exact, measured, modelled, assumed };
std::string_view certainty_key(Certainty certainty);

enum class ValueUnit : std::uint8_t { none, bytes, bytes_per_value, tokens, layers };

struct NamedValue {
  std::string_view name;                       ///< a name in the formula; its words are the string "value.<name>"
  double value = 0;                            ///< an integer up to 2^53, or a small fraction such as 0.5625 bytes
  ValueUnit unit = ValueUnit::none;
};

struct Derivation {
  std::string_view formula;                    ///< key in formulas()
  std::vector<NamedValue> values;
};

constexpr int kHost = -1;

/// What devices `device` … `last` hold each; tensor-parallel devices hold the same.
struct Entry {
  int device = 0, last = 0;                    ///< indices, or kHost twice
  int deployment = 0;
  Term term = Term::weights;
  Part part = Part::text;
  Certainty certainty = Certainty::exact;
  Bytes low, likely, high;                     ///< equal when exact or measured
  Derivation derivation;                       ///< of `likely`

  bool on(int one) const { return device <= one && one <= last; }
};
using Ledger = std::vector<Entry>;

struct Band {
  Bytes low, likely, high;
  Band& operator+=(const Entry& entry) {
    low += entry.low;
    likely += entry.likely;
    high += entry.high;
    return *this;
  }
};
/// Sums of what is used; Term::reserve is not.
Band total(const Ledger& ledger, int device);
Band total(const Ledger& ledger, int device, Category category);
/// What engines leave free on a device.
Bytes reserved(const Ledger& ledger, int device);

}  // namespace vram
