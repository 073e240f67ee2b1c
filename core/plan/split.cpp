#include "core/plan/split.h"

#include <algorithm>

namespace vram {
namespace {

/// May the heads be dealt over so many devices? Key-value heads are repeated when there are fewer of them (vLLM
/// config/model.py: verify_with_parallel_config; linear.py: QKVParallelLinear).
bool heads_divide(const Model& model, int devices) {
  const int heads = static_cast<int>(model.dims.num_attention_heads);
  if (heads == 0) return true;
  const int key_heads = static_cast<int>(model.dims.num_key_value_heads);
  const bool keys = key_heads == 0 || key_heads % devices == 0 || devices % key_heads == 0;
  return heads % devices == 0 && keys;
}

}  // namespace

Split choose_split(const Model& model, const Deployment& deployment, EngineId engine, int devices, int per_node) {
  Split split;
  split.replicas = std::clamp(static_cast<int>(deployment.replicas), 1, devices);
  split.whole_experts = deployment.experts == "whole" && model.dims.num_experts > 0;
  const int copy = devices / split.replicas;  // devices of one copy
  const int layers = std::max(1, static_cast<int>(model.dims.num_hidden_layers));
  if (is_llamacpp(engine) || deployment.split == "layers") {
    split.pipeline_parallel = std::min(copy, layers);
    return split;
  }
  const int stages = std::min({static_cast<int>(deployment.stages), copy, layers});
  if (stages > 0) {
    split.pipeline_parallel = stages;
    split.tensor_parallel = copy / stages;
    return split;
  }
  const int most = deployment.split == "tensor" ? copy : std::min(copy, std::max(1, per_node));
  for (int candidate = 1; candidate <= most; ++candidate) {
    if (copy % candidate == 0 && heads_divide(model, candidate) && copy / candidate <= layers) {
      split.tensor_parallel = candidate;
    }
  }
  split.pipeline_parallel = std::min(copy / split.tensor_parallel, layers);
  return split;
}

}  // namespace vram
