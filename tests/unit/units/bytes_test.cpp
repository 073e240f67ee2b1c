#include "core/units/bytes.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

TEST(Bytes, GiBAndGBAreDifferentNumbersOfBytes) {
  EXPECT_EQ(kGiB.value(), 1'073'741'824u);
  EXPECT_EQ(kGB.value(), 1'000'000'000u);
}

TEST(Bytes, SeventyBillionHalfPrecisionParametersAre141GBAnd131GiB) {
  const Bytes weights = Count(70'553'706'496) * Bytes(2);
  EXPECT_NEAR(gigabytes(weights), 141.107, 0.001);
  EXPECT_NEAR(gibibytes(weights), 131.417, 0.001);  // facts: peers.md, 3.1, case L70
}

TEST(Bytes, ASumThatDoesNotFitSaysSoAndStaysSo) {
  const Bytes most(UINT64_MAX - 1);
  EXPECT_TRUE((most + Bytes(1)).overflowed());
  EXPECT_TRUE((most + Bytes(5) - Bytes(100)).overflowed());
}

TEST(Bytes, AProductThatDoesNotFitSaysSoAndStaysSo) {
  const Count huge(std::uint64_t{1} << 40);
  EXPECT_TRUE((huge * huge).overflowed());
  EXPECT_TRUE((huge * huge * Count(0)).overflowed());
  EXPECT_TRUE((huge * huge * Bytes(1)).overflowed());
}

TEST(Bytes, WhatIsLeftOfABudgetIsNeverNegative) { EXPECT_EQ(Bytes(3) - Bytes(5), Bytes(0)); }

TEST(Bytes, DivisionRoundsUpAndByZeroIsZero) {
  EXPECT_EQ(ceil_div(Count(10), Count(4)), Count(3));
  EXPECT_EQ(ceil_div(Count(8), Count(4)), Count(2));
  EXPECT_EQ(ceil_div(Count(8), Count(0)), Count(0));
  EXPECT_EQ(ceil_div(Count(UINT64_MAX - 1), Count(2)), Count((UINT64_MAX - 1) / 2));
}

TEST(Bytes, RoundingUpToAStep) {
  EXPECT_EQ(round_up(Bytes(1), kMiB), kMiB);
  EXPECT_EQ(round_up(kMiB, kMiB), kMiB);
  EXPECT_EQ(round_up(Bytes(7), Bytes(0)), Bytes(7));
}

TEST(Bytes, FractionsBecomeTheNearestByteAndNonsenseBecomesNothing) {
  EXPECT_EQ(bytes_from(2.5), Bytes(3));
  EXPECT_EQ(bytes_from(-1), Bytes(0));
  EXPECT_EQ(bytes_from(0.0 / 0.0), Bytes(0));
  EXPECT_TRUE(bytes_from(1e30).overflowed());
  EXPECT_EQ(bytes_from_gib(1.5).value(), 1'610'612'736u);
}

}  // namespace
}  // namespace vram
