#include "web/ui/paint.h"

#include <cmath>

namespace ui {
namespace {

ImVec2 at(float x, float y) { return {x, y}; }

}  // namespace

float snap(float value) {
  const float scale = std::max(1.0f, ImGui::GetIO().DisplayFramebufferScale.x);
  return std::round(value * scale) / scale;
}

void fill(Ui& ui, Rect rect, Colour colour, float radius) {
  ui.draw->AddRectFilled(at(snap(rect.x), snap(rect.y)), at(snap(rect.right()), snap(rect.bottom())), colour, radius);
}

void outline(Ui& ui, Rect rect, Colour colour, float radius, float thickness) {
  ui.draw->AddRect(at(snap(rect.x), snap(rect.y)), at(snap(rect.right()), snap(rect.bottom())), colour, radius, 0,
                   thickness);
}

void hairline(Ui& ui, float x, float y, float width) {
  const float top = snap(y);
  ui.draw->AddRectFilled(at(snap(x), top), at(snap(x + width), top + 1), ui.palette.hairline);
}

void dotted_line(Ui& ui, float x, float y, float width, Colour colour) {
  const float top = snap(y);
  for (float left = snap(x); left < x + width - 1; left += 4) {
    ui.draw->AddRectFilled(at(left, top), at(left + 1.5f, top + 1.5f), colour);
  }
}

void icon(Ui& ui, Icon which, float x, float y, float size, Colour colour) {
  ImDrawList& draw = *ui.draw;
  const float u = size / 20;  // icons are drawn on a grid of 20
  const float pen = std::max(1.5f, 1.75f * u);
  const auto point = [&](float px, float py) { return at(x + (px - 10) * u, y + (py - 10) * u); };
  const auto line = [&](float x1, float y1, float x2, float y2) {
    draw.AddLine(point(x1, y1), point(x2, y2), colour, pen);
  };
  switch (which) {
    case Icon::tick: {
      const ImVec2 points[] = {point(3.5f, 10.5f), point(8, 15), point(16.5f, 5.5f)};
      draw.AddPolyline(points, 3, colour, 0, pen * 1.5f);
      return;
    }
    case Icon::warning: {
      const ImVec2 points[] = {point(10, 2.5f), point(18.5f, 17), point(1.5f, 17)};
      draw.AddPolyline(points, 3, colour, ImDrawFlags_Closed, pen);
      line(10, 8, 10, 12.2f);
      draw.AddCircleFilled(point(10, 14.6f), 1.15f * u, colour);
      return;
    }
    case Icon::cross:
      draw.AddCircle(point(10, 10), 8.5f * u, colour, 0, pen);
      line(6.8f, 6.8f, 13.2f, 13.2f);
      line(13.2f, 6.8f, 6.8f, 13.2f);
      return;
    case Icon::host: {  // a card above a slot, an arrow between them
      draw.AddRect(point(2.5f, 3), point(17.5f, 8), colour, 1.5f * u, 0, pen);
      draw.AddRect(point(2.5f, 14.5f), point(17.5f, 17.5f), colour, 1.0f * u, 0, pen);
      line(10, 8, 10, 13.5f);
      line(7.6f, 11.2f, 10, 13.5f);
      line(12.4f, 11.2f, 10, 13.5f);
      return;
    }
    case Icon::chevron: {
      const ImVec2 points[] = {point(5, 7.5f), point(10, 12.5f), point(15, 7.5f)};
      draw.AddPolyline(points, 3, colour, 0, pen);
      return;
    }
    case Icon::close:
      line(5, 5, 15, 15);
      line(15, 5, 5, 15);
      return;
    case Icon::contrast:
      draw.AddCircle(point(10, 10), 7.5f * u, colour, 0, pen);
      draw.PathArcTo(point(10, 10), 7.5f * u, -1.5707964f, 1.5707964f);
      draw.PathFillConvex(colour);
      return;
    case Icon::save:
      line(10, 2.5f, 10, 12);
      line(6, 8.3f, 10, 12.3f);
      line(14, 8.3f, 10, 12.3f);
      line(3, 17, 17, 17);
      return;
    case Icon::plus:
      line(4, 10, 16, 10);
      line(10, 4, 10, 16);
      return;
    case Icon::minus:
      line(4, 10, 16, 10);
      return;
    case Icon::back: {
      const ImVec2 points[] = {point(12.5f, 4), point(6.5f, 10), point(12.5f, 16)};
      draw.AddPolyline(points, 3, colour, 0, pen);
      return;
    }
  }
}

Pattern pattern_of(vram::Category category) {
  switch (category) {
    case vram::Category::weights: return Pattern::solid;
    case vram::Category::kv: return Pattern::slashes;
    case vram::Category::activations: return Pattern::dots;
    case vram::Category::optimizer: return Pattern::backslashes;
    default: return Pattern::lines;
  }
}

void patterned(Ui& ui, Rect rect, Colour colour, Pattern pattern) {
  if (rect.width <= 0) return;
  rect = {snap(rect.x), snap(rect.y), std::max(1.0f, snap(rect.right()) - snap(rect.x)), rect.height};
  ImDrawList& draw = *ui.draw;
  const bool hatched = pattern == Pattern::spread || pattern == Pattern::kept_free;
  if (!hatched) fill(ui, rect, colour);
  if (pattern == Pattern::solid) return;
  draw.PushClipRect(at(rect.x, rect.y), at(rect.right(), rect.bottom()), true);
  const Colour over = hatched ? colour : with_alpha(ui.palette.sheet, ui.dark ? 100 : 120);
  const auto strokes = [&](float step, float pen, bool rising) {
    for (float x = rect.x - rect.height; x < rect.right(); x += step) {
      draw.AddLine(at(x, rising ? rect.bottom() : rect.y), at(x + rect.height, rising ? rect.y : rect.bottom()), over,
                   pen);
    }
  };
  switch (pattern) {
    case Pattern::slashes: strokes(8, 1.5f, true); break;
    case Pattern::backslashes: strokes(5, 1.5f, false); break;
    case Pattern::spread: strokes(5, 1, true); break;
    case Pattern::kept_free: strokes(5, 1, false); break;
    case Pattern::dots: {
      int odd = 0;
      for (float x = rect.x + 3; x < rect.right() + 3; x += 4, odd ^= 1) {
        for (float y = rect.y + (odd != 0 ? 5.0f : 2.5f); y < rect.bottom(); y += 5) {
          draw.AddRectFilled(at(x - 0.75f, y - 0.75f), at(x + 0.75f, y + 0.75f), over);
        }
      }
      break;
    }
    default:
      for (float y = rect.y + 3; y < rect.bottom(); y += 4) {
        draw.AddRectFilled(at(rect.x, y), at(rect.right(), y + 1), over);
      }
  }
  draw.PopClipRect();
  if (hatched) outline(ui, rect, colour, 0);
}

}  // namespace ui
