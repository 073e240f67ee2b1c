// The plain-HTML twin: a form of every field, and what leaves the page from it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/scenario/scenario.h"
#include "tests/ui/fixtures.h"
#include "tests/ui/screen.h"

namespace ui::test {
namespace {

vram::Json results(Screen& screen) {
  auto parsed = vram::parse_json(screen.results());
  if (!parsed) ADD_FAILURE() << "results_json is not JSON";
  return parsed ? std::move(parsed).value() : vram::Json::object();
}

/// The field called `key`, of the first model or another; null when the form has none.
vram::Json field(Screen& screen, std::string_view key, int deployment = 0) {
  const vram::Json said = results(screen);
  for (const vram::Json& group : said["form"]["groups"]) {
    for (const vram::Json& one : group["fields"]) {
      if (one["key"] == std::string(key) && one["deployment"] == deployment) return one;
    }
  }
  return nullptr;
}

bool has_action(Screen& screen, std::string_view id) {
  return screen.results().find("\"id\":\"" + std::string(id) + "\"") != std::string::npos;
}

void change(Screen& screen, const std::string& key, const std::string& text, std::size_t deployment = 0) {
  screen.app().field_changed(key, deployment, text);
  screen.settle();
}

void act(Screen& screen, const std::string& id) {
  screen.app().act(id);
  screen.settle();
}

TEST(Form, OffersTheNodesThatAreSoldWithTheCardFirst) {
  Screen screen({.link = "v=1&gpu=h200-sxm&n=8"});
  const vram::Json node = field(screen, "node");
  EXPECT_EQ(node["choices"][0][0], "auto");
  EXPECT_NE(node["choices"][1][1].get<std::string>().find("H200"), std::string::npos);
  for (const vram::Json& choice : node["choices"]) EXPECT_NE(choice[0], "flagperf-a100-node") << "nobody sells a test node";
  change(screen, "node", "hgx-8-h200-air");
  EXPECT_NE(screen.results().find("HGX H200"), std::string::npos);
  screen.press("tab.4");
  screen.press("group.room");
  EXPECT_EQ((*screen.find(screen.items(), "node"))["value"], field(screen, "node")["choices"][2][1]);
}

TEST(Form, ReadsOtherCardsByTheirNames) {
  Screen screen;
  change(screen, "more_cards", "2 × rtx 4090 + L4");
  EXPECT_EQ(vram::text(screen.state()["scenario"], "more_cards"), "rtx4090:2,l4");
  EXPECT_EQ(field(screen, "more_cards")["value"], "2 × GeForce RTX 4090 24GB, 1 × L4 24GB");
  change(screen, "more_cards", "two of those");
  EXPECT_EQ(vram::text(screen.state()["scenario"], "more_cards"), "rtx4090:2,l4") << "the last good one stays";
  EXPECT_NE(field(screen, "more_cards")["error"].get<std::string>().find("two of those"), std::string::npos);
}

TEST(Form, HasEveryFieldThatAppliesWithItsWordsInEveryLanguage) {
  for (const char* task : {"serve", "tune", "train"}) {
    for (const char* language : {"ru", "kk", "en"}) {
      Screen screen({.language = language, .link = "v=1&n=4&task=" + std::string(task)});
      vram::Scenario scenario;
      scenario.task = task;
      scenario.devices = 4;
      for (const vram::Field& one : vram::fields()) {
        const vram::Json shown = field(screen, one.key);
        const bool wanted = one.shown(scenario) && one.kind != vram::FieldKind::config;
        EXPECT_EQ(!shown.is_null(), wanted) << one.key << " of " << task;
      }
      EXPECT_EQ(screen.results().find("\xE2\x9F\xA8"), std::string::npos) << "a key without words";
    }
  }
}

TEST(Form, AndTheDrawnPageNeverDiffer) {
  Screen screen;
  change(screen, "users", "24");
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["users"], 24);
  screen.press("n.one_more");
  EXPECT_EQ(field(screen, "n")["value"], "2");
  EXPECT_EQ(field(screen, "users")["value"], "24");
}

TEST(Form, SaysWhatIsWrongAndKeepsTheState) {
  Screen screen;
  change(screen, "ctx", "many");
  EXPECT_NE(field(screen, "ctx")["error"].get<std::string>().find("takes a number"), std::string::npos);
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["ctx"], 8192);
  EXPECT_TRUE(screen.shows("takes a number")) << "the drawn page says it too";
  change(screen, "ctx", "8192");
  EXPECT_FALSE(field(screen, "ctx").contains("error"));
}

TEST(Form, ReadsAndWritesNumbersAsTheReaderDoes) {
  Screen screen({.language = "ru", .link = "v=1&rate=2.5"});
  EXPECT_EQ(field(screen, "rate")["value"], "2,5");
  change(screen, "rate", "1 234,5");
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["rate"], 1234.5);
}

TEST(Form, AddsAndRemovesModels) {
  Screen screen;
  act(screen, "add_model");
  change(screen, "model", "Qwen/Qwen3-14B", 1);
  change(screen, "users", "3", 1);
  EXPECT_EQ(field(screen, "users", 1)["value"], "3");
  EXPECT_EQ(field(screen, "users", 0)["value"], "8");
  change(screen, "users", "0", 1);
  EXPECT_TRUE(field(screen, "users", 1).contains("error"));
  EXPECT_FALSE(field(screen, "users", 0).contains("error"));
  act(screen, "remove_model.0");
  EXPECT_EQ(screen.state()["scenario"]["deployments"].size(), 1U);
  EXPECT_EQ(field(screen, "model")["value"], "Qwen/Qwen3-14B");
  EXPECT_FALSE(has_action(screen, "remove_model.0")) << "one model stays";
}

