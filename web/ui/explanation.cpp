// What a number means: the calculation with its values in place, what each value is, how sure it is, where the rule is
// from.
#include <cmath>

#include "core/plan/formula.h"
#include "web/platform/platform.h"
#include "web/ui/overlay.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr float kSide = 12;                 ///< further in than lists are

void draw_title(Session& session, Column& column, const std::string& title, const std::string& amount) {
  Ui& ui = session.ui;
  const float side = std::max(ui.sizes.target, 32.0f);
  const Rect close{column.x + column.width - side + 4, column.y, side, side};
  if (icon_button(ui, "explanation.close", close, Icon::close, session.word("page.close"))) close_overlay(session);
  Column words{column.x, column.y + 6, column.width - side - 8};
  paragraph(ui, words, title, soft(ui), Role::heading);
  words.gap(2);
  paragraph(ui, words, amount, heading(ui));
  column.y = std::max(words.y, close.bottom()) + 8;
}

/// A meaning at the left, its number at the right.
void draw_pair(Ui& ui, Column& column, const std::string& meaning, const std::string& number, const Style& style) {
  const float width = std::ceil(width_of(ui, number, style)) + 4;
  const float room = column.width - width - 16;
  const float height = height_of(ui, meaning, caption(ui), room) + 8;
  const Rect row = column.take(height);
  put_lines(ui, {row.x, row.y + 4, room, 0}, meaning, caption(ui));
  put_amount(ui, {row.right() - width, row.y + 4, width, line_height(caption(ui))}, number, style);
}

void draw_entry(Session& session, Column& column, const vram::Entry& entry, bool with_name) {
  Ui& ui = session.ui;
  const vram::Language language = session.language();
  if (with_name) {
    column.gap(8);
    hairline(ui, column.x, column.y, column.width);
    column.gap(10);
    const std::string amount = language.memory_range({entry.low, entry.likely, entry.high});
    const std::string name = session.word("term." + std::string(vram::term_key(entry.term)));
    Rect row{column.x, column.y, column.width, line_height(body(ui))};
    put_amount(ui, row.cut_right(std::ceil(width_of(ui, amount, body(ui))) + 4, 8), amount, body(ui));
    put_lines(ui, row, name, body(ui));
    column.y += height_of(ui, name, body(ui), row.width) + 2;
  }
  column.gap(6);
  const Style figures{ui.sizes.body, ui.palette.ink, false};
  const float height = height_of(ui, vram::explain(entry, language), figures, column.width - 24) + 20;
  const Rect box = column.take(height);
  fill(ui, box, ui.palette.page, 6);
  put_lines(ui, box.inset(12, 10), vram::explain(entry, language), figures);
  column.gap(6);
  if (entry.derivation.values.size() > 1) {
    for (const vram::ExplainedValue& value : vram::explain_values(entry, language)) {
      draw_pair(ui, column, value.meaning, value.number, {ui.sizes.caption, ui.palette.ink, false});
    }
  }
  column.gap(6);
  const std::string sure(vram::certainty_key(entry.certainty));
  const vram::Message how_sure = vram::Message("page.how_sure").with("sure", vram::MessageKey{"certainty." + sure});
  paragraph(ui, column, session.say(how_sure) + " " + session.word("certainty_hint." + sure), caption(ui));
  if (const vram::AccuracyFigure* figure = vram::accuracy_of(session.accuracy, session.answered->plan, entry)) {
    column.gap(4);
    paragraph(ui, column, vram::accuracy_sentence(*figure, language), caption(ui));
    const std::string address = accuracy_address(session, *figure);
    const float line = line_height(caption(ui));
    if (!address.empty()) {
      const std::string id = "accuracy." + figure->key + "." + std::string(vram::term_key(entry.term));
      const Rect row = column.take(std::max(ui.sizes.target, line + 8));
      if (link(ui, id, row.x, row.middle() - line / 2, session.word("accuracy.table"), caption(ui))) {
        platform::open_address(address);
      }
    }
  }
  if (const vram::Formula* formula = vram::find_formula(entry.derivation.formula)) {
    column.gap(4);
    paragraph(ui, column, session.say(vram::Message("page.source").with("source", std::string(formula->source))),
              caption(ui));
  }
}

