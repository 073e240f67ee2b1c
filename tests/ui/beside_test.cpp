// Plans kept for comparison, and the sorted table of options.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/advise/options.h"
#include "core/scenario/scenario.h"
#include "imgui.h"
#include "tests/library.h"
#include "tests/ui/screen.h"

namespace ui::test {
namespace {

constexpr const char* kTwoCards = "v=1&model=meta-llama/Llama-3.1-70B-Instruct&n=2";

void open_tab(Screen& screen, const std::string& label) { screen.press(label); }

/// A page on which two plans are kept: with two cards and with four.
struct Compared : Screen {
  Compared() : Screen({.link = kTwoCards}) {
    open_tab(*this, "Compare");
    press("keep");
    press("n.one_more");
    press("n.one_more");
    press("keep");
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    const vram::Json now = state();
    for (const vram::Json& name : now["kept"]) names.push_back(name.get<std::string>());
    return names;
  }
};

std::vector<std::string> labels_of(const Screen& screen, std::string_view prefix) {
  std::vector<std::string> labels;
  const vram::Json items = screen.items();
  for (const vram::Json& item : items) {
    if (vram::text(item, "id").value_or("").starts_with(prefix)) labels.push_back(item["label"].get<std::string>());
  }
  return labels;
}

TEST(Beside, ShowsPlansInColumnsWithWhatDiffers) {
  Compared page;
  EXPECT_EQ(page.kept().size(), 2U);
  EXPECT_TRUE(page.has("kept.0"));
  EXPECT_TRUE(page.shows("2\u00a0×\u00a0H100 SXM"));
  EXPECT_TRUE(page.shows("4\u00a0×\u00a0H100 SXM"));
  EXPECT_TRUE(page.shows("Settings that differ"));
}

TEST(Beside, ShowsTheCurrentPlanBesideTheOneThatWasKept) {
  Screen screen({.link = kTwoCards});
  open_tab(screen, "Compare");
  screen.press("keep");
  EXPECT_FALSE(screen.has("keep")) << "it is kept already";
  screen.press("n.one_more");
  EXPECT_TRUE(screen.has("Current plan"));
  EXPECT_TRUE(screen.has("keep"));
}

TEST(Beside, OnePressMakesAColumnCurrent) {
  Compared page;
  page.press("take_kept.0");
  EXPECT_EQ(page.state()["scenario"]["n"], 2);
  EXPECT_EQ(page.kept().size(), 2U);
}

TEST(Beside, APlanIsRenamedAndEscapeTakesItBack) {
  Compared page;
  page.press("kept.1");
  page.type("for the branch");
  EXPECT_EQ(page.kept()[1], "for the branch");
  page.end_typing();
  page.press("kept.1");
  page.type("something else");
  page.end_typing(TextEnd::cancelled);
  EXPECT_EQ(page.kept()[1], "for the branch");
}

TEST(Beside, EveryStepIsUndoneAndRedone) {
  Compared page;
  page.press("remove_kept.0");
  EXPECT_EQ(page.kept().size(), 1U);
  page.press("undo");
  EXPECT_EQ(page.kept().size(), 2U);
  page.press("undo");
  EXPECT_EQ(page.kept().size(), 1U);
  EXPECT_EQ(page.state()["scenario"]["n"], 4);
  page.press("redo");
  EXPECT_EQ(page.kept().size(), 2U);
}

TEST(Beside, HoldsFour) {
  Screen screen({.link = kTwoCards});
  open_tab(screen, "Compare");
  for (int i = 0; i < 4; ++i) {
    screen.press("keep");
    screen.press("n.one_more");
  }
  EXPECT_FALSE(screen.has("keep"));
  EXPECT_TRUE(screen.shows("remove one"));
}

TEST(Beside, TheAddressKeepsThem) {
  std::string link;
  vram::Json kept;
  {
    Compared page;
    link = page.platform().link;
    kept = page.state()["kept"];
  }
  Screen linked({.link = link});
  EXPECT_EQ(linked.state()["kept"], kept);
  EXPECT_EQ(kept.size(), 2U);
}

TEST(Beside, TheFileAndTheTextVersionKeepThem) {
  std::string file;
  vram::Json kept;
  {
    Compared page;
    page.app().act("save_json");
    ASSERT_TRUE(page.platform().saved_file);
    file = page.platform().saved_file->content;
    kept = page.state()["kept"];
    EXPECT_NE(page.results().find("Plans side by side"), std::string::npos);
  }
  Screen opened;
  opened.open_file("gpu-memory.json", file);
  EXPECT_EQ(opened.state()["kept"], kept);
  EXPECT_EQ(opened.state()["notices"].size(), 0U);
}

TEST(Beside, TheTextVersionDoesTheSame) {
  Screen screen({.link = kTwoCards});
  screen.app().act("keep");
  screen.app().field_changed("kept.0", 0, "first");
  screen.app().field_changed("n", 0, "4");
  screen.settle();
  EXPECT_EQ(screen.state()["kept"], vram::Json::array({"first"}));
  screen.app().act("take_kept.0");
  EXPECT_EQ(screen.state()["scenario"]["n"], 2);
  screen.app().act("remove_kept.0");
  EXPECT_EQ(screen.state()["kept"].size(), 0U);
  screen.app().act("take_kept.7");  // what is not there does nothing
}

TEST(Beside, TheFrontierNamesThePlansItShows) {
  Compared page;
  open_tab(page, "Limits and speed");
  EXPECT_TRUE(page.shows("Compared plans in the picture"));
  EXPECT_TRUE(page.shows("2\u00a0×\u00a0H100 SXM"));
}

TEST(OptionRows, AreSortedByTheHeadingThatIsPressed) {
  Screen screen({.height = 2400, .link = kTwoCards});
  screen.press("tab.2");  // its words head the suggestions too
  const std::vector<std::string> by_devices = labels_of(screen, "option_of.");
  ASSERT_GT(by_devices.size(), 2U);
  screen.press("sort.power");
  const std::vector<std::string> by_power = labels_of(screen, "option_of.");
  EXPECT_NE(by_power, by_devices);
  EXPECT_TRUE(std::is_permutation(by_power.begin(), by_power.end(), by_devices.begin(), by_devices.end()));
  const vram::Json before = screen.items();
  EXPECT_EQ((*screen.find(before, "sort.power"))["value"], "ascending");
  screen.key(ImGuiKey_Tab);  // shows where the keyboard is: on the heading that was pressed
  screen.key(ImGuiKey_Enter);
  const vram::Json after = screen.items();
  EXPECT_EQ((*screen.find(after, "sort.power"))["value"], "descending");
}

TEST(OptionRows, AnOptionIsKeptForComparisonWithoutLeavingThePlan) {
  Screen screen({.height = 2400, .link = kTwoCards});
  screen.press("tab.2");  // its words head the suggestions too
  screen.press("keep_option.0");
  EXPECT_EQ(screen.state()["kept"].size(), 1U);
  EXPECT_EQ(screen.state()["scenario"]["n"], 2);
  EXPECT_FALSE(screen.has("keep_option.0")) << "a tick stands there now";
}

TEST(Suggestions, OfOneOptionAreOneCardWithBothTitles) {
  const std::string link = "v=1&model=meta-llama/Llama-3.1-8B-Instruct&task=tune&method=qlora&seq=4096&gpu=rtx4090&n=1";
  const vram::Scenario scenario = vram::from_link(link).scenario;
  vram::OptionSearch search(scenario, vram::shipped::library());
  while (!search.short_list_done() && search.step(1)) {
  }
  const vram::Suggestions found = search.suggestions();
  ASSERT_EQ(found.least->scenario, found.balanced->scenario) << "the case that this test is about";
  Screen screen({.height = 2400, .link = link});
  const std::vector<std::string> cards = labels_of(screen, "suggestion.");
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_NE(cards[0].find("Least hardware \xC2\xB7 Balanced"), std::string::npos) << cards[0];
}

TEST(OptionRows, TheTextVersionFindsThemAndSaysHowTheyAreSorted) {
  Screen screen({.link = kTwoCards});
  screen.app().act("find_options");
  screen.app().act("sort.speed");
  const std::string& said = screen.results();
  EXPECT_NE(said.find("Options that nothing beats"), std::string::npos);
  EXPECT_NE(said.find("\"id\":\"sort.speed\",\"label\":\"Tokens/s for one user, or hours\",\"sorted\":\"descending\""),
            std::string::npos);
}

}  // namespace
}  // namespace ui::test
