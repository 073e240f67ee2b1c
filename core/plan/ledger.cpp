#include "core/plan/ledger.h"

#include <array>

namespace vram {

std::string_view term_key(Term term) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Term::count_)> keys = {
      "weights", "kv_cache", "state", "activations", "staging", "graphs", "communication", "runtime"};
  return keys[static_cast<std::size_t>(term)];
}

Category category_of(Term term) {
  switch (term) {
    case Term::weights: return Category::weights;
    case Term::kv_cache:
    case Term::state: return Category::kv;
    case Term::activations: return Category::activations;
    default: return Category::runtime;
  }
}

std::string_view category_key(Category category) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Category::count_)> keys = {
      "weights", "kv", "activations", "runtime"};
  return keys[static_cast<std::size_t>(category)];
}

std::string_view certainty_key(Certainty certainty) {
  constexpr std::array<std::string_view, 3> keys = {"exact", "modelled", "assumed"};
  return keys[static_cast<std::size_t>(certainty)];
}

Band total(const Ledger& ledger, int device) {
  Band sum;
  for (const Entry& entry : ledger) {
    if (entry.device == device) sum += entry;
  }
  return sum;
}

Band total(const Ledger& ledger, int device, Category category) {
  Band sum;
  for (const Entry& entry : ledger) {
    if (entry.device == device && category_of(entry.term) == category) sum += entry;
  }
  return sum;
}

}  // namespace vram
