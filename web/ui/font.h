// Inter (SIL Open Font License), cut down at build time to the signs of Russian, Kazakh and English with tabular digits
// (scripts/font.py). OpenType with CFF outlines; ImGui must be told that it does not own the memory.
#pragma once
#include <cstddef>
#include <span>

namespace ui {

/// ImGui's font size is a line's height, ascent to descent; a browser's is the em. Text that a page would call 16 px is
/// drawn with PushFont(font, 16 * kFontLineHeight). scripts/font.py gives every weight this height, capitals centred.
constexpr float kFontLineHeight = 1.2f;

std::span<const std::byte> font();           ///< Regular: text
std::span<const std::byte> font_semibold();  ///< SemiBold: the verdict, headings

}  // namespace ui
