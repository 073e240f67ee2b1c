// What is true of every plan, tried on scenarios drawn at random (draw.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/plan/formula.h"
#include "core/plan/llamacpp/from_model.h"
#include "core/plan/llamacpp/llamacpp.h"
#include "core/plan/llamacpp/schedule.h"
#include "core/plan/plan.h"
#include "core/plan/server/storage.h"
#include "tests/unit/plan/draw.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

constexpr int kLlamacppStep = 100;  // of so many scenarios one is planned for llama.cpp, whose graphs take a while

using drawn::Draw;
using drawn::library;

const int kScenarios = drawn::scenarios();

Bytes everywhere(const Plan& plan, Category category) {
  Bytes sum;
  for (const Entry& entry : plan.ledger) {
    if (entry.term == Term::reserve || category_of(entry.term) != category) continue;
    sum += Count(static_cast<std::uint64_t>(entry.last - entry.device + 1)) * entry.likely;
  }
  return sum;
}

void has_sound_entries(const Plan& plan) {
  for (const Entry& entry : plan.ledger) {
    if (entry.high.overflowed()) {  // what the fields can ask for at most is more than 2^64 bytes
      ASSERT_EQ(plan.verdict, Verdict::does_not_fit) << term_key(entry.term);
      continue;
    }
    ASSERT_LE(entry.low, entry.likely) << term_key(entry.term);
    ASSERT_LE(entry.likely, entry.high) << term_key(entry.term);
    const Result<double> value = evaluate(entry.derivation);
    ASSERT_TRUE(value) << entry.derivation.formula;
    const double bytes = static_cast<double>(entry.likely.value());
    ASSERT_NEAR(value.value(), bytes, std::max(2.0, bytes * 1e-9)) << entry.derivation.formula;
  }
}

void finds_the_fullest(const Plan& plan) {
  const auto missing = [&](int device) {
    return static_cast<double>((plan.of(device).likely + reserved(plan.ledger, device)).value()) -
           static_cast<double>(plan.usable(device).value());
  };
  for (int device = 0; device < plan.devices; ++device) ASSERT_LE(missing(device), missing(plan.fullest)) << device;
}

TEST(AnyScenario, IsItselfAgainOutOfItsLinkAndItsJson) {
  Draw draw(1);
  for (int i = 0; i < kScenarios / 4; ++i) {
    const Scenario drawn = draw.scenario();
    const ScenarioReading link = from_link(to_link(drawn)), json = from_json(to_json(drawn));
    ASSERT_TRUE(link.problems.empty() && link.scenario == drawn) << to_link(drawn);
    ASSERT_TRUE(json.problems.empty() && json.scenario == drawn) << to_link(drawn);
  }
}

TEST(AnyPlan, HasEntriesThatFollowFromTheirDerivationsAndKnowsItsFullestDevice) {
  Draw draw(2);
  for (int i = 0; i < kScenarios && !testing::Test::HasFatalFailure(); ++i) {
    const bool trains = i % 8 == 7;
    const Scenario drawn = trains ? draw.scenario() : draw.serving(i % kLlamacppStep == 0);
    SCOPED_TRACE(to_link(drawn));
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;  // a model that is too large, a card of which the memory is not known
    const Plan plan = make_plan(inputs.value());
    has_sound_entries(plan);
    finds_the_fullest(plan);
  }
}

TEST(AnyPlan, HoldsTheWholeModel) {
  Draw draw(3);
  for (int i = 0; i < kScenarios / 4 && !testing::Test::HasFatalFailure(); ++i) {
    const Scenario drawn = draw.serving(false);
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;
    const Plan plan = make_plan(inputs.value());
    const Bytes copy = weight_bytes(inputs.value().models[0], Part::text);
    // Experts that are dealt out whole are dealt over all copies together.
    const bool dealt = plan.placed[0].split.whole_experts;
    const Count copies(dealt ? 1 : static_cast<std::uint64_t>(plan.placed[0].split.replicas));
    ASSERT_GE(everywhere(plan, Category::weights), copies * copy) << to_link(drawn);
  }
}

