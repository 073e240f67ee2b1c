// How long one step takes on the devices of one replica, and what it spends its time on.
//
//   matrices of a kind: the longer of reading them and multiplying them
//   caches: read once for each sequence; latent attention may be bound by arithmetic instead
//   layers, exchanges, engine: do not shrink with the number of devices
//
// The parts are added: inside a step one kernel runs after the other.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "core/speed/constants.h"
#include "core/speed/rates.h"
#include "core/speed/work.h"

namespace vram::speed {

/// A card at half its power read inputs 17 % slower and generated 4 % slower (RTX PRO 6000 at 600 and 300 W; facts:
/// hardware.md, section 6): rates fall with the 0.27th and the 0.06th power of the power.
constexpr double kPowerProducts = 0.27, kPowerMemory = 0.06;

enum class Spent : std::uint8_t {
  weights,         ///< reading matrices
  experts,         ///< reading routed experts
  cache,           ///< reading keys, values and states
  products,        ///< arithmetic of matrix products
  attention,       ///< arithmetic of attention
  layers,          ///< what each layer costs beside its work
  exchange,        ///< between devices
  engine,          ///< host: scheduling, sampling, sending
  count_
};
constexpr std::size_t kParts = static_cast<std::size_t>(Spent::count_);
std::string_view spent_key(Spent part);   ///< "weights", "experts", …

struct StepTime {
  std::array<double, kParts> seconds{};
  double& operator[](Spent part) { return seconds[static_cast<std::size_t>(part)]; }
  double operator[](Spent part) const { return seconds[static_cast<std::size_t>(part)]; }
  double total() const;
  StepTime& operator+=(const StepTime& other);
  friend StepTime operator*(double times, StepTime step);
};

/// What passes through the layers in one step.
struct StepLoad {
  double sequences = 0;          ///< that generate
  double tokens_each = 1;        ///< checked in one step: 1, or 1 + drafted
  double context = 0;            ///< tokens each of them has before it
  double input_tokens = 0;       ///< of new inputs
  double input_context = 0;      ///< tokens before such a token, on average
  double inputs = 0;             ///< that end in this step and need logits
};

/// All that a step's time depends on besides its load.
struct Machine {
  ModelWork work;
  Rates rates;
  ExchangeRate exchange;
  Constants constants;
  EngineConstants engine;
  int pipeline = 1;
  double cache_bits = 16;
  double power_share = 1;        ///< of the power the card was made for
};

StepTime step_time(const Machine& machine, const StepLoad& load);

/// Experts of a layer that at least one of `tokens` chose. Were all equally popular: E (1 − (1 − k/E)^tokens). They are
/// not; with popularity spread as a gamma distribution of shape `popularity`, E (1 − (1 + tokens k/E / a)^−a).
double touched_experts(double experts, double chosen, double tokens, double popularity);

/// Tokens of context that a layer looks at.
double seen_context(const Remembered& remembered, double context, bool has_indexer);

}  // namespace vram::speed
