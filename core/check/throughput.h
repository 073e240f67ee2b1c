// Measured speeds against the speed model: output tokens a second, time per token and time to first token.
//
// A row's settings are put into a case as they are logged. What was not logged takes the engine's default and widens the
// band; where the parallel layout is missing, the one that serves most is taken, as whoever measured will have done.
// A row is left out only when its model or its hardware is not known, when it repeats another, or when its own source
// contradicts it.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/throughput_row.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/model/model.h"

namespace vram {

struct ThroughputCase {
  std::string id, set, engine;
  std::string_view quantity;     ///< "output_tps", "tpot", "ttft"
  std::string_view family;       ///< "dense", "moe", "pcie_only", "consumer", "metax", "amd", "ascend"
  bool experts = false;
  bool complete = false;
  double reported = 0, predicted = 0, low = 0, high = 0;   ///< tokens a second, or milliseconds

  double error() const { return reported > 0 ? predicted / reported - 1 : 0; }
  bool in_band() const { return low <= reported && reported <= high; }
  double band_width() const { return predicted > 0 ? (high - low) / predicted : 0; }
};

struct ThroughputSkip {
  std::string id, reason;        ///< key: "no_model", "no_hardware", "duplicate", "suspect", or an error of serving_speed
};

struct ThroughputOutcome {
  std::vector<ThroughputCase> cases;
  std::vector<ThroughputSkip> skipped;
};

/// Finds a model as its checkpoint stores it by the id of a row ("Qwen/Qwen3-8B"); null = not known.
using SpeedModelLookUp = std::function<const Model*(std::string_view)>;

/// Rows that are alike share what is slow to make; a checker may be used for a whole file.
class ThroughputChecker {
 public:
  ThroughputChecker(SpeedModelLookUp models, std::span<const Accelerator> accelerators, const Interconnect& interconnect)
      : models_(std::move(models)), accelerators_(accelerators), interconnect_(interconnect) {}

  ThroughputOutcome check(const ThroughputRow& row, const speed::Constants& constants = {}) const;

  /// What the model says of a row's settings; the error is the reason why it says nothing ("no_model", …).
  Result<speed::Speed> predict(const ThroughputRow& row, const speed::Constants& constants = {}) const;

 private:
  SpeedModelLookUp models_;
  std::span<const Accelerator> accelerators_;
  const Interconnect& interconnect_;
};

/// The model as a row's weight format has it; nothing when the word is not known.
std::optional<Model> in_row_format(const Model& stored, std::string_view word);

std::string_view speed_family(const Accelerator& accelerator, bool experts);

}  // namespace vram
