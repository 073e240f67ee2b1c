// All strings the project ships, loaded once for the tests that read sentences.
#pragma once
#include <gtest/gtest.h>

#include <string_view>

#include "assets/assets.h"
#include "core/report/language.h"

namespace vram {

inline const Strings& all_strings() {
  static const Strings* const strings = [] {
    auto* loaded = new Strings;
    for (const std::string_view path : assets::paths()) {
      EXPECT_FALSE(path.starts_with("strings/") && loaded->add(assets::file(path))) << path;
    }
    return loaded;
  }();
  return *strings;
}

}  // namespace vram
