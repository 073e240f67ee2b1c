#include "core/check/card_name.h"

#include <gtest/gtest.h>

namespace vram::check {
namespace {

TEST(CardName, TellsTheMemoryThatAProgramSees) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const struct {
    const char* name;
    double gib;
  } rows[] = {
      {"Tesla P100-PCIE-16GB", 15.76},     {"Apple M5 (18185 MiB free)", 17.76},
      {"23,034 MiB card", 22.49},          {"RTX 2080Ti (21.66 GiB)", 21.66},
      {"RTX 4050 Laptop 6141 MiB", 6.0},   {"80GB class", 78.8},
      {"NVIDIA GeForce RTX 3090", 0},      {"", 0},
      {"99999999999999999999 bottles", 0},
  };
  for (const auto& row : rows) EXPECT_NEAR(memory_in_name(row.name) / kGiB, row.gib, 0.01) << row.name;
}

}  // namespace
}  // namespace vram::check
