// The questions that are timed: natively by plan_bench.cpp, as wasm by plan_wasm.cpp.
#pragma once
#include <array>
#include <string>

#include "core/plan/plan.h"
#include "tests/library.h"

namespace vram::bench {

constexpr const char* kDense = "meta-llama/Llama-3.1-70B-Instruct";
constexpr const char* kExperts = "deepseek-ai/DeepSeek-V3";

/// A model on one node of eight.
inline Inputs inputs_of(const std::string& engine, const std::string& model, const std::string& task = "serve") {
  Scenario scenario;
  scenario.task = task;
  scenario.devices = 8;
  scenario.deployments[0].model = model;
  scenario.deployments[0].engine = engine;
  return resolve(scenario, shipped::library()).value();
}

struct Question {
  const char *name, *engine, *model;
};
constexpr std::array<Question, 9> kQuestions = {{
    {"plan/generic_70b", "generic", kDense},
    {"plan/vllm_70b", "vllm", kDense},
    {"plan/sglang_70b", "sglang", kDense},
    {"plan/tensorrt_llm_70b", "tensorrt_llm", kDense},
    {"plan/llama_cpp_70b", "llama_cpp", kDense},
    {"plan/vllm_deepseek_v3", "vllm", kExperts},
    {"plan/sglang_deepseek_v3", "sglang", kExperts},
    {"plan/tensorrt_llm_deepseek_v3", "tensorrt_llm", kExperts},
    {"plan/llama_cpp_deepseek_v3", "llama_cpp", kExperts},
}};

}  // namespace vram::bench
