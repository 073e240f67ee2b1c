#include "core/plan/engine.h"

#include <array>
#include <utility>

#include "core/plan/llamacpp/version.h"

namespace vram {
namespace {

struct Row {
  std::string_view key, name;
};
constexpr std::array<Row, static_cast<std::size_t>(EngineId::count_)> kEngines = {{
    {"generic", ""},
    {"vllm", "vLLM"},
    {"sglang", "SGLang"},
    {"tensorrt_llm", "TensorRT-LLM"},
    {"llama_cpp", "llama.cpp"},
    {"ik_llama_cpp", "ik_llama.cpp"},
    {"ollama", "Ollama"},
    {"lm_studio", "LM Studio"},
}};

// What llama-quantize calls them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMixes = {{
    {"q8_0", "Q8_0"},
    {"q6_k", "Q6_K"},
    {"q5_k_m", "Q5_K_M"},
    {"q4_k_m", "Q4_K_M"},
    {"iq4_xs", "IQ4_XS"},
    {"q3_k_m", "Q3_K_M"},
    {"q2_k", "Q2_K"},
}};

/// A GGUF: some matrix is in a type that only llama.cpp and its kin read.
bool is_in_ggml_types(const Model& model) {
  for (const Tensor& tensor : model.tensors) {
    const StorageFormat& format = storage_format(tensor.format);
    if (format.block_bytes != 0 && tensor.inputs > Count(1)) return true;
  }
  return false;
}

}  // namespace

std::string_view engine_id_key(EngineId engine) { return kEngines[static_cast<std::size_t>(engine)].key; }
std::string_view engine_name(EngineId engine) { return kEngines[static_cast<std::size_t>(engine)].name; }

bool is_llamacpp(EngineId engine) { return engine >= EngineId::llama_cpp; }
bool is_server(EngineId engine) { return engine >= EngineId::vllm && engine <= EngineId::tensorrt_llm; }

Engine server_of(EngineId engine) {
  if (engine == EngineId::sglang) return Engine::sglang;
  return engine == EngineId::tensorrt_llm ? Engine::tensorrt_llm : Engine::vllm;
}

std::string version_in_force(EngineId engine, std::string_view told) {
  if (!told.empty()) return std::string(told);
  if (engine == EngineId::llama_cpp) return "b" + std::to_string(llamacpp::kNewestBuild);
  if (!is_server(engine)) return "";
  const int number = newest_version(server_of(engine)).number;
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

EngineId engine_of(const Deployment& deployment, const Scenario& scenario, const Model& model) {
  if (model.origin == Origin::size_only || model.layer_sets.empty()) return EngineId::generic;
  for (std::size_t i = 0; i < kEngines.size(); ++i) {
    if (kEngines[i].key == deployment.engine) {
      const auto engine = static_cast<EngineId>(i);
      return is_llamacpp(engine) && !model.generates ? EngineId::generic : engine;
    }
  }
  if (!model.generates) return EngineId::generic;
  const bool mix = !mix_of(deployment.weights).empty();
  const bool stored_mix = deployment.weights == "stored" && is_in_ggml_types(model);
  const bool cache_of_llamacpp = deployment.kv == "q8_0" || deployment.kv == "q4_0";
  return mix || stored_mix || cache_of_llamacpp || scenario.offload != "no" ? EngineId::llama_cpp : EngineId::vllm;
}

std::string_view mix_of(std::string_view weights) {
  for (const auto& [format, mix] : kMixes) {
    if (format == weights) return mix;
  }
  return "";
}

}  // namespace vram
