// What the supplier asks for before making an offer, and what a scenario already answers of it.
//
// The six things are those of the article "Accelerator memory", "Что прислать для расчёта". An item is known when the
// scenario says it; what it does not say can be added in words. Contact and added words go into the letter only: never
// into a link, a scenario file or a saved page.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/report/language.h"
#include "core/units/message.h"

namespace vram {

enum class RequestItem : std::uint8_t { model, mode, load, format, speed, room, count_ };
constexpr std::size_t kRequestItems = static_cast<std::size_t>(RequestItem::count_);
std::string_view request_item_key(RequestItem item);
/// String of an item: `prefix` is "request." or "request_short."; a job has sequences and a deadline in place of users and
/// latency.
std::string request_string(std::string_view prefix, RequestItem item, const Scenario& scenario);

/// Who asks, and what the scenario does not say. Everything may be empty; control characters become spaces.
struct Contact {
  std::string name, company, phone, city, date, note;
  std::array<std::string, kRequestItems> added;       ///< in words, one an item

  bool empty() const;
  friend bool operator==(const Contact&, const Contact&) = default;
};

/// The lines of a contact by their keys: "name", …, "note", "added.room". Pages make their fields of them.
std::vector<std::string_view> contact_keys();
/// nullptr when there is no such line.
std::string* contact_line(Contact& contact, std::string_view key);
const std::string* contact_line(const Contact& contact, std::string_view key);

struct ChecklistItem {
  RequestItem item = RequestItem::model;
  std::vector<Message> known;                          ///< what the scenario says; empty = to be asked
};
/// All six, in the article's order.
std::vector<ChecklistItem> checklist(const Inputs& inputs);
/// What is known, in one line: "Llama 3.1 70B, 70.6 billion parameters".
std::string known_words(const ChecklistItem& item, const Language& language);

}  // namespace vram
