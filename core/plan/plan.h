// Scenario in, plan out: a ledger for every device and for host memory, a verdict, and what has to be said with it.
//
//   Result<Inputs> inputs = resolve(scenario, library);
//   Plan plan = make_plan(inputs.value());
//   plan.of(plan.fullest).likely      // bytes used on the device that decides
//
// A deployment is planned by the rules of its engine: server/entries.h, llamacpp/entries.h, generic.h; a training job by
// training/entries.h. All of them write into the one ledger.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/import/catalogue.h"
#include "core/model/model.h"
#include "core/plan/engine.h"
#include "core/plan/ledger.h"
#include "core/plan/training/training.h"
#include "core/scenario/scenario.h"
#include "core/units/result.h"

namespace vram {

/// What a scenario's names stand for.
struct Library {
  std::vector<CatalogueModel> models;
  std::vector<Accelerator> accelerators;
  Platforms platforms;           ///< nodes, facts of rooms and of links; plans do without them
};

/// Devices in a row that are of one kind.
struct CardGroup {
  Accelerator card;
  int count = 1;
};

/// A scenario with its names looked up: all that a plan needs.
struct Inputs {
  Scenario scenario;
  Accelerator accelerator;        ///< the scenario's own; the first of `cards`
  std::vector<CardGroup> others;  ///< behind the `scenario.devices` of it
  std::vector<Model> models;      ///< one a deployment, in the weight format asked for

  int devices() const;
  const Accelerator& card(int device) const;
};

/// Errors name the deployment: scenario.unknown_model, scenario.unknown_accelerator, scenario.cards_unreadable, or what
/// the model's reader said.
Result<Inputs> resolve(const Scenario& scenario, const Library& library);

/// The same with the models at hand (opened files), one a deployment, as stored; they are put in the weight format.
Result<Inputs> resolve(const Scenario& scenario, const Library& library, std::vector<Model> stored_models);

/// A model in the weight format that a scenario's field names; as it is for "stored".
Model in_weight_format(Model model, std::string_view weights);

/// How one deployment is cut over its devices.
struct Split {
  int tensor_parallel = 1, pipeline_parallel = 1;
  int replicas = 1;              ///< copies of the model
  bool whole_experts = false;    ///< experts are dealt out whole instead of sliced
  int used() const { return tensor_parallel * pipeline_parallel * replicas; }
};

/// What an engine prints at its start, when it has the devices to itself: its own words for its own pool.
struct EngineFigures {
  Bytes pool;                      ///< of one device
  std::uint64_t pool_tokens = 0;   ///< "GPU KV cache size", "max_total_num_tokens"
  double concurrency = 0;          ///< "Maximum concurrency for … tokens per request"; 0 = not printed
  std::uint64_t longest = 0;       ///< tokens of the longest single sequence; 0 = not known
  std::uint64_t block_tokens = 0;
  std::uint64_t max_sequences = 0, batch_tokens = 0;  ///< settings in force; 0 = the engine has none
  double memory_share = 0;
};

/// One deployment on its devices.
struct Placed {
  EngineId engine = EngineId::generic;
  int first = 0, devices = 1;
  Split split;
  std::uint64_t sequences = 0;     ///< at the busiest time, of all replicas
  std::optional<EngineFigures> figures;
  int layers_on_host = 0;
  std::vector<int> host_experts;   ///< layers whose experts are in host memory, ascending
  bool cache_on_host = false;
};

enum class Verdict : std::uint8_t { fits, tight, fits_with_offload, does_not_fit };
std::string_view verdict_key(Verdict verdict);

struct Plan {
  Ledger ledger;
  int devices = 1;
  std::vector<Bytes> memory;       ///< of each device: what a program sees
  std::vector<Placed> placed;      ///< one a deployment; of a training job the first
  std::optional<TrainingPlan> training;
  int fullest = 0;                 ///< device with the least room left; the first of equals
  Verdict verdict = Verdict::fits;
  int layers_on_host = 0;
  std::vector<Message> notes;
  std::optional<Message> refusal;  ///< why an engine will not start with this, whatever the memory

  Band of(int device) const { return total(ledger, device); }
  Bytes usable(int device) const { return memory[static_cast<std::size_t>(device)]; }
  Bytes usable() const { return usable(fullest); }
  /// Free on the fullest device at the likely total, what an engine leaves free included; 0 when it does not fit.
  Bytes headroom() const { return usable() - of(fullest).likely; }
  double headroom_share() const;
  /// Missing on a device at the likely total; 0 when it fits. What the engine leaves free cannot be used.
  Bytes shortage(int device) const { return of(device).likely + reserved(ledger, device) - usable(device); }
  Bytes shortage() const { return shortage(fullest); }
  /// The same in bytes with a sign: below zero = what is left.
  double missing(int device) const;
};

Plan make_plan(const Inputs& inputs);

/// The plan with as much in host memory as the scenario allows: what the devices hold at the very least. One look at its
/// shortage tells whether make_plan() will find a way. Without verdict and notes.
Plan leanest_plan(const Inputs& inputs);

/// Devices in a row that hold the same, for showing: [first, last].
struct DeviceGroup {
  int first = 0, last = 0;
};
std::vector<DeviceGroup> alike_devices(const Plan& plan);

}  // namespace vram
