// How fast a plan is: the plan's deployment as a case of core/speed, and a training job's hours.
//
//   Result<speed::Speed> fast = performance(inputs, plan, platforms.interconnect);
//   fast.value().per_user.likely     // tokens a second for one user
//
// What a request is: the one that memory was planned for. Its answer is `answer` tokens and its input the rest of
// `context`, of which `prefix` tokens are found in the cache; `users` of them run at the same time (the normal load,
// not the peak). Shorter requests are answered sooner, so this is the careful reading of a scenario.
#pragma once
#include <cstddef>
#include <optional>

#include "core/hardware/platform.h"
#include "core/plan/plan.h"
#include "core/speed/serving_speed.h"
#include "core/speed/training_time.h"

namespace vram {

/// The first deployment that writes answers: embeddings and rerankers do not. The last one when none does.
std::size_t first_that_generates(const Inputs& inputs);

/// The case that performance() counts. Its model, accelerator and interconnect are those of the arguments, which must
/// outlive it. Devices of several kinds run at the pace of the slowest.
speed::Case speed_case(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                       std::size_t deployment = 0);

/// Errors: those of speed::serving_speed(), performance.on_host {} when weights or a cache live in host memory, which
/// nobody measured well enough, and performance.trains {} for a training job.
Result<speed::Speed> performance(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                                 std::size_t deployment = 0);

/// Of a training job; nothing for a deployment, or when the accelerator's 16-bit rate is not known.
std::optional<speed::TrainingTime> job_time(const Inputs& inputs, const Plan& plan);

}  // namespace vram
