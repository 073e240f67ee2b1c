// GGUF metadata → dimensions and caches, as llama.cpp understands them.
//
// Keys are named after the architecture ("qwen3moe.attention.head_count_kv"). What keys leave out (which layers keep a
// window, which are recurrent) is decided by the architecture, in one table. The inventory comes from the tensor table,
// not from here.
#pragma once
#include "core/import/gguf.h"
#include "core/model/model.h"

namespace vram {

/// True for a file that holds a vision or audio tower (mmproj) and no text model.
bool is_gguf_tower(const GgufFile& file);

/// A model without tensors. Notes: gguf.unknown_architecture {name}, gguf.window_not_used {window},
/// gguf.caches_unknown {name}, gguf.old_mla.
Model model_from_gguf_metadata(const GgufFile& file);

}  // namespace vram
