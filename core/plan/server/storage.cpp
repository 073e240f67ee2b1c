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

Bytes Allocator::take(Bytes size) {
  const Bytes rounded = round_up(size, kSmallest);
  Bytes block = rounded;
  if (rounded > kSmall) {
    const auto found = std::lower_bound(rests_.begin(), rests_.end(), rounded.value());
    if (found != rests_.end()) {
      block = Bytes(*found);
      rests_.erase(found);
    } else {
      block = rounded < kOwnSegment ? kSharedSegment : round_up(rounded, kSegmentStep);
    }
    const Bytes rest = block - rounded;
    if (rest > kWorthSplitting) {
      rests_.insert(std::lower_bound(rests_.begin(), rests_.end(), rest.value()), rest.value());
      block = rounded;
    }
  }
  counted_ += block;
  return block;
}

Bytes StoredPieces::taken_from(Allocator& allocator) const {
  Bytes sum;
  for (const Bytes piece : pieces) {
    if (piece > Bytes(0)) sum += allocator.take(piece);
  }
  return sum;
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
