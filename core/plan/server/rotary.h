// Tables of sines and cosines, which engines keep beside the weights: one for each distinct rotary setting.
//
//   positions × rotary width × bytes      positions = max_position_embeddings, whatever length is served
//
// A config.json's rotary settings are not in the model; what families do is a table here. They are small for most
// (Llama-3.1: 32 MiB) and large for some: Llama-4-Scout's 10,485,760 positions take 2.5 GiB on every device.
#pragma once
#include "core/model/model.h"
#include "core/plan/server/server.h"
#include "core/units/bytes.h"

namespace vram {

/// All tables of a device.
Bytes rotary_bytes(const Model& model, const ServerSettings& settings);

}  // namespace vram
