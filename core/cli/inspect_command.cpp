// vram inspect FILE… [--json]
#include <cstdio>

#include "core/cli/files.h"
#include "core/cli/program.h"
#include "core/cli/scenario_input.h"
#include "core/report/comparison.h"
#include "core/report/inspect.h"

namespace vram::cli {
namespace {

Json files_json(const Opened& opened) {
  Json files = Json::array();
  for (const UsedFile& used : opened.files) {
    files.push_back({{"name", used.file.name},
                     {"size", used.file.size},
                     {"use", file_use_key(used.use)},
                     {"tensor_bytes", used.tensor_bytes.value()}});
  }
  return files;
}

}  // namespace

int run_inspect(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"json"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_json = arguments.has("json");
  if (!arguments.flags.empty()) {
    return complain(program, Message("cli.unknown_flag").with("flag", arguments.flags.front().first), bad_usage);
  }
  if (arguments.rest.empty()) return complain(program, Message("cli.inspect_needs"), bad_usage);
  const Result<Opened> opened = open_files(arguments.rest);
  if (!opened) return complain(program, opened.error(), bad_input);
  const Language language = program.language();
  if (opened.value().log && !opened.value().has_model()) {
    const EngineLog& log = *opened.value().log;
    if (as_json) std::printf("%s\n", to_text(engine_log_json(log), 1).c_str());
    else print_sections({engine_log_section(log, language)});
    return answered;
  }
  if (as_json) {
    Json json = inspection_json(opened.value().model, language);
    json["files"] = files_json(opened.value());
    std::printf("%s\n", to_text(json, 1).c_str());
    return answered;
  }
  std::printf("%s", inspection_text(opened.value().model, language).c_str());
  for (const UsedFile& used : opened.value().files) {
    std::printf("%s: %s\n", used.file.name.c_str(),
                language.word("file_use." + std::string(file_use_key(used.use))).c_str());
  }
  return answered;
}

}  // namespace vram::cli
