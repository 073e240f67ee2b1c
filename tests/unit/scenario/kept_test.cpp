// Plans kept for comparison travel with the scenario, in links and in files.
#include <gtest/gtest.h>

#include "core/scenario/scenario.h"

namespace vram {
namespace {

KeptPlan plan(std::string name, std::string_view link) { return {std::move(name), from_link(link).scenario}; }

std::vector<KeptPlan> some() {
  return {plan("2 × H100 · FP8", "model=Qwen/Qwen3-32B&n=2&2.model=BAAI/bge-m3"),
          plan("для филиала | A&B=50 %", "gpu=metax-c550&users=24"),
          plan("жоспар #3", "task=tune&method=qlora")};
}

TEST(Kept, TravelsInALink) {
  const Scenario scenario = from_link("users=3").scenario;
  const ScenarioReading read = from_link(to_link(scenario, some()));
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.scenario, scenario);
  EXPECT_EQ(read.kept, some());
}

TEST(Kept, TravelsInAFile) {
  const Result<Json> json = parse_json(to_text(to_json(Scenario{}, some())));
  ASSERT_TRUE(json);
  const ScenarioReading read = from_json(json.value());
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.kept, some());
}

TEST(Kept, LeavesNoTraceWhenThereIsNone) {
  EXPECT_EQ(to_link(Scenario{}).find("kept"), std::string::npos);
  EXPECT_EQ(find(to_json(Scenario{}), "kept"), nullptr);
}

TEST(Kept, HoldsFourAndSaysThatMoreWereLeftOut) {
  std::vector<KeptPlan> many(6, plan("one", "users=2"));
  for (const ScenarioReading& read : {from_link(to_link(Scenario{}, many)), from_json(to_json(Scenario{}, many))}) {
    EXPECT_EQ(read.kept.size(), kMostKept);
    ASSERT_FALSE(read.problems.empty());
    EXPECT_EQ(read.problems.front().key, "scenario.too_many_kept");
  }
}

TEST(Kept, KeepsNoneItself) {
  const std::string nested = "v=1&kept=a%7Cv=1%26kept=b";
  const ScenarioReading read = from_link(nested);
  ASSERT_EQ(read.kept.size(), 1U);
  EXPECT_EQ(read.kept.front().name, "a");
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(read.problems.front().key, "link.unknown_field");
}

TEST(Kept, SaysWhatIsWrongInAPlanAndReadsTheRest) {
  const ScenarioReading read = from_link("v=1&kept=old%7Cusers=0%26n=4");
  ASSERT_EQ(read.kept.size(), 1U);
  EXPECT_EQ(read.kept.front().scenario.devices, 4);
  EXPECT_EQ(read.problems.size(), 1U);
}

TEST(KeptName, IsOneLineOfWholeCharacters) {
  struct Sample {
    std::string typed, kept;
  };
  std::string long_name, sixty;
  for (int i = 0; i < 80; ++i) long_name += "ж";
  for (int i = 0; i < 60; ++i) sixty += "ж";
  const Sample samples[] = {{"  two cards ", "two cards"}, {"a\nb\tc", "abc"}, {long_name, sixty}, {" \n ", ""}};
  for (const Sample& sample : samples) EXPECT_EQ(kept_name(sample.typed), sample.kept);
}

}  // namespace
}  // namespace vram
