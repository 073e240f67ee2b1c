// Models by name: there only where the site names a hub, asked for only on a press, the same drawn and as a form.
#include <gtest/gtest.h>

#include "tests/ui/fixtures.h"
#include "tests/ui/screen.h"

namespace ui::test {
namespace {

const std::string kHub = R"({"hub_hosts": ["hub.example.org", "*.cdn.example.org"]})";
const std::string kCommit(40, 'c');

/// The hub's answer to what was asked for first.
void answer(Screen& screen, int status, std::string_view content = {}) {
  ASSERT_FALSE(screen.platform().fetches.empty()) << "nothing is asked for";
  const platform::null::FetchRequest request = screen.platform().fetches.front();
  screen.platform().fetches.erase(screen.platform().fetches.begin());
  screen.app().fetched(request.id, {.status = status, .size = content.size(), .commit = kCommit,
                                    .code = status == 404 ? "EntryNotFound" : "",
                                    .bytes = std::as_bytes(std::span(content))});
  screen.settle();
}

void ask(Screen& screen, const std::string& name) {
  screen.press("hub.name");
  screen.type(name);
  screen.end_typing();
  screen.press("hub_open");
}

TEST(HubByName, IsNotThereWhereTheSiteNamesNone) {
  Screen screen;
  EXPECT_FALSE(screen.has("hub.name"));
  EXPECT_FALSE(screen.has("hub_open"));
  EXPECT_EQ(screen.results().find("hub_open"), std::string::npos);
  screen.app().field_changed("hub.name", 0, "a/b");
  screen.app().act("hub_open");
  EXPECT_TRUE(screen.platform().fetches.empty());
}

TEST(HubByName, AsksOnAPressAndSaysWhatLeavesThePage) {
  Screen screen({.site_settings = kHub});
  EXPECT_TRUE(screen.shows("from hub.example.org"));
  EXPECT_TRUE(screen.has("Open: only the name is sent"));
  EXPECT_TRUE(screen.shows("except a model's name"));
  screen.press("hub.name");
  screen.type("Qwen/Qwen3-32B");
  screen.end_typing();
  EXPECT_TRUE(screen.platform().fetches.empty()) << "typing asks for nothing";
  screen.press("hub_open");
  ASSERT_EQ(screen.platform().fetches.size(), 1U);
  EXPECT_EQ(screen.platform().fetches[0].address, "https://hub.example.org/Qwen/Qwen3-32B/resolve/main/config.json");
}

TEST(HubByName, GivesTheScenarioTheModelAndItsSource) {
  Screen screen({.link = "v=1&users=3", .site_settings = kHub});
  ask(screen, "meta-llama/Llama-3.1-70B");
  answer(screen, 206, kLlama70B);
  EXPECT_TRUE(screen.shows("Files read: 1 of 2"));
  answer(screen, 404);
  answer(screen, 404);
  EXPECT_EQ(screen.state()["model"], "meta-llama/Llama-3.1-70B@ccccccc");
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["users"], 3);
  screen.app().act("save_json");
  const std::string saved = screen.platform().saved_file->content;
  Screen other;
  other.open_file("gpu-memory.json", saved);
  EXPECT_EQ(other.state()["model"], "meta-llama/Llama-3.1-70B@ccccccc") << "the saved scenario needs no hub";
}

TEST(HubByName, KeepsTheScenarioAndSaysWhyInEveryLanguage) {
  for (const auto& [language, words] : {std::pair("en", "gated"), {"ru", "config.json"}, {"kk", "config.json"}}) {
    Screen screen({.language = language, .site_settings = kHub});
    const vram::Json before = screen.state()["scenario"];
    ask(screen, "a/b");
    answer(screen, 401);
    EXPECT_EQ(screen.state()["scenario"], before);
    EXPECT_NE(screen.results().find(words), std::string::npos) << "the form says it: " << language;
    EXPECT_TRUE(screen.has("hub_open")) << "it can be tried again";
    ask(screen, "not a name");
    EXPECT_TRUE(screen.platform().fetches.empty());
    EXPECT_TRUE(screen.shows("org/model"));
  }
}

TEST(HubByName, IsStopped) {
  Screen screen({.site_settings = kHub});
  ask(screen, "a/b");
  const std::uint32_t id = screen.platform().fetches.front().id;
  screen.press("hub_stop");
  EXPECT_TRUE(screen.platform().fetches.empty());
  screen.app().fetched(id, {.status = 200, .bytes = std::as_bytes(std::span(kLlama70B))});
  EXPECT_EQ(screen.state()["scenario"]["deployments"][0]["config"], "") << "what comes late is passed over";
  EXPECT_TRUE(screen.has("hub_open"));
}

TEST(HubByName, WorksTheSameInTheForm) {
  Screen screen({.site_settings = kHub});
  screen.app().field_changed("hub.name", 0, "https://hub.example.org/a/b/tree/dev");
  screen.app().act("hub_open");
  screen.settle();
  ASSERT_EQ(screen.platform().fetches.size(), 1U);
  EXPECT_EQ(screen.platform().fetches[0].address, "https://hub.example.org/a/b/resolve/dev/config.json");
  EXPECT_NE(screen.results().find("\"hub_stop\""), std::string::npos);
  screen.app().act("hub_stop");
  EXPECT_EQ(screen.results().find("\"hub_stop\""), std::string::npos);
}

TEST(HubByName, FitsOnAPhoneInEveryLanguage) {
  for (const char* language : {"en", "ru", "kk"}) {
    Screen screen({.width = 360, .height = 740, .language = language,
                   .site_settings = R"({"hub_hosts": ["huggingface.co"]})", .coarse = true});
    const vram::Json items = screen.items();
    const vram::Json* const open = screen.find(items, "hub_open");
    ASSERT_NE(open, nullptr);
    EXPECT_FALSE(open->value("clipped", false)) << open->dump();
  }
}

}  // namespace
}  // namespace ui::test
