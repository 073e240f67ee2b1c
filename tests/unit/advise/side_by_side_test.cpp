// Plans side by side are the plans that each scenario has alone.
#include "core/advise/side_by_side.h"

#include <set>
#include <string>

#include "core/report/side_by_side.h"
#include "tests/unit/advise/library.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using advice::inputs;
using advice::kLlama70;
using advice::library;
using advice::scenario;

KeptPlan kept(std::string name, std::string_view model, std::string_view rest) {
  return {std::move(name), scenario(std::string(model) + std::string(rest))};
}

SideBySide beside(const std::vector<KeptPlan>& plans) {
  Result<SideBySide> made = side_by_side(plans, library());
  EXPECT_TRUE(made);
  return made ? std::move(made).value() : SideBySide{};
}

std::set<std::string> differing(const SideBySide& plans) {
  std::set<std::string> keys;
  for (const Difference& one : plans.differences) {
    keys.insert((one.deployment > 0 ? std::to_string(one.deployment + 1) + "." : "") + std::string(one.field->key));
  }
  return keys;
}

TEST(SideBySide, EveryColumnIsThePlanOfItsScenario) {
  const std::vector<KeptPlan> plans = {kept("a", kLlama70, "&n=2"), kept("b", kLlama70, "&n=4&weights=fp8_block"),
                                       kept("job", kLlama70, "&task=tune&method=qlora")};
  const SideBySide made = beside(plans);
  ASSERT_EQ(made.columns.size(), plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan alone = make_plan(inputs(plans[i].scenario));
    EXPECT_EQ(made.columns[i].of, plans[i]);
    EXPECT_EQ(made.columns[i].plan.verdict, alone.verdict);
    EXPECT_EQ(made.columns[i].plan.of(alone.fullest).likely, alone.of(alone.fullest).likely);
  }
  EXPECT_TRUE(made.columns[0].speed.has_value());
  EXPECT_TRUE(made.columns[2].time.has_value());
}

TEST(SideBySide, NamesTheFieldsThatDifferAndNoOthers) {
  struct Sample {
    const char *first, *second;
    std::set<std::string> expected;
  };
  const Sample samples[] = {
      {"&n=2", "&n=2", {}},
      {"&n=2", "&n=4", {"n"}},
      {"&users=8&gpu=h200-sxm", "&users=16&gpu=h200-sxm", {"users"}},
      {"&units=gib", "&units=gb", {}},  // how memory is shown is no part of the question
      {"", "&2.model=BAAI/bge-m3", {"2.model"}},
      {"", "&2.model=Qwen/Qwen3-8B&2.users=30", {"2.model", "2.users"}},
      {"&users=9", "&task=tune&users=9", {"task", "users"}},
  };
  for (const Sample& sample : samples) {
    const auto found = differing(beside({kept("a", kLlama70, sample.first), kept("b", kLlama70, sample.second)}));
    EXPECT_EQ(found, sample.expected) << sample.second;
  }
}

TEST(SideBySide, AFieldThatDoesNotApplyHasNoValue) {
  const SideBySide made = beside({kept("serve", kLlama70, ""), kept("tune", kLlama70, "&task=tune&method=qlora")});
  bool seen = false;
  for (const Difference& one : made.differences) {
    if (one.field->key != "method") continue;
    seen = true;
    EXPECT_FALSE(one.values[0].has_value());
    EXPECT_TRUE(one.values[1].has_value());
  }
  EXPECT_TRUE(seen);
}

TEST(SideBySide, UsersFollowFromARateAsInThePlan) {
  const SideBySide made = beside({kept("a", kLlama70, "&n=4&rate=600"), kept("b", kLlama70, "&n=4")});
  EXPECT_GT(made.columns[0].inputs.scenario.deployments.front().users, 8);
}

TEST(SideBySide, AModelThatNobodyKnowsIsAnError) {
  const std::vector<KeptPlan> plans = {kept("a", kLlama70, ""), {"b", scenario("model=nobody/nothing")}};
  EXPECT_FALSE(side_by_side(plans, library()));
}

TEST(SideBySideInWords, HasAColumnForEachPlanInEveryLanguage) {
  const SideBySide made = beside({kept("small", kLlama70, "&n=1"), kept("large", kLlama70, "&n=8"),
                                  kept("job", kLlama70, "&task=train&n=8&2.model=BAAI/bge-m3")});
  for (const Tongue tongue : kTongues) {
    const std::vector<Section> sections = side_by_side_sections(made, Language(all_strings(), tongue));
    ASSERT_EQ(sections.size(), 2U);
    for (const Section& section : sections) {
      EXPECT_EQ(section.table.head.size(), 4U);
      EXPECT_FALSE(section.table.rows.empty());
      for (const auto& row : section.table.rows) {
        EXPECT_EQ(row.size(), 4U) << row.front();
        for (const std::string& cell : row) {
          EXPECT_FALSE(cell.empty()) << row.front();
          EXPECT_EQ(cell.find("\xE2\x9F\xA8"), std::string::npos) << cell;
        }
      }
    }
  }
}

TEST(SideBySideInWords, APlanIsCalledAfterItsHardwareAndFormat) {
  const Language language(all_strings(), Tongue::en);
  EXPECT_EQ(plan_name(scenario("weights=awq_int4"), 2, "H100 SXM", language), "2\u00a0×\u00a0H100 SXM · AWQ · 4 bits");
  EXPECT_EQ(plan_name(scenario("task=tune&method=qlora"), 1, "L4", language), "1\u00a0×\u00a0L4 · QLoRA");
}

}  // namespace
}  // namespace vram
