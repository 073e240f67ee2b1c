#include "core/advise/reference.h"

namespace vram {
namespace {

constexpr auto kModels = std::to_array<std::string_view>(
    {"meta-llama/Llama-3.2-1B-Instruct", "Qwen/Qwen3-4B", "meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-14B",
     "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-32B", "meta-llama/Llama-3.1-70B-Instruct", "Qwen/Qwen3-235B-A22B",
     "meta-llama/Llama-3.1-405B-Instruct", "deepseek-ai/DeepSeek-V3"});

// Numbers that are bought: single cards, then whole servers of eight.
constexpr auto kCounts = std::to_array<int>({1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512});

Bytes used_by_all(const Plan& plan) {
  Bytes sum;
  for (int device = 0; device < plan.devices; ++device) sum += plan.of(device).likely;
  return sum;
}

ReferenceCell cell_of(Inputs inputs) {
  for (const int count : kCounts) {
    inputs.scenario.devices = count;
    const Plan plan = make_plan(inputs);
    if (plan.verdict == Verdict::fits) return {used_by_all(plan), count};
  }
  return {};
}

}  // namespace

std::string_view key_of(ReferenceUse use) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(ReferenceUse::count_)> kKeys = {
      "bits16", "bits8", "bits4", "adapters", "training"};
  return kKeys[static_cast<std::size_t>(use)];
}

Scenario reference_scenario(std::string_view model, ReferenceUse use, std::string_view accelerator) {
  Scenario scenario;
  scenario.accelerator = accelerator;
  Deployment& deployment = scenario.deployments.front();
  deployment.model = model;
  deployment.weights = "bf16";
  if (use == ReferenceUse::bits8) deployment.weights = "fp8_block";
  if (use == ReferenceUse::bits4) deployment.weights = "awq_int4";
  if (use == ReferenceUse::adapters) scenario.task = "tune";
  if (use == ReferenceUse::training) {
    scenario.task = "train";
    // The same way for every size and number of cards: left to itself, one card would train in 16 bits alone, and a few
    // would keep whole weights each.
    scenario.precision = "mixed";
    scenario.shard = "zero3";
  }
  return scenario;
}

std::span<const std::string_view> reference_models() { return kModels; }

std::optional<ReferenceRow> reference_row(const Library& library, std::string_view model,
                                          std::string_view accelerator) {
  ReferenceRow row;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    Result<Inputs> inputs = resolve(reference_scenario(model, static_cast<ReferenceUse>(i), accelerator), library);
    if (!inputs) return std::nullopt;
    const Model& described = inputs.value().models.front();
    if (i == 0) {
      const ParameterCounts counts = count_parameters(described);
      row.id = model;
      row.name = described.name;
      row.parameters = counts.total.value();
      row.active = described.dims.num_experts > 0 ? counts.active.value() : 0;
    }
    row.cells[i] = cell_of(std::move(inputs).value());
  }
  return row;
}

}  // namespace vram
