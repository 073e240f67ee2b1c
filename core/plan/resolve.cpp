// Names of a scenario → what they stand for.
#include "core/import/describe.h"
#include "core/plan/plan.h"

namespace vram {
namespace {

Result<Model> stored_model(const Deployment& deployment, const Library& library) {
  if (!deployment.config.empty()) return described_model(deployment.config);
  const CatalogueModel* row = find_model(library.models, deployment.model);
  if (row == nullptr) return Message("scenario.unknown_model").with("model", deployment.model);
  return model_of(*row);
}

}  // namespace

Result<Inputs> resolve(const Scenario& scenario, const Library& library) {
  std::vector<Model> models;
  for (const Deployment& deployment : scenario.deployments) {
    Result<Model> model = stored_model(deployment, library);
    if (!model) return model.error();
    models.push_back(std::move(model).value());
  }
  return resolve(scenario, library, std::move(models));
}

Result<Inputs> resolve(const Scenario& scenario, const Library& library, std::vector<Model> stored_models) {
  const Accelerator* accelerator = find_accelerator(library.accelerators, scenario.accelerator);
  if (accelerator == nullptr) return Message("scenario.unknown_accelerator").with("gpu", scenario.accelerator);
  if (accelerator->usable() == Bytes(0)) return Message("scenario.memory_unknown").with("gpu", accelerator->name);
  if (stored_models.size() != scenario.deployments.size()) return Message("scenario.unknown_model").with("model", "");
  Inputs inputs;
  inputs.scenario = scenario;
  inputs.accelerator = *accelerator;
  for (std::size_t i = 0; i < stored_models.size(); ++i) {
    Model model = std::move(stored_models[i]);
    const std::optional<FormatId> format = find_format(scenario.deployments[i].weights);
    if (format) model = with_weight_format(std::move(model), *format);
    if (weight_bytes(model).overflowed()) return Message("scenario.too_large").with("model", model.name);
    inputs.models.push_back(std::move(model));
  }
  return inputs;
}

}  // namespace vram
