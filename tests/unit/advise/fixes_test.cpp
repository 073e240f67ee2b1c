// What would make a plan fit: every fix is a scenario, and planning that scenario says the same.
#include "core/advise/fixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/plan/training/entries.h"
#include "core/plan/training/fixes.h"
#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;
using sample::shipped;

std::vector<Fix> fixes_of(const Inputs& inputs) { return find_fixes(inputs, make_plan(inputs), shipped()); }

const Fix* find(const std::vector<Fix>& fixes, std::string_view key) {
  const auto found = std::find_if(fixes.begin(), fixes.end(), [&](const Fix& fix) { return fix.key == key; });
  return found == fixes.end() ? nullptr : &*found;
}

constexpr std::string_view kScenarios[] = {
    "v=1&model=meta-llama/Llama-3.1-70B-Instruct&engine=vllm&gpu=h100-sxm&n=1",
    "v=1&model=meta-llama/Llama-3.1-70B-Instruct&engine=sglang&gpu=h100-sxm&n=2&users=40",
    "v=1&model=meta-llama/Llama-3.1-8B-Instruct&weights=q8_0&gpu=rtx4090&ctx=65536",
    "v=1&model=openai/gpt-oss-120b&engine=llama_cpp&weights=q8_0&gpu=l40s&n=1",
    "v=1&task=train&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&n=1",
    "v=1&task=tune&model=meta-llama/Llama-3.1-70B-Instruct&gpu=a100-80-sxm&n=2&micro=4",
};

TEST(Fixes, TheirScenariosPlanToWhatTheySay) {
  for (const std::string_view link : kScenarios) {
    const Inputs inputs = from_fields(std::string(link));
    const std::vector<Fix> fixes = fixes_of(inputs);
    const bool is_short = make_plan(inputs).verdict == Verdict::does_not_fit;
    EXPECT_GE(fixes.size(), 3u) << link;
    for (const Fix& fix : fixes) {
      const Result<Inputs> changed = resolve(fix.scenario, shipped());
      ASSERT_TRUE(changed.ok()) << link << ' ' << fix.key;
      const Plan plan = make_plan(changed.value());
      EXPECT_EQ(plan.verdict, fix.verdict) << link << ' ' << fix.key;
      const bool enough = is_short ? plan.verdict != Verdict::does_not_fit : plan.verdict == Verdict::fits;
      EXPECT_EQ(fix.fits, enough) << link << ' ' << fix.key;
      EXPECT_GT(fix.saved, Bytes(0)) << link << ' ' << fix.key;
    }
  }
}

TEST(Fixes, OfServingStandInTheOrderOfTheirCost) {
  const std::vector<Fix> fixes = fixes_of(from_fields(std::string(kScenarios[0])));
  std::vector<std::string> keys;
  for (const Fix& fix : fixes) keys.push_back(fix.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"kv_format", "weights_8", "weights_4", "more_devices", "weights_to_host",
                                            "another_card"}));
}

TEST(Fixes, FourBitsBring70BIntoOneCardOf80GB) {  // article 1, frequent questions
  const std::vector<Fix> fixes = fixes_of(from_fields(std::string(kScenarios[0])));
  const Fix* four = find(fixes, "weights_4");
  ASSERT_NE(four, nullptr);
  EXPECT_TRUE(four->fits);
  EXPECT_NEAR(gigabytes(four->saved), 141.1 - 39.8, 3);
  EXPECT_TRUE(find(fixes, "more_devices")->fits);
}

TEST(Fixes, ALargerShareIsEnoughWhereOnlyTheEnginesReserveIsMissing) {
  Inputs inputs = from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&gpu=h100-sxm&ctx=4096&users=64");
  Deployment& deployment = inputs.scenario.deployments[0];
  while (make_plan(inputs).verdict != Verdict::does_not_fit) ++deployment.users;  // the first that is too many
  const std::vector<Fix> fixes = fixes_of(inputs);
  ASSERT_FALSE(fixes.empty());
  EXPECT_EQ(fixes.front().key, "memory_share");
  EXPECT_TRUE(fixes.front().fits);
  EXPECT_NEAR(gibibytes(fixes.front().saved), 79.19 * 0.03, 0.1);  // 0.92 → 0.95
}

