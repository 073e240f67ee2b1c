// Plans side by side: a column for each, as many as the width takes; the others stand below.
#include "web/ui/beside.h"

#include <cmath>
#include <optional>

#include "core/report/side_by_side.h"
#include "web/ui/editing.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

constexpr float kBetween = 16, kNarrowest = 116, kBar = 16;
constexpr float kNamePad = 24;              ///< what a field leaves free at the sides of its text

/// Where names of rows and columns stand. On a narrow page a row's name stands above its cells.
struct Grid {
  float names = 0;                          ///< width for the names of rows; 0 = above
  float cell = 0;
  std::size_t first = 0, count = 0;         ///< columns of the table

  float x(float left, std::size_t place) const {
    return left + names + (names > 0 ? kBetween : 0) + (cell + kBetween) * static_cast<float>(place);
  }
};

Grid grid_for(float width, std::size_t columns) {
  Grid grid;
  if (width >= 520) grid.names = std::floor(std::min(190.0f, width * 0.25f));
  const float room = width - (grid.names > 0 ? grid.names + kBetween : 0);
  const auto most = static_cast<std::size_t>(std::max(1.0f, (room + kBetween) / (kNarrowest + kBetween)));
  grid.count = std::min(columns, most);
  if (grid.names == 0) grid.count = std::min<std::size_t>(grid.count, 2);
  const auto shared = static_cast<float>(std::max<std::size_t>(grid.count, 2));  // one plan is not stretched
  grid.cell = std::floor((room - kBetween * (shared - 1)) / shared);
  return grid;
}

/// The kept plan that a column shows; nothing for the current plan that nobody has kept.
std::optional<std::size_t> kept_in(const Session& session, std::size_t column) {
  const std::size_t before = session.beside.columns.size() - session.kept.size();
  return column < before ? std::nullopt : std::optional<std::size_t>(column - before);
}

std::string of_plan(const Session& session, std::string_view what, const std::string& name) {
  return session.word(what) + ": " + name;
}

/// A row of the table: the name, then a cell for each of the grid's columns.
void draw_row(Ui& ui, Column& column, const Grid& grid, const std::vector<std::string>& row, const Style& style) {
  const bool above = grid.names == 0;
  column.gap(8);
  const float top = column.y;
  const float wide = above ? column.width : grid.names;
  const float name_height = height_of(ui, row.front(), caption(ui), wide);
  const float lower = above ? 0 : (line_height(body(ui)) - line_height(caption(ui))) / 2;
  put_lines(ui, {column.x, top + lower, wide, 0}, row.front(), caption(ui));
  const float cells = above ? top + name_height + 2 : top;
  float height = 0;
  for (std::size_t i = 0; i < grid.count; ++i) {
    const std::string& text = row[1 + grid.first + i];
    put_lines(ui, {grid.x(column.x, i), cells, grid.cell, 0}, text, style);
    height = std::max(height, height_of(ui, text, style, grid.cell));
  }
  column.y = std::max(cells + height, top + name_height) + 8;
  hairline(ui, column.x, column.y, column.width);
}

/// The name that can be typed over, or that it is the current plan.
void draw_names(Session& session, Column& column, const Grid& grid, const std::vector<std::string>& names) {
  Ui& ui = session.ui;
  float height = ui.sizes.field;
  for (std::size_t i = 0; i < grid.count; ++i) {
    height = std::max(height, height_of(ui, names[grid.first + i], body(ui), grid.cell - kNamePad) + 18);
  }
  const Rect line = column.take(height);
  for (std::size_t i = 0; i < grid.count; ++i) {
    const std::string& name = names[grid.first + i];
    const Rect rect{grid.x(line.x, i), line.y, grid.cell, height};
    const auto kept = kept_in(session, grid.first + i);
    if (!kept) {
      const float lines = height_of(ui, name, strong(ui), grid.cell);
      put_lines(ui, {rect.x, rect.middle() - lines / 2, rect.width, 0}, name, strong(ui));
      continue;
    }
    const std::string id = "kept." + std::to_string(*kept);
    const std::string label =
        session.say(vram::Message("beside.name").with("number", static_cast<std::int64_t>(*kept + 1)));
    text_field(session, rect, {.id = id, .label = label, .shown = name, .text = name});
  }
}

