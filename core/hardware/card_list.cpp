#include "core/hardware/card_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/units/message.h"

namespace vram {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Letters and digits only, in lower case: "RTX-4090" and "rtx 4090" are one name.
std::string squeezed(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    else if (c != ' ' && c != '-' && c != '\t') text += c;
  }
  return text;
}

/// What stands between a number and a name: a sign of multiplication, a letter x of either alphabet.
constexpr std::array<std::string_view, 6> kTimes = {"\xC3\x97", "x", "X", "*", "\xD1\x85", "\xD0\xA5"};

std::size_t times_at_start(std::string_view text) {
  for (const std::string_view sign : kTimes) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

struct Item {
  std::string_view count, name;  ///< no count = one
};

/// "2 × name"
std::optional<Item> counted_first(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(digits));
  const std::size_t sign = times_at_start(rest);
  if (sign == 0) return std::nullopt;
  return Item{text.substr(0, digits), trimmed(rest.substr(sign))};
}

/// "name:2", "name × 2"
Item counted_last(std::string_view text) {
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    return {trimmed(text.substr(colon + 1)), trimmed(text.substr(0, colon))};
  }
  std::size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  if (digits == text.size()) return {"1", text};
  const std::string_view before = trimmed(text.substr(0, digits));
  for (const std::string_view sign : kTimes) {
    if (!before.ends_with(sign)) continue;
    const std::string_view name = before.substr(0, before.size() - sign.size());
    if (name.ends_with(' ')) return {text.substr(digits), trimmed(name)};  // not the x of a name
  }
  return {"1", text};
}

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

const Accelerator* named_accelerator(std::span<const Accelerator> all, std::string_view words) {
  if (const Accelerator* card = find_accelerator(all, words)) return card;
  const std::string wanted = squeezed(words);
  const Accelerator* within = nullptr;
  bool several = false;
  for (const Accelerator& card : all) {
    const std::string name = squeezed(card.name);
    if (name == wanted || squeezed(card.id) == wanted) return &card;
    if (name.find(wanted) == std::string::npos) continue;
    several = within != nullptr;
    within = &card;
  }
  return several || wanted.size() < 2 ? nullptr : within;
}

Result<std::vector<CardCount>> read_cards(std::string_view text, std::span<const Accelerator> all,
                                          std::int64_t most_cards) {
  std::vector<CardCount> cards;
  std::int64_t sum = 0;
  while (!text.empty()) {
    const std::string_view written = text.substr(0, text.find_first_of(",;+"));
    text.remove_prefix(std::min(written.size() + 1, text.size()));
    const std::string_view item = trimmed(written);
    if (item.empty()) continue;
    const Item read = counted_first(item).value_or(counted_last(item));
    const std::optional<std::int64_t> count = number_of(read.count);
    if (!count || *count < 1 || *count > most_cards - sum) {
      return Message("scenario.cards_unreadable").with("text", std::string(item.substr(0, 60)));
    }
    const Accelerator* const card = named_accelerator(all, read.name);
    if (card == nullptr && read.name != "custom") {
      return Message("scenario.unknown_accelerator").with("gpu", std::string(read.name.substr(0, 60)));
    }
    sum += *count;
    const std::string id = card != nullptr ? card->id : "custom";
    const auto same = std::find_if(cards.begin(), cards.end(), [&](const CardCount& one) { return one.id == id; });
    if (same != cards.end()) same->count += *count;
    else cards.push_back({id, *count});
  }
  return cards;
}

std::string cards_text(const std::vector<CardCount>& cards) {
  std::string text;
  for (const CardCount& one : cards) {
    if (!text.empty()) text += ',';
    text += one.id;
    if (one.count != 1) text += ":" + std::to_string(one.count);
  }
  return text;
}

}  // namespace vram
