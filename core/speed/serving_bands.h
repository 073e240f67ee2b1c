// How sure a speed is. Widths are in natural logarithms: 0.27 = from 24 % less to 31 % more.
//
// The base width holds for nine of ten of the rows that the constants were calibrated on (Hopper and datacentre
// Blackwell, vLLM, SGLang, TensorRT-LLM). Every setting that nobody told and every piece of hardware or software that
// nobody measured adds to it, as independent errors do: the square root of the sum of squares.
#pragma once
#include <cmath>

#include "core/speed/serving_speed.h"

namespace vram::speed {

struct Width {
  double below = 0, above = 0;
  Band around(double likely) const { return {likely * std::exp(-below), likely, likely * std::exp(above)}; }
  Width inverse() const { return {above, below}; }
};

struct Widths {
  Width total;         ///< tokens a second in all
  Width per_user;      ///< tokens a second of one user; time per token is its inverse
  Width first_token;
};

/// What a band depends on beside the case.
struct BandFacts {
  bool experts = false;
  bool waits = false;                  ///< more requests than the pool holds
  bool saturated = false;
  double running = 1;
  double requests_per_second = 0;      ///< of one replica
};

Widths band_widths(const Case& one, const Machine& machine, const BandFacts& facts);

}  // namespace vram::speed
