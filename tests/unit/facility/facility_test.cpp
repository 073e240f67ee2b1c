// Published systems, circuits and heat: the sources stand beside the numbers (facts: hardware.md, section 6).
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "core/facility/fit_check.h"
#include "core/facility/power.h"
#include "core/facility/room.h"
#include "core/units/json.h"

namespace vram::facility {
namespace {

const Platforms& platforms() {
  static const Platforms all = [] {
    auto read = platforms_from_json(assets::file("platforms.json"));
    return read ? std::move(read).value() : Platforms{};
  }();
  return all;
}

const Accelerator& card(std::string_view id) {
  static const std::vector<Accelerator> all = [] {
    auto read = accelerators_from_json(assets::file("accelerators.json"));
    return read ? std::move(read).value() : std::vector<Accelerator>{};
  }();
  static const Accelerator none;
  const Accelerator* found = find_accelerator(all, id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

const Platform& platform(std::string_view id) {
  static const Platform none;
  const Platform* found = find_platform(platforms().platforms, id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

const Facility& facts() { return platforms().facility; }

Node node(std::string_view card_id, std::string_view platform_id, std::uint32_t cards = 8) {
  return {&card(card_id), platform_id.empty() ? nullptr : &platform(platform_id), cards};
}

TEST(Circuits, CarryWhatTheirRatingSays) {
  struct Row {
    Feed feed;
    double kva;
  };
  for (const Row& row : {Row{{1, 16}, 3.68}, Row{{1, 32}, 7.36}, Row{{1, 63}, 14.49}, Row{{3, 16}, 11.04},
                         Row{{3, 32}, 22.08}, Row{{3, 63}, 43.47}}) {
    EXPECT_NEAR(kva_of(row.feed, facts()), row.kva, 0.005) << row.feed.phases << " × " << row.feed.amperes;
  }
}

TEST(Circuits, CarryEightyPerCentForHours) {
  EXPECT_NEAR(usable_kw({.feed = {3, 32}, .count = 1, .power_factor = 1}, facts()), 17.66, 0.01);
}

TEST(Circuits, OfARedundantPairCarryAsMuchAsOne) {
  const double one = usable_kw({.feed = {3, 32}, .count = 1}, facts());
  EXPECT_DOUBLE_EQ(usable_kw({.feed = {3, 32}, .count = 2, .redundant = true}, facts()), one);
  EXPECT_DOUBLE_EQ(usable_kw({.feed = {3, 32}, .count = 2}, facts()), 2 * one);
}

TEST(Power, NameplateOfPublishedSystems) {
  struct Row {
    const char *card_id, *platform_id;
    std::uint32_t cards;
    double watts;
  };
  for (const Row& row : {Row{"a100-80-sxm", "dgx-a100", 8, 6500}, Row{"h100-sxm", "dgx-h100", 8, 10200},
                         Row{"h200-sxm", "dgx-h100", 8, 10200}, Row{"b200", "dgx-b200", 8, 14300},
                         Row{"b300", "asus-xa-nb3i-e12", 8, 14500}, Row{"gb200", "gb200-nvl72", 72, 132000}}) {
    const NodePower power = power_of(node(row.card_id, row.platform_id, row.cards), facts());
    EXPECT_DOUBLE_EQ(power.nameplate.range.high, row.watts) << row.platform_id;
    EXPECT_EQ(power.nameplate.basis, Basis::published) << row.platform_id;
  }
}

TEST(Power, UnderLoadIsMeasuredWhereSomebodyMeasured) {
  // MLPerf v5.1 power: 8 × B200 in air 10.40 to 10.44 kW
  const NodePower power = power_of(node("b200", "lenovo-sr680a-v3-b200"), facts());
  EXPECT_EQ(power.load.basis, Basis::measured);
  EXPECT_NEAR(power.load.range.middle(), 10420, 25);
}

TEST(Power, RatiosOfAClassMeetTheMeasurementsOfOtherNodes) {
  // 8 × B200 in air measured 10.42 kW; the ratio of the class gives a range around it, without that node being known.
  const NodePower power = power_of(node("b200", ""), facts());
  EXPECT_EQ(power.load.basis, Basis::ratio);
  EXPECT_LE(power.load.range.low, 10420);
  EXPECT_GE(power.load.range.high, 10420);
  EXPECT_NEAR(power.nameplate.range.high, 14300, 500);
}

TEST(Power, IsNeverAboveTheNameplate) {
  for (const char* id : {"dgx-a100", "dgx-h100", "dgx-b200", "dgx-b300", "pcie-8-l40s", "pcie-8-rtxpro6000"}) {
    const Platform& one = platform(id);
    const NodePower power = power_of({&card(one.accelerators.front()), &one, one.cards}, facts());
    EXPECT_LE(power.load.range.high, power.nameplate.range.high) << id;
    EXPECT_LE(power.load.range.low, power.load.range.high) << id;
  }
}

TEST(Power, OfAnUnknownCardStaysUnknown) {
  const Accelerator unknown = custom_accelerator(80);
  const NodePower power = power_of({&unknown, nullptr, 8}, facts());
  EXPECT_FALSE(power.nameplate.known());
  EXPECT_FALSE(power.load.known());
  EXPECT_FALSE(nodes_for({&unknown, nullptr, 8}, 12, facts()).has_value());
}

TEST(Power, OfABoardWithFourAcceleratorsCountsOnce) {
  EXPECT_DOUBLE_EQ(power_of(node("a16", "", 8), facts()).cards.range.high, 2 * 250);
}

TEST(Room, OneKilowattIs3412BtuAnHour) {
  Room room;
  const RoomPlan plan = plan_room(node("b200", "lenovo-sr680a-v3-b200"), 1, room, facts());
  ASSERT_TRUE(plan.heat_btu_h && plan.load_kw);
  EXPECT_NEAR(plan.heat_btu_h->high / plan.load_kw->high, 3412, 0.5);
}

TEST(Room, TenKilowattsAtElevenKelvinNeed2700CubicMetresAnHour) {
  EXPECT_NEAR(facts().air_m3_h(10, 11), 2700, 2);
}

TEST(Room, CoolingFollowsTheHeatOfARack) {
  struct Row {
    double kw;
    CoolingWay way;
  };
  for (const Row& row : {Row{8, CoolingWay::air}, Row{25, CoolingWay::contained_air}, Row{38, CoolingWay::rear_door},
                         Row{70, CoolingWay::hybrid_liquid}, Row{120, CoolingWay::direct_liquid},
                         Row{200, CoolingWay::beyond}}) {
    EXPECT_EQ(cooling_for(row.kw, facts()), row.way) << row.kw;
  }
}

TEST(Room, ARackOfTwelveKilowattsTakesOneDgxH100) {
  EXPECT_EQ(nodes_for(node("h100-sxm", "dgx-h100"), 12, facts()), 1U);
  EXPECT_EQ(nodes_for(node("h100-sxm", "dgx-h100"), 10, facts()), 0U);
  EXPECT_EQ(nodes_for(node("h100-sxm", "dgx-h100"), 41, facts()), 4U);  // SuperPOD: four a rack, 40.8 kW
}

TEST(Room, RacksFollowFromTheTightestLimit) {
  Room room;
  room.rack_kw = 25;
  const RoomPlan by_power = plan_room(node("h100-sxm", "dgx-h100"), 5, room, facts());
  EXPECT_EQ(by_power.nodes_in_rack, 2U);
  EXPECT_EQ(by_power.racks, 3U);
  EXPECT_EQ(by_power.fit.limit, RackLimit::power);

  room.rack_kw = 200;
  const RoomPlan by_height = plan_room(node("h100-sxm", "dgx-h100"), 5, room, facts());
  EXPECT_EQ(by_height.nodes_in_rack, 5U);  // 40 free units, 8 each
  EXPECT_EQ(by_height.fit.limit, RackLimit::height);

  room.rack_kg = 400;
  EXPECT_EQ(plan_room(node("h100-sxm", "dgx-h100"), 5, room, facts()).fit.limit, RackLimit::weight);
}

TEST(Room, WithTooLittlePowerSaysThatNotOneNodeFits) {
  Room room;
  room.feeds = Feeds{.feed = {1, 16}};
  const RoomPlan plan = plan_room(node("b200", "dgx-b200"), 1, room, facts());
  EXPECT_EQ(plan.fit.nodes, 0U);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_EQ(plan.notes.front().key, "facility.note.not_one_node");
}

TEST(Room, AnNvl72NeedsLiquidAndARackOfItsOwn) {
  const RoomPlan plan = plan_room(node("gb200", "gb200-nvl72", 72), 2, Room{}, facts());
  EXPECT_EQ(plan.racks, 2U);
  EXPECT_TRUE(plan.needs_liquid);
  EXPECT_GE(plan.cooling, CoolingWay::direct_liquid);
}

TEST(Room, MoreNodesNeverNeedFewerRacksOrLessPower) {
  Room room;
  room.rack_kw = 30;
  std::uint32_t racks = 0;
  double kw = 0;
  for (std::uint32_t nodes = 1; nodes <= 40; ++nodes) {
    const RoomPlan plan = plan_room(node("b200", "dgx-b200"), nodes, room, facts());
    EXPECT_GE(plan.racks, racks);
    EXPECT_GT(plan.nameplate_kw->high, kw);
    racks = plan.racks;
    kw = plan.nameplate_kw->high;
  }
}

TEST(Room, EnergyOfAYear) {
  // 10 kW always on at PUE 1.5: 10 × 8760 × 1.5 = 131,400 kWh
  EXPECT_DOUBLE_EQ(kwh_a_year(10, 4, 1, 1.5), 131400);
  EXPECT_DOUBLE_EQ(kwh_a_year(10, 4, 0, 1), 35040);
}

TEST(Fit, ACardGoesIntoTheSlotItWasMadeFor) {
  const auto findings = check_fit(card("l40s"), 4, platform("smc-221ge-nr"));
  EXPECT_EQ(findings[static_cast<std::size_t>(Aspect::form)].fits, Fits::yes);
  EXPECT_EQ(findings[static_cast<std::size_t>(Aspect::count)].fits, Fits::yes);
  EXPECT_EQ(findings[static_cast<std::size_t>(Aspect::width)].fits, Fits::yes);
}

TEST(Fit, FiveCardsDoNotGoIntoFourSlots) {
  EXPECT_EQ(verdict_of(check_fit(card("l40s"), 5, platform("smc-221ge-nr"))), Fits::no);
}

TEST(Fit, AModuleDoesNotGoIntoASlot) {
  EXPECT_EQ(verdict_of(check_fit(card("h100-sxm"), 4, platform("smc-221ge-nr"))), Fits::no);
}

TEST(Fit, ANodeTakesWhatItIsSoldWith) {
  for (const Finding& one : check_fit(card("b200"), 8, platform("dgx-b200"))) {
    EXPECT_EQ(one.fits, Fits::yes) << aspect_key(one.aspect);
  }
}

TEST(Fit, ACardOf350WattsIsTooMuchForAPlaceOf300) {
  const auto findings = check_fit(card("l40s"), 1, platform("lenovo-st650-v2"));
  EXPECT_EQ(findings[static_cast<std::size_t>(Aspect::card_power)].fits, Fits::no);
}

TEST(Fit, TheSupplyRuleOfAnSt650IsFound) {
  const auto findings = check_fit(card("rtxa6000"), 2, platform("lenovo-st650-v2"));
  const Finding& supplies = findings[static_cast<std::size_t>(Aspect::supplies)];
  EXPECT_EQ(supplies.message.key, "facility.fit.supplies.rule");
  EXPECT_EQ(std::get<double>(supplies.message.parameters.front().second), 1100);
}

TEST(Fit, WhatIsNotKnownIsAskedNotGuessed) {
  const Accelerator unknown = custom_accelerator(48);
  const auto findings = check_fit(unknown, 1, custom_platform(4));
  EXPECT_EQ(verdict_of(findings), Fits::unknown);
}

TEST(FacilityWords, ExistForEverythingThatIsSaid) {
  auto strings = parse_json(assets::file("strings/facility.json"));
  ASSERT_TRUE(strings);
  const auto expect = [&](const std::string& key) {
    const Json* words = find(strings.value(), key);
    ASSERT_NE(words, nullptr) << key;
    for (const char* tongue : {"en", "ru", "kk"}) EXPECT_TRUE(text(*words, tongue)) << key << " " << tongue;
  };
  for (const Basis basis : {Basis::unknown, Basis::measured, Basis::published, Basis::ratio}) {
    expect("facility.basis." + std::string(basis_key(basis)));
  }
  for (const CoolingWay way : {CoolingWay::air, CoolingWay::contained_air, CoolingWay::rear_door, CoolingWay::hybrid_liquid,
                               CoolingWay::direct_liquid, CoolingWay::beyond}) {
    expect("facility.cooling." + std::string(cooling_way_key(way)));
  }
  for (const RackLimit limit : {RackLimit::none, RackLimit::power, RackLimit::height, RackLimit::weight, RackLimit::cooling}) {
    expect("facility.limit." + std::string(rack_limit_key(limit)));
  }
  const Accelerator unknown = custom_accelerator(48);
  for (const Platform& one : platforms().platforms) {
    for (const Accelerator* accelerator : {&card("l40s"), &card("h100-sxm"), &card("b200"), &card("rtx4090"), &card("l4"), &unknown}) {
      for (const std::uint32_t cards : {1U, 4U, 16U}) {
        for (const Finding& found : check_fit(*accelerator, cards, one)) {
          expect(found.message.key);
          expect("facility.aspect." + std::string(aspect_key(found.aspect)));
        }
        for (const Message& note : plan_room({accelerator, &one, cards}, 3, Room{}, facts()).notes) expect(note.key);
      }
    }
  }
}

}  // namespace
}  // namespace vram::facility
