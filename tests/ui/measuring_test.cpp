// A start-up log on the page: how it gets there, and the plan that takes what it measured.
#include <gtest/gtest.h>

#include "tests/ui/screen.h"

namespace ui::test {
namespace {

constexpr const char* kLog =
    "INFO [core.py:80] Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'\n"
    "DEBUG Memory profiling takes 17.96 seconds. Total non KV cache memory: 17.12GiB; torch peak memory increase: "
    "1.89GiB; non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.\n"
    "INFO Available KV cache memory: 58.11 GiB\n";
const char* const kLink = "v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&engine=vllm&engine_version=0.19.0";

vram::Json deployment(Screen& screen) { return screen.state()["scenario"]["deployments"][0]; }
bool printed(Screen& screen, std::string_view part) {
  return screen.results().find(part) != std::string::npos;
}

TEST(Measuring, TheTabSaysHowALogGetsThere) {
  for (const float width : {390.0f, 1440.0f}) {
    Screen screen({.width = width});
    screen.press("Measured");
    EXPECT_TRUE(screen.shows("Nothing leaves this page"));
    EXPECT_FALSE(screen.has("measured.use_measured"));
    screen.press("measured.paste");
    EXPECT_EQ(screen.platform().pastes, 1);
    screen.press("measured.open_file");
    EXPECT_EQ(screen.platform().file_pickers, 1);
  }
}

TEST(Measuring, APastedLogIsCalledSo) {
  Screen screen({.link = kLink});
  screen.open_file("", kLog);
  ASSERT_EQ(screen.state()["notices"].size(), 1u);
  EXPECT_EQ(screen.state()["notices"][0].get<std::string>().substr(0, 12), "Pasted text:");
  EXPECT_TRUE(screen.has("measured.use_measured"));
}

TEST(Measuring, WhatIsNoLogSaysSoAndChangesNothing) {
  Screen screen({.link = kLink});
  const vram::Json before = screen.state()["scenario"];
  screen.open_file("", "a shopping list\nmilk\n");
  EXPECT_EQ(screen.state()["notices"].size(), 1u);
  EXPECT_EQ(screen.state()["scenario"], before);
}

TEST(Measuring, ThePlanTakesTheMeasuredValuesAndGivesThemBack) {
  Screen screen({.link = kLink});
  const vram::Json before = screen.state()["scenario"];
  screen.open_file("server.log", kLog);
  screen.press("measured.use_measured");
  EXPECT_EQ(deployment(screen)["m_activations"], 1.89);
  EXPECT_EQ(deployment(screen)["m_runtime"], 0.25);
  EXPECT_NE(screen.state()["link"].get<std::string>().find("m_activations=1.89"), std::string::npos);
  EXPECT_TRUE(screen.shows("The plan uses measured values"));
  EXPECT_TRUE(printed(screen, "\"m_activations\"")) << "the form shows what is measured";
  screen.press("tab.0");
  EXPECT_TRUE(screen.shows("measured · "));
  screen.press("Measured");
  screen.press("measured.drop_measured");
  EXPECT_EQ(screen.state()["scenario"], before);
}

TEST(Measuring, TheTextVersionHasAFieldForALogAndTheSamePresses) {
  Screen screen({.link = kLink});
  EXPECT_TRUE(printed(screen, "\"kind\":\"paste\""));
  EXPECT_FALSE(printed(screen, "\"id\":\"use_measured\""));
  screen.open_file("", kLog);
  EXPECT_TRUE(printed(screen, "\"id\":\"use_measured\""));
  EXPECT_TRUE(printed(screen, "vLLM 0.19.0")) << "the comparison stands there too";
  screen.app().act("use_measured");
  screen.settle();
  EXPECT_EQ(deployment(screen)["m_runtime"], 0.25);
  screen.app().act("drop_measured");
  screen.settle();
  EXPECT_EQ(deployment(screen)["m_runtime"], 0.0);
}

TEST(Measuring, OneStepBackGivesTheCalculatedValuesBack) {
  Screen screen({.link = kLink});
  screen.open_file("", kLog);
  screen.app().act("use_measured");
  screen.settle();
  screen.press("undo");
  EXPECT_EQ(deployment(screen)["m_runtime"], 0.0);
}

TEST(Measuring, AnExplanationSaysWhatTheNumberWasCheckedOn) {
  Screen screen({.link = kLink, .site_settings = R"({"accuracy": "https://example.kz/ACCURACY"})"});
  screen.press("entry.0");
  EXPECT_TRUE(screen.shows("published measurements: median error"));
  screen.press("Table of errors");
  EXPECT_EQ(screen.platform().opened_address, "https://example.kz/ACCURACY#weights");
  EXPECT_TRUE(printed(screen, "https://example.kz/ACCURACY#activations")) << "in the text version";
}

TEST(Measuring, WithoutAnAddressTheFiguresStandAlone) {
  Screen screen({.link = kLink});
  screen.press("entry.0");
  EXPECT_TRUE(screen.shows("published measurements: median error"));
  EXPECT_FALSE(screen.has("Table of errors"));
}

}  // namespace
}  // namespace ui::test
