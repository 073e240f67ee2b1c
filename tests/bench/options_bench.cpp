// How long the search of what to buy takes: the suggestions of the short list, and the whole front.
#include <benchmark/benchmark.h>

#include <utility>

#include "core/advise/options.h"
#include "tests/library.h"

namespace {

using namespace vram;

using shipped::library;

void search(benchmark::State& state, const char* link, bool whole) {
  const Scenario scenario = from_link(link).scenario;
  int planned = 0;
  for (auto one : state) {
    OptionSearch options(scenario, library());
    while ((whole || !options.short_list_done()) && options.step(10)) {
    }
    benchmark::DoNotOptimize(options.suggestions().least);
    planned = options.planned();
  }
  state.counters["plans"] = planned;
}

constexpr const char* kLlama70 = "model=meta-llama/Llama-3.1-70B-Instruct&users=40&ctx=8192";
constexpr const char* kDeepSeek = "model=deepseek-ai/DeepSeek-V3&users=40&ctx=8192";
BENCHMARK_CAPTURE(search, llama_70b_suggestions, kLlama70, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, llama_70b_front, kLlama70, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, deepseek_v3_suggestions, kDeepSeek, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, deepseek_v3_front, kDeepSeek, true)->Unit(benchmark::kMillisecond);

}  // namespace
