// What the supplier asks for, the letter that carries it, the test plan.
#include "core/report/request.h"

#include <gtest/gtest.h>

#include <string>

#include "assets/assets.h"
#include "core/report/report.h"
#include "core/report/test_plan.h"
#include "tests/unit/plan/sample.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using sample::dense;
using sample::kLlama70B;
using sample::serving;

Language in(Tongue tongue) { return Language(all_strings(), tongue); }
Inputs llama_on(int devices) { return serving(dense(kLlama70B, "Llama 3.1 70B"), 79.19, devices, 8, 8192); }

Letter letter_with(const Inputs& inputs, Tongue tongue, const Contact& contact, const std::string& link = "https://x.kz/#v=1") {
  return letter(inputs, make_plan(inputs), find_limits(inputs), in(tongue), "sale@tkasiatorg.ru", link, contact);
}

bool known(const Inputs& inputs, RequestItem item) {
  return !checklist(inputs)[static_cast<std::size_t>(item)].known.empty();
}

bool no_key_without_words(const std::string& text) { return text.find("\xE2\x9F\xA8") == std::string::npos; }

TEST(Request, KnowsModelModeAndLoadOfAnyScenarioAndAsksForTheRest) {
  const Inputs inputs = llama_on(2);
  EXPECT_TRUE(known(inputs, RequestItem::model));
  EXPECT_TRUE(known(inputs, RequestItem::mode));
  EXPECT_TRUE(known(inputs, RequestItem::load));
  EXPECT_FALSE(known(inputs, RequestItem::format)) << "weights as stored say nothing of what would be allowed";
  EXPECT_FALSE(known(inputs, RequestItem::speed));
  EXPECT_FALSE(known(inputs, RequestItem::room));
}

TEST(Request, TicksWhatTheScenarioSays) {
  Inputs inputs = llama_on(2);
  inputs.scenario.deployments[0].weights = "awq_int4";
  inputs.scenario.want_first_token_s = 2;
  inputs.scenario.node = "rack-8gpu";
  EXPECT_TRUE(known(inputs, RequestItem::format));
  EXPECT_TRUE(known(inputs, RequestItem::speed));
  EXPECT_FALSE(known(inputs, RequestItem::room)) << "a platform without its rack is half of the answer";
  inputs.scenario.rack_kw = 12;
  EXPECT_TRUE(known(inputs, RequestItem::room));
  for (const Tongue tongue : kTongues) {
    for (const ChecklistItem& item : checklist(inputs)) {
      EXPECT_TRUE(no_key_without_words(known_words(item, in(tongue)))) << request_item_key(item.item);
    }
  }
}

