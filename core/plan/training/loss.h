// Loss kernels by themselves: what one forward and backward pass of each holds at its peak.
//
//   bytes = tokens × vocab × logit_bytes × chunk + tokens × hidden × hidden_bytes + vocab × hidden × 2 × matrices
//
// A loss made from hidden states (Liger's fused linear cross entropy) has the logits of one chunk only, tokens divided
// by ceil(vocab / hidden). Measured by Liger-Kernel's own benchmark (facts/training.md §3): every row below is a line
// through its figures, none is off by more than 1.5 %.
#pragma once
#include <span>
#include <string_view>

namespace vram {

struct LossKernel {
  std::string_view key;
  double logit_bytes = 0;   ///< a token and word
  double hidden_bytes = 0;  ///< a token and hidden value
  double matrices = 0;      ///< vocab × hidden in 16 bits: head, its gradient, copies of either
  bool chunked = false;
  std::string_view source;
};

std::span<const LossKernel> loss_kernels();
const LossKernel* find_loss_kernel(std::string_view key);
double loss_kernel_bytes(const LossKernel& kernel, double tokens, double hidden, double vocab);
/// Share of the tokens whose logits exist at once in a fused linear loss.
double loss_chunk(double hidden, double vocab);

}  // namespace vram
