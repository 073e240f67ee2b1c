// Which release of an engine a plan is for, and what changed when.
//
// Logs and people write versions in many ways: "0.19.0", "~0.27 V2 runner", "0.8.x V1", "2026-08", "0.31.1rc1.dev50",
// "0.1.dev16944" (a build of the main branch: that many commits). All become one number, minor × 100 + patch:
//
//   "0.19.1" → 1901      "2026-08" → 2700 (the release of that month)      "" → the newest release known here
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace vram {

enum class Engine : std::uint8_t { vllm, sglang, tensorrt_llm, lmdeploy };
std::string_view engine_key(Engine engine);  ///< "vllm", "sglang", "tensorrt-llm", "lmdeploy"

struct EngineVersion {
  int number = 0;                  ///< minor × 100 + patch
  bool known = false;              ///< false: nobody said; `number` is the newest known here
  bool engine_v0 = false;          ///< vLLM: the first engine core (default before 0.8, by choice until 0.11)
  bool runner_v2 = false;          ///< vLLM: the text says that the second model runner was on
  bool first_of_its_kind = false;  ///< vLLM: the image made for gpt-oss, before 0.10.1 was released
};

EngineVersion parse_engine_version(Engine engine, std::string_view text);
EngineVersion newest_version(Engine engine);
/// The release that most people run a model with: that of two months after the model ("2026-02" → 0.20). Not known.
EngineVersion version_of_model(Engine engine, std::string_view model_release);

/// Changes of vLLM that move reported figures, each with the first release that has it.
enum class VllmChange : std::uint8_t {
  latent_kernels,           ///< MLA cached as a latent; before, keys and values of every head
  hybrid_groups,            ///< window and recurrent layers get groups of blocks of their own
  group_size_max_125,       ///< a group may be as long as the longest kind, within 25 %
  group_size_max_150,       ///< within 50 %
  sampler_without_sort,     ///< top-k and top-p in Triton: far less beside the logits
  larger_non_torch,         ///< one more library context is counted
  needed_counts_padding,    ///< "needed memory" counts padding layers
  graphs_in_budget,         ///< the estimate of CUDA graphs is taken off the pool; default share 0.92
  tokens_from_concurrency,  ///< "GPU KV cache size" = concurrency × max_model_len
  runner_v2_some_dense,     ///< second model runner by default
  packed_slab,              ///< DeepSeek-V4: blocks of one size for all groups
  two_batches_in_flight,    ///< windows are charged for two scheduled batches
  hybrid_prefix_caching,    ///< prefix caching on by default for recurrent hybrids (two states a sequence)
  concurrency_by_group,     ///< each group's blocks are rounded up by itself
  large_gpu_batches,        ///< cards of 160 GiB and more: 16,384 tokens a batch
  count_
};

struct VllmChangeRow {
  VllmChange change;
  int since;  ///< version number
  std::string_view date, commit;
};
std::span<const VllmChangeRow> vllm_changes();
bool has(EngineVersion version, VllmChange change);

}  // namespace vram
