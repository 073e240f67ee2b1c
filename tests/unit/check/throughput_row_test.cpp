#include "core/check/throughput_row.h"

#include <gtest/gtest.h>

#include "tests/unit/check/measured.h"

namespace vram::check {
namespace {

Outcome checked(const std::string& json) {
  Outcome outcome;
  const auto row = parse_json(json);
  EXPECT_TRUE(row);
  if (row) check_row(row.value(), library(), outcome);
  return outcome;
}

TEST(ThroughputRow, NeedsAnId) {
  auto parsed = parse_json("{}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(throughput_row(parsed.value()).error().key, "throughput.no_id");
}

TEST(ThroughputRow, ToldTwiceCountsOnce) {
  const Outcome outcome = checked(R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"vLLM",
    "concurrency":8,"isl":100,"osl":100,"total_output_tok_s":500,"duplicate_of":"b"})");
  EXPECT_TRUE(outcome.cases.empty());
  ASSERT_EQ(outcome.skipped.size(), 1U);
  EXPECT_EQ(outcome.skipped.front().reason, "duplicate");
}

TEST(ThroughputRow, OfADoubtedFieldLosesThatFigureOnly) {
  const Outcome outcome = checked(R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"vLLM",
    "concurrency":8,"isl":100,"osl":100,"total_output_tok_s":500,"tpot_ms":12,"ttft_ms":60,"suspect":["tpot_ms"]})");
  ASSERT_EQ(outcome.cases.size(), 2U);
  EXPECT_EQ(outcome.cases[0].quantity, "output_tps");
  EXPECT_EQ(outcome.cases[1].quantity, "ttft");
}

TEST(ThroughputRow, WithoutAParallelLayoutTakesTheOneThatServesMost) {
  const Outcome outcome =
      checked(R"({"id":"a","model_key":"meta-llama/Llama-2-70b-hf","hardware_id":"h200-sxm","n_gpu":8,
    "engine":"TensorRT-LLM","weights_format":"fp8","offline":true,"rate":"inf","isl":300,"osl":300,"total_output_tok_s":30000})");
  ASSERT_EQ(outcome.cases.size(), 1U);
  EXPECT_GT(outcome.cases.front().predicted, 10000);
}

TEST(ThroughputRow, OfUnknownSettingsHasAWiderBand) {
  const std::string start =
      R"({"id":"a","model_key":"meta-llama/Llama-3.3-70B-Instruct","hardware_id":"h100-sxm","n_gpu":4,
    "engine":"vLLM","weights_format":"fp8","concurrency":8,"isl":500,"osl":500,"total_output_tok_s":300)";
  const auto told = checked(start + R"(,"tp":4})");
  const auto untold = checked(start + "}");
  ASSERT_EQ(told.cases.size(), 1U);
  ASSERT_EQ(untold.cases.size(), 1U);
  EXPECT_GT(untold.cases.front().band_width(), told.cases.front().band_width());
}

TEST(ThroughputRow, OfHostileNumbersDoesNoHarm) {
  for (const char* json :
       {R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"","concurrency":1e300,
                            "isl":1e300,"osl":1e300,"total_output_tok_s":1})",
        R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"x","tp":99999,"pp":99999,
                            "concurrency":0.001,"isl":0.001,"osl":0.001,"total_output_tok_s":1})",
        R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","rate":1e-300,"isl":1,"osl":1,
                            "total_output_tok_s":1})"}) {
    for (const Case& one : checked(json).cases) EXPECT_GE(one.predicted, 0) << json;
  }
}

}  // namespace
}  // namespace vram::check
