// Text: measuring, breaking into lines, drawing and recording it.
#include <algorithm>
#include <cmath>

#include "web/ui/paint.h"

namespace ui {
namespace {

ImFont* font_of(const Ui& ui, const Style& style) { return style.strong ? ui.semibold : ui.regular; }

/// First byte after the sign that begins at `i`.
std::size_t after_sign(std::string_view text, std::size_t i) {
  ++i;
  while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
  return i;
}

bool may_break_after(char c) { return std::string_view("-/_.:&=").find(c) != std::string_view::npos; }

/// How much of a word that is too long goes on a line: up to a hyphen or slash, else as many signs as fit.
std::size_t fitting_part(const Ui& ui, std::string_view word, const Style& style, float width) {
  std::size_t fits = 0, nice = 0;
  for (std::size_t i = 0; i < word.size();) {
    const std::size_t next = after_sign(word, i);
    if (width_of(ui, word.substr(0, next), style) > width && fits > 0) break;
    fits = next;
    if (may_break_after(word[i])) nice = next;
    i = next;
  }
  return nice > 0 && fits < word.size() ? nice : fits;
}

/// A dash between words stays at the end of a line: " —" after a word belongs to it.
std::size_t hanging(std::string_view after_word) {
  for (const std::string_view mark : {" —", " –"}) {
    const std::size_t end = mark.size();
    if (after_word.starts_with(mark) && (after_word.size() == end || after_word[end] == ' ')) return end;
  }
  return 0;
}

/// Stands between two things on a line: never at its end, never at the beginning of the next.
constexpr std::string_view kDot = "\xC2\xB7";

std::size_t end_of_word(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != ' ' && text[from] != '\n') ++from;
  return from;
}

bool is_letter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xD0 && c <= 0xD3); }
bool is_within_character(unsigned char c) { return (c & 0xC0) == 0x80; }

/// "32,768", "4–8": digits with marks and spaces in them, no sentence's end behind them.
bool is_number(std::string_view word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_part = [&](char c) { return is_digit(c) || c == '.' || c == ',' || static_cast<unsigned char>(c) >= 0x80; };
  return !word.empty() && is_digit(word.front()) && is_digit(word.back()) && std::all_of(word.begin(), word.end(), is_part);
}

/// A preposition or an article: one or two letters and nothing else.
bool is_short(std::string_view word) {
  int letters = 0;
  for (const char c : word) {
    if (is_within_character(static_cast<unsigned char>(c))) continue;
    if (!is_letter(static_cast<unsigned char>(c)) || ++letters > 2) return false;
  }
  return letters > 0;
}

/// What a number counts: a word, or a unit ("GPU", "GiB"); in "RTX PRO 6000 Blackwell" the number belongs to what is before.
bool is_counted(std::string_view next) {
  const bool is_name = next.front() >= 'A' && next.front() <= 'Z', is_number = next.front() >= '0' && next.front() <= '9';
  return !is_number && (!is_name || next.size() <= 4);
}

/// No line ends between these: a number and what it counts, a sign and its factors, a short word and what it belongs to.
bool is_bound(std::string_view word, std::string_view next) {
  constexpr std::string_view kTimes = "\xC3\x97", kAbout = "\xE2\x89\x88";
  if (next.empty() || next == kDot) return false;
  if (word.starts_with("--")) return !next.starts_with('-');  // a flag and its value
  if (word == "GPU") return is_number(next);
  return word == kTimes || word == kAbout || next == kTimes || is_short(word) ||
         (is_number(word) && is_counted(next));
}

void draw_text(Ui& ui, float x, float y, std::string_view text, const Style& style) {
  if (text.empty()) return;
  ImGui::PushFont(font_of(ui, style), style.size);  // also tells the font the density of the screen
  ui.draw->AddText(ImVec2(snap(x), snap(y)), style.colour, text.data(), text.data() + text.size());
  ImGui::PopFont();
}

void record(Ui& ui, Role role, std::string_view text, Rect rect, bool clipped) {
  Item item;
  item.role = role;
  item.layer = ui.layer;
  item.label = text;
  item.rect = rect;
  item.clipped = clipped;
  ui.items.push_back(std::move(item));
}

float aligned(const Rect& rect, float width, Align align) {
  if (align == Align::left) return rect.x;
  return align == Align::right ? rect.right() - width : rect.centre() - width / 2;
}

/// The longest beginning of `text` that fits with "…" behind it.
std::string shortened(const Ui& ui, std::string_view text, const Style& style, float width) {
  const float room = width - width_of(ui, "…", style);
  std::size_t fits = 0;
  while (fits < text.size()) {
    const std::size_t next = after_sign(text, fits);
    if (width_of(ui, text.substr(0, next), style) > room) break;
    fits = next;
  }
  return std::string(text.substr(0, fits)) + "…";
}

}  // namespace

float width_of(const Ui& ui, std::string_view text, const Style& style) {
  ImFont* font = font_of(ui, style);
  return font->CalcTextSizeA(style.size, 1e9f, 0, text.data(), text.data() + text.size()).x;
}

float line_height(const Style& style) {
  const bool large = style.size >= 26;
  return std::round(style.size * (large ? 1.06f : 1.22f));
}

