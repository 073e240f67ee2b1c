#include "core/check/check.h"

#include <gtest/gtest.h>

namespace vram::check {
namespace {

Case measured(double reported, double predicted, bool complete = true, const char* family = "a") {
  Case one;
  one.id = "x";
  one.quantity = "weights";
  one.family = family;
  one.complete = complete;
  one.reported = reported;
  one.predicted = predicted;
  one.low = predicted * 0.95;
  one.high = predicted * 1.05;
  return one;
}

const Summary* find_summary(const std::vector<Summary>& all, std::string_view family, std::string_view complete) {
  for (const Summary& one : all) {
    if (one.family == family && one.complete == complete) return &one;
  }
  return nullptr;
}

TEST(Check, AnErrorIsASignedFractionOfWhatWasReported) {
  EXPECT_DOUBLE_EQ(measured(10, 11).error(), 0.1);
  EXPECT_DOUBLE_EQ(measured(-2, -1).error(), 0.5);
  EXPECT_EQ(measured(0, 0).error(), 0);
  EXPECT_EQ(measured(0, 3).error(), 1);
}

TEST(Check, SummariesTellFamiliesAndCompletenessApartAndTogether) {
  const auto all =
      summarise({measured(10, 11), measured(10, 10), measured(10, 12, false), measured(10, 13, true, "b")});
  ASSERT_NE(find_summary(all, "all", "all"), nullptr);
  EXPECT_EQ(find_summary(all, "all", "all")->n, 4u);
  EXPECT_DOUBLE_EQ(find_summary(all, "all", "all")->median, 0.15);
  EXPECT_DOUBLE_EQ(find_summary(all, "all", "all")->worst, 0.3);
  EXPECT_EQ(find_summary(all, "a", "true")->n, 2u);
  EXPECT_EQ(find_summary(all, "a", "false")->n, 1u);
  EXPECT_DOUBLE_EQ(find_summary(all, "all", "all")->in_band, 0.25);
}

TEST(Check, TheNinetiethPercentileIsAMeasuredError) {
  std::vector<Case> cases;
  for (int i = 1; i <= 10; ++i) cases.push_back(measured(100, 100 + i));
  EXPECT_DOUBLE_EQ(find_summary(summarise(cases), "all", "all")->p90, 0.09);
}

TEST(Check, JsonHasCasesSummaryAndSkipped) {
  const Json json = outcome_json({{measured(10, 11)}, {{"y", "no_model"}}});
  EXPECT_EQ(json["cases"][0]["quantity"], "weights");
  EXPECT_EQ(json["summary"][0]["complete"], "all");
  EXPECT_EQ(json["summary"].size(), 4u);
  EXPECT_EQ(json["skipped"][0]["reason"], "no_model");
}

}  // namespace
}  // namespace vram::check
