#include "web/ui/theme.h"

#include "web/ui/geometry.h"

namespace ui {
namespace {

// The hues of the categories are those of Okabe and Ito (blue, amber, teal, purple, grey), told apart by every kind of colour
// vision; patterns tell them apart without colour (paint.cpp).
constexpr Palette kLight = {
    .page = rgb(0xF6F7F8), .sheet = rgb(0xFFFFFF), .field = rgb(0xFFFFFF),
    .ink = rgb(0x14181D), .soft = rgb(0x566170), .faint = rgb(0x98A2AE),
    .hairline = rgb(0xE4E7EB), .border = rgb(0xC9CFD6), .border_strong = rgb(0x7C8794),
    .accent = rgb(0x17324D), .on_accent = rgb(0xFFFFFF),
    .hover = rgb(0x14283C, 12), .pressed = rgb(0x14283C, 26),
    .track = rgb(0xE9ECEF), .shade = rgb(0x0B1016, 110),
    .fits = rgb(0x17713F), .tight = rgb(0x8F5B00), .offload = rgb(0x5B4BB5), .no = rgb(0xB42318),
    .weights = rgb(0x2C6AB0), .kv = rgb(0xE5A12B), .activations = rgb(0x2FA39A),
    .optimizer = rgb(0xB0588A), .runtime = rgb(0x99A1AC)};

constexpr Palette kDark = {
    .page = rgb(0x0F1317), .sheet = rgb(0x161B21), .field = rgb(0x1B2128),
    .ink = rgb(0xE9EDF1), .soft = rgb(0xA4AFBB), .faint = rgb(0x66717D),
    .hairline = rgb(0x272E36), .border = rgb(0x3A434D), .border_strong = rgb(0x8592A0),
    .accent = rgb(0xDCE6F0), .on_accent = rgb(0x10161C),
    .hover = rgb(0xDCE6F0, 14), .pressed = rgb(0xDCE6F0, 30),
    .track = rgb(0x343D47), .shade = rgb(0x000000, 150),
    .fits = rgb(0x5CC58B), .tight = rgb(0xE3B455), .offload = rgb(0xB3A6F5), .no = rgb(0xFF8A80),
    .weights = rgb(0x5B9BE0), .kv = rgb(0xE5AE4A), .activations = rgb(0x56C2B8),
    .optimizer = rgb(0xD78CB8), .runtime = rgb(0x7B8591)};

ImVec4 as_float(Colour colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

}  // namespace

Colour Palette::of(vram::Category category) const {
  switch (category) {
    case vram::Category::weights: return weights;
    case vram::Category::kv: return kv;
    case vram::Category::activations: return activations;
    case vram::Category::optimizer: return optimizer;
    default: return runtime;
  }
}

Colour Palette::of(vram::Verdict verdict) const {
  switch (verdict) {
    case vram::Verdict::fits: return fits;
    case vram::Verdict::tight: return tight;
    case vram::Verdict::fits_with_offload: return offload;
    default: return no;
  }
}

Palette palette(bool dark, bool more_contrast) {
  Palette chosen = dark ? kDark : kLight;
  if (more_contrast) {
    chosen.soft = chosen.ink;
    chosen.border = chosen.border_strong;
    chosen.hairline = chosen.faint;
  }
  return chosen;
}

Width width_class(float window_width) {
  return window_width < 600 ? Width::phone : window_width < 900 ? Width::tablet : Width::desktop;
}

Sizes sizes(Width width, bool coarse_pointer) {
  Sizes chosen{.margin = 32, .field = 40, .target = 28, .row = 36,
               .caption = 16, .body = 19, .heading = 22, .title = 27, .verdict = 37};
  if (width == Width::tablet) chosen.margin = 24;
  if (width == Width::phone) {
    chosen = {.margin = 16, .field = 44, .target = 32, .row = 40,
              .caption = 17, .body = 20, .heading = 23, .title = 26, .verdict = 31};
  }
  if (coarse_pointer) {
    chosen.field = 48;
    chosen.target = 44;
    chosen.row = 44;
  }
  return chosen;
}

void apply_style(const Palette& palette) {
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowPadding = style.FramePadding = style.ItemSpacing = style.ItemInnerSpacing = ImVec2(0, 0);
  style.WindowBorderSize = style.ChildBorderSize = style.PopupBorderSize = 0;
  style.WindowRounding = style.ChildRounding = style.PopupRounding = 0;  // surfaces are drawn by hand
  style.WindowMinSize = ImVec2(1, 1);
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.Colors[ImGuiCol_WindowBg] = as_float(palette.page);
  style.Colors[ImGuiCol_PopupBg] = as_float(palette.sheet);
  style.Colors[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  style.Colors[ImGuiCol_ScrollbarGrab] = as_float(palette.border);
  style.Colors[ImGuiCol_ScrollbarGrabHovered] = style.Colors[ImGuiCol_ScrollbarGrabActive] =
      as_float(palette.border_strong);
  style.Colors[ImGuiCol_ModalWindowDimBg] = as_float(palette.shade);
  style.Colors[ImGuiCol_NavWindowingDimBg] = style.Colors[ImGuiCol_NavWindowingHighlight] = ImVec4(0, 0, 0, 0);
  style.Colors[ImGuiCol_NavCursor] = ImVec4(0, 0, 0, 0);  // widgets draw their own ring
}

}  // namespace ui
