// One line of a file of measured speeds (data/README.md, throughput.jsonl): settings, load, and what was measured.
//
// A field that is null or missing is not known: it stays empty here and takes the engine's default later, with a wider
// band. Nothing in a row says what to predict.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/speed/serving_speed.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram::check {

struct ThroughputRow {
  std::string id, set, model_key, hardware_id, engine, weights_format, cache_format, speculative;
  std::optional<int> cards, tensor, pipeline, data, expert, nodes;
  bool attention_data = false;
  bool offline = false;
  std::optional<double> input_tokens, output_tokens, concurrency, rate, requests;
  bool every_request_at_once = false;  ///< rate "inf"
  std::vector<std::string> complete_for, suspect;
  std::string duplicate_of;

  std::optional<double> output_tps;   ///< output tokens a second, all devices
  std::optional<double> per_token;    ///< seconds
  std::optional<double> first_token;  ///< seconds

  bool is_complete_for(std::string_view quantity) const;
  bool doubts(std::string_view field) const;
};

/// Errors: json.* and throughput.no_id.
Result<ThroughputRow> throughput_row(const Json& object);

speed::Engine speed_engine(std::string_view word);

}  // namespace vram::check
