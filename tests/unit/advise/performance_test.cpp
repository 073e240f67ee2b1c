// A plan's speed is the speed model's of the plan's own split, pool and settings.
#include "core/advise/performance.h"

#include <cmath>
#include <string>

#include "core/advise/bottleneck.h"
#include "core/advise/workload.h"
#include "tests/unit/advise/library.h"

namespace vram {
namespace {

using advice::inputs;
using advice::kLlama70;
using advice::kLlama8;
using advice::links;

std::string with(std::string_view model, std::string_view rest) { return std::string(model) + std::string(rest); }

double tokens_a_second(const Inputs& given) {
  const Result<speed::Speed> speed = performance(given, make_plan(given), links());
  EXPECT_TRUE(speed) << (speed ? "" : speed.error().key);
  return speed ? speed.value().per_user.likely : 0;
}

TEST(Performance, ARequestIsTheOneThatMemoryWasPlannedFor) {
  const Inputs given = inputs(with(kLlama8, "&ctx=8000&answer=1000&prefix=3500&users=12&replicas=2&n=4"));
  const speed::Case one = speed_case(given, make_plan(given), links());
  EXPECT_EQ(one.load.input_tokens, 7000);
  EXPECT_EQ(one.load.output_tokens, 1000);
  EXPECT_EQ(one.load.prefix_share, 0.5);
  EXPECT_EQ(one.load.concurrency, 12);
  EXPECT_EQ(one.split, (speed::Split{.tensor = 2, .pipeline = 1, .data = 2}));
}

TEST(Performance, AnAnswerLongerThanTheContextLeavesOneTokenOfInput) {
  const Inputs given = inputs(with(kLlama8, "&ctx=512&answer=4096"));
  const speed::Case one = speed_case(given, make_plan(given), links());
  EXPECT_EQ(one.load.input_tokens, 1);
  EXPECT_EQ(one.load.output_tokens, 511);
}

TEST(Performance, ThePoolIsThePlansOwn) {
  const Inputs given = inputs(with(kLlama70, "&n=4&users=8"));
  const Plan plan = make_plan(given);
  ASSERT_TRUE(plan.placed[0].figures);
  EXPECT_EQ(speed_case(given, plan, links()).pool_bytes, static_cast<double>(plan.placed[0].figures->pool.value()));
}

TEST(Performance, MoreBandwidthMoreTokens) {
  EXPECT_GT(tokens_a_second(inputs(with(kLlama70, "&gpu=h200-sxm&n=4&users=4"))),
            tokens_a_second(inputs(with(kLlama70, "&gpu=h100-sxm&n=4&users=4"))));
}

TEST(Performance, AMixOfCardsRunsAtThePaceOfTheSlowest) {
  const Inputs mixed = inputs(with(kLlama8, "&gpu=h100-sxm&n=1&more_cards=l4:1&users=2"));
  EXPECT_EQ(speed_case(mixed, make_plan(mixed), links()).accelerator->id, "l4");
}

TEST(Performance, OffLoadedPlansAndTrainingJobsSayWhyTheyHaveNoSpeed) {
  const Inputs moved = inputs(with(kLlama70, "&gpu=rtx4090&n=1&users=1&offload=weights"));
  const Result<speed::Speed> slow = performance(moved, make_plan(moved), links());
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().key, "performance.on_host");
  const Inputs job = inputs(with(kLlama8, "&task=tune"));
  const Plan plan = make_plan(job);
  const Result<speed::Speed> none = performance(job, plan, links());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().key, "performance.trains");
  EXPECT_TRUE(job_time(job, plan));
}

TEST(JobTime, TwiceTheTokensTakeTwiceTheHours) {
  const Inputs one = inputs(with(kLlama8, "&task=tune&method=qlora&train_tokens=10&epochs=1"));
  const Inputs two = inputs(with(kLlama8, "&task=tune&method=qlora&train_tokens=10&epochs=2"));
  EXPECT_NEAR(job_time(two, make_plan(two))->hours, 2 * job_time(one, make_plan(one))->hours, 1e-9);
}

TEST(Workload, RequestsAtOnceAreArrivalsTimesTheirSeconds) {  // Little's law
  const Inputs given = inputs(with(kLlama8, "&rate=60&ctx=2048&answer=500"));
  const std::optional<Workload> load = workload(given, links());
  ASSERT_TRUE(load);
  EXPECT_FALSE(load->saturated);
  EXPECT_EQ(load->requests_a_second, 1);
  EXPECT_NEAR(load->at_once, load->seconds * load->requests_a_second, 1e-9);
  EXPECT_EQ(load->users, static_cast<std::int64_t>(std::ceil(load->at_once)));
  // And it is the fixed point: so many users at once do take so long.
  Inputs at_once = given;
  at_once.scenario.deployments[0].rate = 0;
  speed::Case one = speed_case(at_once, make_plan(at_once), links());
  one.load.concurrency = load->at_once;
  const Result<speed::Speed> speed = speed::serving_speed(one);
  ASSERT_TRUE(speed);
  const double seconds = speed.value().first_token.likely + 499 * speed.value().per_token.likely;
  EXPECT_NEAR(seconds, load->seconds, 0.02 * load->seconds + 0.05);
}

TEST(Workload, AFewRequestsAnHourAreOneAtATime) {
  const std::optional<Workload> load = workload(inputs(with(kLlama8, "&rate=0.1")), links());
  ASSERT_TRUE(load);
  EXPECT_EQ(load->users, 1);
  EXPECT_LT(load->at_once, 0.1);
}

TEST(Workload, MoreThanCanEndIsSaid) {
  const std::optional<Workload> load = workload(inputs(with(kLlama70, "&gpu=l40s&n=8&rate=100000")), links());
  ASSERT_TRUE(load);
  EXPECT_TRUE(load->saturated);
}

TEST(Workload, TakesThePlaceOfUsersBeforePlanning) {
  const Inputs given = inputs(with(kLlama8, "&rate=300&users=1"));
  EXPECT_EQ(with_concurrency(given, links()).deployments[0].users, workload(given, links())->users);
  const Inputs without = inputs(with(kLlama8, "&users=7"));
  EXPECT_EQ(with_concurrency(without, links()).deployments[0].users, 7);
}

TEST(Bottleneck, IsMemoryWhenThePlanDoesNotFitAndBandwidthForOneUser) {
  const Inputs full = inputs(with(kLlama70, "&gpu=h100-sxm&n=1"));
  EXPECT_EQ(bottleneck(full, make_plan(full), std::nullopt)->holding, Holding::memory);
  const Inputs roomy = inputs(with(kLlama70, "&gpu=h200-sxm&n=4&users=1&ctx=4096&answer=2048"));
  const Plan plan = make_plan(roomy);
  const Result<speed::Speed> speed = performance(roomy, plan, links());
  ASSERT_TRUE(speed);
  const auto holding = bottleneck(roomy, plan, speed.value());
  ASSERT_TRUE(holding);
  EXPECT_EQ(holding->holding, Holding::bandwidth);
  EXPECT_GT(holding->share, 0.4);
}

}  // namespace
}  // namespace vram
