// DeepSeek-V4's caches in vLLM (models/deepseek_v4/attention.py, compressor.py,
// v1/attention/backends/mla/sparse_swa.py).
//
// Every layer keeps the last tokens as they are; layers of ratio 4 and 128 keep compressed entries besides, those of
// ratio 4 an indexer too, and both the running state of their compressor. Pages are rounded up to 576 bytes.
//
//   Flash: 21 layers of ratio 4, 20 of 128, 43 in all
//     compressed group  21 × (37,440 + 8,640) + 20 × 1,728 = 1,002,240 bytes a block of 256 tokens
//     window groups     22 + 21 layers × 37,440;  states 21 × (32,832 + 8,640) and 20 × 32,832
#include <algorithm>
#include <cmath>

#include "core/plan/server/vllm_cache.h"

namespace vram {
namespace {

constexpr double kPageStep = 576;    // fp8_ds_mla pages; 512 for sixteen bits
constexpr double kEntryBytes = 584;  // 448 fp8 + 64 × 2 rotary + 8 of scales
constexpr std::uint64_t kBlock = 256, kWindowBlock = 64;
constexpr double kStateBytes = 1024 * 4;  // fp32 keys and gates of one position
constexpr std::uint32_t kStateWindow4 = 8, kStateWindow128 = 128;
constexpr std::uint64_t kStateBlock4 = 4, kStateBlock128 = 8;

double page(double bytes) { return std::ceil(bytes / kPageStep) * kPageStep; }

double entry_bytes(const ServerSettings& settings) {
  switch (settings.cache) {
    case CacheFormat::bits16:
    case CacheFormat::bits32:  // there is nothing wider
      return 512 * 2;
    case CacheFormat::nvfp4_ds_mla:
    case CacheFormat::nvfp4:
      return 448 / 2 + 448 / 16 + 64 * 2;
    default:
      return kEntryBytes;
  }
}

struct Set {
  int layers;
  double page;
  std::uint32_t window;
  std::uint64_t block;
};

}  // namespace

CacheLayout vllm_compressed_layout(const std::vector<LayerCache>& caches, const ServerSettings& settings) {
  CacheLayout layout;
  int windowed = 0, of4 = 0, of128 = 0;
  std::uint32_t window = 128;
  for (const LayerCache& cache : caches) {
    if (cache.use == CacheUse::window) {
      windowed += cache.layers;
      window = cache.window;
    }
    if (cache.use == CacheUse::compressed) (cache.tokens_per_entry <= 4 ? of4 : of128) += cache.layers;
  }
  if (of4 == 0 && of128 == 0) return layout;

  const double entry = entry_bytes(settings), window_page = page(64 * entry);
  const double compressed4 = page(static_cast<double>(kBlock) / 4 * entry);
  const double indexer4 = page(static_cast<double>(kBlock) / 4 * 132);
  const double compressed128 = page(static_cast<double>(kBlock) / 128 * entry);
  const double state4 = page(static_cast<double>(kStateBlock4) * 2 * kStateBytes), index_state4 = page(4 * 512 * 4);
  const double state128 = page(static_cast<double>(kStateBlock128) * kStateBytes);
  const Set sets[] = {{windowed, window_page, window, kWindowBlock},
                      {of4, state4 + index_state4, kStateWindow4, kStateBlock4},
                      {of128, state128, kStateWindow128, kStateBlock128}};

  // Slots of a group: at least the layers of ratio 4, as many as waste least over all sets.
  int slots = std::max(of4, 1), least = -1;
  for (int candidate = std::max(of4, 1); candidate <= std::max(windowed, of4); ++candidate) {
    int waste = candidate - of4;
    for (const Set& set : sets) waste += (set.layers + candidate - 1) / candidate * candidate - set.layers;
    if (least < 0 || waste < least) {
      least = waste;
      slots = candidate;
    }
  }
  double block = of4 * (compressed4 + indexer4) + of128 * compressed128;
  layout.groups.push_back({.use = CacheUse::full, .block_tokens = kBlock, .layers = of4 + of128});
  for (const Set& set : sets) {
    const int groups = (set.layers + slots - 1) / slots;
    for (int i = 0; i < groups; ++i) {
      const int layers = std::min(slots, set.layers - i * slots);
      layout.groups.push_back(
          {.use = CacheUse::window, .window = set.window, .block_tokens = set.block, .layers = layers});
      block = std::max(block, layers * set.page);
    }
  }
  const bool packed = has(settings.version, VllmChange::packed_slab);
  layout.block_bytes = packed ? block : slots * (compressed4 + indexer4 + compressed128);
  layout.stage_block_bytes = layout.block_bytes / std::max(1, settings.pipeline_parallel);
  layout.block_tokens = kBlock;
  layout.compressed = true;
  return layout;
}

}  // namespace vram
