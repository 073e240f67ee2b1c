// Does a card go into a node? Slots, width, profile, lanes, connector, power and cooling, as far as they are known.
//
// What is not known is never guessed: its finding says "ask the supplier".
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/units/message.h"

namespace vram::facility {

enum class Fits : std::uint8_t { yes, no, unknown };
std::string_view fits_key(Fits fits);         ///< "yes", "no", "unknown"

/// What is looked at, in the order in which it is shown.
enum class Aspect : std::uint8_t { form, count, width, profile, lanes, connector, card_power, supplies, cooling };
std::string_view aspect_key(Aspect aspect);

struct Finding {
  Aspect aspect = Aspect::form;
  Fits fits = Fits::unknown;
  Message message;                            ///< why, in words: facility.fit.<aspect>.<yes|no|unknown> or .sold_with
};

/// One finding for each aspect.
std::vector<Finding> check_fit(const Accelerator& accelerator, std::uint32_t cards, const Platform& platform);

/// no: something speaks against it; unknown: nothing does, but not all is known.
Fits verdict_of(const std::vector<Finding>& findings);

}  // namespace vram::facility
