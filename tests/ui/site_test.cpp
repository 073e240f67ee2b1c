// The web master's settings: each does what docs/SITE.md says, each mistake is one line in the console.
#include "web/ui/site.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/ui/screen.h"

namespace ui::test {
namespace {

Screen with(const std::string& settings, const std::string& language = "en") {
  return Screen({.language = language, .site_settings = settings});
}

TEST(Site, WithoutSettingsNothingIsSaid) {
  for (const char* settings : {"", "  \n", "{}", R"({"email": "sale@tkasiatorg.ru", "company": ""})"}) {
    EXPECT_TRUE(with(settings).platform().warnings.empty()) << settings;
  }
}

TEST(Site, EveryMistakeIsOneWarningAndTheDefaultStays) {
  const char* const mistakes[] = {
      R"({"email": )",
      R"([1])",
      R"({"colour": "blue"})",
      R"({"email": 7})",
      R"({"email": "nobody"})",
      R"({"email": ["a@b.kz", "no body@b.kz"]})",
      R"({"company": 7})",
      R"({"public_url": "javascript:x"})",
      R"({"accuracy": "javascript:x"})",
      R"({"languages": ["de", "ru"]})",
      R"({"languages": ["ru"], "language": "en"})",
      R"({"theme": "pink"})",
      R"({"accent": "blue"})",
      R"({"accent": "#fafafa"})",
      R"({"hub_hosts": ["https://hub.example.org/"]})",
      R"({"hub_hosts": ["*.example.org"]})",
      R"({"hub_hosts": ["hub.example.org", "localhost:"]})",
      R"({"hub_hosts": ["hub.example.org", "cdn.example.org; script-src *"]})",
      R"({"accelerators": ["h100-sxm"]})",
      R"({"accelerators": {"hide": ["nothing-of-that-name"]}})",
      R"({"accelerators": {"feature": ["nothing-of-that-name"]}})",
      R"({"accelerators": {"add": [{"id": "x", "memory": 7}]}})",
      R"({"models": {"feature": ["Qwen/Qwen3-32B"]}})",
      R"({"models": {"add": [{"name": "without an id"}]}})",
      R"({"models": {"add": [{"id": "meta-llama/Llama-3.1-8B-Instruct", "name": "x", "total": 1,
                              "config": {"model_type": "llama"}}]}})",
  };
  for (const char* settings : mistakes) {
    Screen screen = with(settings);
    EXPECT_EQ(screen.platform().warnings.size(), 1U) << settings;
    EXPECT_EQ(screen.state()["verdict"], "fits") << settings;
    for (const std::string& warning : screen.platform().warnings) {
      EXPECT_EQ(warning.find("\xE2\x9F\xA8"), std::string::npos) << warning;
    }
  }
}

TEST(Site, LettersGoToEveryAddress) {
  Screen screen = with(R"({"email": ["gpu@example.kz", "sale@example.kz"]})");
  screen.app().act("send");
  EXPECT_EQ(screen.platform().opened_address.substr(0, 40), "mailto:gpu@example.kz,sale@example.kz?su");
}

