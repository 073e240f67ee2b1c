// vLLM's pool of keys and values: one array of blocks, shared by groups of layers (v1/core/kv_cache_utils.py).
//
// Layers that store alike form groups of equal length; a block of the pool holds the page of one layer of each slot, so
// a group shorter than the others pads. What a request needs is counted in blocks, group by group:
//
//   Gemma-3-27B, 52 window + 10 full layers: size 10 → 6 window groups (8 padding layers) + 1 full group of 10 slots
//     page = 16 tokens × 16 heads × (128 + 128) × 2 B = 128 KiB, block = 10 pages = 1.25 MiB
//     19.53 GiB → 15,998 blocks; printed tokens = 15,998 // 7 groups × 16 = 36,560
//     a request of 8,192 tokens: 512 + 6 × (min(1024 − 1 + 8192, 8192)/16 + 1) = 3,590 blocks → 4.46 at once
//
// Recurrent layers take part with one page for each state: the attention block is stretched until its page is as large
// as a state (Qwen3.5-9B: 528 tokens), and each sequence takes one block, or two with prefix caching.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan/server/server.h"
#include "core/plan/server/cache.h"

namespace vram {

struct CacheGroup {
  CacheUse use = CacheUse::full;
  std::uint32_t window = 0;
  std::uint64_t block_tokens = 16;
  int layers = 0;  ///< real ones
};

struct CacheLayout {
  std::vector<CacheGroup> groups;
  double block_bytes = 0;        ///< of one block of the pool, over all slots
  double stage_block_bytes = 0;  ///< the same on the stage that is asked about
  double padded_share = 0;       ///< most that padding layers may waste, of the longest kind
  int padding_layers = 0;
  std::uint64_t block_tokens = 16;  ///< "Setting attention block size to …"
  double state_padding = 0;         ///< "Padding mamba page size by …", a share
  bool compressed = false;          ///< DeepSeek-V4
  bool first_engine = false;        ///< V0: one table of blocks, states apart
};

/// Settings must be complete (server.h: those of a plan are).
CacheLayout vllm_cache_layout(const Model& model, const ServerSettings& settings, int stage);

/// Blocks that a request of `length` tokens takes.
std::uint64_t vllm_request_blocks(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t length);
/// Bytes of those, as the message about too small a pool counts them.
double vllm_needed_bytes(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t length);
/// The longest request that fits into `pool` bytes; 0 = none.
std::uint64_t vllm_longest(const CacheLayout& layout, const ServerSettings& settings, double pool);

double vllm_concurrency(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t blocks);
/// "GPU KV cache size: N tokens", in the manner of the version.
double vllm_printed_tokens(const CacheLayout& layout, const ServerSettings& settings, std::uint64_t blocks);

/// Bytes of the pool for a printed token, whole blocks assumed.
double vllm_bytes_per_token(const CacheLayout& layout, const ServerSettings& settings);

/// The layout of DeepSeek-V4's compressed caches (vllm_deepseek_v4.cpp); empty groups when the model has none.
CacheLayout vllm_compressed_layout(const std::vector<LayerCache>& caches, const ServerSettings& settings);

}  // namespace vram