void explain_category(Session& session, Column& column, const Subject& subject) {
  const vram::Plan& plan = session.answered->plan;
  const vram::Band band = vram::total(plan.ledger, subject.device, subject.category);
  draw_title(session, column, category_word(session, subject.category) + ", " + device_name(subject.device, session),
             session.language().memory_range(band));
  int count = 0;
  for (const vram::Entry& entry : plan.ledger) {
    count += entry.on(subject.device) && vram::category_of(entry.term) == subject.category ? 1 : 0;
  }
  for (const vram::Entry& entry : plan.ledger) {
    if (entry.on(subject.device) && vram::category_of(entry.term) == subject.category) {
      draw_entry(session, column, entry, count > 1);
    }
  }
}

void explain_total(Session& session, Column& column, const Subject& subject) {
  Ui& ui = session.ui;
  const vram::Plan& plan = session.answered->plan;
  const vram::Language language = session.language();
  const vram::Band band = plan.of(subject.device);
  const Style figure{ui.sizes.caption, ui.palette.ink, false};
  draw_title(session, column, device_name(subject.device, session), language.memory_range(band));
  for (int i = 0; i < static_cast<int>(vram::Category::count_); ++i) {
    const auto category = static_cast<vram::Category>(i);
    draw_pair(ui, column, category_word(session, category),
              language.memory_range(vram::total(plan.ledger, subject.device, category)), figure);
  }
  column.gap(4);
  hairline(ui, column.x, column.y, column.width);
  column.gap(4);
  draw_pair(ui, column, session.word("page.likely_total"), language.memory(band.likely), figure);
  draw_pair(ui, column, session.word("page.usable"), language.memory(plan.usable()), figure);
  const vram::Bytes missing = band.likely - plan.usable();
  const bool fits = missing == vram::Bytes(0);
  draw_pair(ui, column, session.word(fits ? "page.free" : "page.missing"),
            language.memory(fits ? plan.usable() - band.likely : missing), {ui.sizes.caption, ui.palette.ink, true});
  column.gap(6);
  paragraph(ui, column, session.word("page.band_hint"), caption(ui));
}

void explain_usable(Session& session, Column& column) {
  Ui& ui = session.ui;
  const Answered& answered = *session.answered;
  const vram::Accelerator& accelerator = answered.inputs.accelerator;
  const vram::Language language = session.language();
  draw_title(session, column, accelerator.name, language.memory(answered.plan.usable()));
  paragraph(ui, column, vram::accelerator_memory(accelerator, language), body(ui));
  column.gap(8);
  paragraph(ui, column, session.word("page.usable_hint"), caption(ui));
  for (const std::string& source : accelerator.sources) {
    column.gap(4);
    paragraph(ui, column, session.say(vram::Message("page.source").with("source", source)), caption(ui));
  }
}

}  // namespace

void draw_explanation(Session& session, Column& column) {
  const Subject subject = session.overlay.subject;
  Column inner{column.x + kSide, column.y + 4, column.width - 2 * kSide};
  switch (subject.kind) {
    case Subject::Kind::category: explain_category(session, inner, subject); break;
    case Subject::Kind::total: explain_total(session, inner, subject); break;
    case Subject::Kind::usable: explain_usable(session, inner); break;
    case Subject::Kind::entry: {
      const vram::Ledger& ledger = session.answered->plan.ledger;
      if (subject.entry >= ledger.size()) break;
      const vram::Entry& entry = ledger[subject.entry];
      draw_title(session, inner,
                 session.word("term." + std::string(vram::term_key(entry.term))) + ", " +
                     device_name(entry.device, session),
                 session.language().memory_range({entry.low, entry.likely, entry.high}));
      draw_entry(session, inner, entry, false);
      break;
    }
  }
  column.y = inner.y + 8;
}

}  // namespace ui
