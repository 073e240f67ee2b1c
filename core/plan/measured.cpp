#include "core/plan/measured.h"

#include <algorithm>
#include <cmath>

namespace vram {
namespace {

struct MeasuredPart {
  Term term;   ///< what the measured entry is called
  Term other;  ///< what a log does not tell apart from it
  double Deployment::*gib;
};
constexpr MeasuredPart kParts[] = {{Term::activations, Term::staging, &Deployment::measured_activations_gib},
                                   {Term::graphs, Term::graphs, &Deployment::measured_graphs_gib},
                                   {Term::runtime, Term::communication, &Deployment::measured_runtime_gib}};

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }

Derivation derivation_of(double calculated, double measured) {
  const bool less = measured < calculated;
  return {less ? "measured_less" : "measured_more",
          {{"calculated", calculated, ValueUnit::bytes},
           {"difference", std::abs(measured - calculated), ValueUnit::bytes}}};
}

}  // namespace

void use_measured(std::vector<Entry>& entries, std::size_t from, const Deployment& deployment) {
  for (const MeasuredPart& part : kParts) {
    if (deployment.*part.gib <= 0 || from >= entries.size()) continue;
    Entry made = entries[from];  // of the same device and deployment
    Bytes calculated;
    const auto replaced = [&](const Entry& entry) { return entry.term == part.term || entry.term == part.other; };
    for (std::size_t i = from; i < entries.size(); ++i) {
      if (replaced(entries[i])) calculated += entries[i].likely;
    }
    entries.erase(std::remove_if(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end(), replaced),
                  entries.end());
    made.term = part.term;
    made.part = Part::text;
    made.certainty = Certainty::measured;
    made.low = made.likely = made.high = bytes_from_gib(deployment.*part.gib);
    made.derivation = derivation_of(exact(calculated), exact(made.likely));
    entries.push_back(std::move(made));
  }
}

}  // namespace vram
