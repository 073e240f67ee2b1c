// The real llama.cpp's own plans against ours. Fails when a goal that was reached is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/check/rows.h"

namespace vram::check {
namespace {

const Outcome& outcome() {
  static const auto* const all = [] {
    auto* found = new Outcome;
    static const Interconnect none;
    const Library library({}, {}, none);
    std::ifstream file(VRAM_SOURCE_FOLDER "/tests/accuracy/llamacpp/rows.jsonl");
    EXPECT_TRUE(file.good());
    for (std::string line; std::getline(file, line);) {
      const auto row = parse_json(line);
      EXPECT_TRUE(row);
      if (row) check_row(row.value(), library, *found);
    }
    return found;
  }();
  return *all;
}

std::vector<double> errors_of(std::string_view quantity) {
  std::vector<double> errors;
  for (const Case& one : outcome().cases) {
    if (one.quantity == quantity) errors.push_back(std::abs(one.error()));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

TEST(LlamaCppAccuracy, NoPlanIsSkipped) { EXPECT_TRUE(outcome().skipped.empty()); }

TEST(LlamaCppAccuracy, WeightsCachesAndOutputsAreMetToTheByte) {
  for (const char* quantity : {"weights", "kv", "recurrent", "output"}) {
    const std::vector<double> errors = errors_of(quantity);
    ASSERT_GE(errors.size(), 15u) << quantity;
    EXPECT_EQ(errors.back(), 0) << quantity;
  }
}

TEST(LlamaCppAccuracy, ComputeBuffersAreWithinOnePerCentInNineOfTen) {
  const std::vector<double> errors = errors_of("compute");
  ASSERT_GE(errors.size(), 100u);
  EXPECT_LE(errors[errors.size() * 9 / 10], 0.01);
  EXPECT_EQ(errors[errors.size() / 2], 0);
}

}  // namespace
}  // namespace vram::check
