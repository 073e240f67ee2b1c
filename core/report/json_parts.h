// Parts that every document for machines shares.
#pragma once
#include "core/plan/ledger.h"
#include "core/units/json.h"
#include "core/units/message.h"

namespace vram {

/// {"low", "likely", "high"}, bytes.
Json band_json(const Band& band);
/// {"key", "parameters"}; bytes as integers, a key as its text.
Json message_json(const Message& message);

}  // namespace vram
