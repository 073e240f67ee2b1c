// Where layers and experts go when they do not all fit: as llama.cpp's --fit decides, and as people set it by hand.
//
// Experts are moved to the host before whole layers are. Of those, as many come back as leave each GPU a margin of
// 1,024 MiB over everything that is allocated there.
//
//   Qwen3-235B-A22B Q8_0, 32,768 tokens, one card of 48 GB: 7.4 GiB without experts, 5.9 of cache → 13 layers keep theirs
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan/llamacpp/llamacpp.h"

namespace vram::llamacpp {

constexpr std::uint64_t kFitMargin = std::uint64_t{1024} << 20;  // --fit-target

/// Bytes of the experts of each layer; 0 where it has none.
std::vector<std::uint64_t> expert_bytes(const Model& model);

/// `capacity`: bytes of each GPU, one a device. The settings come back with experts and layers placed; unchanged where
/// everything fits. A number of layers that was asked for stays.
Settings fitted(const Model& model, Settings settings, const std::vector<std::uint64_t>& capacity,
                std::uint64_t margin = kFitMargin);

}  // namespace vram::llamacpp
