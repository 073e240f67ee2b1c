// The catalogues of assets/, for tests of advice.
#pragma once
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "core/advise/options.h"
#include "core/plan/plan.h"
#include "tests/library.h"

namespace vram::advice {

using shipped::library;

inline const Interconnect& links() { return library().platforms.interconnect; }
inline const Facility& facts() { return library().platforms.facility; }

/// Of a link without its version: "model=…&users=40".
inline Scenario scenario(std::string_view link) {
  ScenarioReading reading = from_link(link);
  EXPECT_TRUE(reading.problems.empty()) << link << ": " << reading.problems.front().key;
  return std::move(reading.scenario);
}

inline Inputs inputs(const Scenario& asked) {
  Result<Inputs> found = resolve(asked, library());
  EXPECT_TRUE(found) << (found ? "" : found.error().key);
  return found ? std::move(found).value() : Inputs{};
}
inline Inputs inputs(std::string_view link) { return inputs(scenario(link)); }

inline OptionSearch searched(const Scenario& asked) {
  OptionSearch search(asked, library());
  EXPECT_FALSE(search.problem()) << search.problem()->key;
  while (search.step(1000)) {
  }
  return search;
}
inline OptionSearch searched(std::string_view link) { return searched(scenario(link)); }

constexpr std::string_view kLlama8 = "model=meta-llama/Llama-3.1-8B-Instruct";
constexpr std::string_view kLlama70 = "model=meta-llama/Llama-3.1-70B-Instruct";

}  // namespace vram::advice
