// Measured cases against the rules: the frame of `vram check`.
//
// A row of measurements (a JSON object a line, in the formats of serving, training and throughput logs) is predicted
// from model, hardware and settings alone. Here every prediction has one form, and summaries are made of it: the number
// of cases, median, 90th percentile and worst of the absolute error, how often the band held the measured value, and
// how wide it was. Quantities are not mixed; families and modes are summarised apart and together.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/units/json.h"

namespace vram::check {

struct Case {
  std::string id, quantity, family;
  std::string mode = "flags";       ///< "flags", or "given_pool": the logged pool was given
  std::string part;                 ///< of what is reported buffer by buffer: "CUDA0", "host"
  std::string kind;                 ///< of its row: "serving", "llamacpp", … (kinds.h)
  std::string engine;               ///< or framework, as the row writes it
  std::vector<std::string> untold;  ///< settings that bear on the figure and that the row does not tell, in words
  bool complete = false;            ///< the row tells all that the quantity depends on
  bool flags_told = true;           ///< the row names no flag that its source left out
  double reported = 0, predicted = 0, low = 0, high = 0;

  /// Signed fraction of what was reported; a wrong answer to a reported zero is a whole error.
  double error() const;
  bool in_band() const { return low <= reported && reported <= high; }
  double band_width() const;  ///< (high − low) / predicted
};

struct Skipped {
  std::string id, reason;  ///< a key such as "no_model"
  std::string kind;        ///< of its row; "" where even that is not known
};

struct Outcome {
  std::vector<Case> cases;
  std::vector<Skipped> skipped;
};

struct Summary {
  std::string quantity, family, mode;
  std::string complete;  ///< "true", "false", "all"
  std::size_t n = 0;
  double median = 0, p90 = 0, worst = 0;  ///< of |error|
  double in_band = 0, band_width = 0;     ///< share; median
};

/// Median, percentile and band of some cases; quantity, family, mode and `complete` are left empty.
Summary summary_of(const std::vector<const Case*>& cases);

/// Each quantity × mode × (family, and "all") × (complete, not complete, and "all"), in the order of first appearance.
std::vector<Summary> summarise(const std::vector<Case>& cases);

Json outcome_json(const Outcome& outcome);
/// One line a case, the summaries of all, then what was skipped and why.
std::string outcome_text(const Outcome& outcome);

}  // namespace vram::check
