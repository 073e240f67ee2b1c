// Rectangles and the column that panels fill from top to bottom.
//
// The page lays itself out: every widget is given a rectangle, and takes it from a Column:
//
//   Column column{area.x, area.y, area.width};
//   heading(ui, column, "Your task");
//   const Rect field = column.take(ui.sizes.field);
//   column.gap(16);
#pragma once
#include <algorithm>

namespace ui {

struct Rect {
  float x = 0, y = 0, width = 0, height = 0;

  float right() const { return x + width; }
  float bottom() const { return y + height; }
  float middle() const { return y + height / 2; }
  float centre() const { return x + width / 2; }
  bool contains(float px, float py) const { return px >= x && px < right() && py >= y && py < bottom(); }
  Rect inset(float dx, float dy) const { return {x + dx, y + dy, width - 2 * dx, height - 2 * dy}; }
  /// The same around its middle, at least so high: what a finger has to hit.
  Rect at_least(float wanted) const {
    const float more = std::max(0.0f, wanted - height);
    return {x, y - more / 2, width, height + more};
  }
  /// Cuts `size` off the left or the right and keeps the rest, less a gap.
  Rect cut_left(float size, float gap = 0) {
    const Rect cut{x, y, size, height};
    x += size + gap;
    width -= size + gap;
    return cut;
  }
  Rect cut_right(float size, float gap = 0) {
    const Rect cut{right() - size, y, size, height};
    width -= size + gap;
    return cut;
  }
};

struct Column {
  float x = 0, y = 0, width = 0;

  Rect take(float height) {
    const Rect taken{x, y, width, height};
    y += height;
    return taken;
  }
  void gap(float height) { y += height; }
};

}  // namespace ui
