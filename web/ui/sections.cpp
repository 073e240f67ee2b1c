#include "web/ui/sections.h"

#include <cmath>
#include <numeric>

namespace ui {
namespace {

constexpr float kBetween = 20, kNarrowestName = 110, kWidestCell = 260;

/// Width of each column; empty when they do not stand side by side.
std::vector<float> column_widths(const Ui& ui, const vram::Table& table, float room) {
  std::vector<float> widths(table.head.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row, const Style& style) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], std::ceil(width_of(ui, row[i], style)) + (i == 0 ? 2.0f : kBetween));
    }
  };
  widen(table.head, caption(ui));
  for (const auto& row : table.rows) widen(row, body(ui));
  if (widths.empty()) return widths;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (widths[i] > kWidestCell + kBetween) return {};
  }
  const float numbers = std::accumulate(widths.begin() + 1, widths.end(), 0.0f);
  if (numbers + std::min(widths[0], kNarrowestName) > room) return {};
  widths[0] = std::min(widths[0], room - numbers);
  if (widths.size() > 1) {  // what is left over stands between the names and the numbers
    const float left = room - numbers - widths[0];
    widths[0] += left;
  }
  return widths;
}

void draw_row(Ui& ui, Column& column, const std::vector<std::string>& row, std::span<const float> widths,
              const Style& style) {
  const float name_height = height_of(ui, row.empty() ? "" : row.front(), style, widths[0]);
  const Rect line = column.take(std::max(ui.sizes.row - 4, name_height + 12));
  float x = line.x;
  for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
    const Rect cell{x, line.y, widths[i], line.height};
    if (i == 0) {
      put_lines(ui, {cell.x, line.middle() - name_height / 2, cell.width, 0}, row[i], style);
    } else if (!row[i].empty()) {
      put(ui, cell, row[i], style, Align::right);
    }
    x += widths[i];
  }
  hairline(ui, line.x, line.bottom() - 1, line.width);
}

/// One row under another: the name, then each figure with what it is.
void draw_block(Ui& ui, Column& column, const vram::Table& table, const std::vector<std::string>& row) {
  column.gap(10);
  if (!row.empty()) paragraph(ui, column, row.front(), strong(ui));
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i].empty()) continue;
    column.gap(2);
    const std::string name = i < table.head.size() ? table.head[i] : "";
    const float wide = std::ceil(width_of(ui, row[i], body(ui))), name_wide = std::ceil(width_of(ui, name, caption(ui)));
    if (!name.empty() && name_wide + wide + 16 <= column.width) {
      Rect line = column.take(line_height(body(ui)) + 2);
      const Rect figure = line.cut_right(wide + 2, 8);
      put(ui, line, name, caption(ui));
      put(ui, figure, row[i], body(ui), Align::right);
    } else {
      if (!name.empty()) paragraph(ui, column, name, caption(ui));
      paragraph(ui, column, row[i], body(ui));
    }
  }
  column.gap(8);
  hairline(ui, column.x, column.y, column.width);
}

/// A name and what it is, where the second is too long for a column of numbers.
void draw_pair(Ui& ui, Column& column, const std::vector<std::string>& row, Align align) {
  if (row.size() < 2) return;
  const float left = column.width * 0.4f - 12, right = column.width * 0.6f;
  const float name = height_of(ui, row[0], caption(ui), left), words = height_of(ui, row[1], body(ui), right);
  const Rect line = column.take(std::max({ui.sizes.row - 4, name + 12, words + 12}));
  put_lines(ui, {line.x, line.middle() - name / 2, left, 0}, row[0], caption(ui));
  put_lines(ui, {line.right() - right, line.middle() - words / 2, right, 0}, row[1], body(ui), align);
  hairline(ui, line.x, line.bottom() - 1, line.width);
}

}  // namespace

void draw_table(Ui& ui, Column& column, const vram::Table& table) {
  if (table.rows.empty()) return;
  const std::vector<float> widths = column_widths(ui, table, column.width);
  if (widths.empty() && table.head.size() == 2) {
    // Figures stand at the right; where there are sentences among them, which take lines, all begin at the left.
    const bool sentences = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row.size() > 1 && width_of(ui, row[1], body(ui)) > column.width * 0.6f;
    });
    for (const auto& row : table.rows) draw_pair(ui, column, row, sentences ? Align::left : Align::right);
    return;
  }
  if (widths.empty()) {
    for (const auto& row : table.rows) draw_block(ui, column, table, row);
    return;
  }
  draw_row(ui, column, table.head, widths, caption(ui));
  for (const auto& row : table.rows) draw_row(ui, column, row, widths, body(ui));
}

void draw_section(Ui& ui, Column& column, const vram::Section& section) {
  if (!section.heading.empty()) paragraph(ui, column, section.heading, strong(ui), Role::heading);
  for (const std::string& words : section.paragraphs) {
    column.gap(6);
    paragraph(ui, column, words, body(ui));
  }
  if (section.table.rows.empty()) return;
  column.gap(8);
  draw_table(ui, column, section.table);
}

void draw_sections(Ui& ui, Column& column, std::span<const vram::Section> sections) {
  for (const vram::Section& section : sections) {
    column.gap(20);
    draw_section(ui, column, section);
  }
}

}  // namespace ui
