// Scenarios drawn at random from the fields of the schema, for tests of what is true of every one. Seeds are fixed, so
// that a run tells the same each time.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>

#include "core/plan/plan.h"
#include "core/scenario/scenario.h"
#include "tests/library.h"

namespace vram::drawn {

/// How many scenarios the greatest property is tried on; the others take a share of it. VRAM_SCENARIOS asks for more.
inline int scenarios() {
#ifdef __EMSCRIPTEN__
  return 5'000;  // the same code runs natively over all of them
#else
  const char* const asked = std::getenv("VRAM_SCENARIOS");
  return asked != nullptr ? std::atoi(asked) : 100'000;
#endif
}

constexpr std::int64_t kMostDevicesTried = 64;

using shipped::library;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

  /// Small values as often as large ones.
  double between(double least, double most) {
    const double share = static_cast<double>(random_() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
    return std::min(most, least - 1 + std::exp(share * std::log(most - least + 2)));
  }

  Scenario scenario() {
    Scenario drawn;
    for (const Field& field : fields()) {
      if (one_in(2)) set_field(drawn, field);
    }
    drawn.devices = std::min(drawn.devices, kMostDevicesTried);
    return drawn;
  }

  /// One that serves; for llama.cpp only where said.
  Scenario serving(bool for_llamacpp) {
    Scenario drawn = scenario();
    drawn.task = "serve";
    constexpr const char* kServers[] = {"vllm", "sglang", "tensorrt_llm", "generic"};
    drawn.deployments[0].engine = for_llamacpp ? "llama_cpp" : kServers[below(std::size(kServers))];
    return drawn;
  }

 private:
  double number_of(const Field& field) { return std::max(field.least, between(field.least, field.most)); }

  void set_field(Scenario& drawn, const Field& field) {
    std::optional<Message> wrong;
    const std::size_t cards = library().accelerators.size();
    switch (field.kind) {
      case FieldKind::integer: wrong = set(drawn, field, std::floor(number_of(field))); break;
      case FieldKind::real: wrong = set(drawn, field, number_of(field)); break;
      case FieldKind::choice: wrong = set(drawn, field, std::string(field.choices[below(field.choices.size())])); break;
      case FieldKind::model: wrong = set(drawn, field, library().models[below(library().models.size())].id); break;
      case FieldKind::accelerator:
        wrong = set(drawn, field, one_in(20) ? "custom" : library().accelerators[below(cards)].id);
        break;
      default: break;  // texts of people are the fuzzer's
    }
    ASSERT_FALSE(wrong) << field.key;
  }

  std::mt19937_64 random_;
};

}  // namespace vram::drawn
