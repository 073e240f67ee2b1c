// vram catalogue models|gpus [WORDS] [--json]
#include <cstdio>

#include "core/cli/program.h"

namespace vram::cli {
namespace {

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

int list_models(const Program& program, const std::string& query, bool as_json) {
  Json rows = Json::array();
  for (const CatalogueModel* row : search_models(program.library.models, query)) {
    if (as_json) {
      rows.push_back({{"id", row->id},
                      {"name", row->name},
                      {"family", row->family},
                      {"parameters", row->parameters.value()},
                      {"active", row->active.value()},
                      {"context", row->context},
                      {"verified", row->verified},
                      {"source", row->source}});
    } else {
      const double billions = static_cast<double>(row->parameters.value()) / 1e9;
      std::printf("%-52s %-32s %10s B%s\n", row->id.c_str(), row->name.c_str(),
                  program.language().number(billions, 2).c_str(), row->verified ? "" : "  *");
    }
  }
  if (as_json) std::printf("%s\n", to_text(rows, 1).c_str());
  return answered;
}

int list_accelerators(const Program& program, const std::string& query, bool as_json) {
  Json rows = Json::array();
  for (const Accelerator* one : search_accelerators(program.library.accelerators, query)) {
    if (as_json) {
      rows.push_back({{"id", one->id},
                      {"name", one->name},
                      {"vendor", one->vendor},
                      {"usable_bytes", one->usable().value()},
                      {"usable_is", usable_is_key(one->usable_is())},
                      {"driver_mib", one->driver_mib ? Json(*one->driver_mib) : Json(nullptr)},
                      {"label_gb", one->label_gb ? Json(*one->label_gb) : Json(nullptr)},
                      {"bandwidth_gbs", one->bandwidth_gbs ? Json(*one->bandwidth_gbs) : Json(nullptr)},
                      {"status", status_key(one->status)}});
    } else {
      const std::string usable = one->usable() == Bytes(0) ? "?" : program.language().memory(one->usable());
      std::printf("%-18s %-34s %12s\n", one->id.c_str(), one->name.c_str(), usable.c_str());
    }
  }
  if (as_json) std::printf("%s\n", to_text(rows, 1).c_str());
  return answered;
}

}  // namespace

int run_catalogue(Program& program, std::span<const std::string_view> words) {
  constexpr std::string_view kSwitches[] = {"json"};
  Result<Arguments> parsed = parse_arguments(words, kSwitches);
  if (!parsed) return complain(program, parsed.error(), bad_usage);
  Arguments arguments = std::move(parsed).value();
  if (const std::string code = arguments.take("lang"); !code.empty()) program.tongue = tongue_from(code);
  const bool as_json = arguments.has("json");
  if (!arguments.flags.empty()) {
    return complain(program, Message("cli.unknown_flag").with("flag", arguments.flags.front().first), bad_usage);
  }
  if (arguments.rest.empty()) return complain(program, Message("cli.catalogue_needs"), bad_usage);
  const std::string query = joined(std::span(arguments.rest).subspan(1));
  if (arguments.rest[0] == "models") return list_models(program, query, as_json);
  if (arguments.rest[0] == "gpus") return list_accelerators(program, query, as_json);
  return complain(program, Message("cli.catalogue_needs"), bad_usage);
}

}  // namespace vram::cli