TEST(Fixes, ALatentCacheIsDividedByLayersNotInsideThem) {  // every GPU that slices a layer holds the whole latent
  const Inputs inputs = from_fields("v=1&model=deepseek-ai/DeepSeek-V3&gpu=h200-sxm&n=8&users=32&ctx=32768");
  ASSERT_EQ(make_plan(inputs).verdict, Verdict::does_not_fit);
  const std::vector<Fix> fixes = fixes_of(inputs);
  const Fix* fix = find(fixes, "split_layers");
  ASSERT_NE(fix, nullptr);
  EXPECT_TRUE(fix->fits);
  EXPECT_EQ(fix->scenario.devices, inputs.scenario.devices) << "the same hardware";
}

TEST(Fixes, FormatsTogetherAreOfferedWhereNoneIsEnoughAlone) {
  const std::vector<Fix> fixes =
      fixes_of(from_fields("v=1&model=meta-llama/Llama-3.1-70B-Instruct&engine=vllm&gpu=h100-sxm&users=20"));
  const Fix* all = find(fixes, "all_formats");
  ASSERT_NE(all, nullptr);
  EXPECT_FALSE(find(fixes, "weights_4")->fits);
  EXPECT_TRUE(all->fits);
}

TEST(Fixes, AShorterContextIsTheLongestThatFits) {
  const Inputs inputs = from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&gpu=rtx4090&ctx=65536");
  const std::vector<Fix> fixes = fixes_of(inputs);
  const Fix* fix = find(fixes, "shorter_context");
  ASSERT_NE(fix, nullptr);
  EXPECT_TRUE(fix->fits);
  Inputs longer = inputs;
  longer.scenario.deployments[0].context = fix->scenario.deployments[0].context + 1024;
  EXPECT_EQ(make_plan(longer).verdict, Verdict::does_not_fit);
}

TEST(Fixes, NeverOfferWhatTheEngineRefuses) {
  for (const char* card : {"t4", "metax-c500", "a100-80-sxm"}) {
    for (const char* engine : {"vllm", "sglang", "tensorrt_llm"}) {
      const Inputs inputs = from_fields("v=1&model=meta-llama/Llama-3.1-70B-Instruct&users=64&engine=" +
                                        std::string(engine) + "&gpu=" + card);
      const bool starts_at_all = !make_plan(inputs).refusal;
      for (const Fix& fix : fixes_of(inputs)) {
        const Plan plan = make_plan(resolve(fix.scenario, shipped()).value());
        EXPECT_FALSE(starts_at_all && plan.refusal) << card << ' ' << engine << ' ' << fix.key;
      }
    }
  }
}

TEST(Fixes, ATightPlanIsOfferedRoom) {
  const Inputs inputs =
      from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&gpu=rtx4090&users=4&ctx=8192&headroom=20");
  ASSERT_EQ(make_plan(inputs).verdict, Verdict::tight);
  const std::vector<Fix> fixes = fixes_of(inputs);
  const Fix* eight = find(fixes, "weights_8");
  ASSERT_NE(eight, nullptr);
  EXPECT_TRUE(eight->fits);
  EXPECT_EQ(eight->verdict, Verdict::fits);
}

TEST(Fixes, APlanThatFitsNeedsNone) {
  EXPECT_TRUE(fixes_of(from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm")).empty());
}

TEST(Fixes, ARefusedFormatIsCuredByOneThatStarts) {
  const std::vector<Fix> fixes =
      fixes_of(from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&weights=int8&gpu=b200"));
  EXPECT_TRUE(std::any_of(fixes.begin(), fixes.end(), [](const Fix& fix) { return fix.fits; }));
}

TEST(Fixes, OfTrainingAreThoseOfTheJobAsFieldsOfTheScenario) {
  const Inputs inputs = from_fields(std::string(kScenarios[4]));
  const Plan plan = make_plan(inputs);
  const auto settings = training_settings(inputs, inputs.devices());
  const std::vector<Fix> fixes = find_fixes(inputs, plan, shipped());
  for (const TrainingFix& job : training_fixes(inputs.models[0], settings, inputs.accelerator.usable())) {
    if (job.key == "twice_the_devices") continue;  // the scenario's devices come in nodes, the job's do not
    const Fix* fix = find(fixes, "training." + std::string(job.key));
    ASSERT_NE(fix, nullptr) << job.key;
    const Plan changed = make_plan(resolve(fix->scenario, shipped()).value());
    EXPECT_EQ(changed.training->needed, job.needed) << job.key;
  }
}

}  // namespace
}  // namespace vram
