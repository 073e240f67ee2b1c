// Examples to start from: the questions that the supplier's articles ask, each as a link.
#pragma once
#include <span>
#include <string_view>

namespace ui {

struct Preset {
  std::string_view key;   ///< words: "preset.<key>" and, below them, "preset_hint.<key>"
  std::string_view link;  ///< a scenario; what it leaves out is the default
};
std::span<const Preset> presets();

}  // namespace ui
