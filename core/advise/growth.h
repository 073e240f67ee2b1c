// Growth that is agreed: today's plan beside that of the horizon, and how many of the same devices hold the latter.
//
// "The reserve follows agreed growth, not an arbitrary per cent" (article 2). Where nobody agreed on any, half as many
// users again is the usual offer (30 to 50 %).
#pragma once
#include <optional>

#include "core/plan/plan.h"

namespace vram {

constexpr int kUsualGrowth = 50;   ///< per cent of users

bool has_growth(const Scenario& scenario);

/// Users, peak, rate and context at the horizon, rounded up; with nothing agreed, `usual` per cent more users. A
/// context is never taken below what it is, and a training job stays as it is.
Scenario grown(const Scenario& scenario, int usual = 0);

struct Growth {
  Inputs then;                     ///< the inputs at the horizon
  Plan plan;                       ///< theirs, on today's devices
  bool holds = false;              ///< today's devices hold it
  std::optional<int> devices;      ///< fewest of the same accelerator that do; nothing when none of 1…64 does
};

/// Nothing when no growth is agreed.
std::optional<Growth> plan_growth(const Inputs& inputs);

}  // namespace vram
