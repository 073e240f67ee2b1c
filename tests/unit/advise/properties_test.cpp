// What is true of every piece of advice, tried on scenarios drawn at random.
#include <gtest/gtest.h>

#include "core/advise/facility_plan.h"
#include "core/advise/fixes.h"
#include "core/advise/limits.h"
#include "core/advise/options.h"
#include "tests/unit/plan/draw.h"

namespace vram {
namespace {

using drawn::Draw;
using drawn::library;

const int kScenarios = drawn::scenarios() / 50;
constexpr int kPlansOfASearch = 24;   // the short list's beginning
constexpr int kLlamacppStep = 100;    // its plans take a while

TEST(AnyOption, IsAPlanThatFitsWithWhatItSaysIsFree) {
  Draw draw(11);
  for (int i = 0; i < kScenarios; ++i) {
    const Scenario drawn = i % 8 == 7 ? draw.scenario() : draw.serving(i % kLlamacppStep == 0);
    OptionSearch search(drawn, library());
    while (search.planned() < kPlansOfASearch && search.step(8)) {
    }
    for (const Option& option : search.front()) {
      const Result<Inputs> inputs = resolve(option.scenario, library());
      ASSERT_TRUE(inputs) << to_link(drawn);
      const Plan plan = make_plan(inputs.value());
      ASSERT_EQ(plan.verdict, Verdict::fits) << to_link(option.scenario);
      ASSERT_NEAR(plan.headroom_share(), option.headroom_share, 1e-12) << to_link(option.scenario);
      ASSERT_LE(option.devices, drawn.most_devices) << to_link(drawn);
      ASSERT_EQ(from_link(to_link(option.scenario)).scenario, option.scenario);
    }
  }
}

TEST(AnyFix, IsAScenarioThatPlansAsItSays) {
  Draw draw(12);
  for (int i = 0; i < kScenarios; ++i) {
    const Scenario drawn = i % 8 == 7 ? draw.scenario() : draw.serving(i % kLlamacppStep == 0);
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;
    for (const Fix& fix : find_fixes(inputs.value(), make_plan(inputs.value()), library())) {
      const Result<Inputs> fixed = resolve(fix.scenario, library());
      ASSERT_TRUE(fixed) << fix.key << " of " << to_link(drawn);
      ASSERT_EQ(make_plan(fixed.value()).verdict, fix.verdict) << fix.key << " of " << to_link(drawn);
    }
  }
}

bool starts(const Plan& plan) { return !plan.refusal && plan.shortage() == Bytes(0); }

TEST(AnyLimit, StartsAndOneMoreDoesNot) {
  Draw draw(13);
  for (int i = 0; i < kScenarios; ++i) {
    Scenario drawn = draw.serving(i % kLlamacppStep == 0);
    drawn.offload = "no";
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;
    if (make_plan(inputs.value()).refusal) continue;  // limits are of memory
    const Limits limits = find_limits(inputs.value());
    if (limits.most_users == 0 || limits.users_at_field_limit) continue;
    Inputs tried = inputs.value();
    Deployment& used = tried.scenario.deployments[0];
    used.peak_users = 0;
    used.users = limits.most_users;
    const Plan most = make_plan(tried);
    ASSERT_TRUE(starts(most)) << to_link(drawn) << (most.refusal ? most.refusal->key : "");
    ++used.users;
    ASSERT_FALSE(starts(make_plan(tried))) << to_link(drawn);
  }
}

TEST(AnyRoom, HoldsEveryCardAndDrawsNoMoreUnderLoadThanOnItsPlate) {
  Draw draw(14);
  for (int i = 0; i < kScenarios; ++i) {
    const Scenario drawn = draw.serving(false);
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;
    const Result<FacilityPlan> room = plan_facility(inputs.value(), library().platforms);
    if (!room) continue;  // a node of no card
    const FacilityPlan& plan = room.value();
    ASSERT_GE(plan.cards_bought(), static_cast<std::uint32_t>(inputs.value().devices())) << to_link(drawn);
    ASSERT_GE(plan.cards_used, static_cast<std::uint32_t>(inputs.value().devices())) << to_link(drawn);
    ASSERT_GE(plan.nodes, 1u + plan.spare) << to_link(drawn);
    const auto &load = plan.room.load_kw, &plate = plan.room.nameplate_kw;
    if (!load || !plate) continue;
    ASSERT_LE(load->high, plate->high * (1 + 1e-9)) << to_link(drawn);
  }
}

// ---- what drawn scenarios found ----------------------------------------------------------------------------

TEST(Fixes, StayWithinWhatTheFieldsTake) {
  const Scenario job = from_link("v=1&model=meta-llama/Llama-3.1-405B-Instruct&task=train&gpu=l4&n=719").scenario;
  const Inputs inputs = resolve(job, library()).value();
  const std::vector<Fix> fixes = find_fixes(inputs, make_plan(inputs), library());
  ASSERT_FALSE(fixes.empty());
  for (const Fix& fix : fixes) EXPECT_EQ(from_link(to_link(fix.scenario)).scenario, fix.scenario) << fix.key;
}

}  // namespace
}  // namespace vram
