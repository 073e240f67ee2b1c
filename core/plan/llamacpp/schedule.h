// Which backend runs what: ggml's scheduler (ggml/src/ggml-backend.cpp, ggml_backend_sched_split_graph).
//
// A tensor that lies somewhere decides for what reads it; the rest follows its neighbours. A run of operations on one
// backend is a split; what a split reads from elsewhere is copied to it first. With weights in host memory and a large
// batch the GPU still computes: the weights are copied to it, which is the device's staging memory for off-loaded
// experts. With several GPUs and everything on them, inputs are kept four times so that batches can overlap.
#pragma once
#include "core/plan/llamacpp/allocate.h"

namespace vram::llamacpp {

struct ScheduleRules {
  int devices = 1;           ///< GPUs; the host comes after them
  bool pipeline = false;     ///< four copies of the inputs
  bool offload = true;       ///< weights in host memory are computed with on the first GPU when the batch is large
  std::uint64_t offload_batch = 32;  ///< from this many rows on (ggml-cuda, min_batch_size)
  bool repacked = false;     ///< quantised weights in host memory are laid out for the CPU and stay there
  bool reads_repacked = true;///< of those, i-quants can be moved to a GPU all the same
  std::uint64_t offload_expert_batch = 32;  ///< the same for experts
};

/// Adds the copies to the graph.
Schedule schedule(Graph& graph, const ScheduleRules& rules);

}  // namespace vram::llamacpp
