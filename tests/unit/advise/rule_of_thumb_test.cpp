// Rules of thumb of the articles beside the plan.
#include "core/advise/rule_of_thumb.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;

const RuleOfThumb* find(const std::vector<RuleOfThumb>& rules, std::string_view key) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const RuleOfThumb& rule) { return rule.key == key; });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<RuleOfThumb> rules_of(const std::string& link) {
  const Inputs inputs = from_fields(link);
  return rules_of_thumb(inputs, make_plan(inputs));
}

TEST(RuleOfThumb, NaiveFiguresAreThoseThatPeersPrint) {
  struct Case {
    const char *link, *key;
    double naive_gib, real_gib;
    const char *why, *source;
  };
  const Case cases[] = {
      // 80 layers × 2 × 8192 × 2 B × 8192 × 8: eight times what grouped heads keep
      {"v=1&model=meta-llama/Llama-3.1-70B-Instruct&gpu=h200-sxm&n=2", "cache_of_hidden_size", 160, 20,
       "rule_why.grouped_heads", "vllm#22291: own KV formula wrong by ten times, hidden size instead of heads"},
      {"v=1&model=Qwen/Qwen3-30B-A3B&gpu=h100-sxm&engine=generic", "active_parameters", 5.6, 56.87,
       "rule_why.all_experts", "article 2, section 4; accelerate estimate 56.87 GiB"},
  };
  for (const Case& one : cases) {
    const auto rules = rules_of(one.link);
    const RuleOfThumb* rule = find(rules, one.key);
    ASSERT_NE(rule, nullptr) << one.source;
    EXPECT_NEAR(gibibytes(rule->low), one.naive_gib, one.naive_gib * 0.06) << one.source;
    EXPECT_NEAR(gibibytes(rule->real), one.real_gib, one.real_gib * 0.02) << one.source;
    EXPECT_EQ(rule->why.key, one.why) << one.source;
  }
}

TEST(RuleOfThumb, WeightsAndAQuarterHoldsAtAShortContext) {  // article 1: 20–30 % at a short context
  const auto rules = rules_of("v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&users=4&ctx=4096&engine=generic");
  const RuleOfThumb* rule = find(rules, "total");
  ASSERT_NE(rule, nullptr);
  EXPECT_TRUE(rule->agrees()) << gibibytes(rule->low) << " … " << gibibytes(rule->high) << ": " << gibibytes(rule->real);
  EXPECT_EQ(rule->why.key, "rule_why.agrees");
}

TEST(RuleOfThumb, WeightsAndAQuarterFailsAtALongContext) {
  const auto rules = rules_of("v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&users=16&ctx=16384");
  const RuleOfThumb* rule = find(rules, "total");
  ASSERT_NE(rule, nullptr);
  EXPECT_GT(rule->real, rule->high);
  EXPECT_EQ(rule->why.key, "rule_why.much_cache");
}

TEST(RuleOfThumb, NominalBitsForgetScalesAndLayersInSixteenBits) {  // AWQ: 4.156 bits, embedding and head in 16
  const auto rules = rules_of("v=1&model=meta-llama/Llama-3.1-8B-Instruct&weights=awq_int4&gpu=h100-sxm");
  const RuleOfThumb* rule = find(rules, "nominal_bits");
  ASSERT_NE(rule, nullptr);
  EXPECT_NEAR(gigabytes(rule->low), 4.015, 0.01);
  EXPECT_NEAR(gigabytes(rule->real), 5.73, 0.05);
}

TEST(RuleOfThumb, AdaptersTakeSeveralTimesLessThanFullTraining) {  // article 1
  const auto rules = rules_of("v=1&task=tune&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm");
  const RuleOfThumb* rule = find(rules, "adapters");
  ASSERT_NE(rule, nullptr);
  EXPECT_LT(rule->real, rule->high);
}

TEST(RuleOfThumb, MixedPrecisionKeepsItsStatesIn32Bits) {  // article 1: optimizer two to four times the weights
  const auto rules = rules_of("v=1&task=train&model=meta-llama/Llama-3.1-8B-Instruct&gpu=b200&precision=mixed");
  const RuleOfThumb* rule = find(rules, "optimizer");
  ASSERT_NE(rule, nullptr);
  EXPECT_TRUE(rule->agrees());  // fp32 weights 4 B, two moments 8 B
  EXPECT_NE(find(rules, "training"), nullptr);
}

TEST(RuleOfThumb, PureBf16TakesFiveTimesTheWeightsWhereTheRuleSaysTwelveToTwenty) {
  const auto rules = rules_of("v=1&task=train&model=meta-llama/Llama-3.1-8B-Instruct&gpu=b200&precision=bf16");
  const RuleOfThumb* rule = find(rules, "training");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->low, bytes_from(12 * 2 * 8030261248.0));  // twelve times two bytes of 8,030,261,248 parameters
  EXPECT_LT(rule->real, rule->low);
  EXPECT_EQ(rule->why.key, "rule_why.training_parts");
  EXPECT_EQ(find(rules, "gradients"), nullptr) << "as much as the weights: nothing to say";
}

TEST(RuleOfThumb, MegatronKeepsItsGradientsIn32Bits) {
  const auto rules = rules_of("v=1&task=train&model=meta-llama/Llama-3.1-8B-Instruct&gpu=b200&framework=megatron");
  const RuleOfThumb* rule = find(rules, "gradients");
  ASSERT_NE(rule, nullptr);
  EXPECT_NEAR(gibibytes(rule->real), 2 * gibibytes(rule->low), 0.5);
  EXPECT_EQ(rule->why.key, "rule_why.gradients_in_fp32");
}

}  // namespace
}  // namespace vram
