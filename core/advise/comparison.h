// What was calculated beside what a server's own start-up log measured, term by term; and what the terms that cannot be
// derived become when the log is believed.
//
// A log tells less than a ledger and cuts it differently: vLLM has one figure for context, libraries and exchange
// buffers, llama.cpp one for all intermediate results. Terms of the ledger are therefore put together as the log does.
// A server that gives its caches all that is left of its budget has no "size of the cache" to compare; there the
// question is whether the pool holds what the scenario needs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/import/engine_log.h"
#include "core/plan/plan.h"

namespace vram {

enum class Compared : std::uint8_t { weights, cache, pool, state, activations, graphs, runtime, total, count_ };
/// Key of strings: "compared.weights".
std::string_view compared_key(Compared compared);

struct ComparedTerm {
  Compared term = Compared::weights;
  int device = 0;  ///< index, kHost, or kLogAllDevices for a sum over the devices
  Band calculated;
  std::optional<Bytes> measured;  ///< nothing: the log does not print it
  Bytes rounding;                 ///< of `measured`, either way
  double difference = 0;  ///< (calculated − measured) / measured; 0 where nothing, or nothing but 0, was measured
  bool inside = false;    ///< measured within the band; of a pool: it holds what is needed
  std::size_t line = 0;   ///< of the log
};

struct CalibratedTerm {
  Term term = Term::runtime;  ///< activations; graphs; runtime: context and exchange together
  Bytes bytes;                ///< on the device that had most of it
};

struct Comparison {
  std::vector<ComparedTerm> terms;          ///< in the order of Compared, then of devices, host last
  std::vector<CalibratedTerm> calibration;  ///< only terms that are not exact, each once
  std::vector<Message> notes;  ///< comparison.devices_differ {log, plan}, comparison.other_card {log, plan},
                               ///< comparison.other_program {log, plan},
                               ///< comparison.start_failed {bytes}, comparison.incomplete
};

/// The log is of one server: of the plan's deployment `deployment`. Totals of a device are of all of them.
Comparison compare(const Plan& plan, const EngineLog& log, int deployment = 0);

/// The same beside what is calculated, where the scenario already uses what was measured.
Comparison compare_calculated(Inputs inputs, const EngineLog& log, std::size_t deployment = 0);

/// "Calculated, then measured": the scenario with the comparison's calibration in the fields that a plan takes instead of
/// its own estimates, and with what it was measured at. `plan` is the scenario's.
Scenario calibrated(Scenario scenario, const Plan& plan, const Comparison& comparison, std::size_t deployment = 0);

}  // namespace vram
