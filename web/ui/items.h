// What stands on the page in this frame: role, name, value and place of every text and control.
//
// Tests read it (nothing cut off, nothing without words, no name twice), browser tests find what to press in it, and a
// mirror for screen readers can be made of it. Panels do not fill it themselves, widgets do.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/json.h"
#include "web/ui/geometry.h"

namespace ui {

enum class Role : std::uint8_t { text, heading, button, link, radio, tab, textbox, combobox, option, slider, image };
std::string_view role_name(Role role);

enum class Layer : std::uint8_t { page, bar, overlay };  ///< what lies over what

struct Item {
  Role role = Role::text;
  Layer layer = Layer::page;
  std::string id;                ///< of what can be pressed; unique in a frame
  std::string label, value;
  Rect rect;                     ///< in the window
  bool chosen = false;           ///< a radio, tab or option that is on
  bool clipped = false;          ///< its words did not fit into their place
};

using Items = std::vector<Item>;

vram::Json items_json(const Items& items);

}  // namespace ui
