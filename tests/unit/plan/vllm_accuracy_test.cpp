// Public start-up logs against the plan. Fails when a goal that was reached is lost (tests/accuracy/serving/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "core/check/serving.h"
#include "core/import/catalogue.h"

namespace vram {
namespace {

struct Known {
  std::map<std::string, Model, std::less<>> models;
  std::map<std::string, std::string, std::less<>> releases;
};

const Known& known() {
  static const auto* const all = [] {
    auto* found = new Known;
    for (const char* file : {"models.json", "models_measured.json"}) {
      const auto rows = models_from_json(assets::file(file));
      EXPECT_TRUE(rows) << file;
      if (!rows) continue;
      for (const CatalogueModel& row : rows.value()) {
        found->releases.emplace(row.id, row.release);
        if (Result<Model> model = model_of(row)) found->models.emplace(row.id, std::move(model).value());
      }
    }
    return found;
  }();
  return *all;
}

const ServingOutcome& outcome() {
  static const auto* const all = [] {
    auto* found = new ServingOutcome;
    const auto accelerators = accelerators_from_json(assets::file("accelerators.json"));
    std::ifstream file(VRAM_SOURCE_FOLDER "/tests/accuracy/serving/rows.jsonl");
    EXPECT_TRUE(accelerators && file);
    const ModelLookUp models = [](std::string_view id) -> const Model* {
      const auto model = known().models.find(id);
      return model == known().models.end() ? nullptr : &model->second;
    };
    const ReleaseLookUp releases = [](std::string_view id) -> std::string_view {
      const auto release = known().releases.find(id);
      return release == known().releases.end() ? std::string_view() : std::string_view(release->second);
    };
    for (std::string line; accelerators && std::getline(file, line);) {
      const Result<Json> json = parse_json(line);
      EXPECT_TRUE(json) << line;
      if (!json) continue;
      const Result<ServingRow> row = serving_row(json.value());
      EXPECT_TRUE(row) << line;
      if (!row) continue;
      ServingOutcome one = check_serving(row.value(), models, releases, accelerators.value());
      for (ServingCase& c : one.cases) found->cases.push_back(std::move(c));
      for (ServingSkip& s : one.skipped) found->skipped.push_back(std::move(s));
    }
    return found;
  }();
  return *all;
}

/// Complete cases of a quantity in a mode; percentiles by nearest rank.
struct Errors {
  std::vector<double> errors, widths;
  std::size_t held = 0;

  Errors(std::string_view quantity, std::string_view mode, std::string_view family = "") {
    for (const ServingCase& one : outcome().cases) {
      if (one.quantity != quantity || one.mode != mode || !one.complete) continue;
      if (one.family.substr(0, family.size()) != family) continue;
      errors.push_back(std::fabs(one.error()));
      widths.push_back(one.band_width());
      held += one.in_band() ? 1 : 0;
    }
    std::sort(errors.begin(), errors.end());
    std::sort(widths.begin(), widths.end());
  }
  std::size_t n() const { return errors.size(); }
  double at(double share) const {
    if (errors.empty()) return 1;
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(n())));
    return errors[std::max<std::size_t>(1, rank) - 1];
  }
  double within(double error) const {
    return static_cast<double>(std::upper_bound(errors.begin(), errors.end(), error) - errors.begin()) /
           static_cast<double>(std::max<std::size_t>(1, n()));
  }
  double in_band() const { return static_cast<double>(held) / static_cast<double>(std::max<std::size_t>(1, n())); }
  double median_width() const { return widths.empty() ? 1 : widths[n() / 2]; }
};

TEST(ServingAccuracy, WeightsAreRightToATenthOfAPercent) {
  const Errors weights("weights", "flags");
  EXPECT_GE(weights.n(), 81U);
  EXPECT_LE(weights.at(0.5), 0.0006);
  EXPECT_LE(weights.at(0.9), 0.0135);
}

TEST(ServingAccuracy, BytesOfATokenAreRightToThreeThousandths) {
  const Errors bytes("kv_per_token", "flags");
  EXPECT_GE(bytes.n(), 55U);
  EXPECT_GE(bytes.within(0.003), 0.95);
}

TEST(ServingAccuracy, TokensOfALoggedPoolAreRightToTheRoundingOfThePrint) {
  const Errors tokens("tokens", "given_pool");
  EXPECT_GE(tokens.n(), 69U);
  EXPECT_LE(tokens.at(0.5), 0.0002);
  EXPECT_LE(tokens.at(0.9), 0.012);
  EXPECT_GE(tokens.in_band(), 0.9);
}

TEST(ServingAccuracy, TokensOfALoggedPoolDoNotDependOnUntoldFlagsWithoutStates) {
  for (const char* family : {"vllm/dense", "vllm/window", "sglang/"}) {
    const Errors tokens("tokens", "given_pool", family);
    EXPECT_GT(tokens.n(), 4U) << family;
    EXPECT_LE(tokens.at(1), 0.0011) << family;
  }
}

TEST(ServingAccuracy, ConcurrencyOfALoggedPoolIsRightToTheRoundingOfThePrint) {
  const Errors concurrency("concurrency", "given_pool");
  EXPECT_GE(concurrency.n(), 43U);
  EXPECT_LE(concurrency.at(0.5), 0.0008);
  EXPECT_LE(concurrency.at(0.9), 0.045);
  EXPECT_GE(concurrency.in_band(), 0.95);
}

TEST(ServingAccuracy, ThePoolFollowsFromFlagsAlone) {
  const Errors pool("pool", "flags");
  EXPECT_GE(pool.n(), 49U);
  EXPECT_LE(pool.at(0.5), 0.004);
  EXPECT_LE(pool.at(0.9), 0.05);
  EXPECT_GE(pool.in_band(), 0.9);
  EXPECT_LE(pool.median_width(), 0.15);
}

TEST(ServingAccuracy, ThePeakOfTheProfilingRunIsRightToOnePercentWhereTheSchedulerIsKnown) {
  const Errors activation("activation", "flags");
  EXPECT_GE(activation.n(), 43U);
  EXPECT_LE(activation.at(0.5), 0.01);
  EXPECT_GE(activation.in_band(), 0.9);
  EXPECT_LE(activation.median_width(), 0.15);
}

TEST(ServingAccuracy, StatesAreRightToTheRoundingOfThePrint) {
  const Errors flags("recurrent", "flags"), given("recurrent", "given_pool");
  EXPECT_GE(flags.n() + given.n(), 2U);
  EXPECT_LE(flags.at(1), 0.002);
  EXPECT_LE(given.at(1), 0.002);
}

TEST(ServingAccuracy, NineOfTenFiguresLieInANarrowBand) {
  std::size_t held = 0, n = 0;
  std::vector<double> widths;
  for (const ServingCase& one : outcome().cases) {
    if (!one.complete) continue;
    ++n;
    held += one.in_band() ? 1 : 0;
    widths.push_back(one.band_width());
  }
  std::sort(widths.begin(), widths.end());
  EXPECT_GE(static_cast<double>(held), 0.9 * static_cast<double>(n));
  EXPECT_LE(widths[widths.size() / 2], 0.15);
}

TEST(ServingAccuracy, ARowIsSkippedOnlyForWhatCannotBeKnown) {
  const std::set<std::string> reasons = {"no_model", "no_hardware", "no_format", "nothing_reported"};
  for (const ServingSkip& skip : outcome().skipped)
    EXPECT_EQ(reasons.count(skip.reason), 1U) << skip.id << ": " << skip.reason;
}

}  // namespace
}  // namespace vram
