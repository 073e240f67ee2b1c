// Scenario in, plan out: a ledger for every device and for host memory, a verdict, and what has to be said with it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/import/catalogue.h"
#include "core/model/model.h"
#include "core/plan/ledger.h"
#include "core/scenario/scenario.h"
#include "core/units/result.h"

namespace vram {

/// What a scenario's names stand for.
struct Library {
  std::vector<CatalogueModel> models;
  std::vector<Accelerator> accelerators;
};

/// A scenario with its names looked up: all that a plan needs.
struct Inputs {
  Scenario scenario;
  Accelerator accelerator;
  std::vector<Model> models;     ///< one a deployment, in the weight format asked for
};

/// Errors name the deployment: scenario.unknown_model, scenario.unknown_accelerator, or what the model's reader said.
Result<Inputs> resolve(const Scenario& scenario, const Library& library);

/// The same with the models at hand (opened files), one a deployment, as stored; they are put in the weight format.
Result<Inputs> resolve(const Scenario& scenario, const Library& library, std::vector<Model> stored_models);

/// How one deployment is cut over its devices.
struct Split {
  int tensor_parallel = 1, pipeline_parallel = 1;
};

enum class Verdict : std::uint8_t { fits, tight, fits_with_offload, does_not_fit };
std::string_view verdict_key(Verdict verdict);

struct Plan {
  Ledger ledger;
  int devices = 1;
  Bytes usable;                  ///< of one device: what a program sees
  std::vector<Split> splits;   ///< one a deployment
  int fullest = 0;               ///< device with the highest likely total; the first of equals
  Verdict verdict = Verdict::fits;
  int layers_on_host = 0;
  std::vector<Message> notes;

  Band of(int device) const { return total(ledger, device); }
  /// Free on the fullest device at the likely total; 0 when it does not fit.
  Bytes headroom() const { return usable - of(fullest).likely; }
  double headroom_share() const;
  /// Missing on the fullest device at the likely total; 0 when it fits.
  Bytes shortage() const { return of(fullest).likely - usable; }
};

Plan make_plan(const Inputs& inputs);

/// Devices in a row that hold the same, for showing: [first, last].
struct DeviceGroup {
  int first = 0, last = 0;
};
std::vector<DeviceGroup> alike_devices(const Plan& plan);

}  // namespace vram
