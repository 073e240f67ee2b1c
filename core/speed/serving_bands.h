// How sure a speed is. Widths are in natural logarithms: 0.2 = from 18 % less to 22 % more.
//
// The base width holds for what the constants were calibrated on; every setting that nobody told and every piece of
// hardware that nobody measured adds to it, as independent errors do.
#pragma once
#include <cmath>

#include "core/speed/serving_speed.h"

namespace vram::speed {

struct Width {
  double below = 0.2, above = 0.2;
  Band around(double likely) const { return {likely * std::exp(-below), likely, likely * std::exp(above)}; }
};

struct Widths {
  Width total, per_token, first_token;
};

Widths band_widths(const Case& one, const Machine& machine, bool saturated);

}  // namespace vram::speed
