// vram document models KNOWN.json: the generated pages of docs/. CI compares them with a fresh run.
#include <cstdio>

#include "core/cli/files.h"
#include "core/cli/program.h"
#include "core/report/models_table.h"

namespace vram::cli {

int run_document(Program& program, std::span<const std::string_view> words) {
  if (words.size() != 2 || words[0] != "models") return complain(program, Message("cli.document_needs"), bad_usage);
  const std::string name(words[1]);
  const Result<std::string> text = read_text(name);
  if (!text) return complain(program, text.error(), bad_input);
  const auto known = known_models_from_json(text.value());
  if (!known) {
    const std::string problem = program.language().text(known.error());
    return complain(program, Message("file.problem").with("name", name).with("problem", problem), bad_input);
  }
  const auto rows = models_table(program.library.models, known.value());
  std::printf("%s", models_markdown(rows).c_str());
  return answered;
}

}  // namespace vram::cli
