// One line of a file of start-up logs (data/README.md, serving.jsonl): settings as flags, and what was reported.
//
// A field that is null or missing is not known. Words of the file ("fp8_ds_mla", "mtp", "~0.27 V2 runner") become the
// values of server.h here; nothing in a row says what to predict.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/plan/server/server.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram::check {

/// Figures in bytes (and tokens), from whichever unit the source printed.
struct ServingReport {
  std::optional<double> weights, activation, non_torch, consumed, graphs, graph_estimate, pool;
  std::optional<double> tokens, window_tokens, blocks, concurrency;
  std::optional<double> bytes_per_token;
  std::optional<double> needed_bytes, needed_tokens;  ///< "n GiB is needed for a request of L tokens"
  std::optional<double> state_bytes, state_slots, state_blocks, state_allocation;
  double pool_rounding = 0;  ///< half a unit of the pool's last printed digit, in bytes
};

struct ServingRow {
  std::string id, model_key, hardware_id, weights_format;
  ServerSettings settings;
  bool complete = false;
  bool known_engine = false;
  bool knows_layout = true;  ///< false: tensor_parallel was not noted
  int devices = 0;           ///< of the server; 0 = not noted
  std::vector<std::string> complete_for;
  ServingReport report;

  bool is_complete_for(std::string_view quantity) const;
};

/// Errors: json.* and serving.no_id.
Result<ServingRow> serving_row(const Json& object);

}  // namespace vram::check
