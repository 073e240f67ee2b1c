// Parts that every document for machines shares.
#pragma once
#include <optional>

#include "core/hardware/platform.h"
#include "core/plan/ledger.h"
#include "core/speed/serving_speed.h"
#include "core/units/json.h"
#include "core/units/message.h"

namespace vram {

/// {"low", "likely", "high"}, bytes.
Json band_json(const Band& band);
/// The same of a speed or a time.
Json band_json(const speed::Band& band);
/// {"low", "high"}; null when it is not known.
Json range_json(const std::optional<Range>& range);
/// {"key", "parameters"}; bytes as integers, a key as its text.
Json message_json(const Message& message);

}  // namespace vram
