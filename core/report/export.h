// An answer as files: plain text to read, a table of the ledger for a spreadsheet.
#pragma once
#include <string>
#include <string_view>

#include "core/report/report.h"

namespace vram {

/// A section as lines: its heading, its paragraphs, its table with cells apart by " | ".
std::string section_text(const Section& section);
/// Verdict, summary and every section.
std::string answer_text(const Answer& answer);

/// The ledger, one entry a line. In English with commas and a decimal point, in Russian and Kazakh with semicolons and
/// a decimal comma, as the spreadsheets there read it (Excel's list separator of the locale); UTF-8 with its mark, which
/// Excel needs to see. Bytes are whole; the shown unit is the language's. A cell that a spreadsheet would take for a
/// formula begins with an apostrophe (OWASP, "CSV injection").
std::string ledger_csv(const Plan& plan, const Language& language);

}  // namespace vram
