// What engines do by default: how many sequences and tokens go into a step, in which order inputs are read, how much
// memory they take. From their sources (facts: engines.md, parts A to C).
#pragma once
#include <optional>

#include "core/speed/serving_speed.h"

namespace vram::speed {

struct EngineRules {
  EngineConstants constants;
  bool inputs_first = false;       ///< inputs stop generation instead of riding in its steps
  bool whole_answer = false;       ///< room for the longest answer is kept before a request starts
  bool pipelines = true;           ///< stages work on different sequences at the same time
  bool prefers_layers = false;     ///< several cards hold layers each
  double memory_share = 0.9;
  double batch_tokens = 8192;
  double max_sequences = 1024;
};

EngineRules engine_rules(Engine engine, const Accelerator& accelerator, const Constants& constants);

/// Bytes of one device that are left for keys and values.
double pool_bytes(const Case& one, const ModelWork& work, const EngineRules& rules);

/// Does a device's share of the weights fit its memory, with the least that a server needs beside them?
bool weights_fit(const Case& one, const ModelWork& work);

/// Requests that a pool holds at the same time, on all devices of a replica.
double requests_in_pool(const Case& one, const ModelWork& work, const EngineRules& rules, double pool);

}  // namespace vram::speed
