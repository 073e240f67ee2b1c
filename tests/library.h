// The catalogues and the words that ship, for tests, benchmarks and fuzz targets.
#pragma once
#include "assets/assets.h"
#include "core/plan/plan.h"
#include "core/report/language.h"

namespace vram::shipped {

inline const Library& library() {
  static const Library* const loaded = [] {
    auto* made = new Library;
    made->models = models_from_json(assets::file("models.json")).value();
    made->accelerators = accelerators_from_json(assets::file("accelerators.json")).value();
    made->platforms = platforms_from_json(assets::file("platforms.json")).value();
    return made;
  }();
  return *loaded;
}

inline const Strings& strings() {
  static const Strings* const loaded = [] {
    auto* made = new Strings;
    for (const std::string_view path : assets::paths()) {
      if (path.starts_with("strings/")) static_cast<void>(made->add(assets::file(path)));
    }
    return made;
  }();
  return *loaded;
}

}  // namespace vram::shipped
