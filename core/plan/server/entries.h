// A deployment on vLLM, SGLang or TensorRT-LLM, as entries of the ledger.
//
// What the engine takes at its start is planned by server.h. The pool of keys and values it would fill with what is left
// is not all needed: the ledger has the cache of the sequences asked for, exact by kind of layer, and what whole blocks
// and padding add to it. What the engine leaves free of the device (1 − memory share) is an entry of its own.
#pragma once
#include "core/plan/plan.h"
#include "core/plan/server/server.h"

namespace vram {

/// The flags a deployment is started with; what it does not say is the default of its engine's version.
ServerSettings server_settings(const Deployment& deployment, const Placed& placed);

/// `alone`: no other deployment uses these devices, so the engine's pool may take all that is left.
/// `layers_on_host`: of each stage, moved by --cpu-offload-gb.
void add_server(Plan& plan, const Inputs& inputs, std::size_t deployment, bool alone, int layers_on_host);

}  // namespace vram
