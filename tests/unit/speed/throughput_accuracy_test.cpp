// Measured runs against the speed model. A goal that was reached and is lost fails here; docs/ACCURACY.md shows the
// table. Goals (issue 6): output tokens a second and time per token within 11 % (dense) and 20 % (experts) in the
// median, bands that hold 85 % of the rows at a median width of 60 % or less.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "core/check/throughput.h"
#include "core/import/catalogue.h"

namespace vram {
namespace {

struct Loaded {
  std::vector<Accelerator> accelerators;
  Platforms platforms;
  std::map<std::string, Model, std::less<>> models;
  std::vector<ThroughputCase> cases;
  std::vector<ThroughputSkip> skipped;
  std::size_t rows = 0;
};

const Loaded& loaded() {
  static const Loaded* const all = [] {
    auto* made = new Loaded;
    if (auto read = accelerators_from_json(assets::file("accelerators.json"))) made->accelerators = std::move(read).value();
    if (auto read = platforms_from_json(assets::file("platforms.json"))) made->platforms = std::move(read).value();
    if (auto read = models_from_json(assets::file("models.json"))) {
      for (const CatalogueModel& row : read.value()) {
        if (auto model = model_of(row)) made->models.emplace(row.id, std::move(model).value());
      }
    }
    const ThroughputChecker checker(
        [made](std::string_view id) -> const Model* {
          const auto found = made->models.find(id);
          return found == made->models.end() ? nullptr : &found->second;
        },
        made->accelerators, made->platforms.interconnect);
    std::ifstream file(VRAM_SOURCE_FOLDER "/tests/accuracy/throughput/rows.jsonl");
    for (std::string line; std::getline(file, line);) {
      auto json = parse_json(line);
      if (!json) continue;
      auto row = throughput_row(json.value());
      if (!row) continue;
      ++made->rows;
      ThroughputOutcome outcome = checker.check(row.value());
      made->cases.insert(made->cases.end(), outcome.cases.begin(), outcome.cases.end());
      made->skipped.insert(made->skipped.end(), outcome.skipped.begin(), outcome.skipped.end());
    }
    return made;
  }();
  return *all;
}

struct Summary {
  std::size_t rows = 0;
  double median = 0, held = 0, width = 0;
};

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Summary summary(std::string_view quantity, std::string_view family) {
  std::vector<double> errors, widths;
  double held = 0;
  for (const ThroughputCase& one : loaded().cases) {
    if (one.quantity != quantity || one.family != family || !one.complete) continue;
    errors.push_back(std::abs(one.error()));
    widths.push_back(one.band_width());
    held += one.in_band() ? 1 : 0;
  }
  const std::size_t rows = errors.size();
  return {rows, middle(std::move(errors)), rows == 0 ? 0 : held / static_cast<double>(rows), middle(std::move(widths))};
}

TEST(ThroughputAccuracy, LeavesOutOnlyRowsOfUnknownModels) {
  EXPECT_EQ(loaded().rows, 1199U);
  for (const ThroughputSkip& skip : loaded().skipped) EXPECT_EQ(skip.reason, "no_model") << skip.id;
  EXPECT_EQ(loaded().skipped.size(), 4U);
}

struct Goal {
  const char *quantity, *family;
  std::size_t rows;
  double median;
};

TEST(ThroughputAccuracy, ReachesItsGoals) {
  for (const Goal& goal : {Goal{"output_tps", "dense", 583, 0.07}, Goal{"output_tps", "moe", 600, 0.12},
                           Goal{"tpot", "dense", 529, 0.08}, Goal{"tpot", "moe", 568, 0.12}}) {
    const Summary reached = summary(goal.quantity, goal.family);
    EXPECT_EQ(reached.rows, goal.rows) << goal.quantity << " " << goal.family;
    EXPECT_LE(reached.median, goal.median) << goal.quantity << " " << goal.family;
    EXPECT_GE(reached.held, 0.85) << goal.quantity << " " << goal.family;
    EXPECT_LE(reached.width, 0.60) << goal.quantity << " " << goal.family;
  }
}

TEST(ThroughputAccuracy, HoldsForRunsItWasNotCalibratedOn) {
  // llama.cpp on consumer cards: no constant was calibrated on these rows.
  std::vector<double> errors;
  for (const ThroughputCase& one : loaded().cases) {
    if (one.quantity == "output_tps" && one.family == "consumer") errors.push_back(std::abs(one.error()));
  }
  ASSERT_EQ(errors.size(), 7U);
  EXPECT_LE(middle(std::move(errors)), 0.11);
}

TEST(ThroughputAccuracy, NamesFamiliesApart) {
  std::map<std::string_view, int> families;
  for (const ThroughputCase& one : loaded().cases) ++families[one.family];
  for (const char* family : {"dense", "moe", "pcie_only", "consumer", "metax", "amd"}) EXPECT_GT(families[family], 0) << family;
}

ThroughputRow row_of(const std::string& json) {
  auto parsed = parse_json(json);
  EXPECT_TRUE(parsed);
  auto row = throughput_row(parsed.value());
  EXPECT_TRUE(row);
  return row ? std::move(row).value() : ThroughputRow{};
}

ThroughputOutcome check(const std::string& json) {
  const ThroughputChecker checker(
      [](std::string_view id) -> const Model* {
        const auto found = loaded().models.find(id);
        return found == loaded().models.end() ? nullptr : &found->second;
      },
      loaded().accelerators, loaded().platforms.interconnect);
  return checker.check(row_of(json));
}

TEST(ThroughputRow, NeedsAnId) {
  auto parsed = parse_json("{}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(throughput_row(parsed.value()).error().key, "throughput.no_id");
}

TEST(ThroughputRow, ToldTwiceCountsOnce) {
  const auto outcome = check(R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"vLLM",
    "concurrency":8,"isl":100,"osl":100,"total_output_tok_s":500,"duplicate_of":"b"})");
  EXPECT_TRUE(outcome.cases.empty());
  ASSERT_EQ(outcome.skipped.size(), 1U);
  EXPECT_EQ(outcome.skipped.front().reason, "duplicate");
}

TEST(ThroughputRow, OfADoubtedFieldLosesThatFigureOnly) {
  const auto outcome = check(R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"vLLM",
    "concurrency":8,"isl":100,"osl":100,"total_output_tok_s":500,"tpot_ms":12,"ttft_ms":60,"suspect":["tpot_ms"]})");
  ASSERT_EQ(outcome.cases.size(), 2U);
  EXPECT_EQ(outcome.cases[0].quantity, "output_tps");
  EXPECT_EQ(outcome.cases[1].quantity, "ttft");
}

TEST(ThroughputRow, WithoutAParallelLayoutTakesTheOneThatServesMost) {
  const auto outcome = check(R"({"id":"a","model_key":"meta-llama/Llama-2-70b-hf","hardware_id":"h200-sxm","n_gpu":8,
    "engine":"TensorRT-LLM","weights_format":"fp8","offline":true,"rate":"inf","isl":300,"osl":300,"total_output_tok_s":30000})");
  ASSERT_EQ(outcome.cases.size(), 1U);
  EXPECT_GT(outcome.cases.front().predicted, 10000);
}

