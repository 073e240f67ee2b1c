#include "core/units/format.h"

#include <gtest/gtest.h>

#include <set>

namespace vram {
namespace {

double bits_a_value(FormatId id, std::uint64_t outputs, std::uint64_t inputs) {
  const Bytes bytes = stored_bytes(storage_format(id), Count(outputs), Count(inputs));
  return 8.0 * static_cast<double>(bytes.value()) / (static_cast<double>(outputs) * static_cast<double>(inputs));
}

TEST(Format, APlainTypeCostsItsWidth) {
  EXPECT_EQ(stored_bytes(storage_format(FormatId::bf16), Count(4096), Count(4096)), Bytes(2 * 4096 * 4096));
  EXPECT_EQ(stored_bytes(storage_format(FormatId::fp32), Count(3), Count(1)), Bytes(12));
}

TEST(Format, AwqPacksWeightsScalesAndZeroPoints) {
  // facts: engines.md, A6.4: o·i/2 + 2·o·i/g + o·i/(2g)
  EXPECT_EQ(stored_bytes(storage_format(FormatId::awq_int4), Count(4096), Count(14336)),
            Bytes(29'360'128 + 917'504 + 229'376));
}

TEST(Format, DeepSeekTilesHaveOneScaleFor128By128Values) {
  EXPECT_EQ(stored_bytes(storage_format(FormatId::fp8_block), Count(576), Count(7168)),
            Bytes(576 * 7168 + 4 * 5 * 56));  // 576 / 128 rounds up to 5 tiles
}

TEST(Format, BitsOfAValueAreTheSumOfWhatIsStored) {
  struct Case {
    FormatId id;
    double bits;
    const char* source;
  };
  const Case cases[] = {
      {FormatId::nf4, 4.5, "QLoRA paper: 4 + 32/64"},
      {FormatId::nf4_dq, 4.127, "QLoRA paper: 4 + 8/64 + 32/(64·256)"},
      {FormatId::mxfp4, 4.25, "OCP MX specification: 32 values and one E8M0 byte"},
      {FormatId::nvfp4, 4.5, "16 values and one fp8 scale"},
      {FormatId::mxfp8, 8.25, "OCP MX specification"},
      {FormatId::q4_k, 4.5, "ggml: 144 bytes for 256 values"},
      {FormatId::q8_0, 8.5, "ggml: 34 bytes for 32 values"},
      {FormatId::q6_k, 6.5625, "ggml: 210 bytes for 256 values"},
  };
  for (const Case& one : cases) EXPECT_NEAR(bits_a_value(one.id, 4096, 16384), one.bits, 0.001) << one.source;
}

TEST(Format, ABlockIsPaidForWholeEvenWhenARowDoesNotFillIt) {
  EXPECT_EQ(stored_bytes(storage_format(FormatId::q8_0), Count(2), Count(33)), Bytes(2 * 2 * 34));
}

TEST(Format, CachesPayTheSameBlocks) {
  EXPECT_EQ(cache_bytes(storage_format(FormatId::q8_0), Count(1024)), Bytes(32 * 34));
  EXPECT_EQ(cache_bytes(storage_format(FormatId::fp8), Count(1000)), Bytes(1000));
  EXPECT_EQ(cache_bytes(storage_format(FormatId::fp8_ds_mla), Count(576)), Bytes(656));
}

TEST(Format, EveryFormatHasItsOwnNameAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (const StorageFormat& format : storage_formats()) {
    EXPECT_TRUE(names.insert(format.id).second) << format.id;
    ASSERT_TRUE(find_format(format.id));
    EXPECT_EQ(storage_format(*find_format(format.id)).id, format.id);
  }
  EXPECT_FALSE(find_format("no such format"));
}

TEST(Format, HugeShapesOverflowLoudly) {
  EXPECT_TRUE(stored_bytes(storage_format(FormatId::bf16), Count(UINT64_MAX / 2), Count(8)).overflowed());
  EXPECT_TRUE(stored_bytes(storage_format(FormatId::q4_k), Count(UINT64_MAX / 2), Count(4096)).overflowed());
}

}  // namespace
}  // namespace vram
