// Drawing without behaviour: text, icons, hatching, hairlines. Whatever shows words records them in `ui.items`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "web/ui/geometry.h"
#include "web/ui/items.h"
#include "web/ui/theme.h"

namespace ui {

/// What every widget needs to know while a frame is drawn.
struct Ui {
  Palette palette;
  Sizes sizes;
  Width width = Width::desktop;
  bool dark = false, coarse = false;
  ImFont* regular = nullptr;
  ImFont* semibold = nullptr;
  ImDrawList* draw = nullptr;    ///< of the window being filled
  Layer layer = Layer::page;
  Items items;

  bool phone() const { return width == Width::phone; }
};

struct Style {
  float size = 19;
  Colour colour = 0;
  bool strong = false;
  Style with(Colour other) const { return {size, other, strong}; }
};
inline Style caption(const Ui& ui) { return {ui.sizes.caption, ui.palette.soft}; }
inline Style body(const Ui& ui) { return {ui.sizes.body, ui.palette.ink}; }
inline Style soft(const Ui& ui) { return {ui.sizes.body, ui.palette.soft}; }
inline Style strong(const Ui& ui) { return {ui.sizes.body, ui.palette.ink, true}; }
inline Style heading(const Ui& ui) { return {ui.sizes.heading, ui.palette.ink, true}; }

enum class Align : std::uint8_t { left, centre, right };

float width_of(const Ui& ui, std::string_view text, const Style& style);
float line_height(const Style& style);
/// Lines no wider than `width`. Breaks at spaces; inside a word only when the word alone is too long.
std::vector<std::string_view> wrap(const Ui& ui, std::string_view text, const Style& style, float width);
float height_of(const Ui& ui, std::string_view text, const Style& style, float width);
/// Of its words between spaces the widest; dots between things are none.
float widest_word(const Ui& ui, std::string_view text, const Style& style);
/// The least width that takes no more lines than `width`: a heading of two lines is two halves, not a line and a word.
float balanced(const Ui& ui, std::string_view text, const Style& style, float width);

/// One line in the middle of `rect`; too long a text ends in "…" and is recorded as clipped.
void put(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align = Align::left,
         Role role = Role::text);
/// A number and its unit, right-aligned, the unit lighter: "131.4" "GiB".
void put_amount(Ui& ui, Rect rect, std::string_view amount, const Style& style);
/// As many lines as it takes, from the top of `rect`.
void put_lines(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align = Align::left,
               Role role = Role::text);
void paragraph(Ui& ui, Column& column, std::string_view text, const Style& style, Role role = Role::text);

void fill(Ui& ui, Rect rect, Colour colour, float radius = 0);
void outline(Ui& ui, Rect rect, Colour colour, float radius = kRadius, float thickness = 1);
void hairline(Ui& ui, float x, float y, float width);
void dotted_line(Ui& ui, float x, float y, float width, Colour colour);

enum class Icon : std::uint8_t { tick, warning, cross, host, chevron, close, contrast, save, plus, minus, back };
void icon(Ui& ui, Icon which, float x, float y, float size, Colour colour);  ///< x, y: its middle

/// The pattern that stands for a category without its colour; the last two are hatched in a colour on nothing.
enum class Pattern : std::uint8_t { solid, slashes, dots, backslashes, lines, spread, kept_free };
Pattern pattern_of(vram::Category category);
void patterned(Ui& ui, Rect rect, Colour colour, Pattern pattern);

/// To the nearest pixel of the screen, so that lines are sharp at every zoom.
float snap(float value);

}  // namespace ui
