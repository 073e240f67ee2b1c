#include "web/ui/sections.h"

namespace ui {
namespace {

/// What a program reads or writes, set off from what is said about it.
void draw_lines(Ui& ui, Column& column, const std::vector<std::string>& lines) {
  constexpr float kPad = 12;
  const Style style{caption(ui).size, ui.palette.ink};
  const float width = column.width - 2 * kPad;
  float height = 2 * kPad;
  for (const std::string& line : lines) height += height_of(ui, line, style, width) + 4;
  const Rect box = column.take(height - 4);
  fill(ui, box, ui.palette.field, kRadius);
  outline(ui, box, ui.palette.hairline);
  Column words{box.x + kPad, box.y + kPad, width};
  for (const std::string& line : lines) {
    paragraph(ui, words, line, style);
    words.gap(4);
  }
}

}  // namespace

void draw_section(Ui& ui, Column& column, const vram::Section& section) {
  if (!section.heading.empty()) paragraph(ui, column, section.heading, strong(ui), Role::heading);
  for (const std::string& words : section.paragraphs) {
    column.gap(6);
    paragraph(ui, column, words, body(ui));
  }
  if (!section.lines.empty()) {
    column.gap(8);
    draw_lines(ui, column, section.lines);
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
