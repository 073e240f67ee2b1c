// How large the buffers of a graph become: the walk of ggml's graph allocator (ggml/src/ggml-alloc.c).
//
// Each backend has one growing buffer. Inputs get their place first; then the graph is walked in order: a tensor takes
// the smallest hole that holds it (the open end counts last), or the place of a source of the same layout that nothing
// else reads; a source whose last reader has run gives its place back. What a buffer ever reached is what is reserved.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan/llamacpp/graph.h"

namespace vram::llamacpp {

struct Step {
  Id node = kNone;
  std::int16_t backend = 0;
  bool only_read = false;    ///< the scheduler's: keeps the tensor alive up to here, computes nothing
};

/// A graph ready to run: every tensor has a backend and what crosses backends has its copies (schedule.h).
struct Schedule {
  std::vector<Step> leaves, steps;
  int backends = 1;          ///< the last one is the host
  bool host_is_only = false; ///< no GPU
};

/// Bytes that each backend's buffer reached. Empty when layers were left out of the graph (Graph::left_out) that would
/// not have found the buffers as the ones before them did.
std::vector<std::uint64_t> allocate(const Graph& graph, const Schedule& schedule);

}  // namespace vram::llamacpp
