// What a log leaves open, decided: settings as they most likely were, and the other ways they may have been.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/check/llamacpp_row.h"
#include "core/hardware/accelerator.h"
#include "core/plan/llamacpp/model.h"

namespace vram::check {

struct LlamaCppGuess {
  llamacpp::Settings likely;
  std::vector<llamacpp::Settings> others;  ///< each differs from `likely` in one thing that was not noted
  bool drafts = false;                     ///< a draft layer of the model is loaded
  bool knows_hardware = true;              ///< memory of every card
  bool knows_placement = true;             ///< false: how many layers' experts lie on the host was not noted
};

/// `release`: when the model came out ("2025-04"), which bounds the build of an undated log; "" = not known.
LlamaCppGuess guess_settings(const LlamaCppRow& row, const llamacpp::Model& model, std::string_view release,
                             std::span<const Accelerator> accelerators);

}  // namespace vram::check
