#include "core/hardware/platform.h"

#include <gtest/gtest.h>

#include <string>

#include "assets/assets.h"

namespace vram {
namespace {

const Platforms& all() {
  static const Platforms platforms = [] {
    auto read = platforms_from_json(assets::file("platforms.json"));
    return read ? std::move(read).value() : Platforms{};
  }();
  return platforms;
}

const std::vector<Accelerator>& cards() {
  static const std::vector<Accelerator> accelerators = [] {
    auto read = accelerators_from_json(assets::file("accelerators.json"));
    return read ? std::move(read).value() : std::vector<Accelerator>{};
  }();
  return accelerators;
}

const Platform& node(std::string_view id) {
  static const Platform none;
  const Platform* found = find_platform(all().platforms, id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

TEST(Platforms, AreReadFromTheirFile) {
  EXPECT_EQ(all().platforms.size(), 26U);
  EXPECT_EQ(node("gb200-nvl72").kind, PlatformKind::rack);
}

struct Published {
  const char* id;
  std::uint32_t cards;
  double rack_units, nameplate_w;
};

TEST(Platforms, HaveThePublishedSizesAndNameplates) {
  const Published cases[] = {
      {"dgx-a100", 8, 6, 6500},          {"dgx-h100", 8, 8, 10200},         {"dgx-b200", 8, 10, 14300},
      {"asus-xa-nb3i-e12", 8, 9, 14500}, {"pcie-8-rtxpro6000", 8, 4, 6000},
  };
  for (const Published& c : cases) {
    EXPECT_EQ(node(c.id).cards, c.cards) << c.id;
    EXPECT_EQ(node(c.id).rack_units->low, c.rack_units) << c.id;
    EXPECT_EQ(node(c.id).nameplate_w, c.nameplate_w) << c.id;
  }
}

TEST(Platforms, NameAcceleratorsThatTheCatalogueHas) {
  for (const Platform& p : all().platforms) {
    for (const std::string& id : p.accelerators) EXPECT_NE(find_accelerator(cards(), id), nullptr) << p.id;
    EXPECT_FALSE(p.sources.empty()) << p.id;
    EXPECT_GT(p.cards, 0U) << p.id;
  }
}

TEST(Platforms, MeasureLessThanTheirNameplate) {
  for (const Platform& p : all().platforms) {
    if (p.measured_w && p.nameplate_w) {
      EXPECT_LE(p.measured_w->high, *p.nameplate_w) << p.id;
    }
  }
}

TEST(Platforms, SplitEightC500IntoTwoIslands) {
  EXPECT_EQ(node("metax-c500-pcie-8").island, 4U);
  EXPECT_FALSE(node("metax-c550-oam-8").island);
}

TEST(Platforms, KnowHowManyCardsASupplyFeeds) {
  const std::vector<SupplyRule> rules = {{750, 1}, {1100, 2}, {1800, 4}};
  EXPECT_EQ(node("lenovo-st650-v2").supply_rules, rules);
  EXPECT_EQ(node("dgx-b200").supplies, (PowerSupplies{6, 3300, 1}));
}

TEST(Platforms, MarkWhatIsUnverified) {
  EXPECT_FALSE(node("dgx-b300").verified("nameplate_w"));
  EXPECT_TRUE(node("dgx-b200").verified("nameplate_w"));
  EXPECT_FALSE(node("dgx-b300").weight_kg) << "not published is not zero";
}

TEST(Platforms, HaveAWordForEveryNote) {
  const std::string_view strings = assets::file("strings/hardware.json");
  for (const Platform& p : all().platforms) {
    for (const std::string& note : p.notes) {
      EXPECT_NE(strings.find("\"platform.note." + note + "\""), std::string_view::npos) << note;
    }
  }
}

struct Circuit {
  std::uint32_t phases;
  double amperes, kva;
};

TEST(Facility, RatesCircuitsAsPublished) {
  const Circuit cases[] = {{1, 16, 3.68}, {1, 32, 7.36}, {1, 63, 14.49}, {3, 16, 11.0}, {3, 32, 22.08}, {3, 63, 43.47}};
  for (const Circuit& c : cases) EXPECT_NEAR(all().facility.circuit_kva(c.phases, c.amperes), c.kva, 0.05);
  EXPECT_NEAR(all().facility.circuit_kva(3, 32) * all().facility.continuous_share, 17.66, 0.01);
  EXPECT_EQ(all().facility.circuits_a, (std::vector<double>{16, 32, 63}));
}

TEST(Facility, TurnsPowerIntoHeatAndAir) {
  EXPECT_NEAR(all().facility.heat_btu_h(10), 34120, 1);
  EXPECT_NEAR(all().facility.air_m3_h(10, 11.0), 2700, 1);
  EXPECT_EQ(all().facility.air_m3_h(10, 0), 0);
}

TEST(Facility, KeepsMeasuredAndNameplatePowerApart) {
  const NodePower* air = all().facility.power_of("sxm_air");
  ASSERT_NE(air, nullptr);
  EXPECT_NEAR(10400.0 / 8000, air->of_tdp.low, 0.01) << "8 x B200 in air, MLPerf v5.1";
  EXPECT_NEAR(14300.0 / 8000, air->nameplate_of_tdp->low, 0.01) << "DGX B200";
  EXPECT_EQ(all().facility.power_of("submarine"), nullptr);
}

TEST(Interconnect, FindsTheCardsFigureBeforeItsArchitectures) {
  const Accelerator* l40s = find_accelerator(cards(), "l40s");
  const Accelerator* h200 = find_accelerator(cards(), "h200-sxm");
  ASSERT_TRUE(l40s && h200);
  EXPECT_EQ(all().interconnect.all_reduce_of(*l40s, "pcie", 8)->gbs, (Range{1.4, 2.0}));
  EXPECT_EQ(all().interconnect.all_reduce_of(*h200, "nvlink", 8)->gbs, (Range{473, 482}));
  EXPECT_EQ(all().interconnect.all_reduce_of(*l40s, "nvlink", 8), nullptr);
  EXPECT_EQ(all().interconnect.pcie_of(5), (Range{52, 57}));
  EXPECT_FALSE(all().interconnect.pcie_of(7));
}

TEST(CustomPlatform, HasOnlyItsCards) {
  const Platform p = custom_platform(3);
  EXPECT_EQ(p.cards, 3U);
  EXPECT_FALSE(p.nameplate_w);
}

struct Malformed {
  const char* text;
  const char* id;
  const char* field;
};

TEST(PlatformFile, NamesTheRowAndFieldThatIsWrong) {
  const Malformed cases[] = {
      {R"({})", "", "platforms"},
      {R"({"platforms":[{"id":"x","rack_units":[8,6]}]})", "x", "rack_units"},
      {R"({"platforms":[{"id":"x","psu":{"count":"two"}}]})", "x", "psu.count"},
      {R"({"platforms":[{"id":"x","kind":"barge"}]})", "x", "kind"},
      {R"({"platforms":[{"id":"x"},{"id":"x"}]})", "x", "id"},
      {R"({"platforms":[],"facility":{"pue":[{"kind":"a","pue":"low"}]}})", "facility", "pue.pue"},
  };
  for (const Malformed& c : cases) {
    const auto read = platforms_from_json(c.text);
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error(), Message("platforms.malformed").with("id", c.id).with("field", c.field)) << c.text;
  }
}

}  // namespace
}  // namespace vram
