#include "core/speed/rates.h"

#include <algorithm>
#include <cmath>

namespace vram::speed {
namespace {

constexpr double kGiga = 1e9, kTera = 1e12;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// Share measured on the card itself, else on the nearest of its architecture.
std::optional<double> share_of(const std::vector<Share>& shares, const Accelerator& accelerator) {
  for (const Share& share : shares) {
    if (!share.accelerator.empty() && share.accelerator == accelerator.id) return share.share.middle();
  }
  for (const Share& share : shares) {
    if (!share.architecture.empty() && share.architecture == accelerator.architecture) return share.share.middle();
  }
  return std::nullopt;
}

bool has_hbm(const Accelerator& accelerator) { return starts_with(accelerator.memory_type, "HBM"); }

/// A decoding product was timed kernel by kernel, launch and tail included. The more bandwidth a card has, the more of
/// the time they are: 1 / share grows by 0.0465 a TB/s (H100 0.865 at 3.35, H200 0.805 at 4.8, B200 0.76 at 7.7 TB/s all
/// lie on one line that starts at 1). Launches are counted by layer here, so they are taken out of the share.
double without_launches(double share, double terabytes_a_second) {
  return std::min(1.0, 1 / std::max(0.5, 1 / share - 0.0465 * terabytes_a_second));
}

/// Cards measured one by one stand for their like. GDDR6 and 6X: L40S 0.82, consumer cards under llama.cpp 0.9.
std::optional<double> share_of_like(const Accelerator& accelerator) {
  const std::string_view family = accelerator.architecture;
  if (has_hbm(accelerator)) {
    if (starts_with(family, "Volta")) return 0.8;
    if (starts_with(family, "Ampere")) return 0.8;
    if (starts_with(family, "Hopper") || starts_with(family, "Blackwell")) return 1.0;
    return std::nullopt;
  }
  if (starts_with(accelerator.memory_type, "GDDR7")) return 1.0;
  if (starts_with(accelerator.memory_type, "GDDR6")) return 0.9;
  return std::nullopt;
}

const Exchange* measured_all_reduce(const Accelerator& accelerator, const Interconnect& interconnect,
                                    std::string_view over, int cards) {
  // Architectures are written with what is beside them ("Hopper + Grace", "Blackwell Ultra"): the first word counts.
  const std::string_view family = std::string_view(accelerator.architecture).substr(0, accelerator.architecture.find(' '));
  const Exchange* nearest = nullptr;
  for (const Exchange& one : interconnect.all_reduce) {
    if (one.over != over) continue;
    const bool own = !one.accelerator.empty() && one.accelerator == accelerator.id;
    const bool family_matches = one.accelerator.empty() && one.architecture == family;
    if (!own && !family_matches) continue;
    const auto distance = [&](const Exchange& e) { return std::abs(static_cast<int>(e.cards) - cards); };
    if (nearest == nullptr || distance(one) < distance(*nearest)) nearest = &one;
  }
  return nearest;
}

/// PCIe without a link, by cards: RTX PRO 6000 (generation 5) 38.8 / 28 / 24 GB/s and 5 / 15 / 27 µs of 16 KB;
/// L40S (generation 4) 19.5 / 4.4 / 1.7 GB/s and 6 / 17 / 27 µs (facts: hardware.md, section 5).
void set_pcie(ExchangeRate& rate, const Accelerator& accelerator, const Interconnect& interconnect, int cards) {
  const std::uint32_t generation = accelerator.pcie ? accelerator.pcie->generation : 4;
  const double lanes = accelerator.pcie && accelerator.pcie->lanes > 0 ? accelerator.pcie->lanes : 16;
  const auto one_way = interconnect.pcie_of(std::min<std::uint32_t>(5, generation));
  rate.kind = LinkClass::pcie;
  rate.link = (one_way ? one_way->middle() : 25.0) * kGiga * lanes / 16;
  const double steps = std::log2(std::max(2, cards));                   // 1, 2, 3 for 2, 4, 8 cards
  rate.small = (steps <= 1 ? 5.5e-6 : steps <= 2 ? 16e-6 : 27e-6 * steps / 3);
  const double falling = generation >= 5 ? std::pow(0.79, steps - 1) : std::pow(0.30, steps - 1);
  rate.bus = rate.link * (generation >= 5 ? 0.71 : 0.76) * falling;
  rate.start = 20e-6 * steps;
  if (const Exchange* known = measured_all_reduce(accelerator, interconnect, "pcie", cards)) {
    rate.bus = known->gbs.middle() * kGiga;
    if (known->small_us) rate.small = *known->small_us * 1e-6;
    rate.measured = static_cast<int>(known->cards) == cards;
  }
  if (accelerator.peer_access == PeerAccess::none) {
    // Through host memory: two copies in place of one. Two RTX 5090 without and with a patched driver: 4.48 and 3.47 ms
    // a token, about 8 µs an exchange.
    rate.kind = LinkClass::host;
    rate.small += 8e-6;
    rate.link /= 2;
    rate.bus /= 2;
  }
}

}  // namespace

std::optional<Rates> rates_of(const Accelerator& accelerator, const Interconnect& interconnect,
                              const Constants& constants) {
  Rates rates;
  if (!accelerator.bandwidth_gbs || *accelerator.bandwidth_gbs <= 0) return std::nullopt;
  rates.memory = *accelerator.bandwidth_gbs * kGiga;
  if (const auto own = share_of(interconnect.decode, accelerator)) {
    rates.memory_share = without_launches(*own, *accelerator.bandwidth_gbs / 1000);
    rates.memory_measured = true;
  } else if (const auto like = share_of_like(accelerator)) {
    rates.memory_share = *like;
    rates.memory_measured = true;
  } else if (const auto stream = share_of(interconnect.stream, accelerator)) {
    rates.memory_share = *stream;
  }
  if (const auto stream = share_of(interconnect.stream, accelerator)) rates.stream_share = std::min(1.0, *stream / 0.92);
  const std::optional<double> bf16 = accelerator.tflops.bf16 ? accelerator.tflops.bf16 : accelerator.tflops.fp16;
  if (!bf16 || *bf16 <= 0) return std::nullopt;
  rates.peak_16 = *bf16 * kTera;
  if (accelerator.measured_bf16_tflops) {
    rates.product_share = std::min(1.0, *accelerator.measured_bf16_tflops / *bf16);
    rates.product_measured = true;
  }
  const bool lists = accelerator.formats.has_value();
  if (accelerator.tflops.fp8 && (!lists || accelerator.formats->fp8)) rates.peak_8 = *accelerator.tflops.fp8 * kTera;
  if (accelerator.tflops.fp4 && (!lists || accelerator.formats->fp4)) rates.peak_4 = *accelerator.tflops.fp4 * kTera;
  if (accelerator.tflops.int8) rates.peak_int8 = *accelerator.tflops.int8 * kTera;
  rates.datacentre_blackwell = starts_with(accelerator.architecture, "Blackwell") && has_hbm(accelerator);
  rates.latency = accelerator.vendor == "NVIDIA"  ? 1
                  : accelerator.vendor == "AMD"   ? constants.latency_amd
                  : accelerator.vendor == "MetaX" ? constants.latency_metax
                  : accelerator.vendor.empty()    ? 1
                                                  : constants.latency_other;
  return rates;
}

ProductRate product_rate(const Rates& rates, FormatId format, const Constants& constants) {
  const auto made = [&](double peak, double share, Product product) {
    return ProductRate{peak * rates.product_share, share, product};
  };
  const ProductRate weight_only = made(rates.peak_16, constants.product_weight_only, Product::weight_only);
  switch (format) {
    case FormatId::fp32: case FormatId::fp64: case FormatId::bf16: case FormatId::fp16:
    case FormatId::raw16: case FormatId::raw32: case FormatId::raw64:
      return made(rates.peak_16, constants.product_16, Product::native_16);
    case FormatId::fp8: case FormatId::fp8_channel: case FormatId::raw8:
      return rates.peak_8 ? made(*rates.peak_8, constants.product_8, Product::native_8) : weight_only;
    case FormatId::fp8_block: case FormatId::mxfp8:
      return rates.peak_8 ? made(*rates.peak_8, constants.product_8_block, Product::native_8_block) : weight_only;
    case FormatId::int8: {
      // Blackwell Ultra has hardly any int8 left: then the 16-bit units are quicker.
      const bool quick = rates.peak_int8 && *rates.peak_int8 > rates.peak_16;
      return quick ? made(*rates.peak_int8, constants.product_8, Product::native_8) : weight_only;
    }
    case FormatId::nvfp4: case FormatId::fp4:
      return rates.peak_4 ? made(*rates.peak_4, constants.product_4, Product::native_4) : weight_only;
    case FormatId::mxfp4:  // gpt-oss: activations in eight bits where four-bit tensor cores exist
      return rates.peak_4 && rates.peak_8 ? made(*rates.peak_8, constants.product_8, Product::native_8) : weight_only;
    default:
      return weight_only;
  }
}

double ExchangeRate::seconds(double bytes) const {
  if (cards <= 1 || link <= 0 || bus <= 0) return 0;
  const double one_shot = small + (cards - 1) * bytes / link;
  const double ring = start + 2.0 * (cards - 1) / cards * bytes / bus;
  return std::min(one_shot, ring);
}

ExchangeRate exchange_rate(const Accelerator& accelerator, const Interconnect& interconnect, int cards,
                           std::optional<int> cards_per_node) {
  ExchangeRate rate;
  rate.cards = std::max(1, cards);
  if (cards <= 1) return rate;
  const int domain = accelerator.link ? static_cast<int>(accelerator.link->domain.value_or(8)) : 0;
  const int node = cards_per_node.value_or(std::max(8, domain));
  if (cards > node && cards > domain) {
    // Over the network: NICs of 400 Gbit/s reach 37 to 53 GB/s; an exchange starts in about 20 µs a hop.
    rate.kind = LinkClass::network;
    rate.link = rate.bus = 45 * kGiga;
    rate.small = rate.start = 40e-6;
    return rate;
  }
  if (cards > domain) {
    set_pcie(rate, accelerator, interconnect, cards);
    return rate;
  }
  rate.kind = LinkClass::link;
  // Not published for some (MetaX C500): what a pair of C550 was seen to reach, 49 GB/s one way.
  rate.link = (accelerator.link->gbs ? *accelerator.link->gbs / 2 : 49.0) * kGiga;
  if (!accelerator.link->gbs) rate.link *= std::max(1, cards - 1);
  rate.small = 10e-6;
  // A ring over a link: A100 230 of 300 GB/s. NVSwitch adds up on the way (Hopper 478 of 450, Blackwell 841 of 900).
  rate.bus = 0.75 * rate.link;
  rate.start = 68e-6 * std::sqrt(cards / 8.0);  // H200, by payload: 1 MiB at 40 GB/s, 16 MiB at 220, 128 MiB at 402
  const bool nvlink = accelerator.link->kind == LinkKind::nvlink;
  if (!nvlink) return rate;
  if (const Exchange* known = measured_all_reduce(accelerator, interconnect, "nvlink", cards)) {
    for (int other : {cards, 8, 4, 2}) {  // small exchanges were timed on eight cards only
      const Exchange* timed = measured_all_reduce(accelerator, interconnect, "nvlink", other);
      if (timed == nullptr || !timed->small_us) continue;
      rate.small = *timed->small_us * 1e-6;
      break;
    }
    // Figures are of the architecture's full link; parts with a narrower one (A800, bridges) scale with it.
    const double full = starts_with(accelerator.architecture, "Ampere")      ? 300
                        : starts_with(accelerator.architecture, "Hopper")    ? 450
                                                                              : 900;
    rate.bus = known->gbs.middle() * kGiga * std::min(1.0, rate.link / (full * kGiga));
    rate.measured = true;
  }
  return rate;
}

}  // namespace vram::speed
