// Measured rows against the rules. Fails when a goal that was reached is lost, or when figures that are better than
// their goal get worse; docs/ACCURACY.md shows the table.
#include <gtest/gtest.h>

#include <set>

#include "core/check/goals.h"
#include "tests/unit/check/measured.h"

namespace vram::check {
namespace {

std::string told(const Goal& goal, const Reached& result) {
  const Summary& s = result.summary;
  return std::string(goal.words) + " " + std::string(goal.quantities) + " " + std::string(goal.families) + ": n " +
         std::to_string(s.n) + ", median " + std::to_string(s.median) + ", p90 " + std::to_string(s.p90) + ", within " +
         std::to_string(result.within) + ", in band " + std::to_string(s.in_band) + ", width " +
         std::to_string(s.band_width);
}

TEST(Accuracy, GoalsThatWereReachedAreKeptAndNewOnesAreNoted) {
  const Outcome outcome = measured({"serving", "llamacpp", "llamacpp_logs", "training", "throughput"});
  for (const Goal& goal : goals()) {
    const Reached result = reached(goal, outcome);
    EXPECT_EQ(result.met, goal.reached) << told(goal, result) << "; see Goal::reached in core/check/goals.cpp";
  }
}

void keeps(const Outcome& outcome, std::span<const Goal> held) {
  for (const Goal& goal : held) {
    const Reached result = reached(goal, outcome);
    EXPECT_TRUE(result.met) << told(goal, result);
  }
}

TEST(Accuracy, OfServersStaysBetterThanAskedFor) {
  constexpr std::string_view kind = "serving";
  const Goal held[] = {
      {.kinds = kind, .quantities = "weights", .n = 81, .median = 0.0006, .p90 = 0.0135},
      {.kinds = kind,
       .quantities = "tokens",
       .mode = "given_pool",
       .n = 69,
       .median = 0.0002,
       .p90 = 0.012,
       .in_band = 0.9},
      {.kinds = kind,
       .quantities = "tokens",
       .mode = "given_pool",
       .families = "vllm/dense|vllm/window|sglang/",
       .n = 15,
       .within = Within{0.0011, 1}},
      {.kinds = kind,
       .quantities = "concurrency",
       .mode = "given_pool",
       .n = 43,
       .median = 0.0008,
       .p90 = 0.045,
       .in_band = 0.95},
      {.kinds = kind,
       .quantities = "pool",
       .mode = "flags",
       .n = 49,
       .median = 0.004,
       .p90 = 0.05,
       .in_band = 0.9,
       .band_width = 0.15},
      {.kinds = kind, .quantities = "activation", .n = 43, .median = 0.01, .in_band = 0.9, .band_width = 0.15},
      {.kinds = kind, .quantities = "recurrent", .n = 2, .within = Within{0.002, 1}},
  };
  keeps(measured({"serving"}), held);
}

TEST(Accuracy, OfTrainingStaysBetterThanAskedFor) {
  constexpr std::string_view kind = "training";
  const Goal held[] = {
      {.kinds = kind, .quantities = "steady", .n = 216, .median = 0.005, .p90 = 0.02},
      {.kinds = kind, .quantities = "peak", .families = "fms/", .n = 200, .median = 0.02, .p90 = 0.08},
      {.kinds = kind, .quantities = "peak", .n = 268, .median = 0.03, .p90 = 0.15, .in_band = 0.88},
      {.kinds = kind, .quantities = "peak", .families = "fms/adapters", .median = 0.02},
      {.kinds = kind, .quantities = "peak", .families = "fms/full", .median = 0.005},
      {.kinds = kind, .quantities = "peak", .families = "litgpt/adapters", .median = 0.03},
      {.kinds = kind, .quantities = "peak", .families = "torchtune/adapters", .median = 0.1},
      {.kinds = kind, .quantities = "peak", .families = "torchtune/full", .median = 0.15},
      {.kinds = kind, .quantities = "peak", .families = "megatron_bridge/", .median = 0.08},
      {.kinds = kind, .quantities = "peak", .families = "megatron/full", .median = 0.01},
      {.kinds = kind, .quantities = "peak", .families = "fsdp_qlora/", .median = 0.08},
      {.kinds = kind, .quantities = "reserved", .n = 70, .median = 0.1},
      {.kinds = kind, .quantities = "smi", .n = 245, .in_band = 0.9, .band_width = 0.3},
      {.kinds = kind, .quantities = "oom", .reported = 1, .n = 70, .within = Within{0, 0.87}},
      {.kinds = kind, .quantities = "oom", .reported = 0, .n = 360, .within = Within{0, 0.97}},
  };
  keeps(measured({"training"}), held);
}

TEST(Accuracy, OfSpeedStaysBetterThanAskedFor) {
  constexpr std::string_view kind = "throughput";
  const Goal held[] = {
      {.kinds = kind, .quantities = "output_tps", .families = "dense", .n = 583, .median = 0.07, .in_band = 0.85},
      {.kinds = kind, .quantities = "output_tps", .families = "moe", .n = 600, .median = 0.12, .in_band = 0.85},
      {.kinds = kind, .quantities = "tpot", .families = "dense", .n = 529, .median = 0.08, .in_band = 0.85},
      {.kinds = kind, .quantities = "tpot", .families = "moe", .n = 568, .median = 0.12, .in_band = 0.85},
      // llama.cpp on consumer cards: no constant was calibrated on these rows.
      {.kinds = kind,
       .quantities = "output_tps",
       .families = "consumer",
       .only_complete = false,
       .n = 7,
       .median = 0.11},
  };
  const Outcome outcome = measured({"throughput"});
  keeps(outcome, held);
  for (const Skipped& skip : outcome.skipped) EXPECT_EQ(skip.reason, "no_model") << skip.id;
  EXPECT_EQ(outcome.skipped.size(), 4U);
}

TEST(Accuracy, OfTheLoadersOwnPlansStaysBetterThanAskedFor) {
  constexpr std::string_view kind = "llamacpp_oracle";
  constexpr Within exact{0, 1};
  const Goal held[] = {
      {.kinds = kind, .quantities = "weights", .n = 200, .within = exact},
      {.kinds = kind, .quantities = "kv", .n = 100, .within = exact},
      {.kinds = kind, .quantities = "recurrent", .n = 15, .within = exact},
      {.kinds = kind, .quantities = "output", .n = 100, .within = exact},
      {.kinds = kind, .quantities = "compute", .n = 100, .median = 0, .p90 = 0.01},
  };
  const Outcome outcome = measured({"llamacpp"});
  keeps(outcome, held);
  EXPECT_TRUE(outcome.skipped.empty());
}

TEST(Accuracy, ARowIsSkippedOnlyForWhatCannotBeKnown) {
  const std::set<std::string> reasons = {"no_model", "no_hardware", "no_arch", "nothing_reported", "a_kernel"};
  for (const Skipped& skip : measured({"serving", "llamacpp_logs", "training"}).skipped)
    EXPECT_EQ(reasons.count(skip.reason), 1U) << skip.id << ": " << skip.reason;
}

}  // namespace
}  // namespace vram::check
