#include "core/plan/training/loss.h"

#include <array>
#include <cmath>

namespace vram {
namespace {

constexpr std::string_view kLiger = "Liger-Kernel benchmark/data/all_benchmark_data.csv";
constexpr std::array<LossKernel, 8> kKernels = {{
    {"cross_entropy_torch", 20, 0, 0, false, kLiger},  // fp32 logits, their logarithm, three gradient buffers
    {"cross_entropy_liger", 4, 0, 0, false, kLiger},   // the gradient is written over the logits
    {"megatron_unfused", 8, 0, 0, false, kLiger},
    {"megatron_fused", 12, 0, 0, false, kLiger},
    {"linear_cross_entropy_torch", 6, 4, 3, false, kLiger},  // 16-bit logits throughout
    {"linear_cross_entropy_liger", 10, 4, 4, true, kLiger},
    {"grpo_torch", 16.2, 0, 5, false, kLiger},
    {"distillation_torch", 52.2, 0, 4, false, kLiger},  // Jensen-Shannon divergence of two models
}};

}  // namespace

std::span<const LossKernel> loss_kernels() { return kKernels; }

const LossKernel* find_loss_kernel(std::string_view key) {
  for (const LossKernel& kernel : kKernels) {
    if (kernel.key == key) return &kernel;
  }
  return nullptr;
}

double loss_chunk(double hidden, double vocab) {
  return hidden > 0 && vocab > hidden ? 1 / std::ceil(vocab / hidden) : 1;
}

double loss_kernel_bytes(const LossKernel& kernel, double tokens, double hidden, double vocab) {
  const double chunk = kernel.chunked ? loss_chunk(hidden, vocab) : 1;
  return tokens * vocab * kernel.logit_bytes * chunk + tokens * hidden * kernel.hidden_bytes +
         vocab * hidden * 2 * kernel.matrices;
}

}  // namespace vram
