// What was recognised in a model's files: architecture, counts, bytes by format and role, layers by kind, cache.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/report/language.h"
#include "core/units/json.h"

namespace vram {

/// What the cache of a model costs, in 16 bits a value where the format is free.
struct CacheCosts {
  Bytes per_token;            ///< of layers without a window, both keys and values, of the whole model
  Bytes windowed_per_token;   ///< of layers with a window, as long as it is not full
  std::uint32_t window = 0;   ///< the largest, tokens
  Bytes indexer_per_token;    ///< keys of sparse-attention indexers in their own format
  Bytes fixed_per_sequence;   ///< recurrent states, in the states' own format
};
CacheCosts cache_costs(const Model& model);

/// `vram inspect --json`.
Json inspection_json(const Model& model, const Language& language);
/// The same for people.
std::string inspection_text(const Model& model, const Language& language);

}  // namespace vram
