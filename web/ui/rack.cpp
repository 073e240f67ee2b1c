// A rack drawn to scale: its units, the nodes in it, and what is kept for switches.
#include <cmath>

#include "core/report/advise.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

constexpr float kUnit = 6, kWidth = 84;  // 19 inches are as wide as 11 units are high

}  // namespace

void draw_rack(Session& session, Column& column) {
  const vram::Inputs& inputs = session.answered->inputs;
  if (!session.answered->room) return;
  const vram::facility::RoomPlan& room = session.answered->room->room;
  const vram::facility::Room given = vram::room_of(inputs.scenario);
  if (room.nodes_in_rack == 0 || !room.units_in_rack) return;
  Ui& ui = session.ui;
  const vram::Language language = session.language();
  const auto units = static_cast<float>(given.rack_units);
  const Rect area = column.take(units * kUnit + 8);
  const Rect rack{area.x, area.y + 4, kWidth, units * kUnit};
  fill(ui, rack, ui.palette.track, 3);
  outline(ui, rack, ui.palette.border_strong, 3);
  const auto reserved = static_cast<float>(given.reserved_units);
  patterned(ui, {rack.x + 4, rack.y, rack.width - 8, reserved * kUnit}, ui.palette.border_strong, Pattern::spread);
  const float height = static_cast<float>(*room.units_in_rack) / static_cast<float>(room.nodes_in_rack) * kUnit;
  for (std::uint32_t i = 0; i < room.nodes_in_rack; ++i) {
    const Rect node{rack.x + 4, rack.bottom() - height * static_cast<float>(i + 1) + 1, rack.width - 8, height - 2};
    fill(ui, node, ui.palette.weights, 2);
  }
  Column words{rack.right() + 20, rack.y + 4, area.right() - rack.right() - 20};
  const auto say = [&](const vram::Message& message) {
    paragraph(ui, words, session.say(message), body(ui));
    words.gap(4);
  };
  say(vram::Message("page.racks").with("count", std::int64_t{room.racks}));
  say(vram::Message("page.rack_nodes").with("count", std::int64_t{room.nodes_in_rack}));
  if (room.load_kw) say(vram::Message("page.rack_load").with("kw", language.number(room.load_kw->middle(), 1)));
  if (room.air_m3_h) say(vram::Message("page.rack_air").with("air", language.number(vram::three_figures(room.air_m3_h->middle()), 0)));
  const vram::Message drawn = vram::Message(given.reserved_units > 0 ? "page.rack_drawn_kept" : "page.rack_drawn")
                                  .with("units", language.number(given.rack_units, 0))
                                  .with("reserved", language.number(given.reserved_units, 0));
  words.gap(4);
  paragraph(ui, words, session.say(drawn), caption(ui));
  column.gap(8);
}

}  // namespace ui
