// vram plan|options|facility [FILE.json] [--field value]… [--log LOG] [--text] [--lang en|ru|kk]
#include <cstdio>
#include <limits>

#include "core/advise/fixes.h"
#include "core/advise/limits.h"
#include "core/cli/program.h"
#include "core/cli/scenario_input.h"
#include "core/report/advise.h"
#include "core/report/report.h"

namespace vram::cli {
namespace {

/// The scenario's names looked up, with the users that follow from a rate.
Result<Inputs> inputs_of(const Program& program, const Scenario& scenario) {
  Result<Inputs> inputs = resolve(scenario, program.library);
  if (!inputs) return inputs;
  Inputs counted = std::move(inputs).value();
  counted.scenario = with_concurrency(counted, program.library.platforms.interconnect);
  return counted;
}

}  // namespace

Asked ask(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"text"};
  const auto fail = [&](const Message& message) {
    return Asked{std::nullopt, Exit(complain(program, message, bad_usage))};
  };
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return fail(parsed.error());
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_text = arguments.has("text");
  const std::string log = arguments.take("log");
  if (arguments.rest.size() > 1) return fail(Message("cli.one_file"));
  if (arguments.rest.empty() && arguments.flags.empty()) return fail(Message("cli.plan_needs"));
  std::optional<Scenario> scenario = read_scenario(program, arguments);
  if (scenario && !log.empty()) scenario = measured_by(program, *std::move(scenario), log);
  if (!scenario) return {std::nullopt, bad_input};
  return {Question{*std::move(scenario), as_text}, answered};
}

int run_plan(Program& program, std::span<const std::string_view> words) {
  const Asked asked = ask(program, words);
  if (!asked.question) return asked.code;
  const Result<Inputs> inputs = inputs_of(program, asked.question->scenario);
  if (!inputs) return complain(program, inputs.error(), bad_input);
  const Plan plan = make_plan(inputs.value());
  const Limits limits = find_limits(inputs.value());
  const std::vector<Fix> fixes = find_fixes(inputs.value(), plan, program.library);
  if (asked.question->as_text) {
    const Language language(program.strings, program.tongue, asked.question->scenario.units != "gb");
    const Answer said = answer(inputs.value(), plan, limits, language, fixes,
                               advice_sections(inputs.value(), plan, program.library, language));
    std::printf("%s\n%s\n", said.verdict.c_str(), said.summary.c_str());
    print_sections(said.sections);
    return answered;
  }
  Json json = plan_json(inputs.value(), plan, limits, fixes);
  json["speed"] = speed_json(inputs.value(), plan, program.library.platforms.interconnect);
  std::printf("%s\n", to_text(json, 2).c_str());
  return answered;
}

int run_options(Program& program, std::span<const std::string_view> words) {
  const Asked asked = ask(program, words);
  if (!asked.question) return asked.code;
  OptionSearch search(asked.question->scenario, program.library);
  while (search.step(std::numeric_limits<int>::max())) {
  }
  if (search.problem()) return complain(program, *search.problem(), bad_input);
  const Language language(program.strings, program.tongue, asked.question->scenario.units != "gb");
  if (asked.question->as_text) print_sections(options_sections(search, language));
  else std::printf("%s\n", to_text(options_json(search), 2).c_str());
  return answered;
}

int run_facility(Program& program, std::span<const std::string_view> words) {
  const Asked asked = ask(program, words);
  if (!asked.question) return asked.code;
  const Result<Inputs> inputs = inputs_of(program, asked.question->scenario);
  if (!inputs) return complain(program, inputs.error(), bad_input);
  const Result<FacilityPlan> plan = plan_facility(inputs.value(), program.library.platforms);
  if (!plan) return complain(program, plan.error(), bad_input);
  const RackAnswer rack = rack_answer(inputs.value(), plan.value(), program.library.platforms.facility);
  const Language language(program.strings, program.tongue, asked.question->scenario.units != "gb");
  if (asked.question->as_text) print_sections(room_sections(inputs.value(), program.library.platforms, language));
  else std::printf("%s\n", to_text(facility_json(plan.value(), rack), 2).c_str());
  return answered;
}

}  // namespace vram::cli
