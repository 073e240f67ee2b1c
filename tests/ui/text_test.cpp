// Where lines end: between words, and not between those that belong together.
#include <gtest/gtest.h>

#include "imgui.h"
#include "tests/ui/screen.h"
#include "web/ui/paint.h"

namespace ui::test {
namespace {

/// Text as the page draws it: with the page's fonts.
class Text : public testing::Test {
 protected:
  Text() {
    ui_.regular = ImGui::GetIO().Fonts->Fonts[0];
    ui_.semibold = ImGui::GetIO().Fonts->Fonts[1];
  }
  /// The lines at a width that is just too small for `first` with the word behind it.
  std::vector<std::string_view> broken_after(std::string_view first, std::string_view text) const {
    return wrap(ui_, text, style_, width_of(ui_, first, style_) + 2);
  }
  Screen screen_;
  Ui ui_;
  Style style_{20};
};

TEST_F(Text, KeepsTogetherWhatBelongsTogether) {
  const struct { std::string_view fits, text, second; } kLines[] = {
      {"at most 32,768", "at most 32,768 tokens", "32,768 tokens"},
      {"для восьми до", "для восьми до 14", "до 14"},
      {"fits with 4 ×", "fits with 4 × H100", "4 × H100"},
      {"узлов 1, GPU", "узлов 1, GPU 8", "GPU 8"},
      {"serve model --size", "serve model --size 4", "--size 4"},
      {"about ≈", "about ≈ 7", "≈ 7"},
      {"RTX PRO 6000", "RTX PRO 6000 Blackwell", "Blackwell"},  // a name's number belongs to what is before it
      {"FP8 ·", "FP8 · KV", "KV"},
  };
  for (const auto& [fits, text, second] : kLines) {
    const auto lines = broken_after(fits, text);
    ASSERT_EQ(lines.size(), 2U) << text;
    EXPECT_EQ(lines[1], second) << text;
  }
}

TEST_F(Text, DropsADotWhereALineEnds) {
  EXPECT_EQ(broken_after("FP8 ·", "FP8 · KV")[0], "FP8");
  EXPECT_EQ(broken_after("FP8", "FP8 · KV")[1], "KV");
}

TEST_F(Text, IsNeverBalancedSoNarrowThatAWordBreaks) {
  const std::string_view text = "4\u00a0×\u00a0H100\u00a0SXM5\u00a080GB: сыяды";
  const Style heading{31, 0, true};
  const float widest = widest_word(ui_, text, heading);
  for (const float width : {widest + 1, widest + 20, widest + 60}) {
    const float narrow = balanced(ui_, text, heading, width);
    EXPECT_GE(narrow, widest);
    EXPECT_EQ(wrap(ui_, text, heading, narrow).back(), "сыяды");
  }
}

}  // namespace
}  // namespace ui::test
