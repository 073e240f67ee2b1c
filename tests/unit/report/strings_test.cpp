// Every key the core can say has words in three languages.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "assets/assets.h"
#include "core/plan/formula.h"
#include "core/plan/plan.h"
#include "core/plan/support.h"
#include "core/plan/training/formulas.h"
#include "core/report/language.h"
#include "core/scenario/scenario.h"
#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

const Strings& all_strings() {
  static const Strings* const strings = [] {
    auto* loaded = new Strings;
    for (const std::string_view path : assets::paths()) {
      if (!path.starts_with("strings/")) continue;
      const auto problem = loaded->add(assets::file(path));
      EXPECT_FALSE(problem) << path << ": "
                            << (problem->parameters.empty() ? problem->key
                                                            : std::get<std::string>(problem->parameters[0].second));
    }
    return loaded;
  }();
  return *strings;
}

void expect_words(const std::string& key) {
  for (const Tongue tongue : kTongues) {
    EXPECT_NE(all_strings().find(key, tongue), nullptr) << key << " in " << tongue_code(tongue);
  }
}

template <class Enum, class Key>
void expect_words_of(std::string_view prefix, Key key_of) {
  for (int i = 0; i < static_cast<int>(Enum::count_); ++i) {
    expect_words(std::string(prefix) + std::string(key_of(static_cast<Enum>(i))));
  }
}

TEST(Strings, EveryFileHasThreeLanguagesWithTheSamePlaceholders) { EXPECT_FALSE(all_strings().keys().empty()); }

TEST(Strings, TermsAndCategoriesHaveWords) {
  expect_words_of<Term>("term.", term_key);
  expect_words_of<Category>("category.", category_key);
}

TEST(Strings, VerdictsAndCertaintiesHaveWords) {
  for (const Verdict verdict :
       {Verdict::fits, Verdict::tight, Verdict::fits_with_offload, Verdict::does_not_fit}) {
    expect_words("verdict." + std::string(verdict_key(verdict)));
    expect_words("verdict_short." + std::string(verdict_key(verdict)));
  }
  for (const Certainty certainty : {Certainty::exact, Certainty::measured, Certainty::modelled, Certainty::assumed}) {
    expect_words("certainty." + std::string(certainty_key(certainty)));
    expect_words("certainty_hint." + std::string(certainty_key(certainty)));
  }
}

TEST(Strings, EveryNameInAFormulaHasItsMeaning) {
  for (const Formula& formula : formulas()) {
    std::string name;
    for (const char c : std::string(formula.expression) + " ") {
      if ((c >= 'a' && c <= 'z') || c == '_') {
        name += c;
        continue;
      }
      const bool is_word = name == "min" || name == "max" || name == "ceil" || name == "sum";
      if (!name.empty() && !is_word) expect_words("value." + name);
      name.clear();
    }
  }
}

TEST(Strings, FieldsAndTheirChoicesHaveWords) {
  for (const Field& field : fields()) {
    if (field.kind == FieldKind::config) continue;
    expect_words("field." + std::string(field.key));
    for (const std::string_view choice : field.choices) {
      expect_words(field.words_of(choice));
    }
  }
}

TEST(Strings, EverySupportOfAFormatHasItsReason) {
  expect_words_of<SupportLevel>("support_level.", support_key);
  std::set<std::string> reasons;
  for (const Accelerator& card : sample::shipped().accelerators) {
    for (int engine = 0; engine < static_cast<int>(EngineId::count_); ++engine) {
      const auto id = static_cast<EngineId>(engine);
      for (int format = 0; format < static_cast<int>(FormatId::count_); ++format) {
        reasons.insert(weights_support(id, "", static_cast<FormatId>(format), card).why.key);
      }
      for (const char* kv : {"auto", "fp32", "bf16", "fp8", "q8_0", "q4_0"}) {
        reasons.insert(cache_support(id, "", kv, card).why.key);
      }
    }
  }
  EXPECT_GE(reasons.size(), 15u);
  for (const std::string& reason : reasons) expect_words(reason);
}

TEST(Strings, SourcesOfFormulasAreNamesThatTheReaderCanFind) {
  for (const std::span<const Formula> table : {formulas(), training_formulas()}) {
    for (const Formula& formula : table) {
      EXPECT_FALSE(formula.source.empty()) << formula.key;
      EXPECT_EQ(formula.source.find("facts"), std::string_view::npos) << formula.key;
      EXPECT_EQ(formula.source.find("\xC2\xA7"), std::string_view::npos) << formula.key;  // a paragraph of our notes
    }
  }
}

TEST(Strings, NoTextIsLeftInAnotherLanguage) {
  const auto has_cyrillic = [](const std::string& text) { return text.find('\xD0') != std::string::npos; };
  for (const std::string_view key : all_strings().keys()) {
    for (const auto& [form, text] : all_strings().find(key, Tongue::en)->forms) {
      EXPECT_FALSE(has_cyrillic(text)) << key << ": " << text;
    }
  }
}

}  // namespace
}  // namespace vram
