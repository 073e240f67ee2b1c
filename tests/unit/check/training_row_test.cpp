#include "core/check/training_row.h"

#include <gtest/gtest.h>

#include "core/check/rows.h"

namespace vram::check {
namespace {

TrainingRow row_of(std::string_view text) {
  const Result<Json> json = parse_json(text);
  const Result<TrainingRow> row = json ? training_row(json.value()) : Result<TrainingRow>(TrainingRow{});
  EXPECT_TRUE(json && row);
  return row ? row.value() : TrainingRow{};
}

TEST(TrainingRows, WordsBecomeSettings) {
  const TrainingRow row =
      row_of(R"({"id":"x","kind":"job","evidence":"measured","framework":"HF Trainer + IBM fms-acceleration",
    "kernels":["foak","liger"],"method":"qlora","lora_rank":16,"lora_targets":["q","v"],"weights_format":"bnb_nf4_dq",
    "micro_batch":4,"seq_len":4102,"inferred":["seq_len"],"grad_checkpointing":"full","attention_impl":"flash_attention",
    "parallelism":{"dp":2,"fsdp":"full_shard"},"reported":{"oom":false,"peak_allocated_gib":2.5}})");
  EXPECT_EQ(row.settings.framework, TrainingFramework::fms);
  EXPECT_EQ(row.settings.method, TrainingMethod::qlora);
  EXPECT_EQ(row.settings.weights, FormatId::nf4_dq);
  EXPECT_EQ(row.settings.split.fsdp, Fsdp::full_shard);
  EXPECT_TRUE(row.settings.kernels.liger && row.settings.kernels.fused_norm);
  EXPECT_EQ(row.settings.sequence, 4096);  // a length from throughput next to a power of two is the packed one
  EXPECT_EQ(row.settings.length_is, LengthIs::exact);
  EXPECT_EQ(row.report.peak, 2.5 * 1073741824);
}

TEST(TrainingRows, ALengthFromThroughputIsAMean) {
  const TrainingRow row = row_of(R"({"id":"x","seq_len":890,"inferred":["seq_len"],"framework":"HF Trainer"})");
  EXPECT_EQ(row.settings.length_is, LengthIs::mean);
}

TEST(TrainingRows, FiguresOfARunThatRanOutAreNotItsPeak) {
  const TrainingRow row = row_of(R"({"id":"x","reported":{"oom":true,"peak_allocated_gib":54.8,"nvidia_smi_gib":78}})");
  EXPECT_EQ(row.report.oom, true);
  EXPECT_FALSE(row.report.peak || row.report.smi);
}

TEST(TrainingRows, GigabytesAreDecimalUnlessTheySayBinary) {
  const auto smi = [](const char* unit) {
    return *row_of(
                std::string(R"({"id":"x","reported":{"oom":false,"device_peak_as_reported":2,"device_peak_unit":")") +
                unit + R"("}})")
                .report.smi;
  };
  EXPECT_EQ(smi("GiB"), 2147483648.0);
  EXPECT_EQ(smi("GB"), 2e9);
  EXPECT_EQ(smi("unknown"), 2e9);
}

TEST(TrainingRows, AnEstimateIsNotMeasured) {
  EXPECT_FALSE(row_of(R"({"id":"x","evidence":"estimate"})").measured);
  EXPECT_FALSE(row_of(R"({"id":"x","evidence":"suspect"})").measured);
}

TEST(TrainingRows, ARowWithoutAModelIsSkippedAndSaysWhy) {
  const Interconnect none;
  const Outcome outcome =
      check_lines(R"({"id":"x","kind":"job","method":"full","reported":{"oom":false,"peak_allocated_gib":2.5}})",
                  Library({}, {}, none));
  EXPECT_TRUE(outcome.cases.empty());
  ASSERT_EQ(outcome.skipped.size(), 1u);
  EXPECT_EQ(outcome.skipped[0].reason, "no_model");
}

}  // namespace
}  // namespace vram::check
