#include "core/cli/program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "assets/assets.h"

namespace vram::cli {
namespace {

constexpr Command kCommands[] = {
    {"plan", "plan [FILE.json] [--field value]… [--log LOG] [--text]", "cli.summary.plan", run_plan},
    {"options", "options [FILE.json] [--field value]… [--text]", "cli.summary.options", run_options},
    {"facility", "facility [FILE.json] [--field value]… [--text]", "cli.summary.facility", run_facility},
    {"side-by-side", "side-by-side FILE.json… [--text]", "cli.summary.side_by_side", run_side_by_side},
    {"inspect", "inspect FILE… [--json]", "cli.summary.inspect", run_inspect},
    {"catalogue", "catalogue models|gpus [WORDS] [--json]", "cli.summary.catalogue", run_catalogue},
    {"compare", "compare [FILE.json] [--field value]… LOG [--json | --scenario]", "cli.summary.compare", run_compare},
    {"check", "check CASES.jsonl… [--json]", "cli.summary.check", run_check},
    {"document", "document models KNOWN.json | accuracy ROWS.jsonl…", "cli.summary.document", run_document},
};

Tongue tongue_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return tongue_from(value);
  }
  return Tongue::en;
}

/// A mistake in our own assets, which tests rule out; a changed build should still say what is wrong.
void broken_asset(std::string_view path, const Message& problem) {
  std::fprintf(stderr, "vram: assets/%s: %s\n", std::string(path).c_str(), problem.key.c_str());
  std::exit(bad_usage);
}

}  // namespace

Program load_program() {
  Program program;
  program.tongue = tongue_of_environment();
  for (const std::string_view path : assets::paths()) {
    if (!path.starts_with("strings/")) continue;
    if (const auto problem = program.strings.add(assets::file(path))) broken_asset(path, *problem);
  }
  Result<std::vector<CatalogueModel>> models = models_from_json(assets::file("models.json"));
  if (!models) broken_asset("models.json", models.error());
  program.library.models = std::move(models).value();
  Result<std::vector<Accelerator>> accelerators = accelerators_from_json(assets::file("accelerators.json"));
  if (!accelerators) broken_asset("accelerators.json", accelerators.error());
  program.library.accelerators = std::move(accelerators).value();
  Result<Platforms> platforms = platforms_from_json(assets::file("platforms.json"));
  if (!platforms) broken_asset("platforms.json", platforms.error());
  program.library.platforms = std::move(platforms).value();
  return program;
}

int complain(const Program& program, const Message& message, Exit code) {
  std::fprintf(stderr, "vram: %s\n", program.language().text(message).c_str());
  return code;
}

std::string Arguments::take(std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const auto& flag) { return flag.first == name; });
  if (found == flags.end()) return "";
  std::string value = std::move(found->second);
  flags.erase(found);
  return value;
}

bool Arguments::has(std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const auto& flag) { return flag.first == name; });
  if (found == flags.end()) return false;
  flags.erase(found);
  return true;
}

Result<Arguments> parse_arguments(std::span<const std::string_view> words,
                                  std::span<const std::string_view> switches) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) {
      arguments.rest.emplace_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
    if (equals != std::string_view::npos) {
      arguments.flags.emplace_back(name, word.substr(equals + 1));
    } else if (std::find(switches.begin(), switches.end(), name) != switches.end()) {
      arguments.flags.emplace_back(name, "");
    } else if (i + 1 < words.size()) {
      arguments.flags.emplace_back(name, words[++i]);
    } else {
      return Message("cli.flag_without_value").with("flag", name);
    }
  }
  return arguments;
}

std::span<const Command> commands() { return kCommands; }

}  // namespace vram::cli
