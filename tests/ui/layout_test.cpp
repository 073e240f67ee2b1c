// Every word has its place at every width, in every language: nothing missing, nothing cut off, nothing on top of
// something else.
#include <gtest/gtest.h>

#include <set>

#include "tests/ui/screen.h"

namespace ui::test {
namespace {

struct Shape {
  float width, height;
  bool coarse;
};
constexpr Shape kShapes[] = {{320, 640, true}, {390, 844, true}, {768, 1024, true}, {1440, 900, false}, {1920, 1080, false}};
constexpr const char* kLanguages[] = {"ru", "kk", "en"};

/// Scenarios that between them say everything the page can say.
const std::string kScenarios[] = {
    "",
    "v=1&model=meta-llama/Llama-3.1-70B-Instruct&weights=awq_int4&users=4&gpu=h100-sxm&n=1",
    "v=1&model=meta-llama/Llama-3.1-405B-Instruct&users=64&ctx=131072&gpu=rtxpro6000-se&n=8&split=layers",
    "v=1&model=Qwen/Qwen3-235B-A22B&users=16&gpu=metax-c550&n=8&offload=weights&ram=512&units=gb",
    "v=1&model=meta-llama/Llama-3.1-70B-Instruct&gpu=l4&n=1&offload=weights",
    "v=1&task=train&model=meta-llama/Llama-3.1-70B-Instruct&gpu=h100-sxm&n=8",
    "v=1&task=tune&method=qlora&gpu=rtx4090&more_cards=rtx3090:1",
    "v=1&model=Qwen/Qwen3-8B&engine=llama_cpp&weights=q4_k_m&rate=30&gpu=l4&n=2&2.model=BAAI/bge-m3",
    "v=1&nonsense=7&users=0&ctx=much",
    "v=1&users=9&kept=2%20%C3%97%20RTX%20PRO%206000%20Blackwell%20Server%20Edition%7Cgpu=rtxpro6000-se%26n=2%26users=64"
    "&kept=%D0%B4%D0%BB%D1%8F%20%D1%84%D0%B8%D0%BB%D0%B8%D0%B0%D0%BB%D0%B0%7Ctask=tune%26n=2&kept=c%7Cgpu=l4%26ctx=65536",
};

std::string name_of(const vram::Json& item) {
  return vram::text(item, "id").value_or("") + " \"" + vram::text(item, "label").value_or("") + "\"";
}

struct Box {
  float left, top, right, bottom;
};
Box box_of(const vram::Json& item) {
  const vram::Json& rect = item["rect"];
  const float x = rect[0].get<float>(), y = rect[1].get<float>();
  return {x, y, x + rect[2].get<float>(), y + rect[3].get<float>()};
}

bool is_words(const vram::Json& item) { return item["role"] == "text" || item["role"] == "heading"; }
std::string layer_of(const vram::Json& item) { return vram::text(item, "layer").value_or("page"); }

struct Words {
  Box box;
  std::string layer;
  const vram::Json* item;
};

void check(const Screen& screen, const Shape& shape, const std::string& where) {
  SCOPED_TRACE(where);
  const vram::Json items = screen.items();
  ASSERT_GT(items.size(), 10U);
  std::set<std::string> ids;
  std::vector<Words> words;
  for (const vram::Json& item : items) {
    const std::string label = vram::text(item, "label").value_or("");
    EXPECT_FALSE(label.empty()) << "a " << item["role"] << " without a name: " << item["rect"].dump();
    for (const std::string& text : {label, vram::text(item, "value").value_or("")}) {
      EXPECT_EQ(text.find("\xE2\x9F\xA8"), std::string::npos) << "no words for " << text;
      EXPECT_EQ(text.find('{'), std::string::npos) << "a placeholder was left: " << text;
    }
    EXPECT_EQ(item.find("clipped"), item.end()) << "cut off: " << name_of(item);
    const Box box = box_of(item);
    if (!shape.coarse || item["role"] != "tab") {  // a finger swipes the row of tabs
      EXPECT_GE(box.left, -0.5f) << name_of(item);
      EXPECT_LE(box.right, shape.width + 0.5f) << name_of(item);
    }
    if (const auto id = vram::text(item, "id")) {
      EXPECT_TRUE(ids.insert(*id).second) << "two items are called " << *id;
    }
    if (is_words(item)) words.push_back({box, layer_of(item), &item});
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t k = i + 1; k < words.size(); ++k) {
      const Box &a = words[i].box, &b = words[k].box;
      const bool beside = a.right <= b.left + 1 || b.right <= a.left + 1;
      if (beside || a.bottom <= b.top + 2 || b.bottom <= a.top + 2 || words[i].layer != words[k].layer) continue;
      ADD_FAILURE() << name_of(*words[i].item) << " lies over " << name_of(*words[k].item);
    }
  }
}

std::string named(const std::string& language, const Shape& shape, const std::string& what) {
  return language + " " + std::to_string(static_cast<int>(shape.width)) + " " + what;
}

class EveryLanguage : public testing::TestWithParam<const char*> {};

TEST_P(EveryLanguage, HasAPlaceForEveryWord) {
  for (const Shape& shape : kShapes) {
    for (const std::string& link : kScenarios) {
      const std::string where = named(GetParam(), shape, link);
      Screen screen({.width = shape.width, .height = shape.height, .language = GetParam(), .link = link,
                     .coarse = shape.coarse});
      check(screen, shape, where);
      screen.press("more");
      check(screen, shape, where + ", more");
      for (int i = 1; screen.has("tab." + std::to_string(i)); ++i) {
        screen.press("tab." + std::to_string(i));
        check(screen, shape, where + ", tab " + std::to_string(i));
      }
    }
  }
}

TEST_P(EveryLanguage, HasAPlaceForEveryListAndExplanation) {
  for (const Shape& shape : kShapes) {
    for (const char* name : {"model", "gpu", "weights", "kv", "legend.weights", "legend.kv", "legend.activations",
                             "legend.runtime", "legend.free", "bar.0", "usable"}) {
      Screen screen({.width = shape.width, .height = shape.height, .language = GetParam(),
                     .link = "v=1&model=Qwen/Qwen3-235B-A22B&gpu=h200-sxm&n=8", .coarse = shape.coarse});
      screen.press(name);
      check(screen, shape, named(GetParam(), shape, name));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Page, EveryLanguage, testing::ValuesIn(kLanguages),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(Layout, GivesAFingerFortyFourPixels) {
  Screen screen({.width = 390, .height = 844, .coarse = true});
  for (const vram::Json& item : screen.items()) {
    if (is_words(item)) continue;
    EXPECT_GE(item["rect"][3].get<float>(), 44.0f) << name_of(item);
  }
}

TEST(Layout, KeepsTheVerdictInViewOnAPhone) {
  Screen screen({.width = 390, .height = 844, .coarse = true});
  ASSERT_TRUE(screen.has("strip"));
  screen.press("strip");
  EXPECT_FALSE(screen.has("strip")) << "the answer itself is in view now";
}

TEST(Layout, HasTwoColumnsFromNineHundredPixels) {
  Screen screen({.width = 900, .height = 800});
  EXPECT_EQ(screen.state()["width"], "desktop");
  screen.resize(899, 800);
  EXPECT_EQ(screen.state()["width"], "tablet");
  screen.resize(599, 800);
  EXPECT_EQ(screen.state()["width"], "phone");
}

}  // namespace
}  // namespace ui::test
