#include "core/check/rows.h"

#include <gtest/gtest.h>

#include "tests/unit/check/measured.h"

namespace vram::check {
namespace {

Outcome outcome_of(std::string_view lines) { return check_lines(lines, library()); }

const Case* of(const Outcome& outcome, std::string_view quantity) {
  for (const Case& one : outcome.cases) {
    if (one.quantity == quantity) return &one;
  }
  return nullptr;
}

TEST(CheckRows, ALogsFigureIsPredicted) {  // Gemma-3-27B on an H100, vLLM 0.19: 51.45 GiB of weights
  const Outcome outcome = outcome_of(
      R"({"id": "a", "engine": "vllm", "engine_version": "0.19.0", "model_key": "google/gemma-3-27b-it", )"
      R"("weights_format": "bf16", "kv_format": "bf16", "hardware_id": "h100-sxm", "n_gpus": 1, "tensor_parallel": 1, )"
      R"("gpu_memory_utilization": 0.95, "max_model_len": 8192, "max_num_batched_tokens": 8192, )"
      R"("reported": {"weights_gib": 51.45}, "complete": true, "complete_for": ["weights"]})");
  ASSERT_NE(of(outcome, "weights"), nullptr);
  EXPECT_NEAR(of(outcome, "weights")->error(), 0, 0.002);
  EXPECT_TRUE(of(outcome, "weights")->complete);
}

TEST(CheckRows, ARowsKindIsToldWithoutTheFieldsThatItLeavesOut) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"id": "a", "engine": "vllm", "reported": {}})", "serving"},
      {R"({"id": "a", "method": "full", "reported": {}})", "training"},
      {R"({"id": "a", "engine": "llama.cpp", "n_ctx": 4096, "reported": {}})", "llamacpp"},
      {R"({"id": "a", "engine": "vLLM", "ttft_ms": 12})", "throughput"},
  };
  for (const auto& [row, kind] : rows) {
    const Outcome outcome = outcome_of(row);
    ASSERT_EQ(outcome.skipped.size(), 1u) << row;
    EXPECT_EQ(outcome.skipped[0].kind, kind) << row;
  }
}

TEST(CheckRows, ALargeErrorCanBeToldFromASettingThatNobodyNoted) {
  const std::string start =
      R"({"id": "a", "engine": "vllm", "model_key": "google/gemma-3-27b-it", "tensor_parallel": 1, )"
      R"("weights_format": "bf16", "speculative": "none", "reported": {"weights_gib": 51.45})";
  const auto untold = [&](const std::string& rest) {
    const Outcome outcome = outcome_of(start + rest + "}");
    return of(outcome, "weights") == nullptr ? std::vector<std::string>{"nothing predicted"}
                                             : of(outcome, "weights")->untold;
  };
  EXPECT_EQ(untold(R"(, "engine_version": "0.19.0")"), std::vector<std::string>{});
  EXPECT_EQ(untold(""), std::vector<std::string>{"engine version"});
  EXPECT_EQ(untold(R"(, "missing_flags": [])"), std::vector<std::string>{});  // null, and nothing was left out
  EXPECT_EQ(untold(R"(, "engine_version": "0.19.0", "inferred": ["engine_version"])"),
            std::vector<std::string>{"engine version"});
}

TEST(CheckRows, WeightsWhoseFormatNobodyNotedAreTheCheckpointsOrFewerBits) {
  const std::string start = R"({"id": "a", "engine": "vllm", "engine_version": "0.19.0", "tensor_parallel": 1, )"
                            R"("model_key": "Qwen/Qwen3-32B", "reported": {"weights_gib": 18.5, "kv_cache_gib": 4}, )";
  const Outcome large = outcome_of(start + R"("hardware_id": "h100-sxm"})");
  const Outcome small = outcome_of(start + R"("hardware_id": "rtx4090"})");  // it started on 24 GB
  ASSERT_TRUE(of(large, "weights") != nullptr && of(small, "weights") != nullptr);
  EXPECT_NEAR(of(large, "weights")->predicted, 61.0 * (1 << 30), 0.5 * (1 << 30));
  EXPECT_TRUE(of(large, "weights")->in_band());
  EXPECT_NEAR(of(small, "weights")->predicted, 18.0 * (1 << 30), 1.0 * (1 << 30));
}

TEST(CheckRows, WhatIsNotKnownIsSkippedWithAReason) {
  const Outcome outcome = outcome_of("{\"id\": \"x\", \"colour\": \"red\"}\n\nnot json\n{\"id\": 7}\n");
  ASSERT_EQ(outcome.skipped.size(), 3u);
  EXPECT_EQ(outcome.skipped[0].reason, "unknown_kind");
  EXPECT_EQ(outcome.skipped[1].id, "line 3");
  EXPECT_TRUE(outcome.cases.empty());
}

}  // namespace
}  // namespace vram::check
