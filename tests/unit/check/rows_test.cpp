#include "core/check/rows.h"

#include <gtest/gtest.h>

#include "assets/assets.h"

namespace vram::check {
namespace {

Outcome outcome_of(std::string_view lines) {
  static const auto* const models =
      new std::vector<CatalogueModel>(models_from_json(assets::file("models.json")).value());
  static const auto* const accelerators =
      new std::vector<Accelerator>(accelerators_from_json(assets::file("accelerators.json")).value());
  static const auto* const platforms = new Platforms(platforms_from_json(assets::file("platforms.json")).value());
  return check_lines(lines, Library(*models, *accelerators, platforms->interconnect));
}

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

TEST(CheckRows, WhatIsNotKnownIsSkippedWithAReason) {
  const Outcome outcome = outcome_of("{\"id\": \"x\", \"colour\": \"red\"}\n\nnot json\n{\"id\": 7}\n");
  ASSERT_EQ(outcome.skipped.size(), 3u);
  EXPECT_EQ(outcome.skipped[0].reason, "unknown_kind");
  EXPECT_EQ(outcome.skipped[1].id, "line 3");
  EXPECT_TRUE(outcome.cases.empty());
}

}  // namespace
}  // namespace vram::check
