#include "core/speed/serving_bands.h"

namespace vram::speed {

Widths band_widths(const Case& one, const Machine& machine, bool saturated) {
  double squared = 0;
  const auto add = [&](bool applies, double width) { squared += applies ? width * width : 0; };
  const bool experts = !machine.work.experts.empty();
  add(true, experts ? 0.26 : 0.20);
  add(saturated, 0.10);
  const double total = std::sqrt(squared);
  Widths widths;
  widths.total = widths.per_token = {total, total};
  widths.first_token = {std::sqrt(squared + 0.36), std::sqrt(squared + 0.36)};
  static_cast<void>(one);
  return widths;
}

}  // namespace vram::speed
