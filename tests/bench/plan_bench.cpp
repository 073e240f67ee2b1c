// How long a plan takes, by engine, and what else is done with every change on the page.
#include <benchmark/benchmark.h>

#include <string>

#include "core/advise/limits.h"
#include "core/advise/options.h"
#include "core/plan/plan.h"
#include "tests/bench/questions.h"

namespace {

using namespace vram;

using bench::inputs_of;
using bench::kDense;
using bench::kExperts;
using shipped::library;

const bool plans_are_timed = [] {
  for (const bench::Question& question : bench::kQuestions) {
    benchmark::RegisterBenchmark(question.name, [question](benchmark::State& state) {
      const Inputs inputs = inputs_of(question.engine, question.model);
      for (auto _ : state) benchmark::DoNotOptimize(make_plan(inputs));
    });
  }
  return true;
}();

void job(benchmark::State& state, const char* task) {
  const Inputs inputs = inputs_of("vllm", kDense, task);
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(inputs));
}
BENCHMARK_CAPTURE(job, full_70b, "train");
BENCHMARK_CAPTURE(job, lora_70b, "tune");

void limits(benchmark::State& state, const char* engine) {
  const Inputs inputs = inputs_of(engine, kDense);
  for (auto _ : state) benchmark::DoNotOptimize(find_limits(inputs));
}
BENCHMARK_CAPTURE(limits, vllm_70b, "vllm");
BENCHMARK_CAPTURE(limits, llama_cpp_70b, "llama_cpp");

void options(benchmark::State& state, const char* engine, const char* model, const char* offload) {
  Scenario scenario;
  scenario.devices = 8;
  scenario.offload = offload;
  scenario.deployments[0].model = model;
  scenario.deployments[0].engine = engine;
  int planned = 0;
  for (auto _ : state) {
    OptionSearch search(scenario, library());
    while (search.step(100)) {}
    planned = search.planned();
  }
  state.counters["plans"] = planned;
}
BENCHMARK_CAPTURE(options, vllm_70b, "auto", kDense, "no")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(options, vllm_deepseek_v3, "auto", kExperts, "no")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(options, llama_cpp_70b_off_load, "auto", kDense, "weights")->Unit(benchmark::kMillisecond);

void resolve_names(benchmark::State& state) {
  Scenario scenario;
  scenario.deployments[0].model = kExperts;
  for (auto _ : state) benchmark::DoNotOptimize(resolve(scenario, library()));
}
BENCHMARK(resolve_names);

}  // namespace
