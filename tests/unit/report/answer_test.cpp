#include <gtest/gtest.h>

#include <string>

#include "assets/assets.h"
#include "core/plan/formula.h"
#include "core/report/report.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

using sample::dense;
using sample::kLlama70B;
using sample::serving;

const Strings& all_strings() {
  static const Strings* const strings = [] {
    auto* loaded = new Strings;
    for (const std::string_view path : assets::paths()) {
      EXPECT_FALSE(path.starts_with("strings/") && loaded->add(assets::file(path))) << path;
    }
    return loaded;
  }();
  return *strings;
}

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

TEST(Answer, TablesAreRectangles) {
  for (const Section& section : answer_to(llama_on(4), Tongue::kk).sections) {
    for (const auto& row : section.table.rows) EXPECT_EQ(row.size(), section.table.head.size()) << section.heading;
  }
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

}  // namespace
}  // namespace vram
