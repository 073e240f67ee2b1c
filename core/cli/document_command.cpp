// vram document models KNOWN.json, accuracy ROWS.jsonl…, reference: the generated pages of docs/; figures ROWS.jsonl…:
// assets/accuracy.json. CI compares them with a fresh run.
#include <cstdio>

#include "core/check/accuracy_page.h"
#include "core/cli/files.h"
#include "core/cli/program.h"
#include "core/report/models_table.h"
#include "core/report/report.h"

namespace vram::cli {
namespace {

int document_models(Program& program, const std::string& name) {
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

int document_accuracy(Program& program, std::span<const std::string> names, bool figures) {
  const Result<check::Outcome> outcome = check_files(program, names);
  if (!outcome) return complain(program, outcome.error(), bad_input);
  const std::string text =
      figures ? check::accuracy_figures(outcome.value()) : check::accuracy_markdown(outcome.value());
  std::printf("%s", text.c_str());
  return answered;
}

int document_reference(Program& program) {
  constexpr std::string_view kCards[] = {"h100-sxm", "h200-sxm", "l40s", "rtx4090", "metax-c550"};
  const Language english(program.strings, Tongue::en);
  std::printf("%s", reference_markdown(program.library, kCards, english).c_str());
  return answered;
}

}  // namespace

int run_document(Program& program, std::span<const std::string_view> words) {
  const std::vector<std::string> names(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (names.size() == 1 && words[0] == "models") return document_models(program, names[0]);
  if (names.empty() && words.size() == 1 && words[0] == "reference") return document_reference(program);
  const bool figures = !words.empty() && words[0] == "figures";
  if (!names.empty() && (figures || words[0] == "accuracy")) return document_accuracy(program, names, figures);
  return complain(program, Message("cli.document_needs"), bad_usage);
}

}  // namespace vram::cli
