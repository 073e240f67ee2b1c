// A scenario through everything that the page does with it: plan, limits, fixes, the beginning of the search of what to
// buy, every section of the report, the letter, files. Whatever was asked for, it ends, says no "nan", and a link or a
// file of it is the same scenario again.
#include <cctype>
#include <cstdio>
#include <string>
#include <utility>

#include "core/advise/facility_plan.h"
#include "core/advise/growth.h"
#include "core/advise/limits.h"
#include "core/advise/performance.h"
#include "core/advise/sensitivity.h"
#include "core/advise/workload.h"
#include "core/plan/formula.h"
#include "core/report/advise.h"
#include "core/report/export.h"
#include "core/report/sections.h"
#include "core/report/test_plan.h"
#include "tests/fuzz/drive.h"
#include "tests/library.h"
#include "tests/fuzz/scenario_draw.h"

namespace vram::fuzz {
namespace {

constexpr int kOptionPlans = 24;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// "nan" and "inf" as words of their own: numbers that went wrong.
bool has_no_number(std::string_view text) {
  for (const std::string_view wrong : {"nan", "inf"}) {
    for (std::size_t at = text.find(wrong); at != std::string_view::npos; at = text.find(wrong, at + 1)) {
      const bool begins = at == 0 || !is_letter(text[at - 1]);
      const bool ends = at + wrong.size() >= text.size() || !is_letter(text[at + wrong.size()]);
      if (begins && ends) return true;
    }
  }
  return false;
}

/// What is shown has its words and its numbers. Names from outside may hold anything, so then only the words count.
void is_sound(const std::string& text, bool own_names) {
  const bool sound = text.find("\xE2\x9F\xA8") == std::string::npos && !has_no_number(text);  // ⟨a key without words⟩
  if (!sound && own_names) std::fprintf(stderr, "%s\n", text.c_str());
  require(sound || !own_names);
}

void is_itself_again(const Scenario& scenario) {
  const ScenarioReading link = from_link(to_link(scenario));
  require(link.problems.empty() && link.scenario == scenario);
  const std::string file = to_text(to_json(scenario));
  const auto json = parse_json(file);
  require(static_cast<bool>(json));
  if (file.find("\xEF\xBF\xBD") != std::string::npos) return;  // a file is UTF-8; what is none becomes U+FFFD in it
  const ScenarioReading saved = from_json(json.value());
  require(saved.problems.empty() && saved.scenario == scenario);
}

void has_sound_entries(const Plan& plan) {
  for (const Entry& entry : plan.ledger) {
    if (entry.high.overflowed()) {
      require(plan.verdict == Verdict::does_not_fit);
      continue;
    }
    require(entry.low <= entry.likely && entry.likely <= entry.high);
    require(static_cast<bool>(evaluate(entry.derivation)));
  }
}

std::vector<Section> sections_of(const Inputs& inputs, const Plan& plan, const Library& all, const Language& language) {
  const Interconnect& links = all.platforms.interconnect;
  std::vector<Section> sections;
  sections.push_back(placement_section(inputs, plan, language));
  sections.push_back(rules_section(rules_of_thumb(inputs, plan), language));
  sections.push_back(support_section(inputs, plan, language));
  for (Section& section : start_sections(inputs, plan, language)) sections.push_back(std::move(section));
  sections.push_back(test_plan(inputs, plan, language));
  sections.push_back(speed_section(inputs, plan, links, language));
  if (plan.training) sections.push_back(shown_section(inputs, plan, language));
  if (const auto both = normal_and_peak(inputs)) sections.push_back(normal_and_peak_section(inputs, *both, language));
  if (const auto growth = plan_growth(inputs)) {
    sections.push_back({"", growth_sentences(inputs, *growth, language), {}});
  }
  if (const auto sentence = workload_sentence(inputs, links, language)) sections.push_back({"", {*sentence}, {}});
  if (const auto room = plan_facility(inputs, all.platforms)) {
    const RackAnswer rack = rack_answer(inputs, room.value(), all.platforms.facility);
    for (Section& section : facility_sections(room.value(), rack, language)) sections.push_back(std::move(section));
  }
  return sections;
}

void letter_is_one_message(const Letter& made) {
  const std::string address = mailto(made);
  require(address.size() <= 2000);
  for (const char c : address) require(static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F);
  require(std::count(address.begin(), address.end(), '?') == 1 && std::count(address.begin(), address.end(), '&') == 1);
}

void goes_through(const Scenario& scenario, const Language& language) {
  const Library& all = shipped::library();
  Result<Inputs> resolved = resolve(scenario, all);
  if (!resolved) return is_sound(language.text(resolved.error()), false);
  Inputs inputs = std::move(resolved).value();
  inputs.scenario = with_concurrency(inputs, all.platforms.interconnect);
  const bool own_names = std::all_of(scenario.deployments.begin(), scenario.deployments.end(),
                                     [](const Deployment& one) { return one.config.empty(); }) &&
                         scenario.more_cards.size() < 40;
  const Plan plan = make_plan(inputs);
  has_sound_entries(plan);
  const Limits limits = find_limits(inputs, inputs.models.size() - 1);
  const std::vector<Fix> fixes = find_fixes(inputs, plan, all);
  for (const Fix& fix : fixes) {
    const auto fixed = resolve(fix.scenario, all);
    const bool as_said = fixed && make_plan(fixed.value()).verdict == fix.verdict;
    if (!as_said) std::fprintf(stderr, "%s: %s\n", fix.key.c_str(), to_link(scenario).c_str());
    require(as_said);
  }
  is_sound(answer_text(answer(inputs, plan, limits, language, fixes)), own_names);
  for (const Section& section : sections_of(inputs, plan, all, language)) is_sound(section_text(section), own_names);
  OptionSearch search(scenario, all);
  while (search.planned() < kOptionPlans && search.step(8)) {
  }
  for (const Section& section : options_sections(search, language)) is_sound(section_text(section), own_names);
  letter_is_one_message(letter(inputs, plan, limits, language, "sale@example.org",
                               "https://example.org/#" + to_link(scenario)));
  is_sound(ledger_csv(plan, language), own_names);
  require(static_cast<bool>(parse_json(to_text(plan_json(inputs, plan, limits, fixes)))));
  require(static_cast<bool>(parse_json(to_text(options_json(search)))));
}

}  // namespace
}  // namespace vram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Scenario scenario = fuzz::drawn_scenario(text, shipped::library());
  fuzz::is_itself_again(scenario);
  const Tongue tongue = kTongues[size % 3];
  fuzz::goes_through(scenario, Language(shipped::strings(), tongue, scenario.units != "gb"));
  return 0;
}
