#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "assets/assets.h"
#include "core/plan/formula.h"
#include "core/report/report.h"
#include "tests/unit/plan/catalogue_inputs.h"
#include "tests/unit/plan/sample.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using sample::dense;
using sample::kLlama70B;
using sample::serving;

Inputs llama_on(int devices) { return serving(dense(kLlama70B, "Llama 3.1 70B"), 79.19, devices, 8, 8192); }

Answer answer_to(const Inputs& inputs, Tongue tongue) {
  return answer(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), tongue));
}

bool mentions(const Answer& answer, std::string_view text) {
  if (answer.verdict.find(text) != std::string::npos || answer.summary.find(text) != std::string::npos) return true;
  for (const Section& section : answer.sections) {
    if (section.heading.find(text) != std::string::npos) return true;
    for (const std::string& paragraph : section.paragraphs) {
      if (paragraph.find(text) != std::string::npos) return true;
    }
    for (const auto& row : section.table.rows) {
      for (const std::string& cell : row) {
        if (cell.find(text) != std::string::npos) return true;
      }
    }
  }
  return false;
}

TEST(Answer, SaysTheVerdictWithTheDevices) {
  EXPECT_EQ(answer_to(llama_on(1), Tongue::en).verdict, "Does not fit on 1\xC2\xA0×\xC2\xA0Sample");
  EXPECT_EQ(answer_to(llama_on(4), Tongue::ru).verdict, "Помещается на 4\xC2\xA0×\xC2\xA0Sample");
}

TEST(Answer, HasNoUntranslatedWordsAndNoEmptyPlaceholders) {
  Inputs inputs = llama_on(16);
  inputs.scenario.deployments[0].context = 200'000;
  inputs.scenario.deployments[0].split = "tensor";
  for (const Tongue tongue : kTongues) {
    const Answer said = answer_to(inputs, tongue);
    EXPECT_FALSE(mentions(said, "\xE2\x9F\xA8")) << tongue_code(tongue);
    EXPECT_FALSE(mentions(said, "{")) << tongue_code(tongue);
  }
}

TEST(Answer, ShowsTheCalculationOfTheCache) {
  EXPECT_TRUE(mentions(answer_to(llama_on(1), Tongue::en), "80 × 8 × (128 + 128) × 2\xC2\xA0" "B × 8,192 × 8 = 20.0\xC2\xA0GiB"));
}

TEST(Answer, TermsOfASumAreRoundedAtTheSamePlace) {
  const auto gib = [](double value) { return value * static_cast<double>(kGiB.value()); };
  const Language english(all_strings(), Tongue::en);
  Entry entry;
  entry.derivation = {"reserve", {{"memory", gib(79.186), ValueUnit::bytes}, {"used", gib(36.094), ValueUnit::bytes},
                                  {"pool", gib(36.952), ValueUnit::bytes}}};
  entry.likely = bytes_from(evaluate_or_zero(entry.derivation));
  EXPECT_EQ(explain(entry, english), "79.19\u00a0GiB − 36.09\u00a0GiB − 36.95\u00a0GiB = 6.14\u00a0GiB");
  entry.derivation.values[2].value = 0;
  entry.likely = bytes_from(evaluate_or_zero(entry.derivation));
  EXPECT_EQ(explain(entry, english), "79.19\u00a0GiB − 36.09\u00a0GiB = 43.09\u00a0GiB") << "nothing is not shown";
}

TEST(Answer, TablesAreRectangles) {
  for (const Section& section : answer_to(llama_on(4), Tongue::kk).sections) {
    for (const auto& row : section.table.rows) EXPECT_EQ(row.size(), section.table.head.size()) << section.heading;
  }
}

bool has_column(const Answer& answer, std::string_view text) {
  for (const Section& section : answer.sections) {
    for (const std::string& head : section.table.head) {
      if (head == text) return true;
    }
  }
  return false;
}

TEST(Answer, HasNoColumnOfZeros) {
  EXPECT_FALSE(has_column(answer_to(llama_on(4), Tongue::en), "Gradients and optimizer"));
  const Inputs training = sample::from_fields("v=1&task=train&gpu=h100-sxm");
  EXPECT_TRUE(has_column(answer_to(training, Tongue::en), "Gradients and optimizer"));
  EXPECT_FALSE(has_column(answer_to(training, Tongue::en), "KV cache"));
}

