#include "core/report/export.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "assets/assets.h"
#include "tests/unit/plan/sample.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using sample::dense;
using sample::kLlama70B;
using sample::serving;

Plan sample_plan() { return make_plan(serving(dense(kLlama70B), 79.19, 2, 8, 8192)); }

/// Cells of a line whose cells are not quoted.
std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, separator);) cells.push_back(cell);
  return cells;
}

std::vector<std::string> lines_of(const std::string& csv) { return cells_of(csv, '\n'); }

TEST(Csv, HasALineForEveryEntryAndItsBytesAddUp) {
  const Plan plan = sample_plan();
  const auto lines = lines_of(ledger_csv(plan, Language(all_strings(), Tongue::ru)));
  ASSERT_EQ(lines.size(), plan.ledger.size() + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) sum += std::stoull(cells_of(lines[i], ';')[7]);
  std::uint64_t wanted = 0;
  for (const Entry& entry : plan.ledger) wanted += entry.likely.value();
  EXPECT_EQ(sum, wanted);
}

TEST(Csv, IsWhatTheSpreadsheetOfTheLanguageExpects) {
  const Plan plan = sample_plan();
  const std::string russian = ledger_csv(plan, Language(all_strings(), Tongue::ru));
  const std::string english = ledger_csv(plan, Language(all_strings(), Tongue::en));
  EXPECT_TRUE(russian.starts_with("\xEF\xBB\xBF")) << "Excel takes a file without the mark for another encoding";
  EXPECT_NE(cells_of(lines_of(russian)[1], ';')[5].find(','), std::string::npos);
  EXPECT_NE(cells_of(lines_of(english)[1], ',')[5].find('.'), std::string::npos);
}

TEST(Csv, NoCellIsAFormulaAndQuotesAreDoubled) {
  Strings strings;
  ASSERT_FALSE(strings.add(assets::file("strings/report.json")));
  ASSERT_FALSE(strings.add(R"({"term.weights": {"en": "=cmd|' /C calc'!A1", "ru": "a;\"b\"", "kk": "x"}})"));
  Plan plan = sample_plan();
  plan.ledger.resize(1);
  ASSERT_EQ(plan.ledger[0].term, Term::weights);
  EXPECT_EQ(cells_of(lines_of(ledger_csv(plan, Language(strings, Tongue::en)))[1], ',')[2], "'=cmd|' /C calc'!A1");
  EXPECT_NE(ledger_csv(plan, Language(strings, Tongue::ru)).find(R"("a;""b""")"), std::string::npos);
}

TEST(Text, SaysTheWholeAnswer) {
  const Inputs inputs = serving(dense(kLlama70B, "Llama 3.1 70B"), 79.19, 2, 8, 8192);
  const Answer said = answer(inputs, make_plan(inputs), find_limits(inputs), Language(all_strings(), Tongue::kk));
  const std::string text = answer_text(said);
  EXPECT_TRUE(text.starts_with(said.verdict + "\n" + said.summary + "\n"));
  for (const Section& section : said.sections) {
    EXPECT_NE(text.find("\n" + section.heading + "\n"), std::string::npos) << section.heading;
    for (const auto& row : section.table.rows) EXPECT_NE(text.find(row.front() + " | "), std::string::npos);
  }
}

}  // namespace
}  // namespace vram
