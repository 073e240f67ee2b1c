#include "core/speed/step.h"

#include <algorithm>
#include <cmath>

namespace vram::speed {
namespace {

/// Tokens that sparse attention keeps (DeepSeek-V3.2 and GLM-5: index_topk 2048; the model type does not carry it).
constexpr double kIndexerKeeps = 2048;

}  // namespace

std::string_view spent_key(Spent part) {
  constexpr std::array<std::string_view, kParts> keys = {"weights",   "experts", "cache",    "products",
                                                         "attention", "layers",  "exchange", "engine"};
  return keys[static_cast<std::size_t>(part)];
}

double StepTime::total() const {
  double sum = 0;
  for (const double part : seconds) sum += part;
  return sum;
}

StepTime& StepTime::operator+=(const StepTime& other) {
  for (std::size_t i = 0; i < kParts; ++i) seconds[i] += other.seconds[i];
  return *this;
}

StepTime operator*(double times, StepTime step) {
  for (double& part : step.seconds) part *= times;
  return step;
}

double touched_experts(double experts, double chosen, double tokens, double popularity) {
  if (experts <= 0 || tokens <= 0) return 0;
  if (chosen >= experts) return experts;
  const double mean = tokens * chosen / experts;
  const double touched = experts * (1 - std::pow(1 + mean / popularity, -popularity));
  return std::max(touched, std::min(experts, chosen));   // one token takes all that it chose
}

double seen_context(const Remembered& remembered, double context, bool has_indexer) {
  switch (remembered.kind) {
    case CacheKind::sliding: return remembered.window > 0 ? std::min(context, remembered.window) : context;
    case CacheKind::chunked:  // a chunk is half full on average once the context is longer
      return remembered.window > 0 && context > remembered.window ? remembered.window / 2 : context;
    case CacheKind::latent: return has_indexer ? std::min(context, kIndexerKeeps) : context;
    case CacheKind::compressed: return context + remembered.window * remembered.tokens_per_entry;
    case CacheKind::full: case CacheKind::indexer: case CacheKind::recurrent: return context;
  }
  return context;
}

StepTime step_time(const Machine& machine, const StepLoad& load) {
  const ModelWork& work = machine.work;
  const Constants& constants = machine.constants;
  const double slower = std::pow(machine.power_share, kPowerProducts);
  const double bandwidth = machine.rates.memory * std::pow(machine.power_share, kPowerMemory);
  const double matrix_bandwidth = bandwidth * machine.rates.memory_share;
  const double decoded = load.sequences * load.tokens_each;
  const double tokens = decoded + load.input_tokens;
  const double own = work.attention_data ? 1.0 / work.tensor : 1.0;   // share of tokens that attention meets
  const bool has_indexer = work.indexer_layers > 0;
  StepTime time;

  const auto weight_bandwidth = [&](Product product) {
    const bool slow = product == Product::weight_only && machine.rates.datacentre_blackwell;
    const double share = product == Product::native_4 ? constants.matrices_4 : constants.matrices;
    return matrix_bandwidth * share * (slow ? constants.weight_only_blackwell : 1);
  };
  const auto product_seconds = [&](const ProductRate& rate, double operations) {
    const bool slow = rate.product == Product::weight_only && machine.rates.datacentre_blackwell;
    return operations / (rate.peak * rate.share * slower * (slow ? constants.weight_only_blackwell : 1));
  };

  for (const Matrices& matrices : work.matrices) {
    const ProductRate rate = product_rate(machine.rates, matrices.format, constants);
    const bool head = matrices.kind == MatrixKind::head;
    double met = head ? decoded + load.inputs : tokens;   // logits only where a token comes out
    if (matrices.data_parallel) met *= own;
    const double reading = matrices.bytes / weight_bandwidth(rate.product);
    const double multiplying = product_seconds(rate, 2 * matrices.parameters * met);
    if (reading >= multiplying) time[Spent::weights] += reading;
    else time[Spent::products] += multiplying;
  }

  const double expert_share =
      machine.rates.datacentre_blackwell ? constants.experts_bandwidth_blackwell : constants.experts_bandwidth;
  for (const Experts& experts : work.experts) {
    const ProductRate rate = product_rate(machine.rates, experts.format, constants);
    const double touched = touched_experts(experts.count, experts.chosen, tokens, constants.expert_popularity);
    if (touched <= 0) continue;
    const double reading = touched * experts.bytes / (weight_bandwidth(rate.product) * expert_share);
    const double rows = tokens * experts.chosen / touched;
    const double filled = constants.product_experts * rows / (rows + constants.expert_tile);
    const double multiplying = product_seconds(rate, 2 * experts.parameters * experts.chosen * tokens) / filled;
    if (reading >= multiplying) time[Spent::experts] += reading;
    else time[Spent::products] += multiplying;
  }

  const double attention_rate = machine.rates.peak_16 * constants.attention * slower;
  const double cache_bandwidth = bandwidth * machine.rates.stream_share * (machine.cache_bits <= 8 ? constants.cache_8 : constants.cache_16);
  for (const Remembered& one : work.remembered) {
    const double sequences = load.sequences * own;
    if (one.kind == CacheKind::recurrent) {  // read and written
      time[Spent::cache] += 2 * one.bytes_per_sequence * sequences / (bandwidth * machine.rates.stream_share * constants.state);
      continue;
    }
    const double context = seen_context(one, load.context, has_indexer);
    const double reading = one.bytes_per_token * context * sequences / cache_bandwidth;
    const double counting = one.decode_flops * context * sequences * load.tokens_each / attention_rate;
    if (one.kind == CacheKind::latent && counting > reading) time[Spent::attention] += counting;
    else time[Spent::cache] += reading;
    const double input_context = seen_context(one, load.input_context, has_indexer);
    time[Spent::attention] += one.prefill_flops * input_context * load.input_tokens * own / attention_rate;
  }

  time[Spent::layers] = machine.rates.latency *
                       (work.layers * machine.engine.layer + work.expert_layers * machine.engine.expert_layer +
                        work.latent_layers * constants.latent_layer + work.mixer_layers * constants.mixer_layer +
                        work.indexer_layers * constants.indexer_layer);
  if (machine.exchange.cards > 1) {
    const double bytes = tokens * work.hidden * 2;  // the hidden state travels in 16 bits
    time[Spent::exchange] = work.exchanges * machine.exchange.seconds(bytes);
  }
  time[Spent::engine] = machine.engine.step + machine.engine.sequence * load.sequences;
  return time;
}

}  // namespace vram::speed
