// How far figures like one of the ledger's are from what was published: the same figures as docs/ACCURACY.md, as the page
// shows them (assets/accuracy.json, made by `vram document figures`).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/report/language.h"

namespace vram {

struct AccuracyFigure {
  std::string key;              ///< section and quantity: "weights.weights", "llamacpp.compute", "training.peak"
  std::int64_t count = 0;       ///< measurements of complete rows that it was checked on
  double median = 0, p90 = 0;   ///< of |predicted / reported − 1|

  /// Heading of docs/ACCURACY.md under which it stands: "weights".
  std::string_view anchor() const { return std::string_view(key).substr(0, key.find('.')); }
};

/// {"weights.weights": [81, 0.00027, 0.013], …}; nothing from anything else.
std::vector<AccuracyFigure> accuracy_from_json(std::string_view json);

/// The figure that the entry's kind was checked by; null where nothing was published to check it by: other programs,
/// what was measured here, what an engine leaves free.
const AccuracyFigure* accuracy_of(const std::vector<AccuracyFigure>& figures, const Plan& plan, const Entry& entry);

/// Null when there is none of the key.
const AccuracyFigure* find_figure(const std::vector<AccuracyFigure>& figures, std::string_view key);

/// "Checked on 81 published measurements: median error 0.03 %, nine of ten within 1.3 %."
std::string accuracy_sentence(const AccuracyFigure& figure, const Language& language);

}  // namespace vram
