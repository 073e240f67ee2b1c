// Sections of a report drawn on the page: a heading, paragraphs, a table. On a narrow page a table's rows become blocks.
#pragma once
#include <span>

#include "core/report/report.h"
#include "web/ui/session.h"

namespace ui {

void draw_table(Ui& ui, Column& column, const vram::Table& table);
void draw_section(Ui& ui, Column& column, const vram::Section& section);
void draw_sections(Ui& ui, Column& column, std::span<const vram::Section> sections);

}  // namespace ui
