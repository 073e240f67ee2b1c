#include "core/advise/bottleneck.h"

#include <array>
#include <cmath>
#include <string>

namespace vram {
namespace {

Holding holding_of(speed::Cause cause) {
  switch (cause) {
    case speed::Cause::bandwidth: return Holding::bandwidth;
    case speed::Cause::compute: return Holding::compute;
    case speed::Cause::link: return Holding::link;
    case speed::Cause::latency: return Holding::latency;
    case speed::Cause::power: return Holding::power;
    case speed::Cause::capacity: case speed::Cause::count_: break;
  }
  return Holding::memory;
}

Bottleneck said(Holding holding, double share) {
  Message message("bottleneck." + std::string(holding_key(holding)));
  message.with("percent", std::int64_t{std::llround(share * 100)});
  return {holding, share, std::move(message)};
}

}  // namespace

std::string_view holding_key(Holding holding) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Holding::count_)> keys = {
      "memory", "bandwidth", "compute", "link", "latency", "power"};
  return keys[static_cast<std::size_t>(holding)];
}

std::optional<Bottleneck> bottleneck(const Inputs& inputs, const Plan& plan, const std::optional<speed::Speed>& speed) {
  const bool short_of_room = plan.verdict != Verdict::fits;
  const bool waits = speed && speed->waiting > 0.5;
  const double used = plan.usable() == Bytes(0) ? 1 : static_cast<double>(plan.of(plan.fullest).likely.value()) /
                                                          static_cast<double>(plan.usable().value());
  const bool reserve_gone = plan.headroom_share() * 100 < static_cast<double>(inputs.scenario.headroom);
  if (short_of_room || waits || reserve_gone) return said(Holding::memory, used);
  if (!speed || speed->limits.empty()) return std::nullopt;
  return said(holding_of(speed->limit().cause), speed->limit().share);
}

}  // namespace vram
