#include "core/cli/scenario_input.h"

#include <cstdio>
#include <utility>

#include "core/advise/comparison.h"
#include "core/cli/files.h"
#include "core/report/export.h"

namespace vram::cli {

std::optional<ScenarioReading> read_scenario_file(const Program& program, const std::string& name) {
  const Result<std::string> text = read_text(name);
  if (!text) {
    complain(program, text.error(), bad_input);
    return std::nullopt;
  }
  const Result<Json> json = parse_json(text.value());
  if (!json) {
    complain(program,
             Message("file.problem").with("name", name).with("problem", program.language().text(json.error())),
             bad_input);
    return std::nullopt;
  }
  return from_json(json.value());
}

std::optional<Scenario> read_scenario(const Program& program, const Arguments& arguments) {
  ScenarioReading reading;
  if (!arguments.rest.empty()) {
    std::optional<ScenarioReading> read = read_scenario_file(program, arguments.rest.front());
    if (!read) return std::nullopt;
    reading = *std::move(read);
  }
  for (const auto& [name, value] : arguments.flags) {
    const Field* field = find_field(name);
    auto problem =
        field == nullptr ? Message("cli.unknown_flag").with("flag", name) : set_text(reading.scenario, *field, value);
    if (problem) reading.problems.push_back(*std::move(problem));
  }
  for (const Message& problem : reading.problems) complain(program, problem, bad_input);
  if (!reading.problems.empty()) return std::nullopt;
  return reading.scenario;
}

std::optional<EngineLog> read_log(const Program& program, const std::string& name) {
  const Result<std::string> text = read_text(name);
  if (!text) {
    complain(program, text.error(), bad_input);
    return std::nullopt;
  }
  Result<EngineLog> log = read_engine_log(text.value());
  if (log) return std::move(log).value();
  const std::string problem = program.language().text(log.error());
  complain(program, Message("file.problem").with("name", name).with("problem", problem), bad_input);
  return std::nullopt;
}

std::optional<Scenario> measured_by(const Program& program, Scenario scenario, const std::string& log_name) {
  const std::optional<EngineLog> log = read_log(program, log_name);
  if (!log) return std::nullopt;
  const Result<Inputs> inputs = resolve(scenario, program.library);
  if (!inputs) {
    complain(program, inputs.error(), bad_input);
    return std::nullopt;
  }
  const Comparison comparison = compare_calculated(inputs.value(), *log);
  for (const Message& note : comparison.notes) complain(program, note, answered);
  return calibrated(std::move(scenario), make_plan(inputs.value()), comparison);
}

void print_sections(const std::vector<Section>& sections) {
  for (const Section& section : sections) std::printf("\n%s", section_text(section).c_str());
}

}  // namespace vram::cli
