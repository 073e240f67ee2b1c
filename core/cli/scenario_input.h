// What the commands that plan share: the scenario they are given, and sections on a terminal.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/cli/program.h"
#include "core/import/engine_log.h"
#include "core/report/report.h"

namespace vram::cli {

/// A scenario's file, with the plans kept in it and what is wrong in it. A file that is none is said on stderr.
std::optional<ScenarioReading> read_scenario_file(const Program& program, const std::string& name);

/// The scenario of the file (the first of `arguments.rest`, if any), with the flags over it. Whatever is wrong is said
/// on stderr; nothing is dropped in silence.
std::optional<Scenario> read_scenario(const Program& program, const Arguments& arguments);

/// A start-up log. Whatever is wrong is said on stderr.
std::optional<EngineLog> read_log(const Program& program, const std::string& name);

/// The scenario with what the log measured; what does not agree (another card, another program) is said on stderr.
std::optional<Scenario> measured_by(const Program& program, Scenario scenario, const std::string& log_name);

void print_sections(const std::vector<Section>& sections);

}  // namespace vram::cli
