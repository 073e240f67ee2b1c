// The question: a list of fields, drawn by the schema's controls.
#include <algorithm>
#include <array>

#include "web/platform/platform.h"
#include "web/ui/controls.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

/// Groups whose fields the question shows; the others have tabs of their own.
constexpr std::array<vram::Group, 6> kGroups = {vram::Group::model, vram::Group::use, vram::Group::hardware,
                                                vram::Group::engine, vram::Group::training, vram::Group::show};

void draw_field(Session& session, Column& column, std::string_view key) {
  const vram::Field* field = vram::find_field(key);
  if (field != nullptr && field->shown(session.scenario)) field_control(session, column, *field);
}

/// Two fields side by side, the first one with `share` of the width; or below one another.
void draw_pair(Session& session, Column& column, std::string_view first, std::string_view second, float share,
               bool side_by_side) {
  if (!side_by_side) {
    draw_field(session, column, first);
    column.gap(18);
    draw_field(session, column, second);
    return;
  }
  constexpr float kBetween = 16;
  const float width = column.width - kBetween;
  Column left{column.x, column.y, width * share};
  Column right{column.x + width * share + kBetween, column.y, width * (1 - share)};
  draw_field(session, left, first);
  draw_field(session, right, second);
  column.y = std::max(left.y, right.y);
}

void draw_model(Session& session, Column& column) {
  Ui& ui = session.ui;
  draw_field(session, column, "model");
  column.gap(6);
  paragraph(ui, column, model_facts(*session.answered, session.language()), caption(ui));
  column.gap(ui.coarse ? 12 : 4);
  const std::string words = session.word("page.open_file");
  if (link(ui, "open_file", column.x, column.y, words, caption(ui))) platform::pick_files();
  const float used = width_of(ui, words, caption(ui));
  const std::string drop = session.word("page.or_drop");
  column.y += line_height(caption(ui));
  if (ui.coarse || used + 8 + width_of(ui, drop, caption(ui)) > column.width) return;
  put(ui, {column.x + used + 6, column.y - line_height(caption(ui)), column.width - used - 6,
           line_height(caption(ui))}, drop, caption(ui));
}

/// The accelerator and how many of it: names are long, a count is not.
void draw_gpu(Session& session, Column& column) {
  const float stepper = 2 * session.ui.sizes.field + 64, room = column.width - stepper - 16;
  const std::string& name = session.answered->inputs.accelerator.name;
  const bool beside = field_height(session.ui, name, room) <= session.ui.sizes.field;
  draw_pair(session, column, "gpu", "n", room / (column.width - 16), beside);
}

void draw_more_of(Session& session, Column& column, vram::Group group) {
  Ui& ui = session.ui;
  bool first = true;
  for (const vram::Field& field : vram::fields()) {
    const bool here = field.group == group && field.expert && field.kind != vram::FieldKind::config;
    if (!here || !field.shown(session.scenario)) continue;
    if (first) {
      column.gap(20);
      paragraph(ui, column, session.word("group." + std::string(vram::group_key(group))), strong(ui), Role::heading);
    }
    first = false;
    column.gap(16);
    field_control(session, column, field);
    column.gap(4);
    paragraph(ui, column, session.word("hint." + std::string(field.key)), caption(ui));
  }
}

/// What a training job is asked instead of users and context.
void draw_job(Session& session, Column& column) {
  const bool side_by_side = column.width >= 300;
  if (session.scenario.task == "tune") {
    draw_field(session, column, "method");
    column.gap(18);
  }
  draw_pair(session, column, "seq", "micro", 0.5f, side_by_side);
  column.gap(18);
  draw_pair(session, column, "train_tokens", "epochs", 0.5f, side_by_side);
}

}  // namespace

void draw_task(Session& session, Column& column) {
  Ui& ui = session.ui;
  const bool wide = ui.width == Width::tablet;
  paragraph(ui, column, session.word("page.task"), heading(ui), Role::heading);
  column.gap(16);
  draw_field(session, column, "task");
  column.gap(18);
  draw_model(session, column);
  column.gap(18);
  if (vram::trains(session.scenario)) {
    draw_job(session, column);
  } else {
    draw_pair(session, column, "users", "ctx", 0.5f, wide);
    column.gap(18);
    draw_pair(session, column, "weights", "kv", 0.5f, column.width >= 380);
  }
  column.gap(18);
  draw_gpu(session, column);
  column.gap(6);
  const vram::Accelerator& card = session.answered->inputs.accelerator;
  paragraph(ui, column, vram::accelerator_memory(card, session.language()), caption(ui));
  column.gap(12);
  if (expander(ui, "more", column, session.word("page.more"), session.more_open)) {
    session.more_open = !session.more_open;
    platform::wake();
  }
  if (!session.more_open) return;
  for (const vram::Group group : kGroups) draw_more_of(session, column, group);
}

}  // namespace ui