TEST(Form, AModelFromAFileGivesWayToOneFromTheList) {
  Screen screen;
  screen.open_file("config.json", kLlama70B);
  EXPECT_EQ(field(screen, "model")["value"], "");
  EXPECT_TRUE(field(screen, "model").contains("none"));
  change(screen, "model", "Qwen/Qwen3-32B");
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["config"], "");
}

TEST(Form, IgnoresWhatItDoesNotKnow) {
  Screen screen;
  const vram::Json before = screen.state();
  change(screen, "nonsense", "1");
  change(screen, "contact.nonsense", "1");
  change(screen, "users", "5", 9);
  for (const char* id : {"", "nonsense", "remove_model.", "remove_model.99999999999", "dismiss.7", "language.de"}) {
    act(screen, id);
  }
  EXPECT_EQ(screen.state()["language"], before["language"]);
  EXPECT_EQ(screen.state()["scenario"]["deployments"].size(), 1U);
}

TEST(Form, SwitchesLanguageAndThemeAndDismissesNotices) {
  Screen screen({.link = "v=1&colour=blue"});
  EXPECT_TRUE(has_action(screen, "dismiss.0"));
  act(screen, "dismiss.0");
  EXPECT_FALSE(has_action(screen, "dismiss.0"));
  act(screen, "language.kk");
  EXPECT_EQ(screen.state()["language"], "kk");
  act(screen, "theme");
  EXPECT_EQ(screen.state()["theme"], "dark");
}

TEST(Request, TicksWhatIsKnownAndPutsTheRestIntoTheLetterAndNowhereElse) {
  Screen screen;
  EXPECT_FALSE(field(screen, "contact.added.speed").is_null());
  change(screen, "contact.name", "Aigul");
  change(screen, "contact.added.speed", "two seconds at most");
  act(screen, "copy_letter");
  EXPECT_NE(screen.platform().clipboard.find("Aigul"), std::string::npos);
  EXPECT_NE(screen.platform().clipboard.find("two seconds at most"), std::string::npos);
  act(screen, "save_json");
  EXPECT_EQ(screen.platform().saved_file->content.find("Aigul"), std::string::npos);
  EXPECT_EQ(screen.platform().link.find("Aigul"), std::string::npos);
  for (const auto& [key, value] : screen.platform().storage) EXPECT_EQ(value.find("Aigul"), std::string::npos) << key;
  change(screen, "want_ttft", "2");
  EXPECT_TRUE(field(screen, "contact.added.speed").is_null()) << "the scenario says it now";
}

TEST(Exports, ASavedScenarioOpensAgain) {
  Screen screen({.link = "v=1&model=Qwen/Qwen3-32B&users=24&ctx=16384&kv=fp8&gpu=h200-sxm&n=2"});
  screen.open_file("config.json", kLlama70B);
  act(screen, "save_json");
  const auto file = *screen.platform().saved_file;
  EXPECT_EQ(file.name, "gpu-memory.json");
  const vram::Json before = screen.state()["scenario"];
  Screen other({.language = "ru"});
  other.open_file("scenario (1).json", file.content);
  EXPECT_EQ(other.state()["scenario"], before);
  EXPECT_EQ(other.state()["notices"].size(), 0U);
}

TEST(Exports, AScenarioFileThatIsBrokenLeavesTheState) {
  Screen screen({.link = "v=1&users=3"});
  const vram::Json before = screen.state()["scenario"];
  screen.open_file("gpu-memory.json", R"({"v": 1, "deployments": [{"users": )");
  EXPECT_EQ(screen.state()["scenario"], before);
  EXPECT_GE(screen.state()["notices"].size(), 1U);
  screen.open_file("gpu-memory.json", R"({"v": 1, "deployments": [{"users": "many", "ctx": 4096}], "colour": "blue"})");
  EXPECT_EQ(screen.state()["notices"].size(), 2U);
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["ctx"], 4096);
}

TEST(Exports, TextAndTableHaveTheirNames) {
  Screen screen({.language = "kk"});
  act(screen, "save_txt");
  EXPECT_EQ(screen.platform().saved_file->name, "gpu-memory.txt");
  EXPECT_EQ(screen.platform().saved_file->content.find("\xE2\x9F\xA8"), std::string::npos);
  EXPECT_NE(screen.platform().saved_file->content.find("#v=1&model="), std::string::npos);
  act(screen, "save_csv");
  EXPECT_EQ(screen.platform().saved_file->name, "gpu-memory.csv");
  act(screen, "print");
  EXPECT_EQ(screen.platform().prints, 1);
}

TEST(Exports, TheShareSheetIsOfferedWhereThereIsOne) {
  Screen screen;
  EXPECT_FALSE(has_action(screen, "share"));
  screen.platform().share_sheet = true;
  act(screen, "language.ru");
  EXPECT_TRUE(has_action(screen, "share"));
  act(screen, "share");
  EXPECT_NE(screen.platform().shared.find("Llama"), std::string::npos);
  EXPECT_EQ(screen.platform().clipboard, "");
}

TEST(Exports, ALetterWithoutRoomForTheLinkSavesTheScenario) {
  Screen screen;
  screen.open_file("config.json", kLlama70B);
  screen.platform().page_address = "https://example.kz/" + std::string(1500, 'p');
  act(screen, "send");
  ASSERT_TRUE(screen.platform().saved_file);
  EXPECT_EQ(screen.platform().saved_file->name, "gpu-memory.json");
  EXPECT_NE(screen.platform().opened_address.find("gpu-memory.json"), std::string::npos);
}

}  // namespace
}  // namespace ui::test
