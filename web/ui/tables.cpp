// Tables of a report: side by side where there is room, rows as blocks where there is not.
#include "web/ui/sections.h"

#include <cmath>
#include <numeric>

namespace ui {
namespace {

constexpr float kBetween = 20, kNarrowest = 12, kNarrowestName = 110, kWidestCell = 260;
constexpr std::size_t kMostLines = 2, kMostNameLines = 3;

/// What each column asks for: as wide as its words, and as its longest word, without the gap before it.
struct Widths {
  std::vector<float> natural, least;
};

Widths asked(const Ui& ui, const vram::Table& table) {
  Widths asked{std::vector<float>(table.head.size(), 0), std::vector<float>(table.head.size(), 0)};
  const auto widen = [&](const std::vector<std::string>& row, const Style& style) {
    for (std::size_t i = 0; i < std::min(row.size(), asked.natural.size()); ++i) {
      asked.natural[i] = std::max(asked.natural[i], std::ceil(width_of(ui, row[i], style)) + 2);
      asked.least[i] = std::max(asked.least[i], widest_word(ui, row[i], style) + 2);
    }
  };
  widen(table.head, caption(ui));
  for (const auto& row : table.rows) widen(row, body(ui));
  return asked;
}

/// Every cell on one line, but names, which may take two; empty when there is no room for that.
std::vector<float> on_one_line(const Widths& asked, float room) {
  std::vector<float> widths = asked.natural;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (widths[i] > kWidestCell) return {};
    widths[i] += kBetween;
  }
  const float figures = std::accumulate(widths.begin() + 1, widths.end(), 0.0f);
  if (figures + std::min(widths[0], kNarrowestName) > room) return {};
  widths[0] = room - figures;  // what is left over stands between the names and the figures
  return widths;
}

/// Figures and headings on up to two lines; empty when some take more.
std::vector<float> on_two_lines(const Ui& ui, const vram::Table& table, const Widths& asked, float room) {
  std::vector<float> widths = asked.least;
  const float gaps = kNarrowest * static_cast<float>(widths.size() - 1);
  const float all = std::accumulate(widths.begin(), widths.end(), gaps);
  if (widths.size() < 3 || all > room) return {};
  float wished = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) wished += asked.natural[i] - asked.least[i];
  const float share = wished > 0 ? std::min(1.0f, (room - all) / wished) : 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    widths[i] = std::floor(widths[i] + (asked.natural[i] - asked.least[i]) * share) + (i > 0 ? kNarrowest : 0);
  }
  widths[0] += room - std::accumulate(widths.begin(), widths.end(), 0.0f);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      if (wrap(ui, row[i], body(ui), widths[i] - (i > 0 ? kNarrowest : 0)).size() > (i > 0 ? kMostLines : kMostNameLines)) return {};
    }
  }
  return widths;
}

/// Width of each column with the gap before it; empty when they do not stand side by side.
std::vector<float> column_widths(const Ui& ui, const vram::Table& table, float room) {
  if (table.head.empty()) return {};
  const Widths wanted = asked(ui, table);
  std::vector<float> widths = on_one_line(wanted, room);
  return widths.empty() ? on_two_lines(ui, table, wanted, room) : widths;
}

void draw_row(Ui& ui, Column& column, const std::vector<std::string>& row, std::span<const float> widths,
              const Style& style, bool heads) {
  const std::size_t count = std::min(row.size(), widths.size());
  const auto inner = [&](std::size_t i) { return widths[i] - (i > 0 ? kNarrowest : 0); };
  float tallest = 0;
  for (std::size_t i = 0; i < count; ++i) tallest = std::max(tallest, height_of(ui, row[i], style, inner(i)));
  const Rect line = column.take(std::max(ui.sizes.row - 4, tallest + 12));
  float x = line.x;
  for (std::size_t i = 0; i < count; ++i) {
    const float lines = height_of(ui, row[i], style, inner(i));
    const float top = heads ? line.bottom() - 6 - lines : line.middle() - lines / 2;
    const Rect cell{x + widths[i] - inner(i), top, inner(i), 0};
    if (!row[i].empty()) put_lines(ui, cell, row[i], style, i == 0 ? Align::left : Align::right);
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
      const bool figure = wide <= column.width * 0.7f;  // stands where the others do; sentences begin at the left
      if (figure) put(ui, column.take(line_height(body(ui))), row[i], body(ui), Align::right);
      else paragraph(ui, column, row[i], body(ui));
    }
  }
  column.gap(8);
  hairline(ui, column.x, column.y, column.width);
}

/// A term and what it means.
void draw_meaning(Ui& ui, Column& column, const std::vector<std::string>& row) {
  if (row.size() < 2) return;
  column.gap(8);
  const bool beside = column.width >= 560;
  const float left = column.width * 0.3f - 16;
  Column words = beside ? Column{column.x + left + 16, column.y, column.width - left - 16} : column;
  if (beside) {
    put_lines(ui, {column.x, column.y, left, 0}, row[0], strong(ui));
  } else {
    paragraph(ui, words, row[0], strong(ui));
    words.gap(2);
  }
  paragraph(ui, words, row[1], body(ui));
  const float name = beside ? column.y + height_of(ui, row[0], strong(ui), left) : 0;
  column.y = std::max(words.y, name) + 8;
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

namespace {

/// Without the columns that are to be filled in by hand: on a screen nobody does.
vram::Table without_blanks(const vram::Table& table) {
  vram::Table shown{table.caption, {}, std::vector<std::vector<std::string>>(table.rows.size())};
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    const bool said = i == 0 || std::any_of(table.rows.begin(), table.rows.end(),
                                            [&](const auto& row) { return i < row.size() && !row[i].empty(); });
    if (!said) continue;
    shown.head.push_back(table.head[i]);
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      shown.rows[k].push_back(i < table.rows[k].size() ? table.rows[k][i] : std::string());
    }
  }
  return shown;
}

}  // namespace

void draw_table(Ui& ui, Column& column, const vram::Table& given) {
  if (given.rows.empty()) return;
  const vram::Table table = without_blanks(given);
  const std::vector<float> widths = column_widths(ui, table, column.width);
  if (widths.empty() && table.head.size() == 2) {
    // Figures stand at the right; where there are sentences among them, which take lines, all begin at the left.
    const bool sentences = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row.size() > 1 && width_of(ui, row[1], body(ui)) > column.width * 0.6f;
    });
    const bool meanings = sentences && std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row.size() > 1 && height_of(ui, row[1], body(ui), column.width * 0.6f) > line_height(body(ui)) * 1.5f;
    });
    for (const auto& row : table.rows) {
      if (meanings) draw_meaning(ui, column, row);
      else draw_pair(ui, column, row, sentences ? Align::left : Align::right);
    }
    return;
  }
  if (widths.empty()) {
    for (const auto& row : table.rows) draw_block(ui, column, table, row);
    return;
  }
  draw_row(ui, column, table.head, widths, caption(ui), true);
  for (const auto& row : table.rows) draw_row(ui, column, row, widths, body(ui), false);
}

}  // namespace ui
