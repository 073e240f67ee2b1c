#include "core/report/help.h"

#include <array>

namespace vram {

std::vector<Section> help_sections(const Language& language) {
  const auto word = [&](std::string_view key) { return language.word("help." + std::string(key)); };
  const auto sentences = [&](std::string_view heading, std::initializer_list<std::string_view> keys) {
    Section section{word(heading), {}, {}, true};
    for (const std::string_view key : keys) section.paragraphs.push_back(word(key));
    return section;
  };
  Section terms{word("terms"), {}, {}, true};
  terms.table.head = {word("word"), word("meaning")};
  for (const char* key : {"weights", "kv", "activations", "runtime", "context", "format", "split", "gib"}) {
    terms.table.rows.push_back({word(key), word(std::string(key) + "_is")});
  }
  return {std::move(terms), sentences("known", {"known_exact", "known_model", "known_press"}),
          sentences("cannot", {"cannot_quality", "cannot_load", "cannot_version", "cannot_price"})};
}

}  // namespace vram
