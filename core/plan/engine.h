// Which program serves a deployment.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/plan/server/version.h"
#include "core/scenario/scenario.h"

namespace vram {

enum class EngineId : std::uint8_t {
  generic,  ///< any server program: weights, caches, a usual overhead
  vllm, sglang, tensorrt_llm,
  llama_cpp, ik_llama_cpp, ollama, lm_studio,
  count_
};
std::string_view engine_id_key(EngineId engine);   ///< as the field "engine" has it
std::string_view engine_name(EngineId engine);     ///< as people write it: "vLLM"; generic: ""
/// The release a plan is for, as people write it: what was told, or the newest known here ("0.28.0", "b10800"); "" where
/// a program has no numbers that are known here.
std::string version_in_force(EngineId engine, std::string_view told);
bool is_llamacpp(EngineId engine);                 ///< llama.cpp or made of it
bool is_server(EngineId engine);                   ///< of core/plan/server
Engine server_of(EngineId engine);                 ///< of is_server(); vLLM otherwise

/// The engine of a deployment. "auto" takes llama.cpp for weights or a cache in its formats or when layers or experts may
/// live in host memory, otherwise vLLM. A model of which only the size is known, or that writes no text, stays generic.
EngineId engine_of(const Deployment& deployment, const Scenario& scenario, const Model& model);

/// The name of a llama.cpp mix ("Q4_K_M") that a weight format stands for; "" = it is none.
std::string_view mix_of(std::string_view weights);

}  // namespace vram
