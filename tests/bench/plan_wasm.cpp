// How long a plan takes as the page computes it: built with the page's flags, run by Node, whose engine is Chromium's.
// Prints a line a question, its name and the median of nanoseconds a plan.
//
//   cmake --build --preset web --target plan_bench && node build/web/plan_bench.js
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "tests/bench/questions.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Of one plan, over a hundredth of a second.
double nanoseconds(const vram::Inputs& inputs) {
  const auto begun = Clock::now();
  std::size_t plans = 0, entries = 0;
  do {
    for (int i = 0; i < 10; ++i) entries += vram::make_plan(inputs).ledger.size();
    plans += 10;
  } while (Clock::now() - begun < std::chrono::milliseconds(10));
  const std::chrono::duration<double, std::nano> took = Clock::now() - begun;
  return entries == 0 ? 0 : took.count() / static_cast<double>(plans);
}

}  // namespace

int main() {
  for (const vram::bench::Question& question : vram::bench::kQuestions) {
    const vram::Inputs inputs = vram::bench::inputs_of(question.engine, question.model);
    for (int i = 0; i < 30; ++i) nanoseconds(inputs);  // until it is compiled for speed
    std::array<double, 15> runs{};
    for (double& run : runs) run = nanoseconds(inputs);
    std::sort(runs.begin(), runs.end());
    std::printf("%s %.0f\n", question.name, runs[runs.size() / 2]);
  }
  return 0;
}
