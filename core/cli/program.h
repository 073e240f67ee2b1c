// What every command has at hand: words, catalogues, and how it speaks to the terminal.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/check.h"
#include "core/plan/plan.h"
#include "core/report/language.h"
#include "core/report/report.h"
#include "core/units/result.h"

namespace vram::cli {

/// Exit codes, as `vram --help` lists them.
enum Exit : int { answered = 0, bad_input = 1, bad_usage = 2 };

struct Program {
  Strings strings;
  Library library;
  Tongue tongue = Tongue::en;

  Language language() const { return Language(strings, tongue); }
};

/// Words and catalogues from assets/, the language from LC_ALL, LC_MESSAGES or LANG.
Program load_program();

/// Prints the message on stderr in the program's language and returns `code`.
int complain(const Program& program, const Message& message, Exit code);

/// Flags "--name value" and "--name=value", and what is left.
struct Arguments {
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::string> rest;

  /// Takes the flag away; "" when it is not there.
  std::string take(std::string_view name);
  bool has(std::string_view name);
};
/// `switches` are flags without a value. Errors: cli.flag_without_value {flag}.
Result<Arguments> parse_arguments(std::span<const std::string_view> words, std::span<const std::string_view> switches);

/// Files of measured rows, predicted. Errors: what read_text says.
Result<check::Outcome> check_files(const Program& program, std::span<const std::string> names);

/// What plan, options and facility are asked: a scenario and how to say its answer.
struct Question {
  Scenario scenario;
  bool as_text = false;
};
/// From "[FILE.json] [--field value]… [--text] [--lang …]"; whatever is wrong is said and ends with the code.
struct Asked {
  std::optional<Question> question;
  Exit code = answered;
};
Asked ask(Program& program, std::span<const std::string_view> words);

using Run = int (*)(Program& program, std::span<const std::string_view> words);
struct Command {
  std::string_view name, usage;
  std::string_view summary;  ///< key of a string
  Run run;
};
std::span<const Command> commands();

int run_plan(Program& program, std::span<const std::string_view> words);
int run_options(Program& program, std::span<const std::string_view> words);
int run_facility(Program& program, std::span<const std::string_view> words);
int run_inspect(Program& program, std::span<const std::string_view> words);
int run_catalogue(Program& program, std::span<const std::string_view> words);
int run_check(Program& program, std::span<const std::string_view> words);
int run_compare(Program& program, std::span<const std::string_view> words);
int run_side_by_side(Program& program, std::span<const std::string_view> words);
int run_document(Program& program, std::span<const std::string_view> words);

}  // namespace vram::cli
