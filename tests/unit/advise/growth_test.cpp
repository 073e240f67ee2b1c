#include "core/advise/growth.h"

#include <string>

#include "core/advise/sensitivity.h"
#include "tests/unit/advise/library.h"

namespace vram {
namespace {

using advice::inputs;
using advice::kLlama70;
using advice::kLlama8;
using advice::library;
using advice::scenario;

std::string with(std::string_view model, std::string_view rest) { return std::string(model) + std::string(rest); }

std::vector<Moved> moved_of(std::string_view link) {
  const Inputs given = inputs(link);
  Scenario as_stored = given.scenario;
  as_stored.deployments[0].weights = "stored";
  return sensitivity(given, make_plan(given), library(), inputs(as_stored).models);
}

TEST(Growth, UsersAndContextGrowByTheirPerCentRoundedUp) {
  const Scenario then = grown(scenario(with(kLlama8, "&users=7&ctx=8192&peak=9&grow_users=50&grow_ctx=100")));
  EXPECT_EQ(then.deployments[0].users, 11);
  EXPECT_EQ(then.deployments[0].peak_users, 14);
  EXPECT_EQ(then.deployments[0].context, 16384);
}

TEST(Growth, WithNothingAgreedThereIsNoPlanOfTheHorizon) {
  EXPECT_FALSE(plan_growth(inputs(kLlama8)));
  EXPECT_EQ(grown(scenario(with(kLlama8, "&users=40")), kUsualGrowth).deployments[0].users, 60);
}

TEST(Growth, SaysHowManyDevicesHoldIt) {
  const std::optional<Growth> growth =
      plan_growth(inputs(with(kLlama70, "&gpu=h100-sxm&n=4&users=16&ctx=32768&grow_users=300")));
  ASSERT_TRUE(growth);
  EXPECT_FALSE(growth->holds);
  ASSERT_TRUE(growth->devices);
  EXPECT_GT(*growth->devices, 4);
  Inputs then = growth->then;
  then.scenario.devices = *growth->devices;
  EXPECT_NE(make_plan(then).verdict, Verdict::does_not_fit);
}

TEST(Sensitivity, LongContextsMoveMoreThanFormatsOfTheCache) {
  const std::vector<Moved> moved = moved_of(with(kLlama8, "&gpu=b200&users=64&ctx=32768"));
  ASSERT_GE(moved.size(), 3U);
  EXPECT_TRUE(moved[0].field == "users" || moved[0].field == "ctx") << moved[0].field;
  EXPECT_GT(moved[0].gib, 0);
  for (std::size_t i = 1; i < moved.size(); ++i) EXPECT_GE(std::abs(moved[i - 1].gib), std::abs(moved[i].gib));
}

TEST(Sensitivity, WithOneShortRequestWeightsMoveMost) {
  const std::vector<Moved> moved = moved_of(with(kLlama70, "&gpu=b200&users=1&ctx=1024"));
  ASSERT_FALSE(moved.empty());
  EXPECT_TRUE(moved[0].field == "weights" || moved[0].field == "n") << moved[0].field;
  EXPECT_LT(moved[0].gib, 0);
}

TEST(Sensitivity, OfATrainingJobSequenceAndRecomputationAreMoved) {
  bool sequence = false;
  for (const Moved& one : moved_of(with(kLlama8, "&task=tune&method=lora&gpu=h200-sxm")))
    sequence |= one.field == "seq";
  EXPECT_TRUE(sequence);
}

}  // namespace
}  // namespace vram
