// TensorRT-LLM and LMDeploy: a share of what is free once the model stands.
//
//   TensorRT-LLM  pool = 0.9 × (total − peak of an estimation run at max_num_tokens); engines built beforehand: 0.9 ×
//   free
//                 tokens are whole blocks of 32 (64 before 1.0)
//   LMDeploy      pool = 0.8 × free after the weights; blocks of 64 tokens
#pragma once
#include <optional>

#include "core/plan/server/server.h"

namespace vram {

ServerPlan trtllm_plan(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool);

}  // namespace vram
