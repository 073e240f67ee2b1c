#include "core/plan/ledger.h"

#include <array>

namespace vram {

std::string_view term_key(Term term) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Term::count_)> keys = {
      "weights", "adapters", "kv_cache", "state", "activations", "staging", "output", "graphs",
      "communication", "runtime", "reserve", "master_weights", "gradients", "optimizer", "step", "gathered",
      "workspace", "kept", "layer", "input_gradients", "scores", "logits", "held_outputs", "reference", "rollout",
      "load", "save", "fragments"};
  return keys[static_cast<std::size_t>(term)];
}

Category category_of(Term term) {
  switch (term) {
    case Term::weights:
    case Term::adapters:
    case Term::reference:
    case Term::gathered:
    case Term::load:
    case Term::save: return Category::weights;
    case Term::kv_cache:
    case Term::state:
    case Term::rollout: return Category::kv;
    case Term::activations:
    case Term::output:
    case Term::kept:
    case Term::layer:
    case Term::input_gradients:
    case Term::scores:
    case Term::logits:
    case Term::held_outputs: return Category::activations;
    case Term::master_weights:
    case Term::gradients:
    case Term::optimizer:
    case Term::step: return Category::optimizer;
    default: return Category::runtime;
  }
}

std::string_view category_key(Category category) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Category::count_)> keys = {
      "weights", "kv", "activations", "optimizer", "runtime"};
  return keys[static_cast<std::size_t>(category)];
}

std::string_view certainty_key(Certainty certainty) {
  constexpr std::array<std::string_view, 4> keys = {"exact", "measured", "modelled", "assumed"};
  return keys[static_cast<std::size_t>(certainty)];
}

Band total(const Ledger& ledger, int device) {
  Band sum;
  for (const Entry& entry : ledger) {
    if (entry.on(device) && entry.term != Term::reserve) sum += entry;
  }
  return sum;
}

Band total(const Ledger& ledger, int device, Category category) {
  Band sum;
  for (const Entry& entry : ledger) {
    if (entry.on(device) && entry.term != Term::reserve && category_of(entry.term) == category) sum += entry;
  }
  return sum;
}

Bytes reserved(const Ledger& ledger, int device) {
  Bytes sum;
  for (const Entry& entry : ledger) {
    if (entry.on(device) && entry.term == Term::reserve) sum += entry.likely;
  }
  return sum;
}

}  // namespace vram
