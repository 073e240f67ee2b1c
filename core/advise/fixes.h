// What would make a plan fit, or fit with more room: every fix is a changed scenario, planned like any other.
//
//   for (const Fix& fix : find_fixes(inputs, plan, library))
//     fix.scenario, fix.saved, fix.fits                          // apply it, or say what it would bring
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct Fix {
  std::string key;              ///< "memory_share", "kv_format", …; of training "training.recompute", …
  Message what, cost;           ///< strings "fix.…" and "fix_cost.…"
  Scenario scenario;            ///< with the change
  std::size_t deployment = 0;   ///< which one is changed; 0 where the change is of all
  Bytes saved;                  ///< more room on the device that decides, by less need or by more memory
  Bytes host;                   ///< host memory it takes besides
  Verdict verdict = Verdict::does_not_fit;
  bool fits = false;            ///< does that what the plan does not: fit, or fit with the wished headroom
};

/// Changes that bring room to a plan that does not fit or is tight, what costs least first: first settings, then formats,
/// then what the users would notice, then hardware. None for a plan that fits. `library` is asked for other cards.
std::vector<Fix> find_fixes(const Inputs& inputs, const Plan& plan, const Library& library);

}  // namespace vram
