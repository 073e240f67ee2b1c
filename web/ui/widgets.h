// Controls: thin wrappers over Dear ImGui's buttons that draw the page's look and record what they are.
//
// An `id` is unique in the page; it also names the control in tests ("users.slider"). All of them work by mouse, by
// finger and from the keyboard.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "web/ui/paint.h"

namespace ui {

struct Press {
  bool pressed = false, hovered = false, held = false, focused = false;
};
/// A place that can be pressed, without a look of its own; `label` is its name for tests and screen readers.
Press press(Ui& ui, std::string_view id, Rect rect, Role role, std::string_view label, std::string_view value = {},
            bool chosen = false);
void focus_ring(Ui& ui, Rect rect, const Press& state, float radius = kRadius);
/// What the mouse or a finger on a control looks like.
void laid_over(Ui& ui, Rect rect, const Press& state, float radius = kRadius);
/// Text on the control made last: drawn and checked, but recorded as that control's label only.
void caption_of(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align);

enum class ButtonKind : std::uint8_t { primary, secondary, quiet };
float button_width(const Ui& ui, std::string_view label);
bool button(Ui& ui, std::string_view id, Rect rect, std::string_view label, ButtonKind kind = ButtonKind::secondary);
bool icon_button(Ui& ui, std::string_view id, Rect rect, Icon which, std::string_view label);
/// Words that act: a dotted line under them. Takes a line from the column, or stands at a place.
bool link(Ui& ui, std::string_view id, float x, float y, std::string_view text, const Style& style);

/// Places from left to right, in as many rows as they take; `column` is at the top of the row.
struct Flow {
  Column& column;
  float between = 0, step = 0;              ///< px between two, and from row to row
  float x = column.x;                       ///< of the next

  float place(float width);                 ///< left edge of a thing of this width
};
struct LinkWords {
  std::string id, words;
};
/// Links beside each other. Returns the index pressed, or -1.
int links(Ui& ui, Column& column, std::span<const LinkWords> list, const Style& style);

/// A number that explains itself when pressed, right-aligned in `rect`.
bool pressable_amount(Ui& ui, std::string_view id, Rect rect, std::string_view amount, std::string_view label,
                      const Style& style);

/// One of a few, side by side. Returns the index pressed, or -1.
int segmented(Ui& ui, std::string_view id, Rect rect, std::span<const std::string> labels, int chosen,
              std::string_view label);
/// Least width at which no label of a segmented control is cut off.
float segmented_width(const Ui& ui, std::span<const std::string> labels);
/// Rooms under one another: one row that a finger swipes, or as many rows as they take. Returns the index pressed, or -1.
int tabs(Ui& ui, std::string_view id, Column& column, std::span<const std::string> labels, int chosen);

/// One of several with names of any length, in as many rows as they take.
int chips(Ui& ui, std::string_view id, Column& column, std::span<const std::string> labels, int chosen,
          std::string_view label);

/// Height of a field that shows `value` in full: more than one line when it has to be.
float field_height(const Ui& ui, std::string_view value, float width);
/// The box of a field with its text; pressing it is asked for with the result.
Press field_box(Ui& ui, std::string_view id, Rect rect, Role role, std::string_view label, std::string_view value,
                bool open, bool wrong);
/// Drops a chevron at the right end of a field.
void field_chevron(Ui& ui, Rect rect);

/// Position 0…1 on a track, stepping over `stops` places; true while it is being changed.
bool slider(Ui& ui, std::string_view id, Rect rect, std::string_view label, std::string_view value, int stops,
            float& position);

/// "▸ More": a heading that opens. Returns true when pressed.
bool expander(Ui& ui, std::string_view id, Column& column, std::string_view label, bool open);

}  // namespace ui
