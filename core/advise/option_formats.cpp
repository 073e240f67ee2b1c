#include "core/advise/option_formats.h"

#include <algorithm>
#include <array>

#include "core/plan/engine.h"
#include "core/units/order.h"

namespace vram {
namespace {

constexpr double kAmpere = 8.0;  // compute capability

constexpr std::array<WeightChoice, 6> kServerChoices = {{{"bf16", 16},
                                                         {"fp8_block", 8},
                                                         {"int8", 8},
                                                         {"awq_int4", 4},
                                                         {"nvfp4", 4},
                                                         {"mxfp4", 4}}};
constexpr std::array<WeightChoice, 4> kLlamaChoices = {{{"bf16", 16}, {"q8_0", 8}, {"q6_k", 6}, {"q4_k_m", 4}}};

FormatId stored_format(const Model& model) {
  std::array<double, static_cast<std::size_t>(FormatId::count_)> values{};
  for (const Tensor& tensor : model.tensors) {
    const double layers = static_cast<double>(model.layers_of(tensor.layer_set));
    values[static_cast<std::size_t>(tensor.format)] += layers * static_cast<double>(tensor.parameters().value());
  }
  return static_cast<FormatId>(std::max_element(values.begin(), values.end()) - values.begin());
}

bool is_llamacpp_named(const Deployment& deployment) {
  for (int i = 0; i < static_cast<int>(EngineId::count_); ++i) {
    const auto engine = static_cast<EngineId>(i);
    if (engine_id_key(engine) == deployment.engine) return is_llamacpp(engine);
  }
  return false;
}

}  // namespace

double stored_bits(const Model& model) { return storage_format(stored_format(model)).bits; }

std::vector<WeightChoice> weight_choices(const Scenario& scenario, const Model& stored) {
  const Deployment& deployment = scenario.deployments.front();
  const double least = static_cast<double>(scenario.least_bits), has = stored_bits(stored);
  std::vector<WeightChoice> choices;
  const auto offer = [&](const WeightChoice& choice) {
    const bool known = std::any_of(choices.begin(), choices.end(),
                                   [&](const WeightChoice& one) { return one.weights == choice.weights; });
    if (!known && choice.bits >= least) choices.push_back(choice);
  };
  offer({"stored", has});
  const bool by_llamacpp = is_llamacpp_named(deployment) || !mix_of(deployment.weights).empty();
  const auto offer_all = [&](const auto& table) {
    for (const WeightChoice& choice : table) {
      if (choice.bits < has || (choice.bits == 16 && has < 16)) offer(choice);
      if (choice.weights == deployment.weights) offer(choice);
    }
  };
  if (by_llamacpp) offer_all(kLlamaChoices);
  else offer_all(kServerChoices);
  for (const std::string_view one : find_field("weights")->choices) {
    const std::optional<FormatId> format = find_format(one);
    if (one == deployment.weights && format) offer({one, storage_format(*format).bits});
  }
  sort_stably(choices,
                   [](const WeightChoice& a, const WeightChoice& b) { return a.bits > b.bits; });
  return choices;
}

bool set_weights(Scenario& scenario, const WeightChoice& choice, const std::vector<Model>& stored) {
  Deployment& first = scenario.deployments.front();
  const bool is_own = choice.weights == first.weights;
  first.weights = std::string(choice.weights);
  bool others = false;
  for (std::size_t i = 1; i < scenario.deployments.size() && !is_own; ++i) {
    Deployment& other = scenario.deployments[i];
    const bool open = other.weights == "stored" && other.engine == first.engine && stored[i].generates;
    if (!open || choice.weights == "stored" || choice.bits >= stored_bits(stored[i])) continue;
    other.weights = first.weights;
    others = true;
  }
  return others;
}

bool runs_weights(const Accelerator& card, const WeightChoice& choice, const Model& stored) {
  const bool as_stored = choice.weights == "stored";
  const FormatId format = as_stored ? stored_format(stored) : find_format(choice.weights).value_or(FormatId::awq_int4);
  const HardwareFormats has = card.formats.value_or(HardwareFormats{});
  const bool by_kernels = as_stored && card.compute_capability.value_or(0) >= kAmpere;
  switch (format) {
    case FormatId::fp8: case FormatId::fp8_channel: case FormatId::fp8_block: case FormatId::mxfp8:
      return has.fp8 || by_kernels;
    case FormatId::nvfp4: case FormatId::mxfp4: case FormatId::fp4:
      return has.fp4 || by_kernels;
    case FormatId::int8:
      return has.int8;
    default:
      return true;
  }
}

std::vector<std::size_t> worth_trying(const Accelerator& card, const std::vector<WeightChoice>& choices,
                                      const Scenario& scenario, const Model& stored) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (runs_weights(card, choices[i], stored)) runs.push_back(i);
  }
  const auto has = [&](std::string_view weights) {
    return std::any_of(runs.begin(), runs.end(), [&](std::size_t i) { return choices[i].weights == weights; });
  };
  const double bits = stored_bits(stored);
  const bool has_smaller =
      std::any_of(runs.begin(), runs.end(), [&](std::size_t i) { return choices[i].bits <= bits; });
  const bool has_fp8 = has("fp8_block"), has_nvfp4 = has("nvfp4");
  std::erase_if(runs, [&](std::size_t i) {
    const WeightChoice& choice = choices[i];
    if (choice.weights == "stored" || choice.weights == scenario.deployments.front().weights) return false;
    return (choice.weights == "int8" && has_fp8) || (choice.weights == "mxfp4" && has_nvfp4) ||
           (choice.bits > bits && has_smaller);
  });
  return runs;
}

}  // namespace vram
