// The rows of tests/accuracy, predicted with the catalogues of assets/.
#pragma once
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "core/check/rows.h"

namespace vram::check {

inline const Library& library() {
  static const auto* const models = [] {
    auto* all = new std::vector<CatalogueModel>;
    for (const char* name : {"models.json", "models_measured.json"}) {
      auto read = models_from_json(assets::file(name));
      if (read) all->insert(all->end(), read.value().begin(), read.value().end());
    }
    return all;
  }();
  static const auto* const accelerators =
      new std::vector<Accelerator>(accelerators_from_json(assets::file("accelerators.json")).value());
  static const auto* const platforms = new Platforms(platforms_from_json(assets::file("platforms.json")).value());
  static const auto* const all = new Library(*models, *accelerators, platforms->interconnect);
  return *all;
}

/// Of folders of tests/accuracy: "serving".
inline Outcome measured(std::initializer_list<const char*> folders) {
  Outcome outcome;
  for (const char* folder : folders) {
    std::ifstream file(std::string(VRAM_SOURCE_FOLDER "/tests/accuracy/") + folder + "/rows.jsonl");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    Outcome one = check_lines(text, library());
    outcome.cases.insert(outcome.cases.end(), one.cases.begin(), one.cases.end());
    outcome.skipped.insert(outcome.skipped.end(), one.skipped.begin(), one.skipped.end());
  }
  return outcome;
}

}  // namespace vram::check
