// Colours by what they mean, sizes by the width of the window and the kind of pointer, and the scale of type.
#pragma once
#include <cstdint>

#include "core/plan/plan.h"
#include "imgui.h"

namespace ui {

using Colour = ImU32;

constexpr Colour rgb(std::uint32_t value, std::uint32_t alpha = 255) {
  return (value >> 16 & 255U) | (value & 0xff00U) | (value & 255U) << 16 | alpha << 24;
}
/// The other way round, for the platform: 0xRRGGBB.
constexpr std::uint32_t to_rgb(Colour colour) {
  return (colour & 255U) << 16 | (colour & 0xff00U) | (colour >> 16 & 255U);
}
constexpr Colour with_alpha(Colour colour, std::uint32_t alpha) { return (colour & 0x00ffffffU) | alpha << 24; }

struct Palette {
  Colour page, sheet, field;               ///< surfaces
  Colour ink, soft, faint;                 ///< text: body, secondary (≥ 4.5 : 1), marks that carry no text
  Colour hairline, border, border_strong;
  Colour accent, on_accent;                ///< the one accent: primary button, chosen, focus
  Colour hover, pressed;                   ///< laid over a surface
  Colour track;                            ///< of a bar or slider; also "free"
  Colour shade;                            ///< over the page behind a sheet
  Colour fits, tight, offload, no;
  Colour weights, kv, activations, optimizer, runtime;

  Colour of(vram::Category category) const;
  Colour of(vram::Verdict verdict) const;
};
Palette palette(bool dark, bool more_contrast);

enum class Width : std::uint8_t { phone, tablet, desktop };  ///< < 600, < 900, wider
Width width_class(float window_width);



struct Sizes {
  float margin;                            ///< at the sides of the page
  float field;                             ///< height of fields and buttons
  float target;                            ///< least height of what can be pressed
  float row;                               ///< of a list or table
  float caption, body, heading, title, verdict;  ///< type, in Dear ImGui's measure
};
Sizes sizes(Width width, bool coarse_pointer);

constexpr float kRadius = 8;
constexpr float kPageWidth = 1240, kWidestPage = 1840;  ///< of two columns, of three

/// What is left of Dear ImGui's own look: scroll bars and margins of windows.
void apply_style(const Palette& palette);

}  // namespace ui
