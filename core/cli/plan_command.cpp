// vram plan [FILE.json] [--field value]… [--text] [--lang en|ru|kk]
#include <cstdio>

#include "core/advise/limits.h"
#include "core/cli/program.h"
#include "core/cli/scenario_input.h"
#include "core/report/report.h"

namespace vram::cli {
namespace {

void print_answer(const Answer& answer) {
  std::printf("%s\n%s\n", answer.verdict.c_str(), answer.summary.c_str());
  print_sections(answer.sections);
}

}  // namespace

int run_plan(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"text"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_text = arguments.has("text");
  if (arguments.rest.size() > 1) return complain(program, Message("cli.one_file"), bad_usage);
  if (arguments.rest.empty() && arguments.flags.empty()) {
    return complain(program, Message("cli.plan_needs"), bad_usage);
  }

  const std::optional<Scenario> scenario = read_scenario(program, arguments);
  if (!scenario) return bad_input;
  const Result<Inputs> inputs = resolve(*scenario, program.library);
  if (!inputs) return complain(program, inputs.error(), bad_input);
  const Plan plan = make_plan(inputs.value());
  const Limits limits = find_limits(inputs.value());
  if (as_text) {
    const Language language(program.strings, program.tongue, scenario->units != "gb");
    print_answer(answer(inputs.value(), plan, limits, language));
  } else {
    std::printf("%s\n", to_text(plan_json(inputs.value(), plan, limits), 2).c_str());
  }
  return answered;
}

}  // namespace vram::cli
