#include "core/plan/llamacpp/fit.h"

#include <algorithm>

#include "core/plan/llamacpp/tensors.h"

namespace vram::llamacpp {
namespace {

/// Together: shares are moved between GPUs until each fits.
bool fits(const Plan& plan, const std::vector<std::uint64_t>& capacity, std::uint64_t margin) {
  std::uint64_t used = 0, there = 0;
  for (std::size_t i = 0; i < capacity.size() && i + 1 < plan.weights.size(); ++i) {
    used += plan.total_of(i) + margin;
    there += capacity[i];
  }
  return used <= there;
}

bool is_expert(Slot slot) {
  return slot == Slot::ffn_gate_exps || slot == Slot::ffn_up_exps || slot == Slot::ffn_down_exps ||
         slot == Slot::ffn_gate_up_exps;
}

}  // namespace

std::vector<std::uint64_t> expert_bytes(const Model& model) {
  std::vector<std::uint64_t> bytes(model.layers.size(), 0);
  for (const Tensor& tensor : model.tensors) {
    const bool in_layers = tensor.layer >= 0 && static_cast<std::size_t>(tensor.layer) < bytes.size();
    if (in_layers && is_expert(tensor.slot)) bytes[static_cast<std::size_t>(tensor.layer)] += tensor_bytes(tensor);
  }
  return bytes;
}

Settings fitted(const Model& model, Settings settings, const std::vector<std::uint64_t>& capacity, std::uint64_t margin) {
  if (capacity.empty() || settings.devices == 0 || fits(plan(model, settings), capacity, margin)) return settings;
  const std::size_t layers = model.layers.size();
  if (model.experts > 0) {
    const std::vector<std::uint64_t> bytes = expert_bytes(model);
    settings.host_experts.assign(layers, true);
    const Plan bare = plan(model, settings);
    const Pass pass = resolve(model, settings);
    if (fits(bare, capacity, margin) || settings.gpu_layers >= 0) {
      std::vector<std::uint64_t> used;
      for (std::size_t i = 0; i < capacity.size(); ++i) used.push_back(bare.total_of(i) + margin);
      for (std::size_t il = layers; il-- > 0;) {
        const std::int16_t device = pass.layer_backend[il];
        if (device == pass.host() || bytes[il] == 0) continue;
        std::uint64_t& here = used[static_cast<std::size_t>(device)];
        if (here + bytes[il] > capacity[static_cast<std::size_t>(device)]) continue;
        here += bytes[il];
        settings.host_experts[il] = false;
      }
      return settings;
    }
  }
  if (settings.gpu_layers >= 0) return settings;
  int low = 0, high = static_cast<int>(layers) + 1;  // layers on the GPUs: the most that fit
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    settings.gpu_layers = middle;
    if (fits(plan(model, settings), capacity, margin)) low = middle;
    else high = middle - 1;
  }
  settings.gpu_layers = low;
  return settings;
}

}  // namespace vram::llamacpp
