#include "core/plan/training/adapters.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace vram {
namespace {

double number(Count count) { return static_cast<double>(count.value()); }

/// PEFT's defaults in its own comparison, for methods whose size has a second knob.
constexpr double kLokrFactor = 4;
constexpr double kVeraRank = 256;
constexpr double kAdapterPrompt = 10, kAdapterFirstLayer = 2;  // LLaMA-Adapter
constexpr double kBoftFactors = 2, kBoftBlock = 4;

bool named(const std::vector<std::string>& targets, std::string_view name) {
  return std::find(targets.begin(), targets.end(), name) != targets.end();
}

/// Is `role` one of the targets? "qkv" stands for the three of a model that stores them as one.
bool is_target(Role role, const std::vector<std::string>& targets) {
  switch (role) {
    case Role::attention_q:
      return named(targets, "q") || named(targets, "qkv");
    case Role::latent_q_up:
    case Role::latent_q_down:
      return named(targets, "q");
    case Role::attention_k:
      return named(targets, "k") || named(targets, "qkv");
    case Role::attention_v:
      return named(targets, "v") || named(targets, "qkv");
    case Role::latent_kv_up:
    case Role::latent_kv_down:
      return named(targets, "k") || named(targets, "v");
    case Role::attention_o:
      return named(targets, "o");
    case Role::ffn_gate:
      return named(targets, "gate");
    case Role::ffn_up:
      return named(targets, "up");
    case Role::ffn_down:
      return named(targets, "down");
    case Role::shared_expert_gate:
      return named(targets, "gate") || named(targets, "shared_expert");
    case Role::shared_expert_up:
      return named(targets, "up") || named(targets, "shared_expert");
    case Role::shared_expert_down:
      return named(targets, "down") || named(targets, "shared_expert");
    case Role::expert_gate:
      return named(targets, "experts") || named(targets, "gate");
    case Role::expert_up:
      return named(targets, "experts") || named(targets, "up");
    case Role::expert_down:
      return named(targets, "experts") || named(targets, "down");
    case Role::head:
      return named(targets, "lm_head");
    default:
      return false;
  }
}

bool is_routed(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }

/// Trained parameters that `method` puts on one matrix.
double trained_on(TrainingMethod method, double rank, double outputs, double inputs, Role role) {
  switch (method) {
    case TrainingMethod::dora:
      return rank * (inputs + outputs) + outputs;
    case TrainingMethod::lora_fa:
      return rank * outputs;
    case TrainingMethod::adalora:
      return rank * (inputs + outputs) + rank;
    case TrainingMethod::loha:
      return 2 * rank * (inputs + outputs);
    case TrainingMethod::lokr:
      return kLokrFactor * kLokrFactor + rank * (inputs + outputs) / kLokrFactor;
    case TrainingMethod::vera:
      return (rank > 0 ? rank : kVeraRank) + outputs;
    case TrainingMethod::oft: {
      const double block = rank > 0 ? inputs / rank : inputs;
      return rank * block * (block - 1) / 2;
    }
    case TrainingMethod::boft:
      return kBoftFactors * (inputs / kBoftBlock) * kBoftBlock * kBoftBlock + outputs;
    case TrainingMethod::ia3:
      return role == Role::ffn_down ? inputs : outputs;
    default:
      return rank * (inputs + outputs);
  }
}

/// The three matrices of attention count as one when a script names the fused one: one low-rank pair for all.
struct FusedAttention {
  double outputs = 0, inputs = 0;
};

void add_prompt_methods(AdapterCounts& counts, const Model& model, const TrainingSettings& settings) {
  const Dimensions& d = model.dims;
  const double layers = d.num_hidden_layers, hidden = d.hidden_size;
  switch (settings.method) {
    case TrainingMethod::prompt_tuning:
      counts.trained += settings.adapters.virtual_tokens * hidden;
      break;
    case TrainingMethod::prefix_tuning:
      counts.trained += 2.0 * settings.adapters.virtual_tokens * layers * d.num_key_value_heads * d.head_dim;
      break;
    case TrainingMethod::llama_adapter:
    case TrainingMethod::llama_adapter_v2:  // prompts of 10 tokens and a gate a head, from the third layer on
      counts.trained += std::max(0.0, layers - kAdapterFirstLayer) * (kAdapterPrompt * hidden + d.num_attention_heads);
      break;
    default:
      break;
  }
}

/// Norms are trained whole by ln_tuning and by LLaMA-Adapter v2, which also scales and shifts every linear layer.
void add_whole_vectors(AdapterCounts& counts, const Model& model, TrainingMethod method) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.part != Part::text) continue;
    const double layers = static_cast<double>(model.layers_of(tensor.layer_set));
    const bool is_norm = tensor.role == Role::layer_norm || tensor.role == Role::final_norm;
    if (is_norm) counts.trained += number(tensor.parameters()) * layers;
    const bool is_linear = tensor.inputs > Count(1) && (is_quantised_role(tensor.role) || tensor.role == Role::head);
    if (method == TrainingMethod::llama_adapter_v2 && is_linear) {
      counts.trained += 2 * number(tensor.outputs) * number(tensor.copies) * layers;
    }
  }
}

}  // namespace

