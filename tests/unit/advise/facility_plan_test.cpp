// From a plan to nodes, and back from a rack to users. Published power is tested in tests/unit/facility.
#include "core/advise/facility_plan.h"

#include <algorithm>
#include <string>

#include "tests/unit/advise/library.h"

namespace vram {
namespace {

using advice::facts;
using advice::inputs;
using advice::library;

FacilityPlan room(std::string_view link) {
  const Result<FacilityPlan> plan = plan_facility(inputs(link), library().platforms);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().key);
  return plan ? plan.value() : FacilityPlan{};
}

bool says(const std::vector<Message>& notes, std::string_view key) {
  return std::any_of(notes.begin(), notes.end(), [&](const Message& note) { return note.key == key; });
}

TEST(Nodes, TheUsualOneIsSoldWithTheCard) {
  struct Row {
    std::string_view card, node;
  };
  for (const Row& row : {Row{"b200", "dgx-b200"}, Row{"h200-sxm", "dgx-h100"}, Row{"l40s", "pcie-8-l40s"},
                         Row{"metax-c550", "metax-c550-oam-8"}, Row{"gb200", "gb200-nvl72"}, Row{"l4", "custom"}}) {
    EXPECT_EQ(room("gpu=" + std::string(row.card)).platform.id, row.node) << row.card;
  }
}

TEST(Nodes, AnUnknownOneIsAnError) {
  const Result<FacilityPlan> plan = plan_facility(inputs("node=shed"), library().platforms);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().key, "facility.unknown_node");
}

TEST(Nodes, ModulesAreBoughtByTheBoardAndCardsOneByOne) {
  const FacilityPlan board = room("gpu=h200-sxm&n=2");
  EXPECT_EQ(board.cards_bought(), 8U);
  EXPECT_TRUE(says(board.notes, "facility.note.whole_board"));
  EXPECT_NEAR(board.room.nameplate_kw->high, 10.2, 0.01);  // DGX H100 / H200
  EXPECT_EQ(room("gpu=l40s&n=2").cards_bought(), 2U);
}

TEST(Nodes, SpareOnesAreBoughtAndFed) {
  const FacilityPlan plan = room("gpu=b200&n=16&spare=1");
  EXPECT_EQ(plan.nodes, 3U);
  EXPECT_NEAR(plan.room.nameplate_kw->high, 3 * 14.3, 0.01);
}

TEST(Nodes, SeveralKindsOfCardsDrawTheSumOfTheirPower) {
  const double one = room("gpu=rtx3090&n=1").room.node.cards.range.high;
  const double other = room("gpu=rtx4090&n=1").room.node.cards.range.high;
  EXPECT_NEAR(room("gpu=rtx3090&n=1&more_cards=rtx4090:1").room.node.cards.range.high, one + other, 1e-9);
}

TEST(Rack, TwoFeedsOf32AmperesCarryOneDgxB200) {  // 22.08 kVA × 80 % × 0.95 = 16.8 kW; nameplate 14.3 kW
  const Inputs given = inputs("model=meta-llama/Llama-3.1-8B-Instruct&gpu=b200&n=8&feed=3x32&feeds=2");
  const FacilityPlan plan = room("gpu=b200&n=8&feed=3x32&feeds=2");
  const RackAnswer rack = rack_answer(given, plan, facts());
  EXPECT_NEAR(*rack.kilowatts, 16.78, 0.01);
  EXPECT_EQ(rack.nodes, 1U);
  EXPECT_EQ(rack.limit, facility::RackLimit::power);
  EXPECT_EQ(rack.devices, 8);
  EXPECT_GT(rack.users, 0);
}

TEST(Rack, ItsOwnLimitStandsForItsCircuits) {
  EXPECT_EQ(room("gpu=b200&n=8&rack_kw=12").room.fit.nodes, 0U);
  EXPECT_EQ(room("gpu=b200&n=8&rack_kw=30").room.fit.nodes, 2U);
}

TEST(Rack, MorePowerServesNoFewerUsers) {
  std::int64_t before = 0;
  for (const char* kw : {"5", "10", "20", "40"}) {
    const std::string link = "model=meta-llama/Llama-3.1-70B-Instruct&gpu=l40s&n=8&rack_kw=" + std::string(kw);
    const RackAnswer rack = rack_answer(inputs(link), room(link), facts());
    EXPECT_GE(rack.users, before) << kw;
    before = rack.users;
  }
  EXPECT_GT(before, 0);
}

TEST(Rack, ANamedNodeIsCheckedAgainstTheCard) {
  const FacilityPlan plan = room("gpu=h100-sxm&n=4&node=smc-221ge-nr");
  EXPECT_EQ(facility::verdict_of(plan.findings), facility::Fits::no);   // a module needs its own board
  EXPECT_TRUE(room("gpu=l4&n=4").findings.empty());                     // nobody said which node
}

}  // namespace
}  // namespace vram
