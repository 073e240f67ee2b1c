#include "core/hardware/accelerator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "assets/assets.h"

namespace vram {
namespace {

const std::vector<Accelerator>& catalogue() {
  static const std::vector<Accelerator> all = [] {
    auto read = accelerators_from_json(assets::file("accelerators.json"));
    return read ? std::move(read).value() : std::vector<Accelerator>{};
  }();
  return all;
}

const Accelerator& card(std::string_view id) {
  static const Accelerator none;
  const Accelerator* found = find_accelerator(catalogue(), id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

std::vector<std::string> ids(const std::vector<const Accelerator*>& list) {
  std::vector<std::string> out;
  for (const Accelerator* a : list) out.push_back(a->id);
  return out;
}

TEST(AcceleratorCatalogue, HoldsAllEightyFour) { EXPECT_EQ(catalogue().size(), 84U); }

TEST(AcceleratorCatalogue, ShowsTwelveFirst) {
  EXPECT_EQ(ids(featured_accelerators(catalogue())),
            (std::vector<std::string>{"h200-sxm", "h100-sxm", "a100-80-sxm", "b200", "l40s", "l4", "rtxpro6000-se",
                                      "rtx4090", "rtx5090", "a40", "metax-c500", "metax-c550"}));
}

struct Memory {
  const char* id;
  double label_gb, driver_mib, program_gib;
};

// torch's total_memory beside nvidia-smi, from public logs.
TEST(AcceleratorMemory, IsWhatAProgramSeesWithDriverAndLabelBesideIt) {
  const Memory cases[] = {
      {"h200-sxm", 141, 143771, 139.80}, {"h100-sxm", 80, 81559, 79.19}, {"a100-80-sxm", 80, 81920, 79.15},
      {"b200", 180, 183359, 178.35},     {"b300", 288, 275040, 267.68},  {"l40s", 48, 46068, 44.42},
      {"a40", 48, 46068, 44.43},         {"l4", 24, 23034, 22.03},       {"t4", 16, 15360, 14.74},
      {"rtx4090", 24, 24564, 23.51},     {"rtx5090", 32, 32607, 31.37},  {"rtxpro6000-se", 96, 97887, 94.97},
      {"metax-c550", 64, 65536, 63.59},
  };
  for (const Memory& c : cases) {
    const Accelerator& a = card(c.id);
    EXPECT_EQ(a.label_gb, c.label_gb) << c.id;
    EXPECT_EQ(a.driver_mib, c.driver_mib) << c.id;
    EXPECT_NEAR(gibibytes(a.usable()), c.program_gib, 1e-6) << c.id;
    EXPECT_EQ(a.usable_is(), UsableIs::measured) << c.id;
  }
}

TEST(AcceleratorMemory, IsNeverMoreThanTheDriverPrints) {
  for (const Accelerator& a : catalogue()) {
    if (a.driver_mib) {
      EXPECT_LT(gibibytes(a.usable()), *a.driver_mib / 1024) << a.id;
    }
  }
}

TEST(AcceleratorMemory, DerivedFromTheDriverMeetsEveryMeasuredCard) {
  for (const Accelerator& a : catalogue()) {
    const bool both = a.driver_mib && a.program_gib && a.usable_is() == UsableIs::measured;
    if (!both || a.vendor == "Huawei") continue;  // Ascend keeps 3.7 GiB for itself and is measured
    const double derived = gibibytes(program_from_driver(bytes_from(*a.driver_mib * 1048576)));
    EXPECT_NEAR(derived, *a.program_gib, 0.3) << a.id;
  }
}

TEST(AcceleratorMemory, SaysHowItIsKnown) {
  EXPECT_EQ(card("h100-sxm").usable_is(), UsableIs::measured);
  EXPECT_EQ(card("metax-c500").usable_is(), UsableIs::derived) << "63.59 GiB is C550's log";
  EXPECT_EQ(card("gb200").usable_is(), UsableIs::derived);
  EXPECT_EQ(card("rtx4500ada").usable_is(), UsableIs::derived) << "measured on Windows only";
  EXPECT_EQ(card("mi355x").usable_is(), UsableIs::from_label);
  EXPECT_EQ(usable_is_key(UsableIs::from_label), "from_label");
}

TEST(AcceleratorMemory, ReadsALoneLabelAsDecimalGB) {
  // 288e9 bytes = 268.22 GiB; B300, of the same label, shows a program 267.68
  EXPECT_NEAR(gibibytes(card("mi355x").usable()), 267.3, 0.1);
}

TEST(AcceleratorMemory, IsZeroWhereNothingIsPublished) {
  EXPECT_EQ(card("metax-n300").usable(), Bytes(0));
  EXPECT_FALSE(card("metax-n300").label_gb);
}

TEST(AcceleratorTraps, B200IsOnePartUnderTwoLabels) {
  const Accelerator& b200 = card("b200");
  EXPECT_NEAR(*b200.driver_mib / 1024, 179.06, 0.01);          // "180"
  EXPECT_NEAR(*b200.driver_mib * 1048576 / 1e9, 192.3, 0.05);  // "192"
}

TEST(AcceleratorTraps, InlineEccTakesASixteenth) {
  for (const char* id : {"l40s", "a40", "l40", "l20", "l4", "a10", "a2", "t4"}) {
    const Accelerator& a = card(id);
    const double sixteenths = *a.driver_mib / (*a.label_gb * 1024) * 16;
    EXPECT_NEAR(sixteenths, 15, 0.01) << id;
  }
  EXPECT_EQ(card("rtx6000ada").driver_mib, 49140) << "its ECC is off by default";
}

TEST(AcceleratorTraps, GeForceRunsSixteenBitsAtHalfRate) {
  EXPECT_EQ(card("rtx4090").rate("bf16"), 165.2);
  EXPECT_EQ(card("rtx5090").rate("bf16"), 209.5);
  EXPECT_EQ(card("rtx3090").rate("bf16"), 71.2);
  for (const Accelerator& a : catalogue()) {
    if (a.name.substr(0, 7) == "GeForce") {
      EXPECT_LE(*a.tflops.bf16, *a.tflops.fp32 * 2.02) << a.id;
    }
  }
}

TEST(AcceleratorTraps, OldCardsHaveNoBf16) {
  for (const char* id : {"t4", "v100-32-sxm", "v100-16-pcie"}) {
    EXPECT_FALSE(card(id).formats->bf16) << id;
    EXPECT_FALSE(card(id).rate("bf16")) << id;
    EXPECT_TRUE(card(id).rate("fp16")) << id;
  }
}

TEST(AcceleratorTraps, C500HasNoFp8AndFourCardIslands) {
  const Accelerator& c500 = card("metax-c500");
  EXPECT_FALSE(c500.formats->fp8);
  EXPECT_FALSE(c500.rate("fp8"));
  EXPECT_EQ(c500.link->domain, 4U);
  EXPECT_FALSE(c500.link->gbs) << "never published";
  EXPECT_EQ(card("metax-c550").link->domain, 8U);
}

TEST(AcceleratorTraps, Fp8StartsWithAdaAndFp4WithBlackwell) {
  for (const Accelerator& a : catalogue()) {
    if (a.vendor != "NVIDIA" || !a.compute_capability || !a.formats) continue;
    EXPECT_EQ(a.formats->fp8, *a.compute_capability >= 8.9) << a.id;
    EXPECT_EQ(a.formats->fp4, *a.compute_capability >= 10.0) << a.id;
  }
}

TEST(AcceleratorTraps, BlackwellUltraHasLittleInt8) {
  EXPECT_EQ(card("b300").rate("int8"), 154);
  EXPECT_EQ(card("b200").rate("int8"), 4500);
}

TEST(AcceleratorTraps, ServerEditionIsSlowerThanWorkstation) {
  EXPECT_EQ(card("rtxpro6000-se").bandwidth_gbs, 1597);
  EXPECT_EQ(card("rtxpro6000-ws").bandwidth_gbs, 1792);
}

TEST(AcceleratorTraps, StockGeForceDriversForbidPeerAccess) {
  EXPECT_EQ(card("rtx4090").peer_access, PeerAccess::none);
  EXPECT_EQ(card("rtx5090").peer_access, PeerAccess::none);
  EXPECT_EQ(card("rtxpro6000-se").peer_access, PeerAccess::pcie);
  EXPECT_EQ(card("h100-sxm").peer_access, PeerAccess::link_only);
}

TEST(AcceleratorCatalogue, EveryRateThatIsGivenIsOneTheHardwareHas) {
  for (const Accelerator& a : catalogue()) {
    if (!a.formats) continue;
    EXPECT_TRUE(a.formats->fp8 || !a.tflops.fp8) << a.id;
    EXPECT_TRUE(a.formats->fp4 || !a.tflops.fp4) << a.id;
    EXPECT_TRUE(a.formats->bf16 || !a.tflops.bf16) << a.id;
    EXPECT_TRUE(a.formats->int8 || !a.tflops.int8) << a.id;
  }
}

TEST(AcceleratorCatalogue, EveryRowHasASourceAndMarksWhatIsUnverified) {
  for (const Accelerator& a : catalogue()) {
    EXPECT_FALSE(a.sources.empty()) << a.id;
    for (const std::string& source : a.sources) EXPECT_GT(source.size(), 8U) << a.id;
  }
  EXPECT_TRUE(card("h100-sxm").verified("tflops.bf16"));
  EXPECT_FALSE(card("metax-c550").verified("tflops.bf16"));
}

TEST(AcceleratorCatalogue, HasAWordForEveryNote) {
  const std::string_view strings = assets::file("strings/hardware.json");
  for (const Accelerator& a : catalogue()) {
    for (const std::string& note : a.notes) {
      EXPECT_NE(strings.find("\"accelerator.note." + note + "\""), std::string_view::npos) << note;
    }
  }
}

TEST(AcceleratorSearch, FindsByPartsOfAName) {
  EXPECT_EQ(search_accelerators(catalogue(), "4090").front()->id, "rtx4090");
  EXPECT_EQ(search_accelerators(catalogue(), "RTX PRO 6000 server").front()->id, "rtxpro6000-se");
  EXPECT_EQ(search_accelerators(catalogue(), "metax c5").front()->id, "metax-c500");
  EXPECT_EQ(search_accelerators(catalogue(), "h200").front()->id, "h200-sxm");
  EXPECT_TRUE(search_accelerators(catalogue(), "abacus").empty());
}

TEST(AcceleratorSearch, ShowsTheShortListFirstWhenNothingIsTyped) {
  const auto all = search_accelerators(catalogue(), "  ");
  ASSERT_EQ(all.size(), catalogue().size());
  EXPECT_EQ(all[0]->id, "h200-sxm");
  EXPECT_EQ(all[11]->id, "metax-c550");
}

TEST(CustomAccelerator, HasWhatWasTypedAndNothingElse) {
  const Accelerator a = custom_accelerator(47.5);
  EXPECT_EQ(a.usable(), bytes_from_gib(47.5));
  EXPECT_EQ(a.usable_is(), UsableIs::given);
  EXPECT_FALSE(a.bandwidth_gbs);
  EXPECT_FALSE(a.formats);
  EXPECT_EQ(custom_accelerator(-1).usable(), Bytes(0));
  EXPECT_EQ(custom_accelerator(std::nan("")).usable(), Bytes(0));
}

struct Malformed {
  const char* text;
  const char* id;
  const char* field;
};

TEST(AcceleratorFile, NamesTheRowAndFieldThatIsWrong) {
  const Malformed cases[] = {
      {R"({"cards":[]})", "", "accelerators"},
      {R"({"accelerators":[{"name":"x"}]})", "", "id"},
      {R"({"accelerators":[{"id":"x"},{"id":"x"}]})", "x", "id"},
      {R"({"accelerators":[{"id":"x","memory":{"driver_mib":"48 GB"}}]})", "x", "memory.driver_mib"},
      {R"({"accelerators":[{"id":"x","tdp_w":-5}]})", "x", "tdp_w"},
      {R"({"accelerators":[{"id":"x","formats":["fp9"]}]})", "x", "formats"},
      {R"({"accelerators":[{"id":"x","status":"brand new"}]})", "x", "status"},
      {R"({"accelerators":[{"id":"x","pcie":{"gen":4.5}}]})", "x", "pcie.gen"},
      {R"({"accelerators":["x"]})", "", ""},
  };
  for (const Malformed& c : cases) {
    const auto read = accelerators_from_json(c.text);
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error(), Message("accelerators.malformed").with("id", c.id).with("field", c.field)) << c.text;
  }
}

TEST(AcceleratorFile, SaysWhenItIsNotJson) { EXPECT_EQ(accelerators_from_json("<html>").error().key, "json.not_json"); }

}  // namespace
}  // namespace vram
