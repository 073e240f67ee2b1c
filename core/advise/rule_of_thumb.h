// The usual rules of thumb beside the plan, and why they differ.
//
// For serving: weights and 20–30 % at a short context; 1–2 GB of buffers on each device; and what calculations that know
// only "billions of parameters" say of weights, experts and caches. For training: 12–20 times the half-precision weights,
// an optimizer of 2–4 times the weights, gradients of as much, adapters several times less.
#pragma once
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct RuleOfThumb {
  std::string key;     ///< "total", "buffers", "nominal_bits", "active_parameters", "cache_of_hidden_size", "training", …
  Message rule;        ///< string "rule.<key>": what the rule says
  Message why;         ///< string "rule_why.…": why the plan says otherwise, or that it agrees
  Bytes low, high;     ///< by the rule; equal where it is one number
  Bytes real;          ///< by the plan
  bool agrees() const { return low <= real && real <= high; }
};

/// Of the first deployment, or of the training job. Rules that say the same as the plan by construction are left out.
std::vector<RuleOfThumb> rules_of_thumb(const Inputs& inputs, const Plan& plan);

}  // namespace vram
