#include "core/plan/server/storage.h"

#include <algorithm>

namespace vram {
namespace {

constexpr Bytes kSmallest{512}, kOwnSegment{10u << 20}, kSegmentStep{2u << 20}, kWorthSplitting{1u << 20};
constexpr Bytes kSmall{1u << 20}, kSharedSegment{20u << 20};

}  // namespace

Bytes allocated(Bytes size) {
  const Bytes rounded = round_up(size, kSmallest);
  if (rounded < kOwnSegment) return rounded;
  const Bytes segment = round_up(rounded, kSegmentStep);
  return segment - rounded <= kWorthSplitting ? segment : rounded;
}

void Allocator::keep(std::uint64_t size, std::uint64_t count) {
  const auto at = std::find_if(rests_.begin(), rests_.end(), [&](const Rest& rest) { return rest.size >= size; });
  if (at != rests_.end() && at->size == size) at->count += count;
  else rests_.insert(at, {size, count});
}

Bytes Allocator::take(Bytes size) {
  const Bytes rounded = round_up(size, kSmallest);
  Bytes block = rounded;
  if (rounded > kSmall) {
    const auto found = std::find_if(rests_.begin(), rests_.end(),
                                    [&](const Rest& rest) { return rest.size >= rounded.value(); });
    if (found != rests_.end()) {
      block = Bytes(found->size);
      if (--found->count == 0) rests_.erase(found);
    } else {
      block = rounded < kOwnSegment ? kSharedSegment : round_up(rounded, kSegmentStep);
    }
    const Bytes rest = block - rounded;
    if (rest > kWorthSplitting) {
      keep(rest.value(), 1);
      block = rounded;
    }
  }
  counted_ += block;
  return block;
}

void Allocator::take_alike(std::span<const Bytes> sizes, std::uint64_t times, std::span<Bytes> counted) {
  Bytes least = Bytes::overflow();  // free blocks below the least size that looks for one are never taken
  for (const Bytes size : sizes) {
    const Bytes rounded = round_up(size, kSmallest);
    if (rounded > kSmall) least = std::min(least, rounded);
  }
  const auto usable = [&](const std::vector<Rest>& rests) {
    return std::find_if(rests.begin(), rests.end(), [&](const Rest& rest) { return rest.size >= least.value(); });
  };
  // What was, at a round that is a power of two: a cycle that begins somewhere is found from there on.
  std::vector<Rest> before_rests;
  std::vector<Bytes> before;
  Bytes before_sum;
  std::uint64_t before_round = 0;
  for (std::uint64_t round = 0; round < times; ++round) {
    if (round > 0 && std::equal(usable(rests_), rests_.cend(), usable(before_rests), before_rests.cend())) {
      const std::uint64_t length = round - before_round, cycles = (times - round) / length;
      for (std::size_t i = 0; i < sizes.size(); ++i) counted[i] += Count(cycles) * (counted[i] - before[i]);
      counted_ += Count(cycles) * (counted_ - before_sum);
      const std::vector<Rest> more(rests_.cbegin(), usable(rests_));  // what no size of these can use piles up
      for (const Rest& rest : more) {
        const auto had = std::find_if(before_rests.begin(), before_rests.end(),
                                      [&](const Rest& one) { return one.size == rest.size; });
        const std::uint64_t made = rest.count - (had == before_rests.end() ? 0 : had->count);
        if (made > 0) keep(rest.size, made * cycles);
      }
      const std::uint64_t left = (times - round) % length;
      for (std::uint64_t i = 0; i < left; ++i) {
        for (std::size_t k = 0; k < sizes.size(); ++k) counted[k] += take(sizes[k]);
      }
      return;
    }
    if ((round & (round - 1)) == 0) {
      before_rests = rests_;
      before.assign(counted.begin(), counted.end());
      before_sum = counted_;
      before_round = round;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) counted[i] += take(sizes[i]);
  }
}

Bytes StoredPieces::bytes() const {
  Bytes sum;
  for (const Bytes piece : pieces) sum += piece;
  return sum;
}

StoredPieces stored_pieces(FormatId id, Count outputs, Count inputs, Count copies) {
  const StorageFormat& format = storage_format(id);
  StorageFormat values_only = format;
  values_only.group = values_only.tile = values_only.tensor_bytes = 0;
  values_only.channel_scale = false;
  const Bytes values = stored_bytes(values_only, outputs, inputs);
  StorageFormat without_zeros = format;
  without_zeros.zero_bits = 0;
  const Bytes with_scales = stored_bytes(without_zeros, outputs, inputs);
  StoredPieces stored;
  stored.pieces[0] = values * copies;
  stored.pieces[1] = (with_scales - values) * copies;
  stored.pieces[2] = (stored_bytes(format, outputs, inputs) - with_scales) * copies;
  if (id == FormatId::gptq_int4) stored.pieces[3] = Count(4) * Bytes(inputs.value()) * copies;  // order of the groups
  return stored;
}

}  // namespace vram
