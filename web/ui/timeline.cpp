// The phases of a training step, one bar each: the peak is the largest of them, not their sum.
#include <array>
#include <cmath>

#include "web/ui/panels.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr float kBar = 16;

/// What a phase holds by category, then what stands outside the allocator.
struct Filled {
  std::array<vram::Bytes, static_cast<std::size_t>(vram::Category::count_)> parts{};
  vram::Bytes total;
};

Filled filled(const vram::TrainingPlan& job, vram::TrainingPhase phase) {
  Filled sum;
  const auto add = [&](const vram::TrainingEntry& entry) {
    sum.parts[static_cast<std::size_t>(vram::category_of(entry.term))] += entry.likely;
    sum.total += entry.likely;
  };
  for (const vram::TrainingEntry& entry : job.entries) {
    if (entry.phase == phase) add(entry);
  }
  for (const vram::TrainingEntry& entry : job.outside) {
    if (entry.term == vram::Term::runtime) add(entry);
  }
  // The fullest is what the run needs: with the holes in its memory that nothing fits into.
  if (phase == job.fullest && job.needed > sum.total) {
    sum.parts[static_cast<std::size_t>(vram::category_of(vram::Term::fragments))] += job.needed - sum.total;
    sum.total = job.needed;
  }
  return sum;
}

void draw_phase(Session& session, Column& column, vram::TrainingPhase phase, const Filled& sum, float scale) {
  Ui& ui = session.ui;
  const bool fullest = session.answered->plan.training->fullest == phase;
  const std::string amount = session.language().memory(sum.total);
  const Style style = fullest ? strong(ui) : body(ui);
  Rect row{column.x, column.y, column.width, line_height(style)};
  const Rect figure = row.cut_right(std::ceil(width_of(ui, amount, style)) + 4, 12);
  const std::string name = session.word("training_phase." + std::string(vram::key_of(phase)));
  put_lines(ui, row, name, style);
  put_amount(ui, figure, amount, style);
  column.y += std::max(line_height(style), height_of(ui, name, style, row.width)) + 4;
  const Rect bar = column.take(kBar);
  const float usable = static_cast<float>(vram::gibibytes(session.answered->plan.usable())) * scale;
  fill(ui, {bar.x, bar.y, usable, kBar}, ui.palette.track);
  float x = bar.x;
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    const float width = static_cast<float>(vram::gibibytes(sum.parts[i])) * scale;
    const auto category = static_cast<vram::Category>(i);
    if (width > 0) patterned(ui, {x, bar.y, std::max(1.0f, width), kBar}, ui.palette.of(category), pattern_of(category));
    x += width;
  }
  fill(ui, {bar.x + usable - 1, bar.y - 3, 2, kBar + 6}, ui.palette.ink);
  column.gap(12);
}

}  // namespace

void draw_timeline(Session& session, Column& column) {
  const vram::Plan& plan = session.answered->plan;
  if (!plan.training) return;
  Ui& ui = session.ui;
  paragraph(ui, column, session.word("page.phases"), strong(ui), Role::heading);
  column.gap(4);
  paragraph(ui, column, session.word("page.phases_hint"), caption(ui));
  column.gap(10);
  auto longest = static_cast<double>(reach_of(plan));  // the scale of the bars above
  std::array<Filled, static_cast<std::size_t>(vram::TrainingPhase::count_)> all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = filled(*plan.training, static_cast<vram::TrainingPhase>(i));
    longest = std::max(longest, vram::gibibytes(all[i].total));
  }
  const float scale = column.width / static_cast<float>(longest);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto phase = static_cast<vram::TrainingPhase>(i);
    if (all[i].total > vram::Bytes(0)) draw_phase(session, column, phase, all[i], scale);
  }
  column.gap(8);
}

}  // namespace ui
