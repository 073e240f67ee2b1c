// Types of a file whose tensors are known by number only: "q8_0 612, iq4_k_r4 116, iq5_k_r4 58", as the loader prints.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/plan/llamacpp/tensors.h"
#include "core/units/order.h"

namespace vram::llamacpp {
namespace {

double bits(FormatId type) {
  const StorageFormat& format = storage_format(type);
  if (format.block_values > 1) return 8.0 * format.block_bytes / format.block_values;
  return format.bits;
}

/// What quantisers save on first: experts, then feed-forward matrices, then attention; embedding and head last. A mix of
/// llama-quantize gives the embedding its base type.
int rank(Slot slot, bool known_mix) {
  switch (slot) {
    case Slot::ffn_gate_exps:
    case Slot::ffn_gate_up_exps:
    case Slot::ffn_up_exps: return 0;
    case Slot::ffn_down_exps: return 1;
    case Slot::ffn_gate:
    case Slot::ffn_up: return 2;
    case Slot::ffn_down: return 3;
    case Slot::per_layer_token_embd: return 4;
    case Slot::token_embd: return known_mix ? 2 : 6;
    case Slot::output: return 7;
    default: return 5;
  }
}

}  // namespace

bool has_types(const Model& model, const TypeCounts& types) {
  for (const auto& [type, number] : types) {
    const auto found = std::count_if(model.tensors.begin(), model.tensors.end(), [type = type](const Tensor& one) { return one.type == type; });
    if (static_cast<std::uint32_t>(found) != number) return false;
  }
  return true;
}

void spread_types(Model& model, TypeCounts types, double file_size) {
  sort_stably(types, [](const auto& a, const auto& b) { return bits(a.first) < bits(b.first); });
  std::vector<std::size_t> matrices;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (model.tensors[i].ne[1] * model.tensors[i].ne[2] > 1 && model.tensors[i].type != FormatId::fp32) matrices.push_back(i);
  }
  // In the order of the mix by its name, or experts before all others: what is closer to the size of the file.
  const std::vector<Tensor> as_named = model.tensors;
  const bool mixed = std::any_of(matrices.begin(), matrices.end(), [&](std::size_t i) { return bits(as_named[i].type) < 16; });
  const auto filled = [&](bool experts_first) {
    std::vector<std::size_t> order = matrices;
    sort_stably(order, [&](std::size_t a, std::size_t b) {
      const Tensor &x = as_named[a], &y = as_named[b];
      const bool left_expert = rank(x.slot, mixed) <= 1, right_expert = rank(y.slot, mixed) <= 1;
      if (experts_first && left_expert != right_expert) return left_expert;
      const double left = bits(x.type), right = bits(y.type);
      return left != right ? left < right : rank(x.slot, mixed) < rank(y.slot, mixed);
    });
    std::vector<Tensor> made = as_named;
    std::size_t next = 0;
    for (const auto& [type, number] : types) {
      if (type == FormatId::fp32) continue;
      for (std::uint32_t i = 0; i < number && next < order.size(); ++i) made[order[next++]].type = type;
    }
    return made;
  };
  const auto distance = [&](std::vector<Tensor> made) {
    model.tensors = std::move(made);
    return std::abs(static_cast<double>(file_bytes(model)) - file_size);
  };
  const double named = distance(filled(false));
  if (file_size > 0 && distance(filled(true)) < named) return;
  model.tensors = filled(false);
}

std::uint64_t file_bytes(const Model& model) {
  return std::accumulate(model.tensors.begin(), model.tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Tensor& one) { return sum + tensor_bytes(one); });
}

}  // namespace vram::llamacpp
