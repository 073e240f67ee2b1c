// Arithmetic of estimates and what is known of their spread.
#pragma once
#include <initializer_list>

#include "core/plan/server/server.h"

namespace vram {

/// `whole` minus all of the parts. Parts are independent, so their spreads add as squares.
Estimate difference(double whole, std::initializer_list<Estimate> parts);

/// low … high of both, likely of the first.
Estimate hull(const Estimate& a, const Estimate& b);

/// What was measured, instead of the estimates of the stage; to be called before its pool is sized.
void use_measured(ServerRank& rank, const MeasuredParts& measured);

/// Weights after loading: exact where the shapes are facts, wider for models nobody published the shapes of.
Estimate weights_estimate(const Model& model, double bytes);

}  // namespace vram
