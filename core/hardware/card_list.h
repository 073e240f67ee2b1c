// The other cards of a machine, as a person writes them and as a scenario keeps them.
//
//   "rtx4090:2,rtx3090"              as kept: ids, how many of each when it is not one
//   "2 × RTX 4090 + RTX 3090"        as written
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/units/result.h"

namespace vram {

/// In one machine or purchase.
constexpr std::int64_t kMostCards = 1024;

struct CardCount {
  std::string id;                ///< of the catalogue, or "custom"
  std::int64_t count = 1;
  friend bool operator==(const CardCount&, const CardCount&) = default;
};

/// A card by its id or its name, letters of either case and spaces as one likes; of part of a name only when one card
/// has it.
const Accelerator* named_accelerator(std::span<const Accelerator> all, std::string_view words);

/// Items between commas, semicolons or plus signs; how many of each before it ("2 ×"), or behind it (":2", "× 2").
/// The same card twice counts together. Errors: scenario.cards_unreadable {text} when a number is not from 1 to
/// `most_cards`, scenario.unknown_accelerator {gpu}.
Result<std::vector<CardCount>> read_cards(std::string_view text, std::span<const Accelerator> all,
                                          std::int64_t most_cards);

/// As a scenario keeps them.
std::string cards_text(const std::vector<CardCount>& cards);

}  // namespace vram
