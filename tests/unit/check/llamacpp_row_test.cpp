#include "core/check/llamacpp_row.h"

#include <gtest/gtest.h>

namespace vram::check {
namespace {

LlamaCppRow row_of(std::string_view text) {
  const Result<Json> json = parse_json(text);
  const auto row = json ? llamacpp_row(json.value()) : std::nullopt;
  EXPECT_TRUE(row);
  return row.value_or(LlamaCppRow{});
}

TEST(LlamaCppRow, MatricesSplitByRowsLieOnAllCardsTogether) {  // ik_llama.cpp #633: -sm row
  const LlamaCppRow row = row_of(
      R"({"id": "a", "engine": "ik_llama.cpp", "n_gpu_layers": 65, "gpus": ["RTX 3090", "RTX 3090", "RTX 3090"], )"
      R"("reported": {"cuda_model_buffer_mib": {"CUDA0": 3}, "cpu_model_buffer_mib": {"CUDA_Split": 64738, "CPU": 3187}}})");
  EXPECT_EQ(row.devices, 3);
  ASSERT_EQ(row.report.device_weights.size(), 2u);
  EXPECT_EQ(row.report.device_weights[1].name, "CUDA_Split");
  ASSERT_EQ(row.report.host_weights.size(), 1u);
  EXPECT_EQ(row.report.host_weights[0].name, "CPU");
}

TEST(LlamaCppRow, ALogThatNamesNoGpuIsOfARunOnTheCpu) {
  const std::string start =
      R"({"id": "a", "engine": "llama.cpp", "reported": {"cpu_model_buffer_mib": {"CPU": 680237}})";
  EXPECT_EQ(row_of(start + "}").gpu_layers, 0);
  EXPECT_EQ(row_of(start + R"(, "n_gpu_layers": 62})").gpu_layers, 62);
  EXPECT_FALSE(row_of(start + R"(, "gpus": ["RTX 3090"]})").gpu_layers);
}

}  // namespace
}  // namespace vram::check
