// The command `vram`: the same core as the page, for scripts and CI.
#include <cstdio>

#include "core/cli/program.h"

namespace {

using namespace vram;

void print_help(const cli::Program& program) {
  const Language language = program.language();
  std::printf("%s\n\n", language.word("cli.what").c_str());
  for (const cli::Command& command : cli::commands()) {
    std::printf("  vram %-44s %s\n", std::string(command.usage).c_str(), language.word(command.summary).c_str());
  }
  std::printf("\n%s\n", language.word("cli.fields").c_str());
  for (const Field& field : fields()) {
    if (field.kind == FieldKind::config) continue;
    std::string choices;
    for (const std::string_view choice : field.choices) {
      choices += (choices.empty() ? "" : " | ") + std::string(choice);
    }
    std::printf("  --%-10s %s%s\n", std::string(field.key).c_str(),
                language.word("field." + std::string(field.key)).c_str(),
                choices.empty() ? "" : (": " + choices).c_str());
  }
  std::printf("\n%s\n", language.word("cli.exit_codes").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  cli::Program program = cli::load_program();
  if (words.size() >= 2 && words[0] == "--lang") {
    program.tongue = tongue_from(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help(program);
    return words.empty() ? cli::bad_usage : cli::answered;
  }
  if (words[0] == "--version") {
    std::printf("vram %s\n", VRAM_VERSION);
    return cli::answered;
  }
  for (const cli::Command& command : cli::commands()) {
    if (words[0] == command.name) return command.run(program, std::span(words).subspan(1));
  }
  return cli::complain(program, Message("cli.unknown_command").with("command", std::string(words[0])), cli::bad_usage);
}