TEST(Answer, ASingleValueIsNoEquation) {
  const Entry entry{.likely = bytes_from_gib(1), .derivation = {"activations_profiled",
                                                                {{"peak", 1073741824, ValueUnit::bytes},
                                                                 {"rows", 256}}}};
  EXPECT_EQ(explain(entry, Language(all_strings(), Tongue::en)), "1.00\xC2\xA0GiB");
}

TEST(Answer, ToATrainingJobSpeaksOfSequencesAndPhases) {
  for (const char* link : {"v=1&task=train&gpu=h100-sxm&n=4&train_pp=2", "v=1&task=tune&method=qlora&gpu=l40s&segments=growing"}) {
    const Inputs inputs = sample::from_fields(link);
    for (const Tongue tongue : kTongues) {
      const Answer said = answer_to(inputs, tongue);
      EXPECT_FALSE(mentions(said, "\xE2\x9F\xA8")) << link << tongue_code(tongue);
      EXPECT_FALSE(mentions(said, "{")) << link << tongue_code(tongue);
      for (const Section& section : said.sections) {
        for (const auto& row : section.table.rows) EXPECT_EQ(row.size(), section.table.head.size()) << section.heading;
      }
    }
    const Answer said = answer_to(inputs, Tongue::en);
    EXPECT_TRUE(mentions(said, "Longest sequence with")) << link;
    EXPECT_FALSE(mentions(said, "Most users")) << link;
    EXPECT_TRUE(mentions(said, "Optimizer's step")) << link;
    EXPECT_TRUE(mentions(said, "Shown by nvidia-smi")) << link;
    EXPECT_TRUE(mentions(said, "expandable_segments")) << link;
  }
}

TEST(Answer, SaysFixesSupportAndCommandInEveryLanguage) {
  for (const char* link : {"v=1&model=meta-llama/Llama-3.1-70B-Instruct&engine=vllm&weights=fp8_block&gpu=a100-80-sxm&peak=20",
                           "v=1&model=openai/gpt-oss-120b&engine=llama_cpp&weights=q8_0&gpu=l40s&offload=experts",
                           "v=1&model=deepseek-ai/DeepSeek-V3&engine=sglang&gpu=h100-sxm&n=8",
                           "v=1&task=train&gpu=rtx4090"}) {
    const Inputs inputs = sample::from_fields(link);
    const Plan plan = make_plan(inputs);
    const std::vector<Fix> fixes = find_fixes(inputs, plan, sample::shipped());
    for (const Tongue tongue : kTongues) {
      const Language language(all_strings(), tongue);
      const Answer said = answer(inputs, plan, find_limits(inputs), language, fixes);
      EXPECT_FALSE(mentions(said, "\xE2\x9F\xA8")) << link << ' ' << tongue_code(tongue);
    }
  }
}

TEST(Placement, NamesEveryPartAndAddsUpToTheDevice) {
  const Inputs inputs = sample::from_fields("v=1&model=Qwen/Qwen3-30B-A3B&engine=vllm&gpu=h100-sxm&n=4&split=layers");
  const Language language(all_strings(), Tongue::en);
  const Section section = placement_section(inputs, make_plan(inputs), language);
  const auto has_row = [&](std::string_view part, std::string_view where) {
    return std::any_of(section.table.rows.begin(), section.table.rows.end(), [&](const auto& row) {
      return row[0].find(part) != std::string::npos && row[1].find(where) != std::string::npos;
    });
  };
  EXPECT_TRUE(has_row("experts", "GPU 0 \xC2\xB7 stage\u00a01\u00a0of\u00a04"));
  EXPECT_TRUE(has_row("embedding", "GPU 0"));
  EXPECT_TRUE(has_row("KV cache", "stage\u00a04\u00a0of\u00a04"));
}

TEST(Placement, ExpertsInHostMemoryAreSaid) {
  const Inputs inputs = sample::from_fields(
      "v=1&model=openai/gpt-oss-120b&engine=llama_cpp&weights=q8_0&gpu=rtx4090&offload=experts&users=1");
  const Language language(all_strings(), Tongue::en);
  const Section section = placement_section(inputs, make_plan(inputs), language);
  ASSERT_EQ(section.paragraphs.size(), 1u);
  EXPECT_NE(section.paragraphs[0].find("layers live in RAM"), std::string::npos);
  EXPECT_EQ(section.table.rows.back()[1], "Host RAM");
}

