#include "core/plan/server/bands.h"

#include <algorithm>
#include <cmath>

namespace vram {

Estimate difference(double whole, std::initializer_list<Estimate> parts) {
  Estimate result{whole, whole, whole, Certainty::exact};
  double up = 0, down = 0;  // squares of how far the result may lie above and below
  for (const Estimate& part : parts) {
    result.likely -= part.likely;
    up += (part.likely - part.low) * (part.likely - part.low);
    down += (part.high - part.likely) * (part.high - part.likely);
    result.certainty = std::max(result.certainty, part.certainty);
  }
  result.low = result.likely - std::sqrt(down);
  result.high = result.likely + std::sqrt(up);
  return result;
}

Estimate hull(const Estimate& a, const Estimate& b) {
  return {std::min(a.low, b.low), a.likely, std::max(a.high, b.high), std::max(a.certainty, b.certainty)};
}

void use_measured(ServerRank& rank, const MeasuredParts& measured) {
  const auto use = [](Estimate& estimate, const std::optional<double>& bytes) {
    if (bytes) estimate = {*bytes, *bytes, *bytes, Certainty::measured};
  };
  use(rank.activation, measured.activation);
  use(rank.non_torch, measured.non_torch);
  use(rank.graphs, measured.graphs);
}

Estimate weights_estimate(const Model& model, double bytes) {
  if (model.origin == Origin::size_only) return {bytes * 0.95, bytes, bytes * 1.15, Certainty::assumed};
  if (model.origin == Origin::unverified) return {bytes * 0.97, bytes, bytes * 1.03, Certainty::modelled};
  // Logs of models with published shapes: nine of ten within 0.7 %.
  return {bytes * 0.993, bytes, bytes * 1.007, Certainty::exact};
}

}  // namespace vram