/// What can be done with each plan. True when something was.
bool draw_deeds(Session& session, Column& column, const Grid& grid, const std::vector<std::string>& names) {
  Ui& ui = session.ui;
  const Style style = caption(ui);
  const float step = std::max(ui.sizes.target, line_height(style) + 8), inset = (step - line_height(style)) / 2;
  const float top = column.y + 4;
  float bottom = top;
  for (std::size_t i = 0; i < grid.count; ++i) {
    const auto kept = kept_in(session, grid.first + i);
    if (!kept) continue;
    const std::string number = std::to_string(*kept);
    float y = top + inset;
    const auto deed = [&](const std::string& id, std::string_view word) {
      const bool done = link(ui, id + "." + number, grid.x(column.x, i), y, session.word(word), style);
      ui.items.back().label = of_plan(session, word, names[grid.first + i]);
      y += step;
      bottom = std::max(bottom, y);
      return done;
    };
    if (session.is_current(session.kept[*kept].scenario)) {
      put(ui, {grid.x(column.x, i), y, grid.cell, line_height(style)}, session.word("beside.is_current"), style);
      y += step;
    } else if (deed("take_kept", "beside.take")) {
      session.take_kept(*kept);
      return true;
    }
    if (deed("remove_kept", "beside.remove")) {
      session.remove_kept(*kept);
      return true;
    }
  }
  column.y = bottom;
  return false;
}

/// The fullest device of each, all at one scale.
void draw_bars_of(Session& session, Column& column, const Grid& grid) {
  float longest = 0;
  for (const vram::PlanColumn& one : session.beside.columns) longest = std::max(longest, reach_of(one.plan));
  column.gap(10);
  const Rect line = column.take(kBar);
  for (std::size_t i = 0; i < grid.count && longest > 0; ++i) {
    const vram::Plan& plan = session.beside.columns[grid.first + i].plan;
    draw_bar(session.ui, {grid.x(line.x, i), line.y, grid.cell, kBar}, plan, plan.fullest, grid.cell / longest);
  }
  column.gap(10);
  hairline(session.ui, column.x, column.y, column.width);
}

/// False when a press changed what there is to draw.
bool draw_tables(Session& session, Column& column) {
  Ui& ui = session.ui;
  const std::vector<vram::Section> sections = vram::side_by_side_sections(session.beside, session.language());
  const std::vector<std::string> names = vram::names_of(session.beside, session.language());
  Grid grid = grid_for(column.width, names.size());
  const std::size_t most = grid.count;
  for (; grid.first < names.size(); grid.first += most) {
    grid.count = std::min(most, names.size() - grid.first);
    column.gap(grid.first == 0 ? 0 : 28);
    draw_names(session, column, grid, names);
    if (draw_deeds(session, column, grid, names)) return false;
    draw_bars_of(session, column, grid);
    for (const vram::Section& section : sections) {
      if (&section != &sections.front()) {
        column.gap(16);
        paragraph(ui, column, section.heading, strong(ui), grid.first == 0 ? Role::heading : Role::text);
      }
      for (const std::string& words : section.paragraphs) {
        column.gap(6);
        paragraph(ui, column, words, body(ui));
      }
      for (const auto& row : section.table.rows) draw_row(ui, column, grid, row, body(ui));
    }
  }
  return true;
}

}  // namespace

bool can_keep(const Session& session) {
  return session.kept.size() < vram::kMostKept && !session.keeps(session.scenario);
}

void draw_beside(Session& session, Column& column) {
  Ui& ui = session.ui;
  const bool full = session.kept.size() == vram::kMostKept;
  if (session.kept.empty() || full) {
    paragraph(ui, column, session.word(full ? "beside.full" : "beside.hint"), full ? caption(ui) : body(ui));
    column.gap(12);
  }
  if (can_keep(session)) {
    const std::string words = session.word("beside.keep");
    const Rect row = column.take(ui.sizes.field);
    const float width = std::min(row.width, button_width(ui, words));
    if (button(ui, "keep", {row.x, row.y, width, row.height}, words)) return session.keep_current();
    column.gap(16);
  }
  if (!session.kept.empty()) draw_tables(session, column);
}

vram::Json beside_group(const Session& session) {
  vram::Json group = {{"id", "beside"},
                      {"legend", session.word("beside.title")},
                      {"hint", session.word("beside.hint")},
                      {"fields", vram::Json::array()},
                      {"actions", vram::Json::array()}};
  const auto act = [&](std::string id, std::string label) {
    group["actions"].push_back({{"id", std::move(id)}, {"label", std::move(label)}});
  };
  if (can_keep(session)) act("keep", session.word("beside.keep"));
  for (std::size_t i = 0; i < session.kept.size(); ++i) {
    const std::string number = std::to_string(i);
    const vram::KeptPlan& one = session.kept[i];
    group["fields"].push_back(
        {{"key", "kept." + number},
         {"deployment", 0},
         {"label", session.say(vram::Message("beside.name").with("number", static_cast<std::int64_t>(i + 1)))},
         {"kind", "text"},
         {"value", one.name}});
    if (!session.is_current(one.scenario)) act("take_kept." + number, of_plan(session, "beside.take", one.name));
    act("remove_kept." + number, of_plan(session, "beside.remove", one.name));
  }
  return group;
}

}  // namespace ui
