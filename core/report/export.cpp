#include "core/report/export.h"

#include <cstdio>
#include <span>

namespace vram {
namespace {

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : " | ") + cell;
  return line;
}

/// A cell of words: never a formula, quoted where it has to be.
std::string words_cell(std::string text, char separator) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  const char special[] = {separator, '"', '\n', '\r', '\0'};
  if (text.find_first_of(special) == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// A number without grouping, so that a spreadsheet takes it for one.
std::string number_cell(Bytes bytes, bool binary, char point) {
  const double value = binary ? gibibytes(bytes) : gigabytes(bytes);
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.6f", value);
  std::string text = buffer;
  for (char& c : text) {
    if (c == '.') c = point;
  }
  return text;
}

std::string devices_of(const Entry& entry, const Language& language) {
  if (entry.device == kHost) return language.word("report.host");
  const std::string first = "GPU " + std::to_string(entry.device);
  return entry.last == entry.device ? first : first + "\xE2\x80\x93" + std::to_string(entry.last);
}

}  // namespace

std::string section_text(const Section& section) {
  std::string text = section.heading + "\n";
  for (const std::string& paragraph : section.paragraphs) text += "  " + paragraph + "\n";
  for (const std::string& line : section.lines) text += "    " + line + "\n";
  if (section.table.rows.empty()) return text;
  text += "  " + joined(section.table.head) + "\n";
  for (const auto& row : section.table.rows) text += "  " + joined(row) + "\n";
  return text;
}

std::string answer_text(const Answer& answer) {
  std::string text = answer.verdict + "\n" + answer.summary + "\n";
  for (const Section& section : answer.sections) text += "\n" + section_text(section);
  return text;
}

std::string ledger_csv(const Plan& plan, const Language& language) {
  const bool english = language.tongue() == Tongue::en;
  const char separator = english ? ',' : ';', point = english ? '.' : ',';
  std::string csv = "\xEF\xBB\xBF";
  const auto add_line = [&](std::span<const std::string> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) csv += separator;
      csv += cells[i];
    }
    csv += "\r\n";
  };
  const auto words = [&](std::string text) { return words_cell(std::move(text), separator); };
  const std::string unit = ", " + language.memory_unit();
  const std::string head[] = {words(language.word("report.device")),
                              words(language.word("csv.deployment")),
                              words(language.word("report.term")),
                              words(language.word("csv.category")),
                              words(language.word("csv.low") + unit),
                              words(language.word("csv.likely") + unit),
                              words(language.word("csv.high") + unit),
                              words(language.word("csv.likely") + ", B"),
                              words(language.word("report.how_sure")),
                              words(language.word("report.formula"))};
  add_line(head);
  for (const Entry& entry : plan.ledger) {
    const bool binary = language.binary_units();
    const std::string row[] = {
        words(devices_of(entry, language)),
        std::to_string(entry.deployment + 1),
        words(language.word("term." + std::string(term_key(entry.term)))),
        words(language.word("category." + std::string(category_key(category_of(entry.term))))),
        number_cell(entry.low, binary, point),
        number_cell(entry.likely, binary, point),
        number_cell(entry.high, binary, point),
        std::to_string(entry.likely.value()),
        words(language.word("certainty." + std::string(certainty_key(entry.certainty)))),
        words(explain(entry, language))};
    add_line(row);
  }
  return csv;
}

}  // namespace vram