TEST(Site, LinksLeadToThePublicAddress) {
  Screen screen = with(R"({"public_url": "https://example.kz/gpu/"})");
  screen.app().act("copy_link");
  EXPECT_EQ(screen.platform().clipboard.substr(0, 30), "https://example.kz/gpu/#v=1&mo");
}

TEST(Site, CompanyTelephoneAndLegalNoteStandInTheReport) {
  Screen screen = with(R"({"company": "Example LLP", "phone": "+7 700", "legal_note": "Not an offer."})");
  for (const char* words : {"Example LLP", "+7 700", "Not an offer."}) {
    EXPECT_NE(screen.results().find(words), std::string::npos) << words;
  }
}

TEST(Site, OffersItsLanguagesAndBeginsInItsOwn) {
  EXPECT_EQ(with(R"({"languages": ["kk", "ru"]})", "en").state()["language"], "kk");
  EXPECT_EQ(with(R"({"languages": ["kk", "ru"]})", "ru").state()["language"], "ru");
  EXPECT_EQ(with(R"({"language": "ru"})", "en").state()["language"], "ru");
  Screen screen = with(R"({"languages": ["kk", "ru"]})");
  EXPECT_EQ(screen.results().find("language.en"), std::string::npos);
  EXPECT_TRUE(screen.has("language.1"));
  EXPECT_FALSE(screen.has("language.2"));
  EXPECT_FALSE(with(R"({"languages": "ru"})").has("language.0")) << "one language needs no switch";
}

TEST(Site, BeginsInItsThemeUntilAnotherIsChosen) {
  Screen screen = with(R"({"theme": "dark"})");
  EXPECT_EQ(screen.state()["theme"], "dark");
  screen.app().act("theme");
  EXPECT_EQ(screen.state()["theme"], "light");
}

TEST(Site, ItsAccentHasReadableTextOnIt) {
  Screen screen = with(R"({"accent": "#1a5fb4", "accent_dark": "#FFC400"})");
  EXPECT_EQ(screen.platform().accent, 0x1a5fb4U);
  screen.app().act("theme");
  EXPECT_EQ(screen.platform().accent, 0xffc400U);
  Site site;
  for (const std::uint32_t accent : {0x1a5fb4U, 0xffc400U, 0x777777U, 0xc01c28U}) {
    site.accent = accent;
    const Palette made = with_accent(palette(false, false), site, false);
    EXPECT_GE(contrast(accent, to_rgb(made.on_accent)), 4.0) << accent;
  }
}

TEST(Site, HidesFeaturesAndAddsAccelerators) {
  Screen screen = with(R"({"accelerators": {"hide": ["l4"], "feature": ["house-card"],
    "add": [{"id": "house-card", "vendor": "Example", "name": "House Card 48 GB", "memory": {"label_gb": 48}}]}})");
  EXPECT_TRUE(screen.platform().warnings.empty()) << screen.platform().warnings.front();
  EXPECT_EQ(screen.results().find("\"l4\""), std::string::npos);
  EXPECT_NE(screen.results().find("\"accelerator\":[[\"house-card\""), std::string::npos);
  screen.app().field_changed("gpu", 0, "house-card");
  EXPECT_EQ(screen.state()["scenario"]["gpu"], "house-card");
  EXPECT_EQ(screen.state()["notices"].size(), 0U);
}

TEST(Site, AddsAndHidesModels) {
  Screen screen = with(R"({"models": {"hide": ["Qwen/Qwen3-14B"],
    "add": [{"id": "house/model", "name": "House Model 8B", "family": "House", "config": {"model_type": "llama",
      "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
      "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192, "torch_dtype": "bfloat16"},
      "total": 8030261248, "source": "the house", "release": "2026-11", "license": "own"}]}})");
  EXPECT_TRUE(screen.platform().warnings.empty()) << screen.platform().warnings.front();
  screen.app().field_changed("model", 0, "house/model");
  EXPECT_EQ(screen.state()["model"], "House Model 8B");
  EXPECT_EQ(screen.results().find("\"Qwen/Qwen3-14B\""), std::string::npos);
}

TEST(Site, WhatThePageBeginsWithCannotBeHidden) {
  Screen screen = with(R"({"accelerators": {"hide": ["h100-sxm"]}, "models": {"hide": ["meta-llama/Llama-3.1-8B-Instruct"]}})");
  EXPECT_EQ(screen.platform().warnings.size(), 2U);
  EXPECT_EQ(screen.state()["verdict"], "fits");
}

TEST(Site, TheExampleOfTheGuideIsWithoutMistakes) {
  std::ifstream file(VRAM_SOURCE_FOLDER "/docs/SITE.md");
  std::stringstream guide;
  guide << file.rdbuf();
  const std::string text = guide.str();
  const std::size_t begin = text.find("```json\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string example = text.substr(begin + 8, text.find("\n```", begin + 8) - begin - 8);
  Screen screen = with(example);
  EXPECT_TRUE(screen.platform().warnings.empty()) << screen.platform().warnings.front();
  EXPECT_EQ(screen.state()["verdict"], "fits");
}

TEST(Embedded, LeavesItsHeaderToThePageAroundIt) {
  Screen whole;
  EXPECT_TRUE(whole.has("theme"));
  EXPECT_EQ(whole.platform().content_height, 0) << "nobody asked";
  Screen part({.embedded = true});
  EXPECT_FALSE(part.has("theme"));
  EXPECT_GT(part.platform().content_height, 400);
}

}  // namespace
}  // namespace ui::test
