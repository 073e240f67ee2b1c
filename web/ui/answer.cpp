// The answer: verdict, bars, what fills the fullest device, limits.
#include <array>
#include <cmath>

#include "core/report/advise.h"
#include "web/platform/platform.h"
#include "web/ui/overlay.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

Icon icon_of(vram::Verdict verdict) {
  switch (verdict) {
    case vram::Verdict::fits: return Icon::tick;
    case vram::Verdict::tight: return Icon::warning;
    case vram::Verdict::fits_with_offload: return Icon::host;
    default: return Icon::cross;
  }
}

/// The verdict with the card's name on one line, where it is not too long for that.
std::string verdict_words(const Session& session, const Style& style, float width) {
  const Answered& answered = *session.answered;
  const std::string& name = answered.inputs.accelerator.name;
  const std::string whole = unbroken(name);
  std::string words = answered.words.verdict;
  const std::size_t at = words.find(name);
  const std::string counted = std::to_string(answered.inputs.scenario.devices) + " \xC3\x97 " + whole;
  if (at == std::string::npos || width_of(session.ui, counted, style) > width) return words;
  return words.replace(at, name.size(), whole);
}

void draw_verdict(Session& session, Column& column) {
  Ui& ui = session.ui;
  const Answered& answered = *session.answered;
  const vram::Verdict verdict = answered.plan.verdict;
  const Style style{ui.sizes.verdict, ui.palette.of(verdict), true};
  const float mark = ui.sizes.verdict * 0.86f, indent = mark + 14;
  icon(ui, icon_of(verdict), column.x + mark / 2, column.y + line_height(style) / 2, mark, ui.palette.of(verdict));
  const std::string said = verdict_words(session, style, column.width - indent);
  Column words{column.x + indent, column.y, balanced(ui, said, style, column.width - indent)};
  paragraph(ui, words, said, style, Role::heading);
  column.y = words.y + 8;
  Column summary{column.x, column.y, balanced(ui, answered.words.summary, soft(ui), column.width)};
  paragraph(ui, summary, answered.words.summary, soft(ui));
  column.y = summary.y;
}

void draw_legend_row(Session& session, Column& column, vram::Category category) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const vram::Band band = vram::total(plan.ledger, plan.fullest, category);
  if (band.high == vram::Bytes(0)) return;
  const std::string name = category_word(session, category);
  const std::string amount = session.language().memory_range(band);
  const float figure = std::ceil(width_of(ui, amount, body(ui))) + 8;
  const float lines = height_of(ui, name, body(ui), column.width - figure - 12 - 16 - 12);
  Rect row = column.take(std::max(ui.sizes.row, lines + 10));
  hairline(ui, row.x, row.bottom() - 1, row.width);
  const Rect number = row.cut_right(figure, 12);
  const Rect swatch = row.cut_left(16, 12);
  patterned(ui, {swatch.x, swatch.middle() - 8, 16, 16}, ui.palette.of(category), pattern_of(category));
  put_lines(ui, {row.x, row.middle() - lines / 2, row.width, 0}, name, body(ui));
  if (pressable_amount(ui, "legend." + std::string(vram::category_key(category)), number, amount, name, body(ui))) {
    open_explanation(session, {.kind = Subject::Kind::category, .device = plan.fullest, .category = category}, number);
  }
}

/// What is left, or what is missing, of the fullest device.
void draw_rest(Session& session, Column& column) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const vram::Band used = plan.of(plan.fullest);
  const bool fits = plan.shortage() == vram::Bytes(0);
  const vram::Bytes usable = plan.usable();
  const std::string amount = fits ? session.language().memory_range({usable - used.high, plan.headroom(), usable - used.low})
                                  : session.language().memory(plan.shortage());
  Rect row = column.take(ui.sizes.row);
  const Rect number = row.cut_right(std::ceil(width_of(ui, amount, strong(ui))) + 8, 12);
  const Rect swatch = row.cut_left(16, 12);
  const Rect mark{swatch.x, swatch.middle() - 8, 16, 16};
  if (fits) {
    fill(ui, mark, ui.palette.track);
    outline(ui, mark, ui.palette.border, 0);
  } else {
    fill(ui, {mark.x, mark.middle() - 1, mark.width, 2}, ui.palette.no);
  }
  const std::string words = session.word(fits ? "page.free" : "page.missing");
  put(ui, row, words, strong(ui));
  if (pressable_amount(ui, "legend.free", number, amount, words, strong(ui))) {
    open_explanation(session, {.kind = Subject::Kind::total, .device = plan.fullest}, number);
  }
}

/// What a hatched piece of the bar is.
void draw_hatched(Session& session, Column& column, Pattern pattern, std::string_view key, vram::Bytes bytes) {
  Ui& ui = session.ui;
  const std::string words = session.word(key), amount = session.language().memory(bytes);
  const float figure = std::ceil(width_of(ui, amount, caption(ui))) + 8;
  const float lines = height_of(ui, words, caption(ui), column.width - figure - 12 - 16 - 12);
  Rect row = column.take(std::max(line_height(caption(ui)), lines) + 6);
  const Rect number = row.cut_right(figure, 12);
  const Rect swatch = row.cut_left(16, 12);
  patterned(ui, {swatch.x, swatch.middle() - 6, 16, 12}, ui.palette.border_strong, pattern);
  put_lines(ui, {row.x, row.middle() - lines / 2, row.width, 0}, words, caption(ui));
  put_amount(ui, number, amount, caption(ui));
}

