// vram compare [FILE.json] [--field value]… LOG [--json | --scenario]: a plan beside a server's start-up
// log. --scenario prints the scenario with what was measured, for `vram plan`.
#include <cstdio>

#include "core/advise/comparison.h"
#include "core/cli/files.h"
#include "core/cli/program.h"
#include "core/cli/scenario_input.h"
#include "core/report/comparison.h"

namespace vram::cli {

int run_compare(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"json", "scenario"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_json = arguments.has("json"), as_scenario = arguments.has("scenario");
  const bool has_scenario = arguments.rest.size() == 2 || !arguments.flags.empty();
  if (arguments.rest.empty() || arguments.rest.size() > 2 || !has_scenario) {
    return complain(program, Message("cli.compare_needs"), bad_usage);
  }
  const std::string log_name = std::move(arguments.rest.back());
  arguments.rest.pop_back();

  const std::optional<Scenario> scenario = read_scenario(program, arguments);
  if (!scenario) return bad_input;
  const Result<Inputs> inputs = resolve(*scenario, program.library);
  if (!inputs) return complain(program, inputs.error(), bad_input);
  const std::optional<EngineLog> log = read_log(program, log_name);
  if (!log) return bad_input;
  const Comparison comparison = compare_calculated(inputs.value(), *log);
  if (as_scenario) {
    const Scenario measured = calibrated(*scenario, make_plan(inputs.value()), comparison);
    std::printf("%s\n", to_text(to_json(measured), 1).c_str());
    return answered;
  }
  if (as_json) {
    std::printf("%s\n", to_text(comparison_json(comparison, *log), 1).c_str());
    return answered;
  }
  const Language language(program.strings, program.tongue, scenario->units != "gb");
  print_sections(comparison_sections(comparison, *log, language));
  return answered;
}

}  // namespace vram::cli
