#include "core/report/language.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

Strings sample() {
  Strings strings;
  EXPECT_FALSE(strings.add(R"({
    "users": {"en": {"one": "{n} user", "other": "{n} users"},
              "ru": {"one": "{n} пользователь", "few": "{n} пользователя", "many": "{n} пользователей",
                     "other": "{n} пользователя"},
              "kk": "{n} пайдаланушы"},
    "term.weights": {"en": "Weights", "ru": "Веса", "kk": "Салмақтар"},
    "sentence": {"en": "{term}: {size} of {name}", "ru": "{term}: {size} из {name}", "kk": "{name}: {term} {size}"}
  })"));
  return strings;
}

TEST(Language, RussianNumbersTakeTheirForm) {
  const Strings strings = sample();
  const Language russian(strings, Tongue::ru);
  const std::pair<std::int64_t, const char*> cases[] = {
      {1, "1 пользователь"},   {2, "2 пользователя"},   {5, "5 пользователей"},  {11, "11 пользователей"},
      {12, "12 пользователей"}, {21, "21 пользователь"}, {22, "22 пользователя"}, {111, "111 пользователей"}};
  for (const auto& [number, text] : cases) EXPECT_EQ(russian.text(Message("users").with("n", number)), text);
}

TEST(Language, EnglishHasTwoFormsAndKazakhOne) {
  const Strings strings = sample();
  EXPECT_EQ(Language(strings, Tongue::en).text(Message("users").with("n", std::int64_t{1})), "1 user");
  EXPECT_EQ(Language(strings, Tongue::en).text(Message("users").with("n", std::int64_t{2})), "2 users");
  EXPECT_EQ(Language(strings, Tongue::kk).text(Message("users").with("n", std::int64_t{5})), "5 пайдаланушы");
}

TEST(Language, NumbersAreWrittenAsTheReaderWritesThem) {
  const Strings strings = sample();
  const Language english(strings, Tongue::en), russian(strings, Tongue::ru), kazakh(strings, Tongue::kk);
  EXPECT_EQ(english.number(std::int64_t{32768}), "32,768");
  EXPECT_EQ(russian.number(std::int64_t{32768}), "32\xE2\x80\xAF" "768");
  EXPECT_EQ(kazakh.number(1234.56, 1), "1\xE2\x80\xAF" "234,6");
  EXPECT_EQ(english.number(-1234.56, 1), "\xE2\x88\x92" "1,234.6");
  EXPECT_EQ(english.number(-0.01, 1), "0.0");
  EXPECT_EQ(english.number(INT64_MIN), "\xE2\x88\x92" "9,223,372,036,854,775,808");
  EXPECT_EQ(english.percent(0.123), "12%");
  EXPECT_EQ(russian.percent(0.123), "12\xC2\xA0%");
}

TEST(Language, ADateIsWrittenAsTheReaderWritesIt) {
  const Strings strings;
  EXPECT_EQ(Language(strings, Tongue::ru).date("2026-11-30"), "30.11.2026");
  EXPECT_EQ(Language(strings, Tongue::en).date("2026-11-30"), "2026-11-30");
  EXPECT_EQ(Language(strings, Tongue::kk).date("no date"), "no date");
}

TEST(Language, MemoryAlwaysHasItsUnit) {
  const Strings strings = sample();
  const Bytes weights(141'107'412'992);
  EXPECT_EQ(Language(strings, Tongue::en, true).memory(weights), "131.4\xC2\xA0GiB");
  EXPECT_EQ(Language(strings, Tongue::en, false).memory(weights), "141.1\xC2\xA0GB");
  EXPECT_EQ(Language(strings, Tongue::ru, true).memory(weights), "131,4\xC2\xA0GiB");
  EXPECT_EQ(Language(strings, Tongue::en, true).memory(Bytes(5 * 1024 * 1024)), "5.00\xC2\xA0MiB");
  EXPECT_EQ(Language(strings, Tongue::en, true).memory(Bytes(100)), "100\xC2\xA0" "B");
}

TEST(Language, ParametersOfEveryKindAreWrittenIn) {
  const Strings strings = sample();
  const Message message = Message("sentence").with("term", MessageKey{"term.weights"}).with("size", Bytes(kGiB))
                              .with("name", std::string("{size} <b>"));
  EXPECT_EQ(Language(strings, Tongue::ru).text(message), "Веса: 1,00\xC2\xA0GiB из {size} <b>");
}

TEST(Language, AMissingTextIsSeen) {
  const Strings strings = sample();
  EXPECT_EQ(Language(strings, Tongue::en).word("nothing"), "\xE2\x9F\xA8nothing\xE2\x9F\xA9");
}

TEST(Language, StringsWithoutALanguageOrWithOtherPlaceholdersAreRefused) {
  Strings strings;
  EXPECT_TRUE(strings.add(R"({"a": {"en": "x", "ru": "x"}})"));
  EXPECT_TRUE(strings.add(R"({"a": {"en": "{n}", "ru": "{n}", "kk": "{m}"}})"));
  EXPECT_TRUE(strings.add(R"({"a": {"en": {"one": "x"}, "ru": "x", "kk": "x"}})"));
}

TEST(Language, CapitalsOfAllThreeAlphabetsAreKnown) {
  const std::pair<const char*, const char*> words[] = {
      {"", ""},           {"width", "Width"},   {"PCIe", "PCIe"},     {"ширина", "Ширина"}, {"линии", "Линии"},
      {"ёлка", "Ёлка"},   {"ені", "Ені"},       {"қуат", "Қуат"},     {"ғарыш", "Ғарыш"},   {"әдіс", "Әдіс"},
      {"өлшем", "Өлшем"}, {"үдеткіш", "Үдеткіш"}, {"ұзындық", "Ұзындық"}, {"іске", "Іске"},   {"42 U", "42 U"}};
  for (const auto& [small, large] : words) EXPECT_EQ(capitalised(small), large);
}

}  // namespace
}  // namespace vram
