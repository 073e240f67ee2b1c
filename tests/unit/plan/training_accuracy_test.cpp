// Published training runs against the plan. Fails when a goal that was reached is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "core/check/training.h"
#include "core/import/catalogue.h"

namespace vram {
namespace {

const std::map<std::string, Model, std::less<>>& models() {
  static const auto* const all = [] {
    auto* found = new std::map<std::string, Model, std::less<>>;
    for (const char* file : {"models.json", "models_measured.json"}) {
      const auto rows = models_from_json(assets::file(file));
      EXPECT_TRUE(rows) << file;
      if (!rows) continue;
      for (const CatalogueModel& row : rows.value()) {
        if (Result<Model> model = model_of(row)) found->emplace(row.id, std::move(model).value());
      }
    }
    return found;
  }();
  return *all;
}

const std::vector<TrainingCase>& cases() {
  static const auto* const all = [] {
    auto* found = new std::vector<TrainingCase>;
    const auto accelerators = accelerators_from_json(assets::file("accelerators.json"));
    std::ifstream file(VRAM_SOURCE_FOLDER "/tests/accuracy/training/rows.jsonl");
    EXPECT_TRUE(accelerators && file);
    const ModelLookUp look_up = [](std::string_view id) -> const Model* {
      const auto model = models().find(id);
      return model == models().end() ? nullptr : &model->second;
    };
    for (std::string line; accelerators && std::getline(file, line);) {
      const Result<Json> json = parse_json(line);
      EXPECT_TRUE(json) << line;
      if (!json) continue;
      const Result<TrainingRow> row = training_row(json.value());
      EXPECT_TRUE(row) << line;
      if (!row) continue;
      for (TrainingCase& one : check_training(row.value(), look_up, accelerators.value()).cases)
        found->push_back(std::move(one));
    }
    return found;
  }();
  return *all;
}

struct Errors {
  std::vector<double> errors, widths;
  std::size_t in_band = 0;

  explicit Errors(std::string_view quantity, std::string_view family = "") {
    for (const TrainingCase& one : cases()) {
      if (one.quantity != quantity || !one.complete || !one.measured || one.family.substr(0, family.size()) != family)
        continue;
      errors.push_back(std::fabs(one.error()));
      widths.push_back(one.band_width());
      in_band += one.in_band() ? 1 : 0;
    }
    std::sort(errors.begin(), errors.end());
    std::sort(widths.begin(), widths.end());
  }
  std::size_t n() const { return errors.size(); }
  double at(double share) const {
    return errors.empty() ? 1 : errors[std::min(n() - 1, static_cast<std::size_t>(share * static_cast<double>(n())))];
  }
  double median_width() const { return widths.empty() ? 1 : widths[n() / 2]; }
  double held() const { return n() == 0 ? 0 : static_cast<double>(in_band) / static_cast<double>(n()); }
};

TEST(TrainingAccuracy, SteadyStatesAreRightToHalfAPercent) {
  const Errors steady("steady");
  EXPECT_GE(steady.n(), 216u);
  EXPECT_LE(steady.at(0.5), 0.005);
  EXPECT_LE(steady.at(0.9), 0.02);
}

TEST(TrainingAccuracy, PeaksOfTheFmsSweepsAreRightToThreePercent) {
  const Errors peak("peak", "fms/");
  EXPECT_GE(peak.n(), 200u);
  EXPECT_LE(peak.at(0.5), 0.02);
  EXPECT_LE(peak.at(0.9), 0.08);
}

TEST(TrainingAccuracy, PeaksOfAllFrameworksAreRightToEightPercent) {
  const Errors peak("peak");
  EXPECT_GE(peak.n(), 268u);
  EXPECT_LE(peak.at(0.5), 0.03);
  EXPECT_LE(peak.at(0.9), 0.15);
  EXPECT_GE(peak.held(), 0.88);
}

struct Goal {
  const char* family;
  double median;
};
TEST(TrainingAccuracy, EachFrameworkAloneKeepsItsMedian) {
  const Goal table[] = {{"fms/adapters", 0.02},      {"fms/full", 0.005},      {"litgpt/adapters", 0.03},
                        {"torchtune/adapters", 0.1}, {"torchtune/full", 0.15}, {"megatron_bridge/", 0.08},
                        {"megatron/full", 0.01},     {"fsdp_qlora/", 0.08}};
  for (const Goal& goal : table) {
    const Errors peak("peak", goal.family);
    EXPECT_GT(peak.n(), 0u) << goal.family;
    EXPECT_LE(peak.at(0.5), goal.median) << goal.family;
  }
}

TEST(TrainingAccuracy, ReservedMemoryIsRightToATenth) {
  const Errors reserved("reserved");
  EXPECT_GE(reserved.n(), 70u);
  EXPECT_LE(reserved.at(0.5), 0.1);
}

TEST(TrainingAccuracy, NineOfTenFiguresOfTheDriverLieInANarrowBand) {
  const Errors smi("smi");
  EXPECT_GE(smi.n(), 245u);
  EXPECT_GE(smi.held(), 0.9);
  EXPECT_LE(smi.median_width(), 0.3);
}

TEST(TrainingAccuracy, RunsThatRanOutAndRunsThatWorkedAreToldApart) {
  double ran_out = 0, called_out = 0, worked = 0, called_fitting = 0;
  for (const TrainingCase& one : cases()) {
    if (one.quantity != "oom" || !one.complete || !one.measured) continue;
    (one.reported > 0 ? ran_out : worked) += 1;
    if (one.reported > 0 && one.predicted > 0) called_out += 1;
    if (one.reported == 0 && one.predicted == 0) called_fitting += 1;
  }
  EXPECT_GE(ran_out, 70);
  EXPECT_GE(worked, 360);
  EXPECT_GE(called_out / ran_out, 0.87);
  EXPECT_GE(called_fitting / worked, 0.97);
}

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
  const TrainingRow row =
      row_of(R"({"id":"x","kind":"job","method":"full","reported":{"oom":false,"peak_allocated_gib":2.5}})");
  const TrainingOutcome outcome = check_training(row, [](std::string_view) -> const Model* { return nullptr; }, {});
  EXPECT_TRUE(outcome.cases.empty());
  ASSERT_EQ(outcome.skipped.size(), 1u);
  EXPECT_EQ(outcome.skipped[0].reason, "no_model");
}

}  // namespace
}  // namespace vram