void draw_legend(Session& session, Column& column) {
  const vram::Plan& plan = session.answered->plan;
  for (int i = 0; i < static_cast<int>(vram::Category::count_); ++i) {
    draw_legend_row(session, column, static_cast<vram::Category>(i));
  }
  draw_rest(session, column);
  const vram::Band used = plan.of(plan.fullest);
  const vram::Bytes spread = used.high - used.likely, reserve = vram::reserved(plan.ledger, plan.fullest);
  const double noticed = static_cast<double>(plan.usable().value()) / 500;
  const auto seen = [&](vram::Bytes bytes) { return static_cast<double>(bytes.value()) > noticed; };
  if (seen(reserve)) draw_hatched(session, column, Pattern::kept_free, "term.reserve", reserve);
  if (seen(spread)) draw_hatched(session, column, Pattern::spread, "page.may_be_more", spread);
}

void draw_limits(Session& session, Column& column) {
  Ui& ui = session.ui;
  const Answered& answered = *session.answered;
  std::vector<std::string> sentences = vram::limit_sentences(answered.inputs, answered.limits, session.language());
  for (std::string& sentence :
       vram::pace_sentences(answered.plan, answered.speed, answered.time, session.language())) {
    sentences.push_back(std::move(sentence));
  }
  for (const std::string& sentence : sentences) {
    Column words{column.x + 16, column.y, column.width - 16};
    ui.draw->AddCircleFilled(ImVec2(column.x + 4, column.y + line_height(body(ui)) / 2), 2.5f, ui.palette.faint);
    paragraph(ui, words, sentence, body(ui));
    column.y = words.y + 4;
  }
}

/// What has to be kept in mind with this answer.
void draw_notes(Session& session, Column& column) {
  Ui& ui = session.ui;
  std::vector<vram::Message> notes = session.answered->to_buy;
  notes.insert(notes.end(), session.answered->plan.notes.begin(), session.answered->plan.notes.end());
  for (const vram::Message& note : notes) {
    column.gap(8);
    Column words{column.x + 28, column.y, column.width - 28};
    icon(ui, Icon::warning, column.x + 9, column.y + line_height(body(ui)) / 2, 18, ui.palette.tight);
    paragraph(ui, words, session.say(note), soft(ui));
    column.y = words.y;
  }
}

}  // namespace

void draw_answer(Session& session, Column& column) {
  const float top = column.y;
  draw_verdict(session, column);
  session.answer_in_view = column.y > 0 && top < ImGui::GetWindowPos().y + ImGui::GetWindowSize().y - 60;
  column.gap(24);
  draw_bars(session, column);
  column.gap(8);
  draw_legend(session, column);
  column.gap(20);
  draw_timeline(session, column);
  draw_limits(session, column);
  draw_notes(session, column);
  draw_fixes(session, column);
}

namespace {

constexpr float kStripMark = 28, kStripBar = 14;

Style strip_style(const Session& session) {
  return {session.ui.sizes.body, session.ui.palette.of(session.answered->plan.verdict), true};
}

/// "54.5–57.5 GiB of 79.2 GiB in use"
std::string strip_figures(const Session& session) {
  const vram::Plan& plan = session.answered->plan;
  const bool fits = plan.shortage() == vram::Bytes(0);
  return session.say(vram::Message(fits ? "page.strip_figures" : "page.strip_short")
                         .with("used", session.language().memory_range(plan.of(plan.fullest)))
                         .with("usable", plan.usable()));
}

/// The bar stands beside the words where there is room: a phone held sideways is low.
bool bar_beside(float width) { return width >= 600; }

float strip_words_width(const Session& session, float width) {
  const float inner = width - 2 * session.ui.sizes.margin;
  return (bar_beside(width) ? inner * 0.55f : inner) - kStripMark - 24;
}

}  // namespace

float strip_height(const Session& session) {
  const Ui& ui = session.ui;
  const float width = strip_words_width(session, ImGui::GetIO().DisplaySize.x);
  const float words = height_of(ui, verdict_words(session, strip_style(session), width), strip_style(session), width) +
                      height_of(ui, strip_figures(session), caption(ui), width);
  return words + (bar_beside(ImGui::GetIO().DisplaySize.x) ? 20 : kStripBar + 42);
}

void draw_strip(Session& session, Rect area) {
  Ui& ui = session.ui;
  const Answered& answered = *session.answered;
  fill(ui, area, ui.palette.sheet);
  hairline(ui, area.x, area.y, area.width);
  const Press state = press(ui, "strip", area, Role::button, answered.words.verdict, session.word("page.show_answer"));
  if (state.pressed) {
    session.to_answer = true;
    platform::wake();
  }
  const bool beside = bar_beside(area.width);
  const Rect inner = area.inset(ui.sizes.margin, beside ? 10 : 12);
  const Style style = strip_style(session);
  const float line = line_height(style);
  icon(ui, icon_of(answered.plan.verdict), inner.x + 9, inner.y + line / 2, 18, style.colour);
  const float wide = strip_words_width(session, area.width);
  const std::string said = verdict_words(session, style, wide);
  Column words{inner.x + kStripMark, inner.y, balanced(ui, said, style, wide)};
  paragraph(ui, words, said, style);
  icon(ui, Icon::chevron, inner.right() - 8, inner.y + line / 2, 16, ui.palette.soft);
  words.width = wide;
  paragraph(ui, words, strip_figures(session), caption(ui));
  Rect bar{inner.x, inner.bottom() - kStripBar - 2, inner.width, kStripBar};
  if (beside) {
    const float left = words.x + words.width + 16;
    bar = {left, inner.middle() - kStripBar / 2, inner.right() - 32 - left, kStripBar};
  }
  draw_bar(session, bar, answered.plan.fullest);
}

}  // namespace ui
