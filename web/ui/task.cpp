// The question: a list of fields, drawn by the schema's controls.
#include <algorithm>
#include <array>

#include "web/platform/platform.h"
#include "web/ui/controls.h"
#include "web/ui/hub.h"
#include "web/ui/overlay.h"
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
  // A label of more lines pushes both controls down, so that they stand side by side.
  const auto label_height = [&](std::string_view key, const Column& part) {
    return height_of(session.ui, session.word("field." + std::string(key)), caption(session.ui), part.width);
  };
  const float first_label = label_height(first, left), second_label = label_height(second, right);
  left.y += std::max(0.0f, second_label - first_label);
  right.y += std::max(0.0f, first_label - second_label);
  draw_field(session, left, first);
  draw_field(session, right, second);
  column.y = std::max(left.y, right.y);
}

void draw_model(Session& session, Column& column) {
  Ui& ui = session.ui;
  draw_field(session, column, "model");
  column.gap(6);
  paragraph(ui, column, model_facts(*session.answered, session.current, session.language()), caption(ui));
  const std::string words = session.word("page.open_file");
  if (ui.coarse) {
    const std::array<LinkWords, 1> one{{{"open_file", words}}};
    if (links(ui, column, one, caption(ui)) == 0) platform::pick_files();
    return draw_hub(session, column);
  }
  column.gap(4);
  if (link(ui, "open_file", column.x, column.y, words, caption(ui))) platform::pick_files();
  const float used = width_of(ui, words, caption(ui));
  const std::string drop = session.word("page.or_drop");
  column.y += line_height(caption(ui));
  if (used + 8 + width_of(ui, drop, caption(ui)) <= column.width) {
    put(ui, {column.x + used + 6, column.y - line_height(caption(ui)), column.width - used - 6,
             line_height(caption(ui))}, drop, caption(ui));
  }
  draw_hub(session, column);
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
    paragraph(ui, column, field_hint(session, field), caption(ui));
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

/// The heading, and examples to start from.
void draw_task_heading(Session& session, Column& column) {
  Ui& ui = session.ui;
  const std::string words = session.word(session.has_recent ? "page.examples_recent" : "page.examples");
  const float width = std::ceil(width_of(ui, words, soft(ui))), line = line_height(soft(ui));
  const Rect row{column.x, column.y, column.width, line_height(heading(ui))};
  paragraph(ui, column, session.word("page.task"), heading(ui), Role::heading);
  const Rect at{row.right() - width, row.middle() - line / 2, width, line};
  if (link(ui, "examples", at.x, at.y, words, soft(ui))) open_presets(session, at);
}

/// Several models share a purchase: one of them is shown, each can be taken out again.
void draw_deployments(Session& session, Column& column) {
  Ui& ui = session.ui;
  const std::size_t count = session.answered->inputs.models.size();
  if (count < 2) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i + 1) + " \xC2\xB7 " + session.answered->inputs.models[i].name);
  }
  const int chosen = static_cast<int>(session.current);
  const int picked = chips(ui, "deployment", column, names, chosen, session.word("field.model"));
  if (picked >= 0 && picked != chosen) session.select_deployment(static_cast<std::size_t>(picked));
  column.gap(14);
}

/// Words that act, side by side or one below the other.
void draw_links(Session& session, Column& column, std::span<const std::string_view> ids) {
  std::vector<LinkWords> list;
  for (const std::string_view id : ids) list.push_back({std::string(id), session.word("page." + std::string(id))});
  const int picked = links(session.ui, column, list, caption(session.ui));
  if (picked < 0) return;
  const std::string& id = list[static_cast<std::size_t>(picked)].id;
  if (id == "undo") session.undo();
  if (id == "redo") session.redo();
  if (id == "reset") session.ask(vram::Scenario{});
  if (id == "add_model") session.add_deployment();
  if (id == "remove_model") session.remove_deployment();
}

void draw_model_links(Session& session, Column& column) {
  if (vram::trains(session.scenario)) return;
  std::vector<std::string_view> ids{"add_model"};
  if (session.scenario.deployments.size() > 1) ids.push_back("remove_model");
  draw_links(session, column, ids);
}

void draw_steps(Session& session, Column& column) {
  std::vector<std::string_view> ids;
  if (!session.done.empty()) ids.push_back("undo");
  if (!session.undone.empty()) ids.push_back("redo");
  if (session.scenario != vram::Scenario{}) ids.push_back("reset");
  if (ids.empty()) return;
  column.gap(8);
  draw_links(session, column, ids);
}

}  // namespace

void draw_task(Session& session, Column& column) {
  Ui& ui = session.ui;
  const bool wide = ui.width == Width::tablet;
  draw_task_heading(session, column);
  column.gap(16);
  draw_field(session, column, "task");
  column.gap(18);
  draw_deployments(session, column);
  draw_model(session, column);
  draw_model_links(session, column);
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
  paragraph(ui, column, card_facts(card, session.language()), caption(ui));
  column.gap(12);
  if (expander(ui, "more", column, session.word("page.more"), session.more_open)) {
    session.more_open = !session.more_open;
    platform::wake();
  }
  if (session.more_open) {
    for (const vram::Group group : kGroups) draw_more_of(session, column, group);
  }
  draw_steps(session, column);
}

}  // namespace ui
