// Names of a scenario → what they stand for.
#include "core/hardware/card_list.h"
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

/// A card that is in no list, as it was typed in.
Accelerator typed_card(const Scenario& scenario) {
  Accelerator card = custom_accelerator(scenario.card_gib);
  card.bandwidth_gbs = scenario.card_gbs;
  card.tflops.bf16 = card.tflops.fp16 = scenario.card_tflops;
  card.tdp_w = scenario.card_w;
  if (scenario.card_link == "link") card.link = Link{};
  return card;
}

Result<Accelerator> card_of(const std::string& id, const Scenario& scenario, const Library& library) {
  if (id == "custom") return typed_card(scenario);
  const Accelerator* card = find_accelerator(library.accelerators, id);
  if (card == nullptr) return Message("scenario.unknown_accelerator").with("gpu", id);
  if (card->usable() == Bytes(0)) return Message("scenario.memory_unknown").with("gpu", card->name);
  return *card;
}

/// Other cards of the machine, with how many of each.
std::optional<Message> add_other_cards(Inputs& inputs, const Library& library) {
  const Result<std::vector<CardCount>> others =
      read_cards(inputs.scenario.more_cards, library.accelerators, kMostCards - inputs.scenario.devices);
  if (!others) return others.error();
  for (const CardCount& one : others.value()) {
    Result<Accelerator> card = card_of(one.id, inputs.scenario, library);
    if (!card) return card.error();
    inputs.others.push_back({std::move(card).value(), static_cast<int>(one.count)});
  }
  return std::nullopt;
}

/// A format, or the one that most tensors of a llama.cpp mix have.
std::optional<FormatId> weight_format(std::string_view weights) {
  std::string name(weights);
  for (const std::string_view size : {"_m", "_s", "_l"}) {
    if (!mix_of(weights).empty() && name.ends_with(size)) name.resize(name.size() - 2);
  }
  return find_format(name);
}

}  // namespace

Model in_weight_format(Model model, std::string_view weights) {
  const std::optional<FormatId> format = weight_format(weights);
  return format ? with_weight_format(std::move(model), *format) : model;
}

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
  Result<Accelerator> accelerator = card_of(scenario.accelerator, scenario, library);
  if (!accelerator) return accelerator.error();
  if (stored_models.size() != scenario.deployments.size()) return Message("scenario.unknown_model").with("model", "");
  Inputs inputs;
  inputs.scenario = scenario;
  inputs.accelerator = std::move(accelerator).value();
  if (auto problem = add_other_cards(inputs, library)) return *problem;
  for (std::size_t i = 0; i < stored_models.size(); ++i) {
    Model model = in_weight_format(std::move(stored_models[i]), scenario.deployments[i].weights);
    if (weight_bytes(model).overflowed()) return Message("scenario.too_large").with("model", model.name);
    inputs.models.push_back(std::move(model));
  }
  return inputs;
}

}  // namespace vram