TEST(Request, AsksForTheArchitectureOfAModelOfWhichOnlyTheSizeIsKnown) {
  Inputs inputs = llama_on(2);
  inputs.models[0] = size_only_model("a secret model", Count(70'000'000'000), Count(0));
  EXPECT_FALSE(known(inputs, RequestItem::model));
}

TEST(Request, EveryLineOfAContactIsFoundByItsKey) {
  Contact contact;
  for (const std::string_view key : contact_keys()) {
    ASSERT_NE(contact_line(contact, key), nullptr) << key;
    *contact_line(contact, key) = std::string(key);
  }
  EXPECT_EQ(contact.phone, "phone");
  EXPECT_EQ(contact.added[static_cast<std::size_t>(RequestItem::room)], "added.room");
  EXPECT_EQ(contact_line(contact, "email"), nullptr);
}

TEST(Letter, CarriesWhoAsksWhatWasAddedAndWhatIsMissing) {
  Contact contact;
  contact.name = "Айгүл Сериккызы";
  contact.company = "ТОО «Пример»";
  contact.phone = "+7 700 000 00 00";
  contact.added[static_cast<std::size_t>(RequestItem::room)] = "стойка 42U, 10 кВт";
  const std::string body = letter_with(llama_on(2), Tongue::ru, contact).body;
  EXPECT_NE(body.find("Айгүл Сериккызы, ТОО «Пример»"), std::string::npos) << body;
  EXPECT_NE(body.find("+7 700 000 00 00"), std::string::npos) << body;
  EXPECT_NE(body.find("платформа и стойка: стойка 42U, 10 кВт"), std::string::npos) << body;
  std::string whole;  // what has no room in a mailto: goes with the clipboard, a file, the share sheet
  const Inputs inputs = llama_on(2);
  for (const std::string& line : letter_lines(inputs, make_plan(inputs), find_limits(inputs), in(Tongue::ru), contact)) {
    whole += line + "\n";
  }
  EXPECT_NE(whole.find("Пока не указано: допустимые форматы и качество, время отклика"), std::string::npos) << whole;
}

TEST(Letter, StaysWithinWhatMailProgramsTakeWhateverIsWrittenIntoIt) {
  Contact contact;
  for (const std::string_view key : contact_keys()) {
    std::string& line = *contact_line(contact, key);
    for (int i = 0; i < 300; ++i) line += "Ұзақ ";
  }
  Inputs inputs = llama_on(2);
  for (int i = 0; i < 60; ++i) inputs.models[0].name += " Өте ұзын ат";
  for (const Tongue tongue : kTongues) {
    for (const std::string& link : {std::string("https://x.kz/#v=1"), "https://x.kz/#" + std::string(5000, 'x')}) {
      const Letter written = letter_with(inputs, tongue, contact, link);
      EXPECT_LE(mailto(written).size(), 1900U) << tongue_code(tongue);
      EXPECT_EQ(written.attach_scenario, link.size() > 5000) << tongue_code(tongue);
      EXPECT_EQ(written.body.find(kScenarioFile) != std::string::npos, written.attach_scenario);
    }
  }
}

TEST(Letter, KeepsTheEssentialsWhenThereIsLittleRoom) {
  Contact contact;
  contact.name = "Айгүл";
  contact.phone = "+7 700 000 00 00";
  contact.note = std::string(3000, 'x');
  const std::string link = "https://calculator.example/gpu/#v=1&model=" + std::string(300, 'm');
  for (const Tongue tongue : kTongues) {
    const Letter written = letter_with(llama_on(2), tongue, contact, link);
    for (const char* part : {"Айгүл", "+7 700", "Llama 3.1 70B", link.c_str()}) {
      EXPECT_NE(written.body.find(part), std::string::npos) << part << " in " << tongue_code(tongue);
    }
  }
}

TEST(Letter, IsCutBetweenCharacters) {
  Contact contact;
  for (int i = 0; i < 500; ++i) contact.note += "Ә";
  const std::string body = letter_with(llama_on(2), Tongue::kk, contact).body;
  EXPECT_EQ(Json(body).dump(-1, ' ', false, Json::error_handler_t::replace).find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_NE(body.find("Ә\xE2\x80\xA6"), std::string::npos);
}

TEST(TestPlan, SetsTheCalculatedMemoryBesideEmptyCells) {
  const Inputs inputs = llama_on(2);
  const Plan plan = make_plan(inputs);
  for (const Tongue tongue : kTongues) {
    const Section section = test_plan(inputs, plan, in(tongue));
    ASSERT_EQ(section.table.head.size(), 6U);
    const auto& first = section.table.rows.front();
    EXPECT_NE(first[0].find("GPU 0"), std::string::npos);
    EXPECT_EQ(first[1], in(tongue).memory_range(plan.of(0)));
    EXPECT_EQ(first[2] + first[3] + first[4] + first[5], "");
    for (const std::string& line : section.paragraphs) {
      EXPECT_TRUE(no_key_without_words(line)) << line;
      EXPECT_EQ(line.find('{'), std::string::npos) << line;
    }
  }
}

TEST(TestPlan, TellsWhatTheDriverWillShowAndHowFastItShouldBe) {
  Inputs inputs = llama_on(4);
  inputs.scenario.deployments[0].engine = "vllm";
  const Plan plan = make_plan(inputs);
  const Bytes left = reserved(plan.ledger, 0);
  ASSERT_GT(left, Bytes(0));
  speed::Speed fast;
  fast.first_token = {.low = 2.6, .likely = 5, .high = 11.3};
  const auto rows = test_plan(inputs, plan, in(Tongue::en), fast).table.rows;
  EXPECT_NE(rows[1][0].find("nvidia-smi"), std::string::npos);
  EXPECT_NE(rows[1][1].find(in(Tongue::en).memory(plan.usable(0) - left)), std::string::npos);
  EXPECT_EQ(rows[2][1], "2.6–11");
}

TEST(TestPlan, OfATrainingJobResumesFromACheckpoint) {
  Inputs inputs = llama_on(8);
  inputs.scenario.task = "tune";
  const Section section = test_plan(inputs, make_plan(inputs), in(Tongue::en));
  EXPECT_EQ(section.table.head.back(), "After resuming");
  for (const std::string& line : section.paragraphs) EXPECT_TRUE(no_key_without_words(line)) << line;
}

}  // namespace
}  // namespace vram
