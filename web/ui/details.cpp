// Under the answer: the ledger with its formulas, the limits, the letter.
#include <array>
#include <cmath>

#include "core/report/command.h"
#include "web/platform/platform.h"
#include "web/ui/overlay.h"
#include "web/ui/panels.h"
#include "web/ui/controls.h"
#include "web/ui/hub.h"
#include "web/ui/measuring.h"
#include "web/ui/sections.h"
#include "web/ui/tabs.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

std::string term_word(const Session& session, const vram::Entry& entry) {
  return session.word("term." + std::string(vram::term_key(entry.term)));
}

std::string certainty_word(const Session& session, const vram::Entry& entry) {
  return session.word("certainty." + std::string(vram::certainty_key(entry.certainty)));
}

/// One entry: what it is, how sure it is, how much; under it the calculation.
void draw_entry(Session& session, Column& column, std::size_t index) {
  Ui& ui = session.ui;
  const vram::Entry& entry = session.answered->plan.ledger[index];
  const vram::Language language = session.language();
  const std::string amount = language.memory_range({entry.low, entry.likely, entry.high});
  column.gap(12);
  Rect row{column.x, column.y, column.width, line_height(body(ui))};
  const Rect number = row.cut_right(std::ceil(width_of(ui, amount, body(ui))) + 8, 12);
  const Rect swatch = row.cut_left(12, 10);
  const vram::Category category = vram::category_of(entry.term);
  patterned(ui, {swatch.x, swatch.middle() - 6, 12, 12}, ui.palette.of(category), pattern_of(category));
  const std::string name = term_word(session, entry);
  put_lines(ui, row, name, strong(ui));
  column.y += height_of(ui, name, strong(ui), row.width);
  if (pressable_amount(ui, "entry." + std::to_string(index), number, amount, name, body(ui))) {
    open_explanation(session, {.kind = Subject::Kind::entry, .device = entry.device, .entry = index}, number);
  }
  column.gap(4);
  Column words{column.x + 22, column.y, column.width - 22};
  paragraph(ui, words, certainty_word(session, entry) + " · " + vram::explain(entry, language), caption(ui));
  column.y = words.y + 12;
  hairline(ui, column.x, column.y, column.width);
}

int fullest_group(const vram::Plan& plan, const std::vector<vram::DeviceGroup>& groups) {
  for (int i = 0; i < static_cast<int>(groups.size()); ++i) {
    const vram::DeviceGroup& group = groups[static_cast<std::size_t>(i)];
    if (plan.fullest >= group.first && plan.fullest <= group.last) return i;
  }
  return 0;
}

void draw_memory(Session& session, Column& column) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const auto groups = vram::alike_devices(plan);
  int chosen = session.ledger_group;
  if (chosen < 0 || chosen >= static_cast<int>(groups.size())) chosen = fullest_group(plan, groups);
  if (groups.size() > 1) {
    std::vector<std::string> names;
    for (const vram::DeviceGroup& group : groups) names.push_back(device_name(group));
    const int picked = chips(ui, "ledger_group", column, names, chosen, session.word("report.device"));
    if (picked >= 0) session.ledger_group = picked;
  } else {
    paragraph(ui, column, device_name(groups[static_cast<std::size_t>(chosen)]), caption(ui));
  }
  const int device = groups[static_cast<std::size_t>(chosen)].first;
  for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
    if (plan.ledger[i].on(device)) draw_entry(session, column, i);
  }
  if (plan.of(vram::kHost).likely > vram::Bytes(0)) {
    column.gap(20);
    paragraph(ui, column, session.word("report.host"), strong(ui), Role::heading);
    for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
      if (plan.ledger[i].on(vram::kHost)) draw_entry(session, column, i);
    }
  }
}

/// Longest context by number of users: planned when the tab is first looked at.
const std::vector<vram::FrontierPoint>& limits_by_users(Session& session) {
  Answered& answered = *session.answered;
  if (answered.by_users.empty()) answered.by_users = vram::context_by_users(answered.inputs, session.current);
  return answered.by_users;
}

