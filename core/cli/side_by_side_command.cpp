// vram side-by-side FILE.json… [--text] [--lang en|ru|kk]: up to four scenarios, and plans kept in their files.
#include <cstdio>

#include "core/cli/program.h"
#include "core/cli/scenario_input.h"
#include "core/report/side_by_side.h"

namespace vram::cli {
namespace {

/// "plans/small.json" → "small".
std::string name_of_file(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return kept_name(name.substr(0, name.find_last_of('.')));
}

}  // namespace

int run_side_by_side(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"text"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_text = arguments.has("text");
  if (!arguments.flags.empty()) {
    return complain(program, Message("cli.unknown_flag").with("flag", arguments.flags.front().first), bad_usage);
  }
  std::vector<KeptPlan> plans;
  for (const std::string& name : arguments.rest) {
    std::optional<ScenarioReading> read = read_scenario_file(program, name);
    if (!read) return bad_input;
    for (const Message& problem : read->problems) complain(program, problem, bad_input);
    if (!read->problems.empty()) return bad_input;
    plans.push_back({name_of_file(name), std::move(read->scenario)});
    for (KeptPlan& kept : read->kept) plans.push_back(std::move(kept));
  }
  if (plans.size() < 2 || plans.size() > kMostKept) {
    return complain(program, Message("cli.side_by_side_needs"), bad_usage);
  }
  const Result<SideBySide> beside = side_by_side(plans, program.library);
  if (!beside) return complain(program, beside.error(), bad_input);
  const Language language(program.strings, program.tongue, plans.front().scenario.units != "gb");
  if (as_text) print_sections(side_by_side_sections(beside.value(), language));
  else std::printf("%s\n", to_text(side_by_side_json(beside.value()), 2).c_str());
  return answered;
}

}  // namespace vram::cli
