// Inputs from the catalogues that are shipped, for tests that ask about real models and cards.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "assets/assets.h"
#include "core/plan/plan.h"

namespace vram::sample {

inline const Library& shipped() {
  static const Library* const library = [] {
    auto* loaded = new Library;
    auto models = models_from_json(assets::file("models.json"));
    auto cards = accelerators_from_json(assets::file("accelerators.json"));
    EXPECT_TRUE(models.ok() && cards.ok());
    if (models) loaded->models = std::move(models).value();
    if (cards) loaded->accelerators = std::move(cards).value();
    return loaded;
  }();
  return *library;
}

/// What a link's fields stand for; the fields that are not named stand at their defaults.
inline Inputs from_fields(const std::string& link) {
  ScenarioReading reading = from_link(link);
  for (const Message& problem : reading.problems) ADD_FAILURE() << problem.key << " in " << link;
  Result<Inputs> inputs = resolve(reading.scenario, shipped());
  if (!inputs) {
    ADD_FAILURE() << inputs.error().key << " in " << link;
    return {};
  }
  return std::move(inputs).value();
}

inline const Accelerator& shipped_card(const std::string& id) {
  const Accelerator* card = find_accelerator(shipped().accelerators, id);
  if (card == nullptr) ADD_FAILURE() << "no card " << id;
  return card != nullptr ? *card : shipped().accelerators.front();
}

}  // namespace vram::sample
