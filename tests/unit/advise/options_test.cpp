// Properties of the search: whatever is asked, its answers are plans that fit, and nothing is left out for nothing.
#include "core/advise/options.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/advise/growth.h"
#include "core/advise/option_formats.h"
#include "tests/unit/advise/library.h"

namespace vram {
namespace {

using advice::inputs;
using advice::kLlama70;
using advice::library;
using advice::scenario;
using advice::searched;

std::string with(std::string_view model, std::string_view rest) { return std::string(model) + std::string(rest); }

/// Small and large, dense and with experts, served and trained, free and restricted.
std::vector<std::string> questions() {
  return {with(kLlama70, "&users=40&ctx=8192"),
          with(kLlama70, "&users=40&least_bits=8&want_tps=15&most_n=8"),
          "model=Qwen/Qwen3-8B&users=4",
          "model=deepseek-ai/DeepSeek-V3&users=40&ctx=8192",
          "model=openai/gpt-oss-120b&users=20&form=pcie&vendor=nvidia",
          "model=Qwen/Qwen3-32B&users=16&rate=60&spare=1",
          "model=Qwen/Qwen3-8B&task=tune&method=qlora&most_n=4"};
}

/// Searched once for all tests.
const OptionSearch& answer_to(const std::string& question) {
  static std::map<std::string, OptionSearch> known;
  const auto found = known.find(question);
  return found != known.end() ? found->second : known.emplace(question, searched(question)).first->second;
}

int fewest(const OptionSearch& search) {
  int least = 1 << 20;
  for (const Option& option : search.front()) least = std::min(least, option.devices);
  return least;
}

TEST(Options, EveryOneIsAPlanThatFits) {
  for (const std::string& question : questions()) {
    const OptionSearch& search = answer_to(question);
    EXPECT_FALSE(search.front().empty()) << question;
    for (const Option& option : search.front()) {
      const Plan plan = make_plan(inputs(option.scenario));
      EXPECT_EQ(plan.verdict, Verdict::fits) << to_link(option.scenario);
      EXPECT_EQ(plan.devices, option.devices) << to_link(option.scenario);
      EXPECT_NEAR(plan.headroom_share(), option.headroom_share, 1e-12) << to_link(option.scenario);
      EXPECT_EQ(scenario(to_link(option.scenario)), option.scenario);  // and can be opened as a link
    }
  }
}

TEST(Options, NoneIsBeatenByAnother) {
  for (const std::string& question : questions()) {
    const OptionSearch& search = answer_to(question);
    for (const Option& one : search.front()) {
      for (const Option& other : search.front()) {
        EXPECT_FALSE(dominates(other, one)) << to_link(other.scenario) << " beats " << to_link(one.scenario);
      }
    }
  }
}

TEST(Options, KeepToTheWishes) {
  const OptionSearch search = searched(
      with(kLlama70, "&users=20&vendor=nvidia&form=pcie&most_n=4&least_bits=8&want_tps=12&want_ttft=8"));
  ASSERT_FALSE(search.front().empty());
  for (const Option& option : search.front()) {
    const Accelerator* card = find_accelerator(library().accelerators, option.accelerator);
    EXPECT_EQ(card->vendor, "NVIDIA");
    EXPECT_EQ(card->form, FormFactor::pcie) << card->id;
    EXPECT_LE(option.devices, 4);
    EXPECT_GE(option.weight_bits, 8);
    EXPECT_GE(option.per_user->likely, 12);
    EXPECT_LE(option.first_token_s->likely, 8);
  }
}

TEST(Options, MoreUsersNeverNeedFewerDevices) {
  int before = 0;
  for (const char* users : {"1", "8", "40", "160", "640"}) {
    const int now = fewest(searched(with(kLlama70, "&most_n=16&users=" + std::string(users))));
    EXPECT_GE(now, before) << users;
    before = now;
  }
}

TEST(Options, EveryAcceleratorIsOfferedOrHasAReason) {
  for (const std::string& question : questions()) {
    const OptionSearch& search = answer_to(question);
    std::set<std::string> told;
    for (const Option& option : search.front()) told.insert(option.accelerator);
    for (const RuledOut& out : search.ruled_out()) {
      EXPECT_TRUE(told.insert(out.accelerator).second) << out.accelerator << " twice";
      EXPECT_FALSE(out.reason.key.empty()) << out.accelerator;
    }
    for (const Accelerator& card : library().accelerators)
      EXPECT_TRUE(told.count(card.id)) << card.id << " " << question;
  }
}

/// At least as good in everything that the search looks at.
bool is_better_card(const Accelerator& a, const Accelerator& b) {
  const auto at_least = [](const auto& x, const auto& y) { return x.value_or(0) >= y.value_or(0); };
  const auto has = [](const Accelerator& card) { return card.formats.value_or(HardwareFormats{}); };
  const bool formats = has(a).fp8 >= has(b).fp8 && has(a).fp4 >= has(b).fp4 && has(a).int8 >= has(b).int8;
  return a.vendor == b.vendor && a.architecture == b.architecture && a.form == b.form && a.status == b.status &&
         (a.featured > 0) == (b.featured > 0) && a.usable() >= b.usable() &&
         at_least(a.bandwidth_gbs, b.bandwidth_gbs) && at_least(a.tflops.bf16, b.tflops.bf16) &&
         at_least(a.measured_bf16_tflops, b.measured_bf16_tflops) &&
         at_least(a.per_node, b.per_node) && formats && a.tdp_w.value_or(1e9) <= b.tdp_w.value_or(1e9) &&
         a.link.has_value() == b.link.has_value();
}

TEST(Options, ABetterCardIsNeverRuledOutForAWorseReason) {
  int compared = 0;
  for (const std::string& question : questions()) {
    const OptionSearch& search = answer_to(question);
    std::map<std::string, Hurdle> hurdles;
    for (const RuledOut& out : search.ruled_out()) hurdles[out.accelerator] = out.hurdle;
    for (const Accelerator& better : library().accelerators) {
      for (const Accelerator& worse : library().accelerators) {
        const bool both = hurdles.count(better.id) == 1 && better.id != worse.id && is_better_card(better, worse);
        if (!both) continue;
        ++compared;
        const Hurdle other = hurdles.count(worse.id) == 1 ? hurdles[worse.id] : Hurdle::beaten;
        EXPECT_GE(hurdles[better.id], other) << better.id << " and " << worse.id << ": " << question;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(Options, SuggestionsCostMoreAsTheyPromiseMore) {
  const Suggestions named = searched(with(kLlama70, "&users=40&least_bits=8")).suggestions();
  ASSERT_TRUE(named.least);
  ASSERT_TRUE(named.grows);
  EXPECT_GE(named.grows->devices, named.least->devices);
  EXPECT_GE(named.grows->headroom_share * named.grows->devices, named.least->headroom_share * named.least->devices);
  const Scenario then = grown(named.grows->scenario, kUsualGrowth);
  EXPECT_EQ(then.deployments[0].users, 60);
  EXPECT_EQ(make_plan(inputs(then)).verdict, Verdict::fits);
  if (named.balanced) {
    EXPECT_LE(named.balanced->devices, 2 * named.least->devices);
  }
}

TEST(Options, MakersStandSideBySide) {
  const std::vector<Option> makers = searched(with(kLlama70, "&users=20")).best_of_vendors();
  std::set<std::string> vendors;
  for (const Option& option : makers) EXPECT_TRUE(vendors.insert(option.vendor).second);
  EXPECT_EQ(makers.front().vendor, "NVIDIA");
  ASSERT_TRUE(vendors.count("MetaX"));
  for (const Option& option : makers) {
    if (option.vendor != "MetaX") continue;
    EXPECT_TRUE(option.to_pilot);
    EXPECT_EQ(option.notes.front().key, "options.note.pilot");
  }
}

TEST(Options, SlicesFindWhatOneRunFinds) {
  OptionSearch sliced(scenario(with(kLlama70, "&users=40")), library());
  int slices = 0;
  while (sliced.step(1)) ++slices;
  const OptionSearch whole = searched(with(kLlama70, "&users=40"));
  EXPECT_GT(slices, 100);
  ASSERT_EQ(sliced.front().size(), whole.front().size());
  for (std::size_t i = 0; i < whole.front().size(); ++i) {
    EXPECT_EQ(sliced.front()[i].scenario, whole.front()[i].scenario);
  }
}

TEST(Options, TheShortListComesFirst) {
  OptionSearch search(scenario(with(kLlama70, "&users=40")), library());
  while (!search.short_list_done()) ASSERT_TRUE(search.step(1));
  EXPECT_TRUE(search.suggestions().least);
  const int short_list = search.planned();
  while (search.step(1000)) {
  }
  EXPECT_LT(short_list, search.planned() / 2);
}

TEST(Options, SpareNodesAreBoughtBesides) {
  const OptionSearch search = searched("model=Qwen/Qwen3-32B&users=16&spare=1");
  ASSERT_FALSE(search.front().empty());
  for (const Option& option : search.front()) {
    EXPECT_GE(option.nodes, 2) << to_link(option.scenario);
    EXPECT_GT(option.bought, option.devices) << to_link(option.scenario);
  }
}

TEST(Options, ARackTooSmallForANodeIsTheReason) {
  const OptionSearch search = searched(with(kLlama70, "&users=8&rack_kw=6"));
  for (const RuledOut& out : search.ruled_out()) {
    if (out.accelerator == "b200") {
      EXPECT_EQ(out.hurdle, Hurdle::feed);
    }
  }
  for (const Option& option : search.front()) EXPECT_NE(option.accelerator, "b200");
}

TEST(Options, AnOwnedServerTakesOnlyWhatGoesIntoIt) {
  const OptionSearch search = searched(with(kLlama70, "&users=8&node=smc-221ge-nr"));
  ASSERT_FALSE(search.front().empty());
  for (const Option& option : search.front()) {
    EXPECT_EQ(find_accelerator(library().accelerators, option.accelerator)->form, FormFactor::pcie);
  }
}

TEST(Options, AnUnknownModelOrNodeIsSaid) {
  OptionSearch model(scenario("model=no/such"), library());
  ASSERT_TRUE(model.problem());
  EXPECT_EQ(model.problem()->key, "scenario.unknown_model");
  OptionSearch node(scenario("node=shed"), library());
  EXPECT_FALSE(node.step(1));
  ASSERT_TRUE(node.problem());
  EXPECT_EQ(node.problem()->key, "facility.unknown_node");
}

constexpr const char* kTwoModels = "model=meta-llama/Llama-3.1-70B-Instruct&2.model=Qwen/Qwen3-32B&3.model=BAAI/bge-m3&most_n=8";

TEST(OptionsOfSeveralModels, WhatIsLeftOpenFollowsTheFirstAndWhatWasChosenStays) {
  const OptionSearch open = searched(kTwoModels), chosen = searched(std::string(kTwoModels) + "&2.weights=int8");
  bool followed = false;
  for (const Option& option : open.front()) {
    const auto& models = option.scenario.deployments;
    followed = followed || (models[0].weights == "awq_int4" && models[1].weights == "awq_int4");
    EXPECT_EQ(models[2].weights, "stored") << "embeddings are not quantised";
  }
  EXPECT_TRUE(followed);
  for (const Option& option : chosen.front()) EXPECT_EQ(option.scenario.deployments[1].weights, "int8");
}

TEST(OptionsOfSeveralModels, SayWhatBecameOfTheOthers) {
  const auto says = [](const OptionSearch& search, std::string_view key) {
    return std::any_of(search.front().begin(), search.front().end(), [&](const Option& option) {
      return std::any_of(option.notes.begin(), option.notes.end(), [&](const Message& note) { return note.key == key; });
    });
  };
  EXPECT_TRUE(says(searched(kTwoModels), "options.note.others_follow"));
  EXPECT_TRUE(says(searched(std::string(kTwoModels) + "&2.weights=int8"), "options.note.others_as_given"));
}

TEST(OptionsOfSeveralModels, AreOfferedOnCardsThatRunAllOfThem) {
  const OptionSearch search = searched("model=Qwen/Qwen3-8B&2.model=Qwen/Qwen3-8B&2.weights=nvfp4&most_n=2");
  for (const Option& option : search.front()) {
    const auto card = std::find_if(library().accelerators.begin(), library().accelerators.end(),
                                   [&](const Accelerator& one) { return one.id == option.accelerator; });
    ASSERT_NE(card, library().accelerators.end());
    EXPECT_TRUE(runs_weights(*card, {"nvfp4", 4}, Model{})) << option.gpu;
  }
}

TEST(OptionSort, PutsTheBestFirstAndTheUnknownLast) {
  const std::vector<Option>& front = answer_to(questions()[0]).front();
  for (int i = 0; i < static_cast<int>(OptionOrder::count_); ++i) {
    const auto order = static_cast<OptionOrder>(i);
    for (const bool backwards : {false, true}) {
      const OptionSort sort{order, backwards};
      const std::vector<Option> list = sorted(front, sort);
      ASSERT_EQ(list.size(), front.size());
      for (std::size_t k = 1; k < list.size(); ++k) {
        const auto before = figure_of(list[k - 1], order), after = figure_of(list[k], order);
        if (!after) continue;
        ASSERT_TRUE(before.has_value()) << order_key(order);
        if (is_ascending(sort, false)) EXPECT_LE(*before, *after) << order_key(order);
        else EXPECT_GE(*before, *after) << order_key(order);
      }
    }
  }
}

TEST(OptionSort, TheSameHeadingTurnsTheOrderRound) {
  const OptionSort once = pressed({OptionOrder::devices, true}, OptionOrder::power);
  EXPECT_EQ(once, (OptionSort{OptionOrder::power, false}));
  EXPECT_EQ(pressed(once, OptionOrder::power), (OptionSort{OptionOrder::power, true}));
  EXPECT_TRUE(is_ascending(once, false)) << "the least power is the best";
  EXPECT_TRUE(is_ascending({OptionOrder::speed, false}, true)) << "and the fewest hours";
}

TEST(Formats, ACardRunsWhatItsHardwareHasOrKernelsUnpack) {
  const Model stored = inputs("model=deepseek-ai/DeepSeek-V3").models.front();  // fp8 in blocks
  struct Row {
    std::string_view card, weights;
    bool runs;
  };
  for (const Row& row : {Row{"h200-sxm", "stored", true}, Row{"a100-80-sxm", "stored", true},  // vLLM's Marlin
                         Row{"metax-c500", "stored", false}, Row{"metax-c500", "int8", true},
                         Row{"metax-c500", "awq_int4", true}, Row{"h200-sxm", "nvfp4", false},
                         Row{"b200", "nvfp4", true}, Row{"t4", "stored", false}}) {
    const Accelerator& card = *find_accelerator(library().accelerators, row.card);
    EXPECT_EQ(runs_weights(card, {row.weights, 8}, stored), row.runs) << row.card << " " << row.weights;
  }
}

TEST(Formats, NothingBelowTheFloorAndNothingBiggerThanStoredIsOffered) {
  const Scenario asked = scenario("model=openai/gpt-oss-120b&least_bits=8");
  const Model stored = inputs(asked).models.front();
  EXPECT_EQ(stored_bits(stored), 4);
  for (const WeightChoice& choice : weight_choices(asked, stored)) EXPECT_GE(choice.bits, 8);
  for (const WeightChoice& choice :
       weight_choices(scenario("model=Qwen/Qwen3-8B"), inputs("model=Qwen/Qwen3-8B").models[0])) {
    EXPECT_LE(choice.bits, 16);
    EXPECT_NE(choice.weights, "bf16");  // it is stored so
  }
}

}  // namespace
}  // namespace vram
