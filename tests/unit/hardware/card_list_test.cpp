#include "core/hardware/card_list.h"

#include <gtest/gtest.h>

#include "tests/library.h"

namespace vram {
namespace {

std::string read(std::string_view text) {
  const auto cards = read_cards(text, shipped::library().accelerators, 1000);
  return cards ? cards_text(cards.value()) : cards.error().key;
}

TEST(CardList, IsReadAsPeopleWriteIt) {
  const std::pair<std::string_view, std::string_view> written[] = {
      {"", ""},
      {"rtx4090", "rtx4090"},
      {"rtx4090:2,rtx3090:1", "rtx4090:2,rtx3090"},
      {"2 × RTX 4090, 1 × L4", "rtx4090:2,l4"},
      {"2x rtx 4090 + RTX-3090", "rtx4090:2,rtx3090"},
      {"4 х L4", "l4:4"},  // a Cyrillic х
      {"L4 × 3; rtx4090 x2", "l4:3,rtx4090:2"},
      {"l4, l4:2", "l4:3"},
      {"custom:2", "custom:2"},
      {" ,; ", ""},
  };
  for (const auto& [text, kept] : written) EXPECT_EQ(read(text), kept) << text;
}

TEST(CardList, SaysWhatItCannotRead) {
  for (const char* text : {"l4:0", "l4:-1", "l4:two", "l4:", "1001 × l4", "l4:999,rtx4090:2", "l4:99999999999999999999"}) {
    EXPECT_EQ(read(text), "scenario.cards_unreadable") << text;
  }
  for (const char* text : {"no such card", "2 ×", "RTX", "x"}) {
    EXPECT_EQ(read(text), "scenario.unknown_accelerator") << text;
  }
}

TEST(CardList, KnowsACardByItsIdItsNameOrAPartThatOnlyOneHas) {
  const auto& all = shipped::library().accelerators;
  for (const Accelerator& card : all) {
    EXPECT_EQ(named_accelerator(all, card.id), &card) << card.id;
    EXPECT_NE(named_accelerator(all, card.name), nullptr) << card.name;
  }
}

}  // namespace
}  // namespace vram
