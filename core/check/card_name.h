// What the name of a card says of its memory, where the card itself is not known.
#pragma once
#include <string_view>

namespace vram::check {

/// Bytes that a program sees: "Tesla P100-PCIE-16GB" → 0.985 · 16 GiB, "Apple M5 (18185 MiB free)" → 18,185 MiB,
/// "23,034 MiB card" → 23,034 MiB; 0 when the name says nothing. The GB of a label are GiB, of which driver and ECC
/// keep one or two per cent (24 GB: 23.6 GiB, 80 GB: 79.2 GiB).
double memory_in_name(std::string_view name);

}  // namespace vram::check
