// What one layer of each kind stores for a token or a sequence on one device: shared by all engines, which differ in
// how they put layers together into pools and pages.
//
//   keys and values   heads kept on the device × (key + value width) × bytes, at least one head
//   latent            one vector, the same on every device; 656 bytes for 576 values as fp8_ds_mla
//   indexer           fp8 keys and a scale of 4 bytes for 128 values, whatever the cache's format
//   state             convolution inputs (longer by one step a drafted token) and the recurrent state
#pragma once
#include <cstdint>
#include <vector>

#include "core/model/model.h"
#include "core/plan/server/server.h"

namespace vram {

enum class CacheUse : std::uint8_t { full, window, chunk, latent, indexer, compressed, state };

/// Layers that store the same.
struct LayerCache {
  CacheUse use = CacheUse::full;
  Part part = Part::text;
  int layers = 0;
  double token_bytes = 0;    ///< of one layer on one device
  std::uint32_t window = 0;  ///< tokens
  std::uint32_t tokens_per_entry = 1;
  std::size_t cache = 0;  ///< index into Model::caches
  double state_bytes = 0, convolution_bytes = 0;  ///< state: recurrent part and convolution part of one sequence
};

/// Caches of layers [first, last) of the text model, and of draft layers where drafting and `with_drafts`.
std::vector<LayerCache> layer_caches(const Model& model, const ServerSettings& settings, int first, int last,
                                     bool with_drafts);
/// Of the whole model.
std::vector<LayerCache> layer_caches(const Model& model, const ServerSettings& settings);

/// Bytes of keys and values of one head, for a token.
double head_bytes(std::uint32_t key_dim, std::uint32_t value_dim, CacheFormat format, FormatId compute);

/// Convolution steps of a recurrent cache, from its weights; 0 = none.
std::uint32_t convolution_kernel(const Model& model, const Cache& cache);

bool has_states(const Model& model);

}  // namespace vram