TEST(NormalAndPeak, AreTwoPlansOfOneScenario) {
  Inputs inputs = llama_on(4);
  EXPECT_FALSE(normal_and_peak(inputs));
  inputs.scenario.deployments[0].peak_users = 16;
  const auto plans = normal_and_peak(inputs);
  ASSERT_TRUE(plans);
  EXPECT_EQ(total(plans->peak.ledger, 0, Category::kv).likely.value(),
            2 * total(plans->normal.ledger, 0, Category::kv).likely.value());
}

TEST(Letter, StaysUnderTheLimitOfMailProgramsInEveryLanguage) {
  Inputs inputs = llama_on(4);
  inputs.models[0].name = "Очень длинное имя модели, которое кто-то написал в своём файле config.json";
  const std::string link = "https://calculator.example/gpu/#" + to_link(inputs.scenario);
  for (const Tongue tongue : kTongues) {
    const Letter written = letter(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), tongue),
                                  "sale@tkasiatorg.ru", link);
    EXPECT_LE(mailto(written).size(), 1900u) << tongue_code(tongue);
    EXPECT_NE(written.body.find(link), std::string::npos) << tongue_code(tongue);
  }
}

TEST(Letter, SaysWhatCalculatedIt) {
  const Inputs inputs = llama_on(1);
  const Letter written = letter(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), Tongue::en),
                                "sale@tkasiatorg.ru", "https://calculator.example/", {}, "Version 7");
  EXPECT_NE(written.body.find("\nVersion 7\n"), std::string::npos) << written.body;
}

TEST(Letter, SaysSoWhenEvenTheLinkIsTooLong) {
  const Inputs inputs = llama_on(4);
  const Letter written = letter(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), Tongue::en),
                                "sale@tkasiatorg.ru", "https://calculator.example/#" + std::string(5000, 'x'));
  EXPECT_LE(mailto(written).size(), 1900u);
  EXPECT_TRUE(written.attach_scenario);
  EXPECT_NE(written.body.find(kScenarioFile), std::string::npos);
}

TEST(Letter, ANameCannotAddAHeader) {
  Inputs inputs = llama_on(2);
  inputs.models[0].name = "evil\r\nBcc: all@example.com&bcc=x?cc=y";
  const Letter written = letter(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), Tongue::en),
                                "sale@tkasiatorg.ru?bcc=z\r\n", "https://calculator.example/");
  const std::string address = mailto(written);
  EXPECT_EQ(written.subject.find('\n'), std::string::npos);
  EXPECT_EQ(address.find('?'), address.rfind('?'));
  EXPECT_EQ(address.find("&body="), address.rfind('&'));
  EXPECT_TRUE(address.starts_with("mailto:sale@tkasiatorg.rubccz?subject="));
}

TEST(PlanJson, HasTheLedgerWithDerivationsThatAddUp) {
  const Inputs inputs = llama_on(2);
  const Plan plan = make_plan(inputs);
  const Json json = plan_json(inputs, plan, find_limits(inputs));
  EXPECT_EQ(json["verdict"], "tight");
  std::uint64_t sum = 0;
  for (const Json& entry : json["ledger"]) {
    const bool used = entry["term"] != "reserve";
    if (used && entry["device"] == 0) sum += entry["bytes"]["likely"].get<std::uint64_t>();
  }
  EXPECT_EQ(sum, plan.of(0).likely.value());
  EXPECT_EQ(json["devices"][0]["likely"], plan.of(0).likely.value());
}

TEST(PlanJson, HasWhatStandsBesideTheLedger) {
  const Inputs inputs = sample::from_fields("v=1&model=meta-llama/Llama-3.1-70B-Instruct&engine=vllm&gpu=h100-sxm");
  const Plan plan = make_plan(inputs);
  const Json json = plan_json(inputs, plan, find_limits(inputs), find_fixes(inputs, plan, sample::shipped()));
  EXPECT_EQ(json["deployments"][0]["engine"], "vllm");
  EXPECT_FALSE(json["deployments"][0]["engine_version"].get<std::string>().empty());
  EXPECT_EQ(json["deployments"][0]["support"]["level"], "native");
  EXPECT_TRUE(json["deployments"][0]["command"][0].get<std::string>().starts_with("vllm serve"));
  EXPECT_TRUE(json["deployments"][0]["figures"].contains("pool_tokens"));
  ASSERT_FALSE(json["fixes"].empty());
  const std::string link = json["fixes"][0]["link"];
  EXPECT_TRUE(from_link(link).problems.empty()) << link;
  EXPECT_FALSE(json["rules_of_thumb"].empty());
}

}  // namespace
}  // namespace vram
