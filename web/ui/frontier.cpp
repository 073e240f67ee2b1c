// The frontier: how long a context may be for so many users. What lies under the line fits; the dot is what was asked.
#include <algorithm>
#include <cmath>

#include "web/ui/panels.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr float kHeight = 220, kBottom = 26, kTop = 22;

/// A value on a logarithmic axis, 0…1.
float place_of(double value, double least, double most) {
  if (value <= least) return 0;
  return static_cast<float>(std::min(1.0, std::log(value / least) / std::log(most / least)));
}

std::string short_tokens(const vram::Language& language, double tokens) {
  return tokens >= 1024 ? language.number(std::floor(tokens / 1024), 0) + "K" : language.number(tokens, 0);
}

}  // namespace

void draw_frontier(Session& session, Column& column, std::span<const FrontierPoint> points) {
  Ui& ui = session.ui;
  if (points.size() < 2) return;
  const vram::Language language = session.language();
  double longest = 2048;
  for (const FrontierPoint& point : points) longest = std::max(longest, static_cast<double>(point.context));
  const double least = 1024, users_most = static_cast<double>(points.back().users);

  const Rect area = column.take(kHeight);
  const float left = std::ceil(width_of(ui, short_tokens(language, longest), caption(ui))) + 10;
  const Rect plot{area.x + left, area.y + kTop, area.width - left - 8, area.height - kTop - kBottom};
  const auto at = [&](double users, double context) {
    return ImVec2(plot.x + plot.width * place_of(users, 1, users_most),
                  plot.bottom() - plot.height * place_of(context, least, longest));
  };

  put(ui, {area.x, area.y, area.width, kTop}, session.word("page.longest_context"), caption(ui));
  for (double context = least; context <= longest * 1.001; context *= 4) {
    const float y = at(1, context).y;
    hairline(ui, plot.x, y, plot.width);
    put(ui, {area.x, y - 9, left - 8, 18}, short_tokens(language, context), caption(ui), Align::right);
  }
  std::vector<ImVec2> line, under;
  for (const FrontierPoint& point : points) {
    if (point.context <= 0) continue;
    line.push_back(at(static_cast<double>(point.users), static_cast<double>(point.context)));
  }
  for (std::size_t i = 1; i < line.size(); ++i) {
    ui.draw->AddQuadFilled(line[i - 1], line[i], ImVec2(line[i].x, plot.bottom()), ImVec2(line[i - 1].x, plot.bottom()),
                           with_alpha(ui.palette.fits, 36));
  }
  if (line.size() > 1) {
    ui.draw->AddPolyline(line.data(), static_cast<int>(line.size()), ui.palette.fits, 0, 2);
  }
  float free_from = area.x;
  for (const FrontierPoint& point : points) {
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
}

}  // namespace ui
