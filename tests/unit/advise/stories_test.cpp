// The worked stories of docs/stories: every number in their tables comes out of the scenario beside them.
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "core/advise/bottleneck.h"
#include "core/advise/facility_plan.h"
#include "core/advise/growth.h"
#include "core/advise/limits.h"
#include "core/advise/performance.h"
#include "core/report/advise.h"
#include "tests/unit/advise/library.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using advice::library;

std::string file(const std::string& name) {
  std::ifstream in(std::string(VRAM_SOURCE_FOLDER) + "/docs/stories/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Rows "| name | number |" of a page, its heads left out.
std::vector<std::pair<std::string, std::string>> rows_of(const std::string& page) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find('\n', at), page.size());
    const std::string line = page.substr(at, end - at);
    at = end + 1;
    const std::size_t middle = line.find('|', 1);
    const bool is_row = line.starts_with("| ") && middle != std::string::npos && line.back() == '|';
    if (!is_row) continue;
    rows.emplace_back(trimmed(line.substr(1, middle - 1)), trimmed(line.substr(middle + 1, line.size() - middle - 2)));
  }
  return rows;
}

/// What a story may name, as its scenario gives it.
class Story {
 public:
  explicit Story(const Scenario& scenario)
      : inputs_(advice::inputs(scenario)), plan_(make_plan(inputs_)), search_(advice::searched(scenario)) {
    const Result<FacilityPlan> room = plan_facility(inputs_, library().platforms);
    EXPECT_TRUE(room);
    if (room) room_ = room.value();
  }

  std::string value(const std::string& name) const {
    const Language language(all_strings(), Tongue::en);
    const auto speed = [&](auto pick) {
      const Result<speed::Speed> fast = performance(inputs_, plan_, library().platforms.interconnect);
      return fast ? rate_text(pick(fast.value()), language) : "unknown";
    };
    const auto range = [&](const std::optional<Range>& one, int decimals) {
      return one ? range_text(one->low, one->high, decimals, language) : "unknown";
    };
    const auto named = [&](const std::optional<Option>& option) {
      if (!option) return std::string("none");
      return std::to_string(option->devices) + " \xC3\x97 " + option->gpu;
    };
    const std::map<std::string, std::function<std::string()>> all = {
        {"Verdict", [&] { return std::string(verdict_key(plan_.verdict)); }},
        {"Used on the fullest GPU, GiB", [&] { return language.memory_number(plan_.of(plan_.fullest).likely); }},
        {"A program sees, GiB", [&] { return language.memory_number(plan_.usable()); }},
        {"Free, %", [&] { return std::to_string(std::lround(plan_.headroom_share() * 100)); }},
        {"Most users at this context", [&] { return language.number(most_users(inputs_)); }},
        {"Longest context for these users", [&] { return language.number(longest_context(inputs_)); }},
        {"Time to first token, s", [&] { return speed([](const auto& s) { return s.first_token.likely; }); }},
        {"Tokens/s for one user", [&] { return speed([](const auto& s) { return s.per_user.likely; }); }},
        {"Tokens/s in all", [&] { return speed([](const auto& s) { return s.total.likely; }); }},
        {"Holds back", [&] { return holding(); }},
        {"GPUs at the horizon", [&] { return horizon(); }},
        {"Nodes", [&] { return std::to_string(room_.nodes); }},
        {"Power under load, kW", [&] { return range(room_.room.load_kw, 1); }},
        {"Nameplate, kW", [&] { return range(room_.room.nameplate_kw, 1); }},
        {"Heat, BTU/h", [&] { return range(room_.room.heat_btu_h, 0); }},
        {"Air, m\xC2\xB3/h", [&] { return range(room_.room.air_m3_h, 0); }},
        {"Energy in a year, kWh", [&] { return range(room_.room.kwh_year, 0); }},
        {"Hours of the job", [&] { return hours(language); }},
        {"Least hardware", [&] { return named(search_.suggestions().least); }},
        {"Balanced", [&] { return named(search_.suggestions().balanced); }},
        {"Room to grow", [&] { return named(search_.suggestions().grows); }},
    };
    const auto found = all.find(name);
    return found == all.end() ? "no such name" : found->second();
  }

 private:
  std::string holding() const {
    const Result<speed::Speed> speed = performance(inputs_, plan_, library().platforms.interconnect);
    const auto one = bottleneck(inputs_, plan_, speed ? std::optional(speed.value()) : std::nullopt);
    if (!one) return "nothing";
    return std::string(holding_key(one->holding)) + ", " + std::to_string(std::lround(one->share * 100)) + " %";
  }
  std::string horizon() const {
    const std::optional<Growth> growth = plan_growth(inputs_);
    return growth && growth->devices ? std::to_string(*growth->devices) : "none";
  }
  std::string hours(const Language& language) const {
    const auto time = job_time(inputs_, plan_);
    return time ? range_text(time->hours_low, time->hours_high, 1, language) : "unknown";
  }

  Inputs inputs_;
  Plan plan_;
  OptionSearch search_;
  FacilityPlan room_;
};

class Stories : public testing::TestWithParam<const char*> {};

TEST_P(Stories, EveryNumberComesFromTheScenarioBesideIt) {
  const std::string name = GetParam();
  const Result<Json> json = parse_json(file(name + ".json"));
  ASSERT_TRUE(json) << name;
  const ScenarioReading reading = from_json(json.value());
  ASSERT_TRUE(reading.problems.empty()) << reading.problems.front().key;
  const Story story(reading.scenario);
  int told = 0;
  for (const auto& [what, number] : rows_of(file(name + ".md"))) {
    if (what == "What" || what.starts_with("-")) continue;
    ++told;
    EXPECT_EQ(number, story.value(what)) << name << ": " << what;
  }
  EXPECT_GE(told, 6) << name;
}

INSTANTIATE_TEST_SUITE_P(Docs, Stories,
                         testing::Values("llama-70b-for-40", "qwen3-235b-on-pcie", "qlora-8b-in-the-cupboard"));

}  // namespace
}  // namespace vram