/// Weights and caches of the plan of `more` are no less than those of `drawn`.
void needs_no_less(const Scenario& drawn, const Scenario& more) {
  const Result<Inputs> inputs = resolve(drawn, library()), changed = resolve(more, library());
  if (!inputs || !changed) return;
  const Plan before = make_plan(inputs.value()), after = make_plan(changed.value());
  ASSERT_LE(everywhere(before, Category::weights), everywhere(after, Category::weights)) << to_link(drawn);
  ASSERT_LE(everywhere(before, Category::kv), everywhere(after, Category::kv)) << to_link(drawn);
}

TEST(MoreOfAnything, NeverTakesLessForWeightsAndCaches) {
  Draw draw(4);
  for (int i = 0; i < kScenarios / 8 && !testing::Test::HasFatalFailure(); ++i) {
    Scenario drawn = draw.serving(i % kLlamacppStep == 0);
    drawn.offload = "no";
    Scenario more = drawn;
    Deployment& used = more.deployments[0];
    switch (i % 4) {
      case 0: used.context = std::min<std::int64_t>(used.context * 2, 100'000'000); break;
      case 1: used.context = std::min<std::int64_t>(used.context + 1, 100'000'000); break;
      case 2: used.users = std::min<std::int64_t>(used.users + 1, 100'000); break;
      default: used.users = std::min<std::int64_t>(used.users * 3, 100'000); break;
    }
    needs_no_less(drawn, more);
  }
}

bool stores_32_bits(Scenario drawn) {
  drawn.deployments[0].weights = "stored";
  const Result<Inputs> inputs = resolve(drawn, library());
  if (!inputs) return false;
  const Model& model = inputs.value().models[0];
  return std::any_of(model.tensors.begin(), model.tensors.end(),
                     [](const Tensor& tensor) { return tensor.format == FormatId::fp32; });
}

TEST(WiderFormats, NeverTakeLess) {
  constexpr const char* kWeights[] = {"awq_int4", "fp8_block", "bf16"};
  constexpr const char* kCaches[] = {"fp8", "bf16", "fp32"};
  Draw draw(5);
  for (int i = 0; i < kScenarios / 32 && !testing::Test::HasFatalFailure(); ++i) {
    Scenario narrow = draw.serving(false);
    Scenario wide = narrow;
    const std::size_t step = draw.below(2);
    narrow.deployments[0].weights = kWeights[step];
    wide.deployments[0].weights = kWeights[step + 1];
    // A format of linear layers leaves the others as they are stored; a plain one replaces those in 32 bits too.
    if (step == 0 || !stores_32_bits(narrow)) needs_no_less(narrow, wide);
    wide = narrow;
    narrow.deployments[0].kv = kCaches[step];
    wide.deployments[0].kv = kCaches[step + 1];
    needs_no_less(narrow, wide);
  }
}

TEST(MoreLayers, NeverTakeLess) {
  Draw draw(6);
  for (int i = 0; i < kScenarios / 16 && !testing::Test::HasFatalFailure(); ++i) {
    Inputs fewer;
    fewer.scenario = draw.serving(i % kLlamacppStep == 0);
    fewer.scenario.offload = "no";
    fewer.accelerator = sample::card(80);
    sample::Shape shape = sample::kLlama8B;
    shape.layers = static_cast<std::uint32_t>(draw.between(1, 100));
    Inputs more = fewer;
    fewer.models = {sample::dense(shape)};
    ++shape.layers;
    more.models = {sample::dense(shape)};
    const Plan before = make_plan(fewer), after = make_plan(more);
    const Split &a = before.placed[0].split, &b = after.placed[0].split;
    if (a.tensor_parallel != b.tensor_parallel || a.pipeline_parallel != b.pipeline_parallel) continue;  // cut anew
    ASSERT_LE(everywhere(before, Category::weights), everywhere(after, Category::weights)) << to_link(fewer.scenario);
    ASSERT_LE(everywhere(before, Category::kv), everywhere(after, Category::kv)) << to_link(fewer.scenario);
  }
}

TEST(APlanThatFits, FitsOnALargerCardOfItsKind) {
  Draw draw(7);
  for (int i = 0; i < kScenarios / 8 && !testing::Test::HasFatalFailure(); ++i) {
    const Scenario drawn = draw.serving(i % kLlamacppStep == 0);
    const Result<Inputs> inputs = resolve(drawn, library());
    if (!inputs) continue;
    Inputs larger = inputs.value();
    larger.accelerator.program_gib = gibibytes(larger.accelerator.usable()) * draw.between(1.0, 4.0);
    const Plan plan = make_plan(inputs.value());
    if (plan.shortage() > Bytes(0)) continue;
    ASSERT_EQ(make_plan(larger).shortage(), Bytes(0)) << to_link(drawn);
  }
}

// ---- what the draws found, and what makes plans quick ------------------------------------------------------

TEST(Sglang, KeepsNothingForActivationsOnACardSmallerThanItsContext) {
  Inputs inputs = sample::serving(sample::dense(sample::kLlama8B), 0.75, 8, 1, 100);
  inputs.scenario.deployments[0].engine = "sglang";
  has_sound_entries(make_plan(inputs));
}

TEST(AlikeLayers, AllocateAsOneByOne) {
  Draw draw(8);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Bytes> sizes(1 + draw.below(6)), counted(sizes.size()), expected(sizes.size());
    for (Bytes& size : sizes) size = Bytes(static_cast<std::uint64_t>(draw.between(1, 40e6)));
    const std::uint64_t times = 1 + draw.below(40);
    Allocator together, alone;
    together.take_alike(sizes, times, counted);
    for (std::uint64_t round = 0; round < times; ++round) {
      for (std::size_t k = 0; k < sizes.size(); ++k) expected[k] += alone.take(sizes[k]);
    }
    ASSERT_EQ(counted, expected);
    for (const std::uint64_t mib : {1, 2, 5, 9, 11, 15}) {  // and the same is free afterwards
      ASSERT_EQ(together.take(Count(mib) * kMiB + Bytes(1)), alone.take(Count(mib) * kMiB + Bytes(1)));
    }
    ASSERT_EQ(together.counted(), alone.counted());
  }
}

TEST(ShortRunsOfLayers, ReachWhatTheWholeGraphReaches) {
  for (const CatalogueModel& row : library().models) {
    const std::optional<llamacpp::Model> model = llamacpp::to_llamacpp(model_of(row).value());
    if (!model) continue;
    for (const int devices : {1, 3}) {
      llamacpp::Settings settings;
      settings.devices = devices;
      settings.pipeline = 1;
      const llamacpp::Pass pass = llamacpp::resolve(*model, settings);
      llamacpp::Graph whole = llamacpp::Builder(*model, pass).build();
      if (!whole.complete()) continue;
      llamacpp::ScheduleRules rules;
      rules.devices = devices;
      const llamacpp::Schedule order = llamacpp::schedule(whole, rules);
      ASSERT_EQ(llamacpp::compute(*model, pass, settings), llamacpp::allocate(whole, order)) << row.id;
    }
  }
}

TEST(EveryModelOfTheCatalogue, IsPlannedByEveryEngineForEveryTask) {
  for (const CatalogueModel& model : library().models) {
    for (const std::string_view engine : find_field("engine")->choices) {
      for (const std::string_view task : find_field("task")->choices) {
        Scenario scenario;
        scenario.task = task;
        scenario.devices = 8;
        scenario.deployments[0].model = model.id;
        scenario.deployments[0].engine = engine;
        SCOPED_TRACE(to_link(scenario));
        const Result<Inputs> inputs = resolve(scenario, library());
        ASSERT_TRUE(inputs);
        const Plan plan = make_plan(inputs.value());
        has_sound_entries(plan);
        finds_the_fullest(plan);
        if (task != "serve" && engine != "auto") continue;
        ASSERT_FALSE(plan.ledger.empty());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace vram
