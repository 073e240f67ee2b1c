#include "core/check/goals.h"

#include <algorithm>
#include <cmath>

namespace vram::check {
namespace {

constexpr Within kToTheByte{0, 1};
constexpr std::string_view kPlan = "llamacpp_oracle", kLog = "llamacpp";

constexpr Goal kGoals[] = {
    {.section = Section::weights,
     .words = "weights of vLLM, SGLang and others",
     .kinds = "serving",
     .quantities = "weights",
     .n = 60,
     .median = 0.001,
     .p90 = 0.015},

    {.section = Section::kv,
     .words = "bytes of a token",
     .kinds = "serving",
     .quantities = "kv_per_token",
     .mode = "flags",
     .n = 55,
     .within = Within{0.003, 0.95}},
    {.section = Section::kv,
     .words = "tokens, concurrency of a given pool; no flag is missing",
     .kinds = "serving",
     .quantities = "tokens concurrency",
     .mode = "given_pool",
     .only_flags_told = true,
     .p90 = 0.005,
     .in_band = 0.9,
     .reached = false},
    {.section = Section::kv,
     .words = "tokens, concurrency of a given pool; whatever is missing",
     .kinds = "serving",
     .quantities = "tokens concurrency",
     .mode = "given_pool",
     .median = 0.01},

    {.section = Section::runtime,
     .words = "the pool, from flags alone",
     .kinds = "serving",
     .quantities = "pool",
     .mode = "flags",
     .n = 60,
     .median = 0.005,
     .p90 = 0.05,
     .reached = false},
    {.section = Section::runtime,
     .words = "bands of all figures of servers",
     .kinds = "serving",
     .in_band = 0.9,
     .band_width = 0.15},

    {.section = Section::llamacpp,
     .words = "caches and states, the loader's own plan",
     .kinds = kPlan,
     .quantities = "kv recurrent",
     .within = kToTheByte},
    {.section = Section::llamacpp,
     .words = "caches and states, logs",
     .kinds = kLog,
     .quantities = "kv recurrent",
     .within = Within{0.002, 0.98}},
    {.section = Section::llamacpp,
     .words = "weights by device and host, the loader's own plan",
     .kinds = kPlan,
     .quantities = "weights",
     .within = kToTheByte},
    {.section = Section::llamacpp,
     .words = "compute buffer of a dense model on one GPU, plan",
     .kinds = kPlan,
     .quantities = "compute",
     .families = "llama.cpp plan/dense",
     .p90 = 0.01},
    {.section = Section::llamacpp,
     .words = "compute buffer of experts, hybrids, several GPUs, plan",
     .kinds = kPlan,
     .quantities = "compute",
     .families = "llama.cpp plan/experts|llama.cpp plan/hybrid|llama.cpp plan/several",
     .median = 0.05,
     .p90 = 0.2},
    {.section = Section::llamacpp,
     .words = "compute buffer, logs",
     .kinds = kLog,
     .quantities = "compute",
     .median = 0.08,
     .p90 = 0.3},
    {.section = Section::llamacpp,
     .words = "bands of all figures of logs",
     .kinds = kLog,
     .in_band = 0.9,
     .band_width = 0.15},

    {.section = Section::training,
     .words = "states after a step",
     .kinds = "training",
     .quantities = "steady",
     .n = 150,
     .median = 0.005,
     .p90 = 0.02},
    {.section = Section::training,
     .words = "peak, HF Trainer with fms-acceleration",
     .kinds = "training",
     .quantities = "peak",
     .families = "fms/",
     .n = 200,
     .median = 0.03,
     .p90 = 0.1},
    {.section = Section::training,
     .words = "peak, all frameworks",
     .kinds = "training",
     .quantities = "peak",
     .median = 0.08,
     .p90 = 0.25},
    {.section = Section::training,
     .words = "runs that ran out, called so",
     .kinds = "training",
     .quantities = "oom",
     .reported = 1,
     .within = Within{0, 0.85}},
    {.section = Section::training,
     .words = "runs that worked, called fitting",
     .kinds = "training",
     .quantities = "oom",
     .reported = 0,
     .within = Within{0, 0.92}},
    {.section = Section::training,
     .words = "bands of what nvidia-smi shows",
     .kinds = "training",
     .quantities = "smi",
     .in_band = 0.9,
     .band_width = 0.3},

    {.section = Section::speed,
     .words = "output tokens a second, dense",
     .kinds = "throughput",
     .quantities = "output_tps",
     .families = "dense",
     .median = 0.11,
     .in_band = 0.85,
     .band_width = 0.6},
    {.section = Section::speed,
     .words = "output tokens a second, experts",
     .kinds = "throughput",
     .quantities = "output_tps",
     .families = "moe",
     .median = 0.2,
     .in_band = 0.85,
     .band_width = 0.6},
    {.section = Section::speed,
     .words = "time per token, dense",
     .kinds = "throughput",
     .quantities = "tpot",
     .families = "dense",
     .median = 0.11,
     .in_band = 0.85,
     .band_width = 0.6},
    {.section = Section::speed,
     .words = "time per token, experts",
     .kinds = "throughput",
     .quantities = "tpot",
     .families = "moe",
     .median = 0.2,
     .in_band = 0.85,
     .band_width = 0.6},
};

template <class Of>
bool any_of_list(std::string_view list, char between, Of of) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(between));
    if (of(one)) return true;
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

bool is_about(const Goal& goal, const Case& one) {
  if (goal.only_complete && !one.complete) return false;
  const auto is = [](std::string_view value) { return [value](std::string_view word) { return word == value; }; };
  if (!any_of_list(goal.kinds, ' ', is(one.kind))) return false;
  if (!goal.quantities.empty() && !any_of_list(goal.quantities, ' ', is(one.quantity))) return false;
  if (!goal.mode.empty() && goal.mode != one.mode) return false;
  if (goal.only_flags_told && !one.flags_told) return false;
  if (goal.reported && *goal.reported != one.reported) return false;
  return goal.families.empty() || any_of_list(goal.families, '|', [&](std::string_view start) {
           return std::string_view(one.family).starts_with(start);
         });
}

}  // namespace

Section section_of(const Case& one) {
  if (one.kind == "training") return Section::training;
  if (one.kind == "throughput") return Section::speed;
  if (one.kind == kPlan || one.kind == kLog) return Section::llamacpp;
  if (one.quantity == "weights") return Section::weights;
  if (one.quantity == "activation") return Section::activations;
  const bool runtime = one.quantity == "non_torch" || one.quantity == "graphs" || one.quantity == "pool";
  return runtime ? Section::runtime : Section::kv;
}

std::span<const Goal> goals() { return kGoals; }

Reached reached(const Goal& goal, const Outcome& outcome) {
  std::vector<const Case*> cases;
  for (const Case& one : outcome.cases) {
    if (is_about(goal, one)) cases.push_back(&one);
  }
  Reached result;
  result.summary = summary_of(cases);
  if (goal.within && !cases.empty()) {
    const auto close = std::count_if(cases.begin(), cases.end(),
                                     [&](const Case* one) { return std::abs(one->error()) <= goal.within->error; });
    result.within = static_cast<double>(close) / static_cast<double>(cases.size());
  }
  const Summary& s = result.summary;
  result.met = s.n >= goal.n && s.n > 0 && (!goal.median || s.median <= *goal.median) &&
               (!goal.p90 || s.p90 <= *goal.p90) && (!goal.within || result.within >= goal.within->share) &&
               (!goal.in_band || s.in_band >= *goal.in_band) && (!goal.band_width || s.band_width <= *goal.band_width);
  return result;
}

}  // namespace vram::check