TEST(ThroughputRow, OfUnknownSettingsHasAWiderBand) {
  const std::string start = R"({"id":"a","model_key":"meta-llama/Llama-3.3-70B-Instruct","hardware_id":"h100-sxm","n_gpu":4,
    "engine":"vLLM","weights_format":"fp8","concurrency":8,"isl":500,"osl":500,"total_output_tok_s":300)";
  const auto told = check(start + R"(,"tp":4})");
  const auto untold = check(start + "}");
  ASSERT_EQ(told.cases.size(), 1U);
  ASSERT_EQ(untold.cases.size(), 1U);
  EXPECT_GT(untold.cases.front().band_width(), told.cases.front().band_width());
}

TEST(ThroughputRow, OfHostileNumbersDoesNoHarm) {
  for (const char* json : {R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"","concurrency":1e300,
                            "isl":1e300,"osl":1e300,"total_output_tok_s":1})",
                           R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","engine":"x","tp":99999,"pp":99999,
                            "concurrency":0.001,"isl":0.001,"osl":0.001,"total_output_tok_s":1})",
                           R"({"id":"a","model_key":"Qwen/Qwen3-8B","hardware_id":"h100-sxm","rate":1e-300,"isl":1,"osl":1,
                            "total_output_tok_s":1})"}) {
    for (const ThroughputCase& one : check(json).cases) EXPECT_GE(one.predicted, 0) << json;
  }
}

}  // namespace
}  // namespace vram
