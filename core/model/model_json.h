// A model as JSON and back: how an opened checkpoint travels in a link, a saved scenario and a letter.
//
// A checkpoint's own headers are megabytes; the inventory with its layer sets is tens of rows. What is written:
//   {"inventory": 1, "name": "…", "type": "llama", "origin": "checkpoint", "compute": "bf16",
//    "dims": {"num_hidden_layers": 32, …}, "sets": ["0-31"],
//    "tensors": [["attention_q", 0, "q4_k", 4096, 4096], …], "caches": [{"kind": "full", "set": 0, …}], "notes": […]}
// Reading trusts nothing: every name, index and size is checked.
#pragma once
#include "core/model/model.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram {

constexpr int kInventoryVersion = 1;

Json model_to_json(const Model& model);
/// True for what model_to_json writes.
bool is_model_json(const Json& json);
/// Errors: inventory.malformed {where}.
Result<Model> model_from_json(const Json& json);

}  // namespace vram
