// What llama.cpp and the programs built on it allocate: weights, caches, states and computation, by device and host.
//
// Settings are what stands on a command line; a plan is bytes. Nothing is fitted: weights are the file's tensors where
// the loader puts them, caches are cells × widths, and the compute buffers come from the graph that llama.cpp reserves
// them with (build.h) and a walk over it (allocate.h).
//
//   Gemma-3-1B Q4_K_M, 4,096 tokens, everything on one GPU:
//     weights  762.54 MiB on the GPU, 306.00 MiB on the host: the embedding lies on the host and, being tied to the
//              head, a second time on the GPU
//     kv       4 full layers × 4,096 cells + 22 windowed × 1,024 cells, 2 × 256 values, f16
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model.h"
#include "core/plan/ledger.h"
#include "core/plan/llamacpp/allocate.h"
#include "core/plan/llamacpp/build.h"
#include "core/plan/llamacpp/model.h"
#include "core/plan/llamacpp/version.h"

namespace vram::llamacpp {

constexpr std::uint32_t kMostSequences = 256;  // LLAMA_MAX_SEQ

struct Settings {
  Program program = Program::llama_cpp;
  Build build;
  std::uint32_t context = 4096;            ///< -c
  std::uint32_t batch = 2048;              ///< -b
  std::uint32_t ubatch = 512;              ///< -ub
  std::uint32_t sequences = 1;             ///< -np
  std::uint32_t outputs = 0;               ///< rows whose logits are kept; 0 = `batch`
  bool flash = true;                       ///< -fa
  FormatId type_k = FormatId::fp16, type_v = FormatId::fp16;  ///< -ctk, -ctv
  bool unified = false;                    ///< one cache for all sequences
  bool full_windows = false;               ///< --swa-full
  int gpu_layers = -1;                     ///< -ngl; −1 = all. The output layer counts as one and goes first.
  int host_expert_layers = 0;              ///< --n-cpu-moe; experts of the first layers
  bool all_experts_on_host = false;        ///< --cpu-moe
  std::vector<bool> host_experts;          ///< by layer, where a pattern says (-ot); empty = as above
  int devices = 1;                         ///< GPUs; 0 = none
  std::vector<double> split;               ///< -ts; empty = evenly
  bool cache_on_device = true;             ///< not --no-kv-offload
  bool offload_operations = true;          ///< not --no-op-offload
  bool host_repacked = false;              ///< weights in host memory are in a layout that GPUs cannot read (ik: -rtr)
  int pipeline = -1;                       ///< copies of the inputs with several GPUs; −1 = as the program decides
  Api api = Api::cuda;
  std::uint32_t draft_states = 0;          ///< recurrent states kept for draft tokens
  // ik_llama.cpp
  int latent_mode = 3;                     ///< -mla; 0 = keys and values of every head
  std::uint64_t attention_batch = 0;       ///< -amb, MiB; 0 = without bound
  bool fused_experts = true;               ///< -fmoe
};

/// A cache of one kind on all devices together.
struct CachePlan {
  std::uint64_t cells = 0, streams = 1, layers = 0;
  std::vector<std::uint64_t> by_backend;
  std::uint64_t bytes() const;
};

/// Bytes by backend: the GPUs, then the host.
struct Plan {
  std::vector<std::uint64_t> weights;
  CachePlan full, window;
  std::vector<std::uint64_t> recurrent;
  std::vector<std::uint64_t> compute;
  std::uint64_t output = 0;                ///< host: logits handed to the caller
  bool complete = true;                    ///< false: the model lacks tensors that its architecture needs
  std::uint64_t mapped = 0;                ///< host: what of the file is mapped when weights are not read into memory
  std::uint64_t kv() const { return full.bytes() + window.bytes(); }
  std::uint64_t recurrent_bytes() const;
  std::uint64_t total_of(std::size_t backend) const;
};

/// Why llama.cpp refuses the settings: "llamacpp.quantised_values_need_flash", "llamacpp.latent_types_differ",
/// "llamacpp.too_many_sequences"; empty when it does not.
std::string_view refusal(const Model& model, const Settings& settings);

Plan plan(const Model& model, const Settings& settings);

// Steps of a plan, each a rule of its own.

/// Numbers of one pass (llama-context.cpp, constructor and sched_reserve).
Pass resolve(const Model& model, const Settings& settings);
/// Weights where the loader puts them; tensors are aligned (llama-model.cpp, load_tensors).
std::vector<std::uint64_t> weights(const Model& model, const Pass& pass);
/// The part of the file that is mapped for the host: from its first tensor there to its last (llama-mmap.cpp). What lies
/// between and is on a GPU counts again.
std::uint64_t mapped(const Model& model, const Pass& pass);
/// Keys and values (llama-kv-cache.cpp, llama-kv-cache-iswa.cpp).
CachePlan key_values(const Model& model, const Pass& pass, bool window);
/// States of recurrent layers (llama-memory-recurrent.cpp).
std::vector<std::uint64_t> states(const Model& model, const Pass& pass);
/// Computation. Empty when the model lacks a tensor.
std::vector<std::uint64_t> compute(const Model& model, const Pass& pass, const Settings& settings);

}  // namespace vram::llamacpp
