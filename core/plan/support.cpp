#include "core/plan/support.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/plan/llamacpp/version.h"
#include "core/plan/server/words.h"

namespace vram {
namespace {

/// One fact of somebody's document. Words are separated by spaces; an empty list means any.
struct Row {
  std::string_view engines, formats, vendors;
  double from = 0, below = 1000;  ///< CUDA compute capability; other vendors have none and match 0
  bool needs_fp8 = false, needs_fp4 = false, needs_int8 = false;  ///< only where the card computes in it
  bool lacks_fp8 = false;         ///< only where it is known that it does not
  int since = 0;                  ///< version number of the engine; llama.cpp: build
  SupportLevel level = SupportLevel::native;
  std::string_view why, source;
};

constexpr auto kEmulated = SupportLevel::emulated;
constexpr auto kRefused = SupportLevel::refused;

constexpr std::string_view kVllmTable = "vLLM, docs/features/quantization/README.md: Supported Hardware";
constexpr std::string_view kSglangTable = "SGLang, docs/advanced_features/quantization.md: Platform Compatibility";
constexpr std::string_view kTrtTable = "TensorRT-LLM, docs/source/features/quantization.md: Hardware Support Matrix";
constexpr std::string_view kMetax = "vLLM-metax, README; MetaX C500, C550: BF16, INT8, no FP8";
constexpr std::string_view kGgml = "llama.cpp, ggml/src/ggml-cuda: convert.cu, mmvq.cu, mmq.cu";
constexpr std::string_view kLlamaEngines = "llama_cpp ik_llama_cpp ollama lm_studio";

// Compute capabilities: Volta 7.0, Turing 7.5, Ampere 8.0–8.7, Ada 8.9, Hopper 9.0, Blackwell 10.x and 12.x.
constexpr Row kWeightRows[] = {
    // TensorRT-LLM
    {.engines = "tensorrt_llm", .vendors = "AMD Intel Huawei MetaX", .level = kRefused, .why = "support.nvidia_only",
     .source = "TensorRT-LLM, docs: Supported Hardware"},
    {.engines = "tensorrt_llm", .vendors = "NVIDIA", .below = 8.0, .level = kRefused, .why = "support.no_kernel",
     .source = "TensorRT-LLM, docs: Supported Hardware"},
    {.engines = "tensorrt_llm", .formats = "bf16 fp16 fp32", .vendors = "NVIDIA", .why = "support.native",
     .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "fp8", .vendors = "NVIDIA", .from = 8.9, .why = "support.native",
     .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "fp8_block", .vendors = "NVIDIA", .from = 9.0, .below = 12.0,
     .why = "support.native", .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "fp8_channel", .vendors = "NVIDIA", .from = 9.0, .below = 10.0,
     .why = "support.native", .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "nvfp4 mxfp4", .vendors = "NVIDIA", .from = 10.0, .why = "support.native",
     .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "mxfp4", .vendors = "NVIDIA", .from = 9.0, .level = kEmulated,
     .why = "support.unpacked", .source = "TensorRT-LLM, docs/source/blogs/tech_blog/blog9: GPT-OSS on Hopper"},
    {.engines = "tensorrt_llm", .formats = "awq gptq", .vendors = "NVIDIA", .below = 10.0, .why = "support.native",
     .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "fp8 fp8_block fp8_channel nvfp4 mxfp4 awq gptq", .vendors = "NVIDIA",
     .level = kRefused, .why = "support.no_kernel", .source = kTrtTable},
    {.engines = "tensorrt_llm", .formats = "gguf gguf_ik nf4", .level = kRefused, .why = "support.not_read",
     .source = kTrtTable},

    // vLLM and SGLang, NVIDIA
    {.engines = "vllm sglang", .formats = "bf16", .vendors = "NVIDIA", .below = 8.0, .level = kEmulated,
     .why = "support.half_instead", .source = "vLLM, issue 1157"},
    {.engines = "vllm sglang", .formats = "bf16 fp16 fp32", .vendors = "NVIDIA", .why = "support.native",
     .source = kVllmTable},
    {.engines = "vllm sglang", .formats = "fp8 fp8_channel fp8_block", .vendors = "NVIDIA", .from = 8.9,
     .why = "support.native", .source = kVllmTable},
    {.engines = "vllm", .formats = "fp8 fp8_channel fp8_block", .vendors = "NVIDIA", .from = 8.0, .since = 502,
     .level = kEmulated, .why = "support.marlin", .source = "vLLM, pull request 5975"},
    {.engines = "sglang", .formats = "fp8 fp8_channel fp8_block", .vendors = "NVIDIA", .from = 8.0, .level = kEmulated,
     .why = "support.marlin", .source = "SGLang, layers/quantization/fp8.py: use_marlin"},
    {.engines = "vllm sglang", .formats = "fp8 fp8_channel fp8_block", .vendors = "NVIDIA", .level = kRefused,
     .why = "support.no_kernel", .source = kVllmTable},
    {.engines = "vllm", .formats = "int8", .vendors = "NVIDIA", .from = 10.0, .level = kRefused,
     .why = "support.no_kernel", .source = "vLLM, docs/features/quantization/int8.md: Blackwell GPU Limitation"},
    {.engines = "vllm sglang", .formats = "int8", .vendors = "NVIDIA", .from = 7.5, .below = 10.0,
     .why = "support.native", .source = kVllmTable},
    {.engines = "vllm", .formats = "int8", .vendors = "NVIDIA", .below = 7.5, .level = kRefused,
     .why = "support.no_kernel", .source = kVllmTable},
    {.engines = "vllm", .formats = "awq", .vendors = "NVIDIA", .below = 7.5, .level = kRefused,
     .why = "support.no_kernel", .source = kVllmTable},
    {.engines = "vllm", .formats = "awq gptq", .vendors = "NVIDIA", .why = "support.native", .source = kVllmTable},
    {.engines = "sglang", .formats = "awq gptq", .vendors = "NVIDIA", .from = 7.5, .why = "support.native",
     .source = kSglangTable},
    {.engines = "vllm", .formats = "nf4", .vendors = "NVIDIA", .why = "support.native", .source = kVllmTable},
    {.engines = "sglang", .formats = "nf4", .vendors = "NVIDIA", .from = 7.5, .why = "support.native",
     .source = kSglangTable},
    {.engines = "vllm sglang", .formats = "mxfp4", .vendors = "NVIDIA", .from = 10.0, .below = 12.0,
     .why = "support.native", .source = "vLLM, layers/quantization/mxfp4.py: FlashInfer on SM100"},
    {.engines = "vllm", .formats = "mxfp4", .vendors = "NVIDIA", .from = 12.0, .level = kEmulated,
     .why = "support.marlin", .source = "vLLM, issue 30135"},
    {.engines = "vllm", .formats = "mxfp4", .vendors = "NVIDIA", .from = 8.0, .since = 1001, .level = kEmulated,
     .why = "support.marlin", .source = "vLLM, issue 23203"},
    {.engines = "sglang", .formats = "mxfp4", .vendors = "NVIDIA", .from = 8.0, .level = kEmulated,
     .why = "support.unpacked", .source = kSglangTable},
    {.engines = "vllm", .formats = "mxfp4", .vendors = "NVIDIA", .level = kRefused, .why = "support.no_kernel",
     .source = "vLLM, issue 22288"},
    {.engines = "vllm sglang", .formats = "nvfp4", .vendors = "NVIDIA", .from = 10.0, .why = "support.native",
     .source = kSglangTable},
    {.engines = "vllm", .formats = "nvfp4", .vendors = "NVIDIA", .from = 8.0, .since = 900, .level = kEmulated,
     .why = "support.marlin", .source = "vLLM, marlin_utils_fp4.py: is_fp4_marlin_supported"},
    {.engines = "vllm", .formats = "nvfp4", .vendors = "NVIDIA", .level = kRefused, .why = "support.no_kernel",
     .source = "vLLM, issue 32838"},

    // AMD
    {.engines = "vllm sglang", .formats = "bf16 fp16 fp32", .vendors = "AMD", .why = "support.native",
     .source = "vLLM, SGLang: ROCm"},
    {.engines = "vllm sglang", .formats = "fp8 fp8_channel fp8_block", .vendors = "AMD", .needs_fp8 = true,
     .why = "support.native", .source = kVllmTable},
    {.engines = "vllm", .formats = "awq gptq int8 nf4", .vendors = "AMD", .level = kRefused,
     .why = "support.no_kernel", .source = kVllmTable},
    {.engines = "sglang", .formats = "awq gptq", .vendors = "AMD", .level = kEmulated, .why = "support.unpacked",
     .source = kSglangTable},
    {.engines = "sglang", .formats = "int8", .vendors = "AMD", .why = "support.native", .source = kSglangTable},
    {.engines = "vllm sglang", .formats = "mxfp4", .vendors = "AMD", .needs_fp4 = true, .why = "support.native",
     .source = kSglangTable},
    {.engines = "vllm sglang", .formats = "mxfp4", .vendors = "AMD", .level = kEmulated, .why = "support.unpacked",
     .source = "vLLM, docs/features/quantization/quark.md: OCP MX"},
    {.engines = "sglang", .formats = "nvfp4", .vendors = "AMD", .level = kEmulated, .why = "support.unpacked",
     .source = "SGLang: petit_nvfp4"},

    // MetaX, through its own builds of vLLM
    {.engines = "vllm", .formats = "bf16 fp16 fp32", .vendors = "MetaX", .why = "support.native", .source = kMetax},
    {.engines = "vllm", .formats = "int8", .vendors = "MetaX", .needs_int8 = true, .why = "support.native",
     .source = kMetax},

    {.engines = "vllm sglang", .formats = "fp8 fp8_channel fp8_block", .vendors = "MetaX", .lacks_fp8 = true,
     .level = kRefused, .why = "support.card_cannot", .source = kMetax},

    // GGUF in servers: one file, experimental
    {.engines = "vllm", .formats = "gguf", .vendors = "NVIDIA AMD", .since = 505, .level = kEmulated,
     .why = "support.gguf_is_experimental", .source = "vLLM, docs/features/quantization/gguf.md"},
    {.engines = "sglang", .formats = "gguf", .vendors = "NVIDIA", .level = kEmulated,
     .why = "support.gguf_is_experimental", .source = kSglangTable},
    {.engines = "vllm sglang", .formats = "gguf_ik", .level = kRefused, .why = "support.not_read",
     .source = "ik_llama.cpp, ggml.h: types 137 and above"},

    // llama.cpp and what is made of it: GGUF only; what is not GGUF is converted first, to sixteen bits
    {.engines = "ik_llama_cpp", .formats = "gguf_ik", .vendors = "NVIDIA", .why = "support.native",
     .source = "ik_llama.cpp, ggml/src/ggml-cuda"},
    {.engines = "llama_cpp ollama lm_studio", .formats = "gguf_ik", .level = kRefused, .why = "support.not_read",
     .source = "ik_llama.cpp, ggml.h: types 137 and above"},
    {.engines = "llama_cpp ollama lm_studio", .formats = "mxfp4", .vendors = "NVIDIA AMD Intel", .since = 6096,
     .why = "support.native", .source = "llama.cpp, pull request 15091"},
    {.engines = kLlamaEngines, .formats = "gguf bf16 fp16 fp32", .vendors = "NVIDIA AMD", .why = "support.native",
     .source = kGgml},
    {.engines = kLlamaEngines, .formats = "fp8 fp8_channel fp8_block mxfp8 int8 awq gptq nf4 nvfp4 fp6",
     .vendors = "NVIDIA AMD", .level = kEmulated, .why = "support.converted",
     .source = "llama.cpp, convert_hf_to_gguf.py"},
};

constexpr Row kCacheRows[] = {
    {.engines = kLlamaEngines, .formats = "auto bf16 fp32 q8_0 q4_0", .why = "support.cache_native",
     .source = "llama.cpp, tools/server/README.md: --cache-type-k"},
    {.engines = "vllm sglang", .formats = "fp8", .vendors = "MetaX", .lacks_fp8 = true, .level = kRefused,
     .why = "support.card_cannot", .source = kMetax},
    {.engines = kLlamaEngines, .formats = "fp8", .level = kEmulated, .why = "support.cache_q8_instead",
     .source = "llama.cpp, tools/server/README.md: --cache-type-k"},
    {.engines = "vllm sglang tensorrt_llm", .formats = "auto bf16", .why = "support.cache_native",
     .source = "vLLM, docs/features/quantization/quantized_kvcache.md"},
    {.engines = "vllm sglang tensorrt_llm", .formats = "q8_0 q4_0", .level = kRefused,
     .why = "support.cache_of_llamacpp", .source = "vLLM, docs/features/quantization/quantized_kvcache.md"},
    {.engines = "vllm sglang", .formats = "fp32", .level = kEmulated, .why = "support.cache_fp32",
     .source = "vLLM, v1/kv_cache_interface.py: auto is the model's type"},
    {.engines = "vllm sglang tensorrt_llm", .formats = "fp8", .vendors = "NVIDIA", .from = 8.9,
     .why = "support.cache_native", .source = "vLLM, docs/features/quantization/quantized_kvcache.md"},
    {.engines = "tensorrt_llm", .formats = "fp8", .vendors = "NVIDIA", .from = 8.0, .level = kEmulated,
     .why = "support.cache_unpacked", .source = kTrtTable},
    {.engines = "vllm sglang", .formats = "fp8", .vendors = "NVIDIA", .from = 8.0, .level = kEmulated,
     .why = "support.cache_e5m2", .source = "vLLM, issues 7714, 26431"},
    {.engines = "vllm sglang", .formats = "fp8", .vendors = "AMD", .needs_fp8 = true, .why = "support.cache_native",
     .source = "vLLM, docs/features/quantization/quantized_kvcache.md"},
};

std::string_view kind_of(FormatId format) {
  switch (format) {
    case FormatId::bf16: return "bf16";
    case FormatId::fp16: return "fp16";
    case FormatId::fp32: return "fp32";
    case FormatId::fp8: return "fp8";
    case FormatId::fp8_channel: return "fp8_channel";
    case FormatId::fp8_block: return "fp8_block";
    case FormatId::mxfp8: return "mxfp8";
    case FormatId::int8: return "int8";
    case FormatId::fp6: return "fp6";
    case FormatId::awq_int4: case FormatId::awq_int4_g64: case FormatId::awq_int4_g32: return "awq";
    case FormatId::gptq_int4: case FormatId::gptq_int4_g64: case FormatId::gptq_int4_g32:
    case FormatId::gptq_int4_channel: case FormatId::gptq_int8: case FormatId::gptq_int3: case FormatId::gptq_int2:
    case FormatId::int4_sym: case FormatId::int4_sym_g64: case FormatId::int4_sym_g32:
    case FormatId::int4_sym_channel: return "gptq";
    case FormatId::nf4: case FormatId::nf4_dq: return "nf4";
    case FormatId::mxfp4: return "mxfp4";
    case FormatId::nvfp4: case FormatId::fp4: return "nvfp4";
    default: break;
  }
  if (format >= FormatId::q6_0 && format <= FormatId::iq1_m_r4) return "gguf_ik";
  return storage_format(format).block_bytes != 0 ? "gguf" : "";
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

/// As the trade writes them; the same in every language.
std::string name_of(std::string_view kind, FormatId format) {
  if (kind.starts_with("fp8")) return "FP8";
  const bool is_family = kind == "awq" || kind == "gptq" || kind == "nf4" || kind == "nvfp4";
  return in_capitals(is_family ? kind : storage_format(format).id);
}

int version_number(EngineId engine, std::string_view version) {
  if (is_server(engine)) {
    const Engine server = server_of(engine);
    return version.empty() ? newest_version(server).number : parse_engine_version(server, version).number;
  }
  return llamacpp::build_of(llamacpp::Program::llama_cpp, version).value_or(llamacpp::kNewestBuild);
}

bool matches(std::string_view words, std::string_view word) { return words.empty() || has_word(words, word); }

bool applies(const Row& row, EngineId engine, int version, std::string_view kind, const Accelerator& card) {
  const double capability = card.compute_capability.value_or(0);
  const bool nvidia = card.vendor == "NVIDIA";
  if (nvidia && !card.compute_capability && (row.from > 0 || row.below < 1000)) return false;
  const HardwareFormats formats = card.formats.value_or(HardwareFormats{});
  return matches(row.engines, engine_id_key(engine)) && matches(row.formats, kind) &&
         matches(row.vendors, card.vendor) && capability >= row.from && capability < row.below &&
         version >= row.since && (!row.needs_fp8 || formats.fp8) && (!row.needs_fp4 || formats.fp4) &&
         (!row.needs_int8 || formats.int8) && (!row.lacks_fp8 || (card.formats && !formats.fp8));
}

Message said(std::string_view why, EngineId engine, std::string format, const Accelerator& card) {
  return Message(why)
      .with("engine", std::string(engine_name(engine)))
      .with("format", std::move(format))
      .with("gpu", card.name);
}

template <std::size_t n>
Support looked_up(const Row (&rows)[n], EngineId engine, std::string_view version, std::string_view kind,
                  const std::string& name, const Accelerator& card) {
  const int number = version_number(engine, version);
  for (const Row& row : rows) {
    if (applies(row, engine, number, kind, card)) return {row.level, said(row.why, engine, name, card), row.source};
  }
  return {SupportLevel::unknown, said("support.unknown", engine, name, card), ""};
}

Support worse(Support one, Support other) { return other.level > one.level ? other : one; }

/// Formats that hold at least a twentieth of what quantisers cover.
std::vector<FormatId> main_formats(const Model& model) {
  std::array<Bytes, static_cast<std::size_t>(FormatId::count_)> bytes{};
  Bytes all;
  for (const Tensor& tensor : model.tensors) {
    if (!tensor.stored || !is_quantised_role(tensor.role) || tensor.part != Part::text) continue;
    const Bytes here = tensor.bytes() * Count(model.layers_of(tensor.layer_set));
    bytes[static_cast<std::size_t>(tensor.format)] += here;
    all += here;
  }
  std::vector<FormatId> formats;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > Bytes(0) && bytes[i] * Count(20) >= all) formats.push_back(static_cast<FormatId>(i));
  }
  return formats;
}

}  // namespace

