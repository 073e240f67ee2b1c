// What a server program really allocates on each of its devices: budget, weights as loaded, peak of activations, what
// lies outside the allocator, graphs, and the pool of keys and values that is left, with the figures the program
// prints.
//
//   ServerSettings (flags) + Model + Accelerator → ServerPlan
//
// Each engine has its own rules (vllm.h, sglang.h, trtllm.h), switched by its version; defaults are those of that
// version. A flag nobody told takes the default and widens the band: the plan is made again for each other value that
// such a flag usually has, and low … high cover them.
//
// Two questions are answered with the same rules:
//   how large will the pool be?             plan_server(settings, model, accelerator)
//   the log says the pool; what fits in?    plan_server(…, pool)
//
//   Llama-3.1-8B, H100, vLLM 0.19, share 0.95:
//     75.23 budget − 14.99 weights − 1.89 activations − 0.25 outside = 58.10 GiB → 475,9xx tokens (log: 58.11, 476,016)
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/plan/ledger.h"
#include "core/plan/server/version.h"

namespace vram {

/// How cached values are stored, in the words of the engines' flags.
enum class CacheFormat : std::uint8_t {
  automatic,  ///< the model's own (16 bits as a rule)
  bits16,
  bits32,
  fp8,
  int8,
  nvfp4,
  fp8_ds_mla,       ///< latent in fp8 with scales, rotary part in 16 bits: 656 bytes for 576 values
  nvfp4_ds_mla,     ///< the same with a latent in nvfp4 (forks)
  turboquant_k8v4,  ///< keys in 8 bits, values in 4, a scale each: 196 bytes a head of 128
};

enum class Speculation : std::uint8_t {
  none,
  mtp,       ///< the model's own draft layers
  dspark,    ///< DeepSeek-V4's drafter: three layers like the model's own draft layer
  separate,  ///< a draft model with weights of its own (EAGLE, draft models)
};

/// What the engine runs on; kernels and their padding differ.
enum class Backend : std::uint8_t { cuda, rocm, xpu, npu, hpu };

/// Bytes of a device that a start measured and that are taken instead of being estimated; vLLM's own three figures.
struct MeasuredParts {
  std::optional<double> activation, non_torch, graphs;
};

struct ServerSettings {
  Engine engine = Engine::vllm;
  EngineVersion version = newest_version(Engine::vllm);
  Backend platform = Backend::cuda;

  int tensor_parallel = 1, pipeline_parallel = 1, data_parallel = 1, context_parallel = 1;
  bool expert_parallel = false;  ///< whole experts instead of slices of all

  CacheFormat cache = CacheFormat::automatic;
  bool cache_told = false;  ///< false: nobody said, and the flag may have been given

  /// vLLM: share of the device's total. SGLang: mem_fraction_static. TensorRT-LLM, LMDeploy: share of what is free.
  std::optional<double> memory_share;
  std::optional<std::uint64_t> max_model_len, batch_tokens, max_sequences;
  std::optional<bool> prefix_caching, eager;

  std::optional<Speculation> speculation;
  std::optional<int> draft_tokens;
  std::optional<FormatId> state_format;  ///< of recurrent states, when a flag overrides the model's

  bool adapters = false;  ///< LoRA slots are allocated
  int adapter_rank = 16, adapter_slots = 1;
  bool text_only = false;                ///< towers are not loaded
  bool tables_on_host = false;           ///< per-layer embedding tables stay in host memory
  bool weights_on_host = false;          ///< weights are off-loaded, how much is not known
  bool quantised_while_loading = false;  ///< a 16-bit checkpoint packed by the engine (--quantization fp8)

  std::optional<Bytes> device_total;  ///< what the program sees, when it was printed
  MeasuredParts measured;
};

/// Draft layers that are loaded for each one the model describes; 0 = none.
int draft_copies(const ServerSettings& settings);

/// A quantity with its band. Bytes, tokens or a ratio; a pool may be negative: start-up fails.
struct Estimate {
  double low = 0, likely = 0, high = 0;
  Certainty certainty = Certainty::exact;

  static Estimate exactly(double value) { return {value, value, value, Certainty::exact}; }
};

/// What the allocator counts for the weights of one device after loading (weights.h), by what they are for.
struct LoadedWeights {
  Bytes dense, experts, embeddings, towers, drafts, rotary, adapters;  ///< by what they are for
  Bytes total() const { return dense + experts + embeddings + towers + drafts + rotary + adapters; }
};

/// One device of a pipeline stage; the tensor-parallel devices of a stage hold the same.
struct ServerRank {
  LoadedWeights loaded;
  Estimate weights;           ///< bytes the allocator counts after loading
  Estimate activation;        ///< peak above the weights in the profiling run
  Estimate non_torch;         ///< context growth, communication, libraries
  Estimate graphs_charged;    ///< taken off the pool before it is sized
  Estimate graphs_estimated;  ///< what start-up says graphs will take, charged or not
  Estimate graphs;            ///< really taken by captured graphs
  Estimate pool;              ///< for keys and values (and states, where they share it)
  double block_bytes = 0;     ///< of one block of the pool on this stage

  /// All of the above that have a band.
  static constexpr Estimate ServerRank::*kEstimates[] = {
      &ServerRank::weights, &ServerRank::activation, &ServerRank::non_torch, &ServerRank::graphs_charged,
      &ServerRank::graphs_estimated, &ServerRank::graphs, &ServerRank::pool};
};

struct ServerPlan {
  std::vector<ServerRank> stages;  ///< of the pipeline; the first is the one that logs
  Estimate pool;                   ///< of the fullest stage: what sizes the cache
  Estimate tokens;                 ///< as the engine prints them
  Estimate window_tokens;          ///< SGLang: of the second pool of window layers; 0 = none
  Estimate concurrency;            ///< of requests of max_model_len tokens; 0 = not printed
  Estimate bytes_per_token;        ///< of the pool, for a printed token and device
  Estimate needed;                 ///< bytes that one request of max_model_len needs
  Estimate longest;                ///< tokens: the engine's "estimated maximum model length"
  Estimate state;                  ///< bytes of recurrent states, where they are allocated apart
  Estimate state_slots;
  static constexpr Estimate ServerPlan::*kEstimates[] = {
      &ServerPlan::pool, &ServerPlan::tokens, &ServerPlan::window_tokens, &ServerPlan::concurrency,
      &ServerPlan::bytes_per_token, &ServerPlan::needed, &ServerPlan::longest, &ServerPlan::state,
      &ServerPlan::state_slots};
  bool bytes_per_token_is_exact = true;  ///< false: printed tokens are not a multiple of bytes, it is pool / tokens
  std::uint64_t block_tokens = 0, blocks = 0;
  std::uint64_t request_blocks = 0;  ///< vLLM: that a request of max_model_len takes
  int cache_groups = 0, padding_layers = 0;
  ServerSettings settings;  ///< with every default filled in
};

/// The plan of a start where every flag that was not told is at its default: nothing is widened for it.
ServerPlan plan_server_as_told(const ServerSettings& settings, const Model& model, const Accelerator& accelerator);

/// The plan from flags alone; with `pool`, that of a device whose pool is known in bytes.
ServerPlan plan_server(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool = std::nullopt);

}  // namespace vram
