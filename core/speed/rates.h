// What an accelerator and its links reach, from what was measured on them. Seconds come from here, work from work.h.
//
//   bandwidth        peak × share that reading a matrix can reach: 1.0 on Hopper and Blackwell, 0.8 on A100 and L40S,
//                    0.79 on MI300X, 0.72 on MetaX C500
//   matrix product   peak of the format × best product anyone measured / 16-bit peak (H100 0.80, B200 0.78, MI300X 0.51)
//   exchange         the quicker of two ways to add up `bytes` over `cards`:
//                      every card reads all others:  small + (cards − 1) × bytes / link
//                      ring or switch:               68 µs × √(cards / 8) + 2 (cards − 1) / cards × bytes / bus bandwidth
//
// An architecture nobody measured takes the middle of those that somebody did; `measured` says which it was.
#pragma once
#include <cstdint>
#include <optional>

#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/speed/constants.h"
#include "core/units/format.h"

namespace vram::speed {

/// How a stored format is multiplied on a card.
enum class Product : std::uint8_t { native_16, native_8, native_8_block, native_4, weight_only };

struct Rates {
  double memory = 0;             ///< bytes a second, peak
  double memory_share = 0.85;    ///< of it that reading a matrix can reach, its launch not counted
  double stream_share = 1;       ///< of it that a plain stream reaches, by NVIDIA's HBM as measure (0.92 of the peak)
  double peak_16 = 0;            ///< operations a second
  double product_share = 0.75;   ///< best measured 16-bit product / peak_16
  std::optional<double> peak_8, peak_4, peak_int8;
  bool datacentre_blackwell = false;
  double latency = 1;            ///< seconds of a layer beside its work / those of CUDA graphs
  bool memory_measured = false, product_measured = false;
};

/// Peak operations a second of a product, and the engine's share of the best product.
struct ProductRate {
  double peak = 0, share = 0;
  Product product = Product::native_16;
};

/// Nothing when bandwidth or arithmetic of the card are not known.
std::optional<Rates> rates_of(const Accelerator& accelerator, const Interconnect& interconnect,
                              const Constants& constants = {});

ProductRate product_rate(const Rates& rates, FormatId format, const Constants& constants);

/// How the cards of a tensor-parallel group reach each other.
enum class LinkClass : std::uint8_t { none, link, pcie, host, network };

struct ExchangeRate {
  LinkClass kind = LinkClass::none;
  int cards = 1;
  double small = 0;              ///< seconds of an exchange of a few KiB
  double link = 0;               ///< bytes a second from one card to another
  double bus = 0;                ///< bytes a second of a large all-reduce ("busbw")
  double start = 0;              ///< seconds of a large all-reduce before its first byte
  bool measured = false;

  double seconds(double bytes) const;
};

ExchangeRate exchange_rate(const Accelerator& accelerator, const Interconnect& interconnect, int cards,
                           std::optional<int> cards_per_node = std::nullopt);

}  // namespace vram::speed
