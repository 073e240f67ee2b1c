#include "core/speed/serving_bands.h"

#include <string_view>

namespace vram::speed {
namespace {

constexpr double kDense = 0.27, kExperts = 0.28;

/// Which hardware the constants come from, and how far another is from it.
double hardware_width(const Accelerator& accelerator, const Rates& rates) {
  if (accelerator.vendor != "NVIDIA" && !accelerator.vendor.empty()) {
    // One llama.cpp run on an MI300X, three runs on C500 that lie within a factor of two, nothing on others.
    return accelerator.vendor == "AMD" ? 0.45 : 0.65;
  }
  const std::string_view family = accelerator.architecture;
  const bool calibrated = family.substr(0, 6) == "Hopper" || rates.datacentre_blackwell;
  if (calibrated) return 0;
  return rates.memory_measured ? 0.15 : 0.40;
}

double link_width(LinkClass link) {
  switch (link) {
    case LinkClass::none: case LinkClass::link: return 0;
    case LinkClass::pcie: return 0.20;      // switches, root ports and NUMA nodes of a server are not known
    case LinkClass::host: return 0.25;
    case LinkClass::network: return 0.35;
  }
  return 0;
}

double engine_width(Engine engine) {
  switch (engine) {
    case Engine::vllm: case Engine::sglang: case Engine::tensorrt_llm: return 0;
    case Engine::llama_cpp: return 0.12;    // seven runs, none calibrated on, all within 12 %
    case Engine::lmdeploy: return 0.15;
    case Engine::other: return 0.25;
  }
  return 0.25;
}

}  // namespace

Widths band_widths(const Case& one, const Machine& machine, const BandFacts& facts) {
  double both = 0, below = 0, above = 0;    // squares
  const auto add = [](double& sum, double width) { sum += width * width; };
  add(both, facts.experts ? kExperts : kDense);
  add(both, hardware_width(*one.accelerator, machine.rates));
  add(both, link_width(machine.exchange.kind));
  add(both, engine_width(one.engine));
  if (one.doubts.engine) add(both, 0.15);
  if (one.doubts.split) add(both, 0.25);
  if (one.doubts.lengths) add(both, 0.15);
  if (one.doubts.formats) add(both, 0.25);
  if (machine.work.layers_assumed) add(both, 0.30);
  if (one.split.attention_data || one.split.expert > 1) add(both, 0.12);
  // The pool that a server really had decides how many wait: rows that wait miss by twice as much as others.
  if (facts.waits || facts.saturated) add(both, 0.30);
  // One front process reads and sends everything; runs of more than about 30 requests a second stay behind.
  if (facts.requests_per_second > 25 && one.load.streamed) add(below, 0.45);
  // Drafting gains most when few run: rows that turned it on without saying so are up to twice as fast.
  if (one.doubts.drafting && facts.running <= 4) add(above, 0.25);
  if (one.drafting.tokens > 0) add(both, 0.25);

  Widths widths;
  widths.total = widths.per_user = {std::sqrt(both + below), std::sqrt(both + above)};
  // The first token depends on what else arrives and on how the front works; it is reported, not promised.
  const double earlier = facts.experts ? 0.6 : 0.45, later = facts.experts ? 1.4 : 0.9;
  widths.first_token = {std::sqrt(both + earlier * earlier), std::sqrt(both + later * later)};
  return widths;
}

}  // namespace vram::speed