std::string_view support_key(SupportLevel level) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(SupportLevel::count_)> keys = {
      "native", "emulated", "unknown", "refused"};
  return keys[static_cast<std::size_t>(level)];
}

Support weights_support(EngineId engine, std::string_view version, FormatId weights, const Accelerator& card) {
  const std::string_view kind = kind_of(weights);
  const std::string name = name_of(kind, weights);
  if (engine == EngineId::generic) return {SupportLevel::unknown, said("support.any_program", engine, name, card), ""};
  return looked_up(kWeightRows, engine, version, kind, name, card);
}

Support cache_support(EngineId engine, std::string_view version, const std::string& kv, const Accelerator& card) {
  const std::string name = kv == "auto" ? "" : in_capitals(kv);
  if (engine == EngineId::generic) return {SupportLevel::unknown, said("support.any_program", engine, name, card), ""};
  return looked_up(kCacheRows, engine, version, kv, name, card);
}

Support support_of(EngineId engine, std::string_view version, FormatId weights, const std::string& kv,
                   const Accelerator& card) {
  return worse(weights_support(engine, version, weights, card), cache_support(engine, version, kv, card));
}

Support support_of(const Inputs& inputs, const Plan& plan, std::size_t deployment) {
  const Deployment& used = inputs.scenario.deployments[deployment];
  const Placed& placed = plan.placed[deployment];
  std::vector<FormatId> formats = main_formats(inputs.models[deployment]);
  const std::string_view mix = mix_of(used.weights);  // several types of one kind, under one name
  if (!mix.empty()) formats = {FormatId::q4_k};
  if (formats.empty()) formats = {inputs.models[deployment].compute_format};
  Support worst{SupportLevel::native, {}, ""};
  for (int device = placed.first; device < placed.first + std::max(1, placed.devices); ++device) {
    const Accelerator& card = inputs.card(device);
    if (device > placed.first && &card == &inputs.card(device - 1)) continue;  // one of the same kind
    for (const FormatId format : formats) {
      Support here = support_of(placed.engine, used.engine_version, format, used.kv, card);
      for (auto& [name, value] : here.why.parameters) {
        const bool of_weights = !here.why.key.starts_with("support.cache");
        if (!mix.empty() && of_weights && name == "format") value = std::string(mix);
      }
      if (worst.why.key.empty()) worst = here;
      worst = worse(worst, here);
    }
  }
  return worst;
}

}  // namespace vram
