// Requests a minute → requests at the same time, by Little's law: L = λ · W.
//
//   λ   requests a second, agreed with whoever asks
//   W   seconds of one request, from its arrival to its last token, when L of them run beside it
//
// W grows with L, so L is the number at which as many requests end as arrive (core/speed finds it). The pool of keys
// and values is no limit here: whether it holds L of them is the plan's question.
//
//   60 requests a minute, each 12 s: 1 / s × 12 s = 12 at the same time
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/hardware/platform.h"
#include "core/plan/plan.h"

namespace vram {

/// What a rate of requests means for one deployment.
struct Workload {
  double requests_a_second = 0;
  double seconds = 0;              ///< of one request
  double at_once = 0;              ///< their product
  std::int64_t users = 1;          ///< rounded up: what a plan is made for
  bool saturated = false;          ///< more arrive than can ever end: `users` is then what the engine takes at most
};

/// Nothing when the deployment states no rate, trains, or its speed is not known.
std::optional<Workload> workload(const Inputs& inputs, const Interconnect& interconnect, std::size_t deployment = 0);

/// The scenario with `users` of every deployment that states a rate put in its place; called before planning.
Scenario with_concurrency(const Inputs& inputs, const Interconnect& interconnect);

}  // namespace vram
