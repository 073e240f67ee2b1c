// One line of a file of llama.cpp logs (data/README.md, llamacpp.jsonl): settings as far as they were noted, and what
// was reported. A field that is null or missing is not known. Nothing in a row says what to predict.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/llamacpp/llamacpp.h"
#include "core/units/json.h"

namespace vram::check {

/// A figure of one buffer, in bytes.
struct BufferFigure {
  std::string name;  ///< "CUDA0", "Vulkan_Host"
  double bytes = 0;
};

struct LlamaCppReport {
  std::vector<BufferFigure> device_weights, host_weights, compute, host_compute;
  std::optional<double> kv, recurrent, output, total;
  bool total_includes_context = false;  ///< seen from outside: with what the driver takes for itself
};

enum class Flash : std::uint8_t { unknown, off, on, automatic };

struct LlamaCppRow {
  std::string id, model_key, arch, quant, weights_format;
  bool is_llamacpp = true;  ///< false: a program of its own that reads GGUF; only its cache follows our rules
  llamacpp::Program program = llamacpp::Program::llama_cpp;
  llamacpp::Api api = llamacpp::Api::cuda;
  std::optional<int> build;
  std::optional<std::uint32_t> context, sequences, batch, ubatch, draft_tokens;
  Flash flash = Flash::unknown;
  std::optional<FormatId> type_k, type_v;
  bool unknown_cache_type = false;
  std::optional<bool> unified, full_windows, experts_on_host, some_on_host;
  std::optional<int> gpu_layers, offloadable;  ///< −1 = all
  int devices = 0;                             ///< that hold anything; 0 = none, or nobody said
  bool names_devices = false;
  std::vector<std::string> hardware;   ///< ids of accelerators, "" where not known
  std::vector<double> printed_memory;  ///< bytes of each GPU as its name says ("Tesla P100-PCIE-16GB"); 0 = it does not
  std::uint32_t layers = 0;
  std::optional<int> mla, attention_batch;
  std::optional<bool> fused_moe;
  bool per_head_cache = false;    ///< latent attention with keys and values of every head
  bool repacked = false;          ///< types laid out for the CPU ("iq4_k_r4", "q4_k_r4")
  bool read_into_memory = false;  ///< host weights are not mapped
  std::optional<int> pipeline_copies;
  std::vector<std::pair<FormatId, std::uint32_t>> types;  ///< tensors by type, as the loader counts them
  std::optional<double> file_bytes;
  std::vector<std::string> complete_for;
  LlamaCppReport report;

  bool is_complete_for(std::string_view quantity) const;
};

/// Nothing when there is no id. Never more than a few hundred buffers.
std::optional<LlamaCppRow> llamacpp_row(const Json& object);

/// A ggml type by the name that logs print ("f16", "q4_K", "iq4_ks_r4").
std::optional<FormatId> ggml_type(std::string_view name);
/// The mix of llama-quantize by the name the loader prints ("Q4_K - Medium") or a file carries ("UD-Q4_K_XL").
std::string mix_of(std::string_view quant);

}  // namespace vram::check