AdapterCounts count_adapters(const Model& model, const TrainingSettings& settings) {
  AdapterCounts counts;
  const TrainingMethod method = settings.method;
  if (!trains_adapters(method)) return counts;
  add_prompt_methods(counts, model, settings);
  if (method == TrainingMethod::ln_tuning || method == TrainingMethod::llama_adapter_v2) {
    add_whole_vectors(counts, model, method);
  }
  const double rank = settings.adapters.rank.value_or(0);
  const std::vector<std::string>& targets = settings.adapters.targets;
  const bool by_matrix = method != TrainingMethod::ln_tuning && method != TrainingMethod::prompt_tuning &&
                         method != TrainingMethod::prefix_tuning && method != TrainingMethod::llama_adapter &&
                         method != TrainingMethod::llama_adapter_v2;
  const bool fused = named(targets, "qkv");
  std::vector<std::pair<std::int16_t, FusedAttention>> attention;
  double widest_input = 0, widest_output = 0;

  for (const Tensor& tensor : model.tensors) {
    if (tensor.part != Part::text || !by_matrix || tensor.inputs <= Count(1)) continue;
    const double layers = static_cast<double>(model.layers_of(tensor.layer_set));
    const double outputs = number(tensor.outputs), inputs = number(tensor.inputs), copies = number(tensor.copies);
    if (!is_target(tensor.role, targets)) continue;
    const bool of_fused = fused && (tensor.role == Role::attention_q || tensor.role == Role::attention_k ||
                                    tensor.role == Role::attention_v);
    if (of_fused) {
      auto at = std::find_if(attention.begin(), attention.end(),
                             [&](const auto& one) { return one.first == tensor.layer_set; });
      if (at == attention.end()) at = attention.insert(at, {tensor.layer_set, {}});
      at->second.outputs += outputs;
      at->second.inputs = inputs;
    } else {
      counts.trained += trained_on(method, rank, outputs, inputs, tensor.role) * copies * layers;
      if (method == TrainingMethod::lora_fa) counts.frozen += rank * inputs * copies * layers;
    }
    widest_input = std::max(widest_input, inputs);
    widest_output = std::max(widest_output, outputs);
    if (tensor.layer_set == kNoLayer) continue;
    const double share = layers / std::max<std::uint32_t>(1, model.dims.num_hidden_layers);  // of the layers
    const double passes = is_routed(tensor.role) ? std::max<std::uint32_t>(1, model.dims.num_experts_per_tok) : 1;
    if (!of_fused || tensor.role == Role::attention_q) counts.inputs += inputs * passes * share;
    counts.outputs += outputs * passes * share;
  }
  for (const auto& [set, one] : attention) {
    counts.trained += trained_on(method, rank, one.outputs, one.inputs, Role::attention_q) *
                      static_cast<double>(model.layers_of(set));
  }
  if (method == TrainingMethod::vera) counts.frozen += (rank > 0 ? rank : kVeraRank) * (widest_input + widest_output);

  for (const Tensor& tensor : model.tensors) {
    const bool embedding = tensor.role == Role::embedding && named(settings.adapters.modules_to_save, "embedding");
    const bool head = tensor.role == Role::head && named(settings.adapters.modules_to_save, "lm_head");
    if (embedding || head) counts.saved_whole += number(tensor.parameters());
  }
  return counts;
}

}  // namespace vram
