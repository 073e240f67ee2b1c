#include "web/ui/items.h"

#include <array>
#include <cmath>

namespace ui {

std::string_view role_name(Role role) {
  constexpr std::array<std::string_view, 11> names = {"text",    "heading",  "button", "link",   "radio", "tab",
                                                      "textbox", "combobox", "option", "slider", "image"};
  return names[static_cast<std::size_t>(role)];
}

vram::Json items_json(const Items& items) {
  constexpr std::array<std::string_view, 3> layers = {"page", "bar", "overlay"};
  vram::Json list = vram::Json::array();
  const auto rounded = [](float value) { return std::round(static_cast<double>(value) * 10) / 10; };
  for (const Item& item : items) {
    vram::Json one = {{"role", std::string(role_name(item.role))}, {"label", item.label}};
    if (!item.id.empty()) one["id"] = item.id;
    if (!item.value.empty()) one["value"] = item.value;
    if (item.chosen) one["chosen"] = true;
    if (item.clipped) one["clipped"] = true;
    if (item.layer != Layer::page) one["layer"] = std::string(layers[static_cast<std::size_t>(item.layer)]);
    one["rect"] = {rounded(item.rect.x), rounded(item.rect.y), rounded(item.rect.width), rounded(item.rect.height)};
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace ui
