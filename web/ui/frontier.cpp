// The frontier: how long a context may be for so many users. What lies under the line fits; the dot is what was asked.
// Plans kept for comparison have lines of their own, told apart by the marks on them.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/report/side_by_side.h"
#include "web/ui/panels.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr float kHeight = 232, kBottom = 26, kTop = 34;

/// A value on a logarithmic axis, 0…1.
float place_of(double value, double least, double most) {
  if (value <= least) return 0;
  return static_cast<float>(std::min(1.0, std::log(value / least) / std::log(most / least)));
}

std::string short_tokens(const vram::Language& language, double tokens) {
  return tokens >= 1024 ? language.number(std::floor(tokens / 1024), 0) + "K" : language.number(tokens, 0);
}

using Points = std::vector<vram::FrontierPoint>;

/// Of the plans kept, found when first looked at. Nothing of the current plan, which has the line of its own.
const std::vector<Points>& curves_of(Session& session) {
  if (!session.curves.empty()) return session.curves;
  for (const vram::PlanColumn& one : session.beside.columns) {
    const bool other = !session.is_current(one.of.scenario);
    session.curves.push_back(other ? vram::context_by_users(one.inputs, one.deployment) : Points{});
  }
  return session.curves;
}

constexpr std::size_t kMarks = 4;
Colour mark_colour(const Ui& ui, std::size_t which) {
  const std::array<Colour, kMarks> colours = {ui.palette.weights, ui.palette.kv, ui.palette.optimizer,
                                              ui.palette.activations};
  return colours[which % kMarks];
}

/// A disc, square, triangle or diamond.
void draw_mark(Ui& ui, ImVec2 at, std::size_t which) {
  constexpr std::array<int, kMarks> kCorners = {16, 4, 3, 4};
  constexpr std::array<float, kMarks> kTurns = {0, 0.785398f, -1.570796f, 0};
  std::vector<ImVec2> corners;
  const int count = kCorners[which % kMarks];
  for (int i = 0; i < count; ++i) {
    const float angle = kTurns[which % kMarks] + 6.283185f * static_cast<float>(i) / static_cast<float>(count);
    corners.emplace_back(at.x + 4.5f * std::cos(angle), at.y + 4.5f * std::sin(angle));
  }
  ui.draw->AddConvexPolyFilled(corners.data(), count, mark_colour(ui, which));
}

/// The marks with the plans' names, below the picture.
void draw_marks(Session& session, Column& column, const std::vector<Points>& curves) {
  Ui& ui = session.ui;
  const std::vector<std::string> names = vram::names_of(session.beside, session.language());
  bool begun = false;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].empty()) continue;
    if (!begun) paragraph(ui, column, session.word("beside.curves"), caption(ui));
    begun = true;
    column.gap(4);
    draw_mark(ui, ImVec2(column.x + 8, column.y + line_height(caption(ui)) / 2), i);
    Column words{column.x + 22, column.y, column.width - 22};
    paragraph(ui, words, names[i], caption(ui));
    column.y = words.y;
  }
}

}  // namespace

void draw_frontier(Session& session, Column& column, std::span<const vram::FrontierPoint> points) {
  Ui& ui = session.ui;
  if (points.size() < 2) return;
  const vram::Language language = session.language();
  double longest = 2048;
  const std::vector<Points>& curves = curves_of(session);
  const auto reach = [&](std::span<const vram::FrontierPoint> some) {
    for (const vram::FrontierPoint& point : some) longest = std::max(longest, static_cast<double>(point.context));
  };
  reach(points);
  for (const Points& curve : curves) reach(curve);
  const double least = 1024, users_most = static_cast<double>(points.back().users);

  const Rect area = column.take(kHeight);
  const float left = std::ceil(width_of(ui, short_tokens(language, longest), caption(ui))) + 10;
  const Rect plot{area.x + left, area.y + kTop, area.width - left - 8, area.height - kTop - kBottom};
  const auto at = [&](double users, double context) {
    return ImVec2(plot.x + plot.width * place_of(users, 1, users_most),
                  plot.bottom() - plot.height * place_of(context, least, longest));
  };

  put(ui, {area.x, area.y, area.width, line_height(caption(ui))}, session.word("page.longest_context"), caption(ui));
  for (double context = least; context <= longest * 1.001; context *= 4) {
    const float y = at(1, context).y;
    hairline(ui, plot.x, y, plot.width);
    put(ui, {area.x, y - 9, left - 8, 18}, short_tokens(language, context), caption(ui), Align::right);
  }
  const auto line_of = [&](std::span<const vram::FrontierPoint> some) {
    std::vector<ImVec2> line;
    for (const vram::FrontierPoint& point : some) {
      if (point.context <= 0) continue;
      line.push_back(at(static_cast<double>(point.users), static_cast<double>(point.context)));
    }
    return line;
  };
  const std::vector<ImVec2> line = line_of(points);
  for (std::size_t i = 1; i < line.size(); ++i) {
    ui.draw->AddQuadFilled(line[i - 1], line[i], ImVec2(line[i].x, plot.bottom()), ImVec2(line[i - 1].x, plot.bottom()),
                           with_alpha(ui.palette.fits, 36));
  }
  if (line.size() > 1) {
    ui.draw->AddPolyline(line.data(), static_cast<int>(line.size()), ui.palette.fits, 0, 2);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::vector<ImVec2> other = line_of(curves[i]);
    if (other.size() > 1) {
      ui.draw->AddPolyline(other.data(), static_cast<int>(other.size()), mark_colour(ui, i), 0, 1.5f);
    }
    for (const ImVec2& point : other) draw_mark(ui, point, i);
  }
  float free_from = area.x;
  for (const vram::FrontierPoint& point : points) {
    const ImVec2 where = at(static_cast<double>(point.users), least);
    const std::string words = language.number(point.users);
    const float width = std::ceil(width_of(ui, words, caption(ui)));
    const float x = std::min(where.x - width / 2, area.right() - width);
    if (x < free_from) continue;
    put(ui, {x, plot.bottom() + 6, width + 1, kBottom - 6}, words, caption(ui));
    free_from = x + width + 12;
  }
  const vram::Deployment& asked = session.scenario.deployments[session.current];
  const ImVec2 dot = at(static_cast<double>(asked.users), static_cast<double>(asked.context));
  ui.draw->AddCircleFilled(dot, 6, ui.palette.of(session.answered->plan.verdict), 24);
  ui.draw->AddCircle(dot, 6, ui.palette.sheet, 24, 2);
  column.gap(2);
  put(ui, column.take(line_height(caption(ui))), session.word("field.users"), caption(ui), Align::right);
  draw_marks(session, column, curves);
}

}  // namespace ui
