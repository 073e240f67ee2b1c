// The reference table: how much memory models of usual sizes take, in which format, for which task, and how many cards
// that is. Every cell is a plan.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

/// What is asked of each model: serving in 16, 8 and 4 bits, adapters, training of all weights.
enum class ReferenceUse : std::uint8_t { bits16, bits8, bits4, adapters, training, count_ };
std::string_view key_of(ReferenceUse use);   ///< string "reference.<key>"

struct ReferenceCell {
  Bytes memory;                  ///< used on all devices together, likely
  std::optional<int> devices;    ///< of the card, the least that holds it; nothing when no number tried does
};

struct ReferenceRow {
  std::string id, name;
  std::uint64_t parameters = 0, active = 0;
  std::array<ReferenceCell, static_cast<std::size_t>(ReferenceUse::count_)> cells;
};

/// Eight people at the same time with 8,192 tokens each; training with sequences of 4,096.
Scenario reference_scenario(std::string_view model, ReferenceUse use, std::string_view accelerator);

/// Models of the table, from small to large, dense and mixtures of experts.
std::span<const std::string_view> reference_models();

/// Nothing when the library lacks the model or the card.
std::optional<ReferenceRow> reference_row(const Library& library, std::string_view model, std::string_view accelerator);

}  // namespace vram
