// Public start-up logs against the plan: each figure that a log reports, predicted from model, hardware and flags.
//
// A figure is predicted in mode `flags`, from the flags alone, and, where the log says how large the pool was, in mode
// `given_pool` too: then only the rules from pool to tokens are on trial. Model or hardware unknown: the case is
// skipped for what needs it. A flag that was not logged takes its default and widens the band.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/serving_row.h"
#include "core/hardware/accelerator.h"
#include "core/model/model.h"

namespace vram {

struct ServingCase {
  std::string id;
  std::string_view quantity;  ///< "weights", "activation", "non_torch", "graphs", "pool", "tokens", …
  std::string family;         ///< engine and build of the model: "vllm/hybrid"
  std::string_view mode;      ///< "flags", "given_pool"
  bool complete = false;
  double reported = 0, predicted = 0, low = 0, high = 0;

  /// Signed fraction of the reported figure; a report of zero counts as a whole error unless nothing was predicted.
  double error() const;
  bool in_band() const { return low <= reported && reported <= high; }
  double band_width() const;
};

struct ServingSkip {
  std::string id, reason;  ///< key: "no_model", "no_format", "no_hardware", "no_engine", "nothing_reported"
};

struct ServingOutcome {
  std::vector<ServingCase> cases;
  std::vector<ServingSkip> skipped;
};

/// Finds a model by the id of a row ("Qwen/Qwen3-8B"); null = not known.
using ModelLookUp = std::function<const Model*(std::string_view)>;

/// When a model came out ("2026-02"), "" where that is not known: bounds the version of an engine that nobody noted.
using ReleaseLookUp = std::function<std::string_view(std::string_view)>;

ServingOutcome check_serving(const ServingRow& row, const ModelLookUp& models, const ReleaseLookUp& releases,
                             std::span<const Accelerator> accelerators);

}  // namespace vram
