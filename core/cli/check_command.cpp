// vram check CASES.jsonl… [--json]
#include <cstdio>

#include "assets/assets.h"
#include "core/check/rows.h"
#include "core/cli/files.h"
#include "core/cli/program.h"

namespace vram::cli {

Result<check::Outcome> check_files(const Program& program, std::span<const std::string> names) {
  // Rows name models that nobody is offered: shapes of training runs, bases of measured fine-tunes.
  std::vector<CatalogueModel> models = program.library.models;
  if (Result<std::vector<CatalogueModel>> measured = models_from_json(assets::file("models_measured.json"))) {
    for (const CatalogueModel& one : measured.value()) models.push_back(one);
  }
  const Result<Platforms> platforms = platforms_from_json(assets::file("platforms.json"));
  if (!platforms) return platforms.error();
  const check::Library library(models, program.library.accelerators, platforms.value().interconnect);

  check::Outcome outcome;
  for (const std::string& name : names) {
    const Result<std::string> text = read_text(name);
    if (!text) return text.error();
    check::Outcome one = check::check_lines(text.value(), library);
    outcome.cases.insert(outcome.cases.end(), one.cases.begin(), one.cases.end());
    outcome.skipped.insert(outcome.skipped.end(), one.skipped.begin(), one.skipped.end());
  }
  return outcome;
}

int run_check(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"json"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  const bool as_json = arguments.has("json");
  if (!arguments.flags.empty()) {
    return complain(program, Message("cli.unknown_flag").with("flag", arguments.flags.front().first), bad_usage);
  }
  if (arguments.rest.empty()) return complain(program, Message("cli.check_needs"), bad_usage);
  const Result<check::Outcome> outcome = check_files(program, arguments.rest);
  if (!outcome) return complain(program, outcome.error(), bad_input);
  if (as_json)
    std::printf("%s\n", to_text(check::outcome_json(outcome.value()), 1).c_str());
  else
    std::printf("%s", check::outcome_text(outcome.value()).c_str());
  return answered;
}

}  // namespace vram::cli