void draw_limits_table(Session& session, Column& column) {
  Ui& ui = session.ui;
  const vram::Language language = session.language();
  const auto& found = limits_by_users(session);
  if (found.front().context == 0) {
    return paragraph(ui, column, session.word("limit.nothing_fits"), body(ui));
  }
  draw_frontier(session, column, found);
  column.gap(16);
  const float first = std::min(180.0f, column.width * 0.42f), second = std::min(220.0f, column.width - first);
  const auto line = [&](const std::string& left, const std::string& right, const Style& style) {
    const float height = std::max({ui.sizes.row - 4, height_of(ui, left, style, first) + 8,
                                   height_of(ui, right, style, second) + 8});
    const Rect row = column.take(height);
    const float top = row.middle() - height_of(ui, left, style, first) / 2;
    put_lines(ui, {row.x, top, first, 0}, left, style);
    const float top_right = row.middle() - height_of(ui, right, style, second) / 2;
    put_lines(ui, {row.x + first, top_right, second, 0}, right, style, Align::right);
    hairline(ui, row.x, row.bottom() - 1, first + second);
  };
  line(session.word("field.users"), session.word("page.longest_context"), caption(ui));
  bool any_own = false;
  for (const auto& [users, longest] : found) {
    const bool own = longest == session.model().dims.max_position_embeddings;
    const bool fits = longest > 0;
    const std::string context = fits ? language.number(longest) + (own ? " *" : "") : "—";
    const bool asked = users == session.scenario.deployments[session.current].users;
    line(language.number(users), context, asked ? strong(ui) : body(ui));
    any_own = any_own || own;
  }
  if (!any_own) return;
  column.gap(10);
  paragraph(ui, column, session.word("page.models_own_limit"), caption(ui));
}

void draw_limits_tab(Session& session, Column& column) {
  const Answered& answered = *session.answered;
  if (session.model().generates && !answered.plan.training) return draw_limits_table(session, column);
  for (const std::string& sentence : vram::limit_sentences(answered.inputs, answered.limits, session.language())) {
    paragraph(session.ui, column, sentence, body(session.ui));
    column.gap(4);
  }
}

/// A heading that opens the fields of a group.
void draw_group(Session& session, Column& column, vram::Group group, bool& open) {
  const std::string key(vram::group_key(group));
  if (expander(session.ui, "group." + key, column, session.word("group." + key), open)) {
    open = !open;
    platform::wake();
  }
  if (open) group_controls(session, column, group);
}

void draw_start(Session& session, Column& column) {
  const std::vector<vram::Section>& sections = sections_of(session, Tab::start);
  const Answered& answered = *session.answered;
  const vram::StartUp started = answered.plan.training
                                    ? vram::training_start_up(answered.inputs, answered.plan)
                                    : vram::start_up(answered.inputs, answered.plan, session.current);
  if (!started.lines.empty()) {
    std::string lines;
    for (const std::string& line : started.lines) lines += line + "\n";
    const bool done = session.copied == Copied::start;
    const Style style = soft(session.ui);
    const std::string words = session.word(done ? "page.copied" : "page.copy_command");
    if (link(session.ui, "copy_command", column.x, column.y, words, style)) {
      platform::copy_text(lines);
      session.copied = Copied::start;
      platform::wake();
    }
    column.gap(line_height(style));
  }
  draw_sections(session.ui, column, sections);
}

}  // namespace

void draw_details(Session& session, Column& column) {
  Ui& ui = session.ui;
  const std::vector<Tab> shown = tabs_of(session);
  std::vector<std::string> names;
  int chosen = 0;
  for (const Tab tab : shown) {
    if (tab == session.tab) chosen = static_cast<int>(names.size());
    names.push_back(session.word("page.tab_" + std::string(tab_key(tab))));
  }
  const int picked = tabs(ui, "tab", column, names, chosen);
  if (picked >= 0) {
    session.tab = shown[static_cast<std::size_t>(picked)];
    platform::wake();
  }
  column.gap(16);
  const Tab tab = shown[static_cast<std::size_t>(picked >= 0 ? picked : chosen)];
  switch (tab) {
    case Tab::memory:
      draw_memory(session, column);
      draw_sections(ui, column, sections_of(session, tab));
      break;
    case Tab::limits:
      draw_limits_tab(session, column);
      column.gap(16);
      if (!session.answered->plan.training) draw_group(session, column, vram::Group::growth, session.growth_open);
      draw_sections(ui, column, sections_of(session, tab));
      break;
    case Tab::buying: draw_buying(session, column); break;
    case Tab::beside: draw_beside(session, column); break;
    case Tab::room:
      draw_group(session, column, vram::Group::room, session.room_open);
      column.gap(16);
      draw_rack(session, column);
      draw_sections(ui, column, sections_of(session, tab));
      break;
    case Tab::start: draw_start(session, column); break;
    case Tab::comparison: draw_measured(session, column); break;
    case Tab::letter: draw_letter(session, column); break;
    default: draw_sections(ui, column, sections_of(session, tab)); break;
  }
}

void draw_footer(Session& session, Column& column) {
  Ui& ui = session.ui;
  paragraph(ui, column, session.word("report.caution"), caption(ui));
  column.gap(8);
  paragraph(ui, column, promise(session), caption(ui));
}

}  // namespace ui
