// What a visitor does, and what the page answers.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/scenario/scenario.h"
#include "imgui.h"
#include "tests/ui/fixtures.h"
#include "tests/ui/screen.h"
#include "web/ui/presets.h"

namespace ui::test {
namespace {

const vram::Json& deployment(const vram::Json& state) { return state["scenario"]["deployments"][0]; }

TEST(Page, BeginsWithAnAnsweredExample) {
  Screen screen;
  EXPECT_EQ(screen.state()["verdict"], "fits");
  EXPECT_FALSE(screen.results().empty());
  EXPECT_EQ(screen.platform().document_language, "en");
}

TEST(Page, SpeaksTheBrowsersLanguageUntilAnotherIsChosen) {
  Screen screen({.language = "kk"});
  EXPECT_EQ(screen.state()["language"], "kk");
  screen.press("language.0");
  EXPECT_EQ(screen.state()["language"], "ru");
  EXPECT_EQ(screen.platform().storage["language"], "ru");
  EXPECT_EQ(screen.platform().document_language, "ru");
  EXPECT_TRUE(screen.shows("Ваша задача"));
  EXPECT_NE(screen.results().find("Помещается"), std::string::npos);
}

TEST(Page, FollowsTheSystemsThemeUntilAnotherIsChosen) {
  Screen screen({.dark = true});
  EXPECT_EQ(screen.state()["theme"], "dark");
  EXPECT_TRUE(screen.platform().document_dark);
  screen.press("theme");
  EXPECT_EQ(screen.state()["theme"], "light");
  EXPECT_FALSE(screen.platform().document_dark);
  screen.app().preferences_changed();
  screen.settle();
  EXPECT_EQ(screen.state()["theme"], "light") << "the visitor's choice wins";
}

TEST(Page, TakesWhatIsTypedAtOnce) {
  Screen screen;
  screen.press("users");
  screen.type("32");
  EXPECT_EQ(deployment(screen.state())["users"], 32);
  screen.end_typing();
  EXPECT_EQ(deployment(screen.state())["users"], 32);
}

TEST(Page, AddsCardsOfAnotherKindFromAList) {
  Screen screen;
  const auto others = [&] { return vram::text(screen.state()["scenario"], "more_cards").value_or(""); };
  screen.press("more");
  screen.press("more_cards");
  screen.type("4090");
  screen.press("option.rtx4090");
  EXPECT_EQ(others(), "rtx4090");
  screen.press("card.0.one_more");
  EXPECT_EQ(others(), "rtx4090:2");
  EXPECT_NE(screen.results().find("H100 SXM5 80GB + 2\u00a0×\u00a0GeForce RTX 4090 24GB"), std::string::npos)
      << "the verdict names all cards";
  screen.press("card.0.less");
  screen.press("card.0.take_out");
  EXPECT_EQ(others(), "");
}

TEST(Page, KeepsTabsInOneRowThatAFingerSwipes) {
  Screen screen({.width = 390, .height = 844, .coarse = true});
  const auto rect = [&](const char* id) {
    const vram::Json items = screen.items();
    return vram::Json((*screen.find(items, id))["rect"]);
  };
  EXPECT_EQ(rect("tab.0")[1], rect("tab.9")[1]);
  EXPECT_GT(rect("tab.9")[0].get<float>(), 390.0f);
  screen.press("tab.9");
  EXPECT_LT(rect("tab.9")[0].get<float>(), 390.0f) << "what was chosen is in view";
}

TEST(Page, ReadsNumbersAsPeopleWriteThem) {
  Screen screen({.language = "ru"});
  screen.press("ctx");
  screen.type("32 768");
  EXPECT_EQ(deployment(screen.state())["ctx"], 32768);
}

TEST(Page, SaysWhyANumberIsImpossibleAndKeepsTheLastGoodState) {
  Screen screen;
  screen.press("users");
  screen.type("0");
  EXPECT_EQ(deployment(screen.state())["users"], 8);
  EXPECT_TRUE(screen.shows("goes from 1"));
  screen.type("12");
  EXPECT_FALSE(screen.shows("goes from 1"));
  EXPECT_EQ(deployment(screen.state())["users"], 12);
}

TEST(Page, TakesTypingBackWithEscape) {
  Screen screen;
  screen.press("users");
  screen.type("500");
  screen.end_typing(TextEnd::cancelled);
  EXPECT_EQ(deployment(screen.state())["users"], 8);
}

TEST(Page, GoesOnToTheNextFieldWithTab) {
  Screen screen;
  screen.press("users");
  screen.end_typing(TextEnd::next);  // to the slider that belongs to the field
  screen.key(ImGuiKey_Tab);
  ASSERT_TRUE(screen.platform().text_entry);
  EXPECT_EQ(screen.platform().text_entry->label, "Context length, tokens");
}

TEST(Page, MovesASliderWithTheArrows) {
  Screen screen;
  screen.press("users");
  screen.end_typing(TextEnd::next);
  screen.key(ImGuiKey_RightArrow);
  screen.key(ImGuiKey_RightArrow);
  EXPECT_EQ(deployment(screen.state())["users"], 16);
  screen.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(deployment(screen.state())["users"], 12);
}

TEST(Page, StepsTheNumberOfDevices) {
  Screen screen;
  screen.press("n.one_more");
  EXPECT_EQ(screen.state()["scenario"]["n"], 2);
  screen.press("n.less");
  screen.press("n.less");
  EXPECT_EQ(screen.state()["scenario"]["n"], 1) << "there is no fewer than one";
}

TEST(Page, FindsAModelByItsNameInCyrillic) {
  Screen screen({.language = "ru"});
  screen.press("model");
  ASSERT_TRUE(screen.platform().text_entry);
  screen.type("квен 3 32б");
  screen.press("option.Qwen/Qwen3-32B");
  EXPECT_EQ(deployment(screen.state())["model"], "Qwen/Qwen3-32B");
  EXPECT_FALSE(screen.platform().text_entry) << "the search field is gone";
}

TEST(Page, TakesTheMarkedModelWithEnter) {
  Screen screen;
  screen.press("model");
  screen.type("qwen3 14b");
  screen.key(ImGuiKey_Enter);
  EXPECT_EQ(deployment(screen.state())["model"], "Qwen/Qwen3-14B");
}

TEST(Page, ClosesAListWithAPressBesideIt) {
  Screen screen;
  screen.press("model");
  EXPECT_TRUE(screen.has("option.Qwen/Qwen3-32B") || screen.shows("Llama"));
  screen.press_at(1400, 20);
  EXPECT_FALSE(screen.platform().text_entry);
  EXPECT_EQ(deployment(screen.state())["model"], vram::Deployment{}.model);
}

TEST(Page, ChangesTheWeightFormat) {
  Screen screen({.link = "v=1&model=meta-llama/Llama-3.1-70B-Instruct"});
  EXPECT_EQ(screen.state()["verdict"], "does_not_fit");
  screen.press("weights");
  screen.press("option.awq_int4");
  EXPECT_EQ(deployment(screen.state())["weights"], "awq_int4");
  EXPECT_NE(screen.state()["verdict"], "does_not_fit");
}

TEST(Page, ExplainsANumberWhenItIsPressed) {
  Screen screen;
  screen.press("legend.kv");
  EXPECT_TRUE(screen.shows("32 × 8 × (128 + 128) × 2"));
  EXPECT_TRUE(screen.shows("KV heads on this GPU"));
  EXPECT_TRUE(screen.shows("exact"));
  screen.key(ImGuiKey_Escape);
  EXPECT_FALSE(screen.shows("KV heads on this GPU"));
}

TEST(Page, ShowsMemoryInTheUnitAskedFor) {
  Screen screen;
  screen.press("more");
  screen.press("units.1");
  EXPECT_EQ(screen.state()["scenario"]["units"], "gb");
  EXPECT_TRUE(screen.shows(" GB"));
  EXPECT_FALSE(screen.shows("15.0 GiB"));
}

TEST(Page, EveryExampleIsAnswered) {
  for (const Preset& preset : presets()) {
    Screen screen({.link = std::string(preset.link)});
    EXPECT_TRUE(screen.state()["notices"].empty()) << preset.key;
    EXPECT_NE(screen.state()["verdict"], "does_not_fit") << preset.key;
  }
}

TEST(Link, OpensTheSameAnswer) {
  Screen first({.link = "v=1&model=Qwen/Qwen3-32B&users=24&ctx=16384&kv=fp8&gpu=h200-sxm&n=2"});
  const vram::Json before = first.state();
  first.press("n.one_more");
  const std::string link = first.platform().link;
  Screen second({.language = "ru", .link = link});
  EXPECT_EQ(second.state()["scenario"], first.state()["scenario"]);
  EXPECT_EQ(second.state()["language"], "ru") << "a link does not carry the sender's language";
  EXPECT_NE(before["scenario"], second.state()["scenario"]);
}

TEST(Link, IsNotWrittenBeforeSomethingChanged) {
  Screen screen;
  EXPECT_EQ(screen.platform().link, "");
  screen.press("n.one_more");
  EXPECT_NE(screen.platform().link.find("n=2"), std::string::npos);
}

TEST(Link, SaysWhatItDoesNotKnow) {
  Screen screen({.link = "v=1&colour=blue&users=16"});
  ASSERT_EQ(screen.state()["notices"].size(), 1U);
  EXPECT_TRUE(screen.shows("colour"));
  EXPECT_EQ(deployment(screen.state())["users"], 16);
  screen.press("notice.0.close");
  EXPECT_EQ(screen.state()["notices"].size(), 0U);
}

TEST(Link, TakesEffectWhenTheAddressChanges) {
  Screen screen;
  screen.app().link_changed("v=1&model=Qwen/Qwen3-32B&n=4");
  screen.settle();
  EXPECT_EQ(screen.state()["scenario"]["n"], 4);
}

TEST(File, AStartUpLogSaysWhatWasReadAndTheModelStays) {
  Screen screen;
  const auto before = deployment(screen.state())["model"];
  screen.open_file("server.log", "INFO Model loading took 15.26 GiB memory\nINFO Available KV cache memory: 6.5 GiB\n");
  EXPECT_TRUE(screen.shows("vLLM"));
  EXPECT_EQ(deployment(screen.state())["model"], before);
}

TEST(File, BecomesTheModel) {
  Screen screen;
  screen.open_file("config.json", kLlama70B);
  EXPECT_EQ(deployment(screen.state())["model"], "");
  EXPECT_TRUE(screen.shows("70.6 billion parameters"));
  EXPECT_EQ(screen.state()["verdict"], "does_not_fit");
  const std::string link = screen.platform().link;
  Screen other({.link = link});
  EXPECT_EQ(other.state()["total"], screen.state()["total"]) << "the model travels in the link";
  EXPECT_EQ(other.state()["notices"].size(), 0U);
}

TEST(File, GivesWayToAModelFromTheList) {
  Screen screen;
  screen.open_file("config.json", kLlama70B);
  screen.press("model");
  screen.type("qwen3 32b");
  screen.press("option.Qwen/Qwen3-32B");
  EXPECT_EQ(deployment(screen.state())["config"], "");
}

TEST(File, ThatIsBrokenLeavesTheStateAndSaysWhy) {
  Screen screen({.link = "v=1&model=Qwen/Qwen3-32B&users=3"});
  const vram::Json before = screen.state()["scenario"];
  for (const std::string& broken : {std::string(), kLlama70B.substr(0, 200), std::string("<!doctype html>"),
                                    std::string("{}"), std::string("\x7f" "ELF\0\0", 6)}) {
    screen.open_file("config.json", broken);
    EXPECT_EQ(screen.state()["scenario"], before);
    EXPECT_GE(screen.state()["notices"].size(), 1U) << broken.substr(0, 20);
  }
}

TEST(File, OfAnyOtherKindIsToldByItsName) {
  Screen screen({.language = "ru"});
  screen.open_file("report.pdf", "%PDF-1.7 and so on");
  EXPECT_TRUE(screen.shows("report.pdf"));
  EXPECT_TRUE(screen.shows("Сценарий остался прежним"));
}

TEST(File, OfWeightsIsReadInPartsAndNeverWhole) {
  Screen screen;
  screen.app().files_opened({{9, "model.gguf", 50'000'000'000}});
  ASSERT_EQ(screen.platform().reads.size(), 1U);
  EXPECT_LE(screen.platform().reads[0].length, 1U << 20);
}

TEST(File, ThatStopsShortIsSaidSo) {
  Screen screen;
  const vram::Json before = screen.state()["scenario"];
  screen.app().files_opened({{4, "config.json", 5000}});
  screen.app().bytes_read(4, 0, {});
  screen.settle();
  EXPECT_TRUE(screen.shows("config.json"));
  EXPECT_EQ(screen.state()["scenario"], before);
  EXPECT_EQ(screen.platform().closed_files, 1);
}

TEST(Page, TheLargestPhaseOfAJobIsWhatTheAnswerCounts) {
  Screen screen({.link = "v=1&task=tune&method=qlora&seq=4096&gpu=rtx4090&n=1"});
  screen.press("tab.8");  // what fills the memory says it too
  char total[32];
  std::snprintf(total, sizeof total, "%.1f\xC2\xA0GiB", screen.state()["total"]["likely"].get<double>() / (1 << 30));
  EXPECT_TRUE(screen.shows(total)) << total;
}

TEST(Letter, GoesToTheAddressOfTheSite) {
  Screen screen({.site_settings = R"({"email": "gpu@example.kz"})"});
  screen.press("send");
  EXPECT_EQ(screen.platform().opened_address.substr(0, 22), "mailto:gpu@example.kz?");
  Screen plain;
  plain.press("send");
  EXPECT_EQ(plain.platform().opened_address.substr(0, 27), "mailto:sale@tkasiatorg.ru?s");
}

TEST(Letter, CanBeCopied) {
  Screen screen;
  screen.press("copy_letter");
  EXPECT_NE(screen.platform().clipboard.find("Llama"), std::string::npos);
  EXPECT_NE(screen.platform().clipboard.find(": #v=1&mod"), std::string::npos);
  EXPECT_EQ(screen.platform().clipboard.find("file:"), std::string::npos) << "a folder of the visitor's";
  EXPECT_TRUE(screen.has("Copied"));
  screen.press("copy_link");
  EXPECT_EQ(screen.platform().clipboard.substr(0, 26), "file:///index.html#v=1&mod");
}

TEST(Page, CanBeSavedAndReadAsText) {
  Screen screen;
  screen.press("save");
  EXPECT_EQ(screen.platform().saved_pages, 1);
  screen.press("text_version");
  EXPECT_EQ(screen.platform().text_versions, 1);
}

TEST(Page, AsksForNoFramesAtRest) {
  Screen screen;
  for (int i = 0; i < 5; ++i) screen.frame();
  EXPECT_EQ(screen.platform().wanted_frames, 0);
  screen.press("model");
  for (int i = 0; i < 5; ++i) screen.frame();
  EXPECT_EQ(screen.platform().wanted_frames, 0);
}

}  // namespace
}  // namespace ui::test
