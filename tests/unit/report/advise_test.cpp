// Advice reads in three languages without a key or a placeholder left in it.
#include "core/report/advise.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/advise/performance.h"
#include "tests/unit/advise/library.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using advice::library;

void expect_words(const std::string& text) {
  EXPECT_EQ(text.find("\xE2\x9F\xA8"), std::string::npos) << text;  // ⟨key⟩
  EXPECT_EQ(text.find('{'), std::string::npos) << text;
}

void expect_words(const std::vector<Section>& sections) {
  EXPECT_FALSE(sections.empty());
  for (const Section& section : sections) {
    expect_words(section.heading);
    for (const std::string& paragraph : section.paragraphs) expect_words(paragraph);
    for (const std::string& cell : section.table.head) expect_words(cell);
    for (const auto& row : section.table.rows) {
      EXPECT_EQ(row.size(), section.table.head.size());
      for (const std::string& cell : row) expect_words(cell);
    }
  }
}

std::vector<std::string> questions() {
  return {"model=meta-llama/Llama-3.1-70B-Instruct&users=40&n=2&gpu=h200-sxm&rate=60&grow_users=900",
          "model=Qwen/Qwen3-32B&users=8&n=4&gpu=l40s&least_bits=8&want_tps=30&want_ttft=2&spare=1&rack_kw=5",
          "model=Qwen/Qwen3-235B-A22B&gpu=metax-c500&n=16&node=metax-c500-pcie-8&vendor=metax",
          "model=Qwen/Qwen3-8B&task=tune&method=qlora&gpu=rtx4090&form=pcie"};
}

TEST(Advice, OfOptionsHasWords) {
  for (const std::string& question : questions()) {
    const OptionSearch search = advice::searched(question);
    for (const Tongue tongue : kTongues) expect_words(options_sections(search, Language(all_strings(), tongue)));
  }
}

TEST(Advice, OfTheRoomHasWords) {
  for (const std::string& question : questions()) {
    const Inputs given = advice::inputs(question);
    const Result<FacilityPlan> plan = plan_facility(given, library().platforms);
    ASSERT_TRUE(plan);
    const RackAnswer rack = rack_answer(given, plan.value(), library().platforms.facility);
    for (const Tongue tongue : kTongues) {
      expect_words(facility_sections(plan.value(), rack, Language(all_strings(), tongue)));
    }
  }
}

TEST(Advice, OfSpeedGrowthAndWhatMovesTheAnswerHasWords) {
  for (const std::string& question : questions()) {
    const Inputs given = advice::inputs(question);
    const Plan plan = make_plan(given);
    const std::optional<Growth> growth = plan_growth(given);
    const std::vector<Moved> moved = sensitivity(given, plan, library(), given.models);
    for (const Tongue tongue : kTongues) {
      const Language language(all_strings(), tongue);
      expect_words({speed_section(given, plan, library().platforms.interconnect, language)});
      if (growth) {
        for (const std::string& sentence : growth_sentences(given, *growth, language)) expect_words(sentence);
      }
      EXPECT_EQ(sensitivity_sentences(moved, 3, language).size(), 3U);
      for (const std::string& sentence : sensitivity_sentences(moved, 99, language)) expect_words(sentence);
    }
  }
}

TEST(Advice, EveryCardHasWordsForWhatABuyerHasToKnow) {
  for (const Accelerator& card : library().accelerators) {
    for (const Tongue tongue : kTongues) {
      const Section section = card_section(card, Language(all_strings(), tongue));
      expect_words({section});
      EXPECT_FALSE(section.table.rows.empty()) << card.id;
      EXPECT_EQ(section.paragraphs.size(), card.notes.size()) << card.id;
    }
  }
}

TEST(Advice, EveryNodeHasWordsForItsNotes) {
  for (const Platform& node : library().platforms.platforms) {
    for (const std::string& note : node.notes) {
      for (const Tongue tongue : kTongues) EXPECT_NE(all_strings().find("platform.note." + note, tongue), nullptr) << note;
    }
  }
}

TEST(Advice, OfTheRoomSaysWhatCardsAreNoLongerMade) {
  const Language language(all_strings(), Tongue::en);
  const std::vector<Section> sections = room_sections(advice::inputs("gpu=rtx4090&n=2"), library().platforms, language);
  const Section& card = sections.back();
  EXPECT_NE(card.heading.find("RTX 4090"), std::string::npos);
  EXPECT_NE(card.table.rows.back()[1].find("no longer made"), std::string::npos);
  EXPECT_NE(card.paragraphs.back().find("data cent"), std::string::npos) << "the licence";
}

TEST(Advice, AspectsOfWhichTheSameIsSaidShareARow) {
  const Language language(all_strings(), Tongue::en);
  const Inputs given = advice::inputs("gpu=h100-sxm&n=4");
  const FacilityPlan plan = plan_facility(given, library().platforms).value();
  const std::vector<Section> sections = facility_sections(plan, {}, language);
  const auto fit = std::find_if(sections.begin(), sections.end(), [&](const Section& section) {
    return section.heading == language.word("facility.fit");
  });
  ASSERT_NE(fit, sections.end());
  EXPECT_LT(fit->table.rows.size(), plan.findings.size());
  std::set<std::string> said;
  for (const auto& row : fit->table.rows) EXPECT_TRUE(said.insert(row[1]).second) << row[1];
}

TEST(Advice, TellsWhereTheTimeOfARequestGoes) {
  for (const char* question : {"model=meta-llama/Llama-3.1-70B-Instruct&n=8&gpu=rtx4090&ctx=8192",
                               "model=deepseek-ai/DeepSeek-V3&n=8&gpu=h200-sxm&users=32"}) {
    const Inputs given = advice::inputs(question);
    const Interconnect& interconnect = library().platforms.interconnect;
    const Result<speed::Speed> speed = performance(given, make_plan(given), interconnect, 0);
    ASSERT_TRUE(speed);
    for (const Tongue tongue : kTongues) {
      const Language language(all_strings(), tongue);
      const Section section = speed_terms_section(speed.value(), language);
      expect_words({section});
      EXPECT_GE(section.table.rows.size(), 3U);
      EXPECT_NE(section.table.rows.front()[2].find(" = "), std::string::npos) << "a calculation has a result";
      for (const auto& row : section.table.rows) EXPECT_EQ(row[2].find("(0)"), std::string::npos) << row[2];
    }
  }
}

TEST(Advice, EveryCauseHasWords) {
  for (int i = 0; i < static_cast<int>(Holding::count_); ++i) {
    const std::string key = "bottleneck." + std::string(holding_key(static_cast<Holding>(i)));
    for (const Tongue tongue : kTongues) EXPECT_NE(all_strings().find(key, tongue), nullptr) << key;
  }
}

TEST(Advice, RangesThatReadTheSameAreOneNumber) {
  const Language language(all_strings(), Tongue::en);
  EXPECT_EQ(range_text(1.21, 1.24, 1, language), "1.2");
  EXPECT_EQ(range_text(1.2, 2.5, 1, language), "1.2\xE2\x80\x93" "2.5");
  EXPECT_EQ(rate_text(0.424, language), "0.42");
  EXPECT_EQ(rate_text(8.11, language), "8.1");
  EXPECT_EQ(rate_text(36.4, language), "36");
}

}  // namespace
}  // namespace vram