std::vector<std::string_view> wrap(const Ui& ui, std::string_view text, const Style& style, float width) {
  std::vector<std::string_view> lines;
  const float space = width_of(ui, " ", style);
  std::size_t line_start = 0, line_end = 0, i = 0;
  float used = 0;
  const auto end_line = [&](std::size_t next_start) {
    std::string_view line = text.substr(line_start, line_end - line_start);
    const bool goes_on = next_start < text.size();
    if (goes_on && line.ends_with(" \xC2\xB7")) line.remove_suffix(3);
    lines.push_back(line);
    line_start = line_end = next_start;
    used = 0;
  };
  while (i < text.size()) {
    if (text[i] == '\n') {
      end_line(++i);
      continue;
    }
    std::size_t word_end = end_of_word(text, i);
    for (std::size_t last = i; word_end < text.size() && text[word_end] == ' ';) {
      const std::size_t next = word_end + 1, next_end = end_of_word(text, next);
      const bool stays = is_bound(text.substr(last, word_end - last), text.substr(next, next_end - next));
      if (!stays || width_of(ui, text.substr(i, next_end - i), style) > width + 0.5f) break;
      last = next;
      word_end = next_end;
    }
    word_end += hanging(text.substr(word_end));
    std::string_view word = text.substr(i, word_end - i);
    float word_width = width_of(ui, word, style);
    if (line_end > line_start && used + space + word_width > width + 0.5f) {
      const bool dot = word == kDot && word_end < text.size();
      if (dot) i = word_end + 1;
      end_line(i);
      if (dot) continue;
    }
    while (word_width > width + 0.5f && line_end == line_start) {
      const std::size_t part = fitting_part(ui, word, style, width);
      if (part >= word.size()) break;
      line_end = i += part;
      end_line(i);
      word.remove_prefix(part);
      word_width = width_of(ui, word, style);
    }
    used += (line_end > line_start ? space : 0) + word_width;
    line_end = word_end;
    i = word_end;
    if (i < text.size() && text[i] == ' ') ++i;
  }
  if (line_end > line_start || lines.empty()) end_line(text.size());
  return lines;
}

float height_of(const Ui& ui, std::string_view text, const Style& style, float width) {
  return static_cast<float>(wrap(ui, text, style, width).size()) * line_height(style);
}

float widest_word(const Ui& ui, std::string_view text, const Style& style) {
  float widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_word(text, at);
    const std::string_view word = text.substr(at, end - at);
    if (word != kDot) widest = std::max(widest, std::ceil(width_of(ui, word, style)));
    at = end + 1;
  }
  return widest;
}

float balanced(const Ui& ui, std::string_view text, const Style& style, float width) {
  const std::size_t lines = wrap(ui, text, style, width).size();
  if (lines < 2) return width;
  const float word = widest_word(ui, text, style);  // not so narrow that it has to be broken
  float narrow = std::min(width, std::max(width / 2, word)), wide = width;
  while (wide - narrow > 4) {
    const float middle = (narrow + wide) / 2;
    (wrap(ui, text, style, middle).size() > lines ? narrow : wide) = middle;
  }
  return wide;
}

void put(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align, Role role) {
  const float width = width_of(ui, text, style);
  const bool clipped = width > rect.width + 1;
  const std::string shown = clipped ? shortened(ui, text, style, rect.width) : std::string(text);
  const float shown_width = clipped ? rect.width : width;
  const Rect place{aligned(rect, shown_width, align), rect.middle() - style.size / 2, shown_width, style.size};
  draw_text(ui, place.x, place.y, shown, style);
  record(ui, role, text, place, clipped);
}

void put_amount(Ui& ui, Rect rect, std::string_view amount, const Style& style) {
  // The unit follows the last space that does not break.
  std::size_t cut = amount.rfind("\xC2\xA0");
  std::size_t skip = 2;
  if (cut == std::string_view::npos) {
    cut = amount.rfind(' ');
    skip = 1;
  }
  if (cut == std::string_view::npos) return put(ui, rect, amount, style, Align::right);
  const std::string_view unit = amount.substr(cut + skip);
  const Style light{style.size, ui.palette.soft};
  const float unit_width = width_of(ui, unit, light), gap = style.size * 0.25f;
  const float number_width = width_of(ui, amount.substr(0, cut), style);
  const Rect place{rect.right() - unit_width - gap - number_width, rect.middle() - style.size / 2,
                   number_width + gap + unit_width, style.size};
  draw_text(ui, place.x, place.y, amount.substr(0, cut), style);
  draw_text(ui, rect.right() - unit_width, place.y, unit, light);
  record(ui, Role::text, amount, place, place.width > rect.width + 1);
}

void put_lines(Ui& ui, Rect rect, std::string_view text, const Style& style, Align align, Role role) {
  const float step = line_height(style);
  float y = rect.y, widest = 0;
  const auto lines = wrap(ui, text, style, rect.width);
  for (const std::string_view line : lines) {
    const float width = width_of(ui, line, style);
    widest = std::max(widest, width);
    draw_text(ui, aligned(rect, width, align), y + (step - style.size) / 2, line, style);
    y += step;
  }
  record(ui, role, text, {aligned(rect, widest, align), rect.y, widest, y - rect.y}, widest > rect.width + 1);
}

void paragraph(Ui& ui, Column& column, std::string_view text, const Style& style, Role role) {
  if (text.empty()) return;
  put_lines(ui, {column.x, column.y, column.width, 0}, text, style, Align::left, role);
  column.y += height_of(ui, text, style, column.width);
}

}  // namespace ui
