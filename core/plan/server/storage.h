// What one matrix occupies once an engine has loaded it, and what PyTorch's allocator counts for it.
//
// "Model loading took X GiB" is the sum of allocations, not of tensors: each allocation is rounded, and the rounding of
// the 200 large ones of a model shows in the second decimal of the log.
//
//   Qwen2.5-7B: gate and up together are 259 MiB → 260, down 129.5 → 130, qkv 31.5 → 32: + 3 MiB × 28 layers
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units/bytes.h"
#include "core/units/format.h"

namespace vram {

/// PyTorch's caching allocator, as far as torch.cuda.memory_allocated() shows it (c10/cuda/CUDACachingAllocator:
/// kSmallSize, kMinLargeAlloc, kLargeBuffer, kRoundLarge). Sizes are multiples of 512. Up to 1 MiB nothing is wasted;
/// up to 10 MiB tensors come out of segments of 20 MiB; larger ones have segments of their own, multiples of 2 MiB. A
/// rest of more than 1 MiB is handed out again, to whatever fits best; a smaller one counts as the tensor's.
class Allocator {
 public:
  /// Takes `size` bytes; returns what is counted for them.
  Bytes take(Bytes size);
  /// Takes all of `sizes` in this order, `times` over, as layers that are alike do; adds what is counted for each to
  /// `counted`. Once the free blocks are what they were some rounds before, so is all that follows: it is multiplied.
  void take_alike(std::span<const Bytes> sizes, std::uint64_t times, std::span<Bytes> counted);
  Bytes counted() const { return counted_; }

 private:
  struct Rest {
    std::uint64_t size, count;
    friend bool operator==(const Rest&, const Rest&) = default;
  };
  void keep(std::uint64_t size, std::uint64_t count);

  std::vector<Rest> rests_;  ///< free blocks, by size, ascending
  Bytes counted_;
};

/// What is counted for one tensor in a segment of its own.
Bytes allocated(Bytes size);

/// The tensors that one stored matrix becomes: packed values, scales, zero points, order of groups.
struct StoredPieces {
  std::array<Bytes, 4> pieces{};
  Bytes bytes() const;
};

/// `copies` matrices of outputs × inputs (experts) kept together as one tensor of each kind.
StoredPieces stored_pieces(FormatId format, Count outputs, Count inputs, Count copies = Count(1));

}  // namespace vram
