// vram plan [FILE.json] [--field value]… [--text] [--lang en|ru|kk]
#include <cstdio>

#include "core/advise/limits.h"
#include "core/cli/files.h"
#include "core/cli/program.h"
#include "core/report/export.h"
#include "core/report/report.h"

namespace vram::cli {
namespace {

/// The scenario of the file, with the flags over it. Whatever is wrong is said; nothing is dropped in silence.
std::optional<Scenario> read_scenario(const Program& program, Arguments& arguments) {
  ScenarioReading reading;
  if (!arguments.rest.empty()) {
    const std::string name = arguments.rest.front();
    const Result<std::string> text = read_text(name);
    if (!text) {
      complain(program, text.error(), bad_input);
      return std::nullopt;
    }
    const Result<Json> json = parse_json(text.value());
    if (!json) {
      complain(program, Message("file.problem").with("name", name).with("problem", program.language().text(json.error())),
               bad_input);
      return std::nullopt;
    }
    reading = from_json(json.value());
  }
  for (const auto& [name, value] : arguments.flags) {
    const Field* field = find_field(name);
    auto problem = field == nullptr ? Message("cli.unknown_flag").with("flag", name)
                                    : set_text(reading.scenario, *field, value);
    if (problem) reading.problems.push_back(*std::move(problem));
  }
  for (const Message& problem : reading.problems) complain(program, problem, bad_input);
  if (!reading.problems.empty()) return std::nullopt;
  return reading.scenario;
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
    std::printf("%s", answer_text(answer(inputs.value(), plan, limits, language)).c_str());
  } else {
    std::printf("%s\n", to_text(plan_json(inputs.value(), plan, limits), 2).c_str());
  }
  return answered;
}

}  // namespace vram::cli
