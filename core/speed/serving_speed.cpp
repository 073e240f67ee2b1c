#include "core/speed/serving_speed.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/speed/serving_bands.h"
#include "core/speed/serving_rules.h"
#include "core/speed/serving_terms.h"
#include "core/units/order.h"

namespace vram::speed {
namespace {

/// Sending the hidden state to the next stage: a small copy between two devices.
constexpr double kStageHop = 20e-6;

/// One replica at a given number of running requests.
struct Cycle {
  double running = 1;
  double life = 0;              ///< seconds of a request from its admission to its last token
  double first = 0;             ///< of these, until the first token
  double step = 0;              ///< of a step without inputs
  StepTime plain;               ///< what that step spends its time on
  StepTime spent;               ///< over `life`
  double steps = 1;             ///< of generation
};

struct Replica {
  const Case& one;
  EngineRules rules;
  Machine machine;

  double hops() const { return one.split.pipeline > 1 ? one.split.pipeline * kStageHop : 0; }
  /// Sequences of one pass: stages work on different ones at the same time where the engine pipelines.
  double in_pass(double running) const {
    return rules.pipelines ? std::max(1.0, running / one.split.pipeline) : running;
  }

  StepTime step(double sequences, double context, double input_tokens, double input_context, double inputs) const {
    const Drafting& drafting = one.drafting;
    StepTime time = step_time(machine, {.sequences = sequences,
                                        .tokens_each = sequences > 0 ? 1.0 + drafting.tokens : 1.0,
                                        .context = context,
                                        .input_tokens = input_tokens,
                                        .input_context = input_context,
                                        .inputs = inputs});
    if (drafting.tokens > 0 && sequences > 0) {
      const ModelWork& work = machine.work;
      double head_bytes = 0;
      for (const Matrices& matrices : work.matrices) {
        if (matrices.kind == MatrixKind::head) head_bytes += matrices.bytes;
      }
      // A draft layer costs what a layer of the model costs, when the model has none of its own (EAGLE).
      double weights = 0;
      for (const Matrices& matrices : work.matrices) weights += matrices.bytes;
      const double layer_bytes = work.draft_bytes > 0 ? work.draft_bytes : (weights - head_bytes) / work.layers;
      time[Spent::weights] += drafting.tokens * (layer_bytes + head_bytes) /
                              (machine.rates.memory * machine.rates.memory_share * machine.constants.matrices);
      time[Spent::layers] += drafting.tokens * machine.rates.latency * (machine.engine.layer + machine.engine.expert_layer);
    }
    time[Spent::exchange] += hops();
    return time;
  }

  Cycle cycle(double running) const {
    const Load& load = one.load;
    Cycle made;
    made.running = running;
    const double input = std::max(0.0, load.input_tokens * (1 - std::clamp(load.prefix_share, 0.0, 1.0)));
    made.steps = std::max(1.0, load.output_tokens / tokens_per_step(one.drafting));
    const double context = load.input_tokens + load.output_tokens / 2;
    const double sequences = in_pass(running);
    const double most = one.batch_tokens.value_or(rules.batch_tokens);

    const StepTime plain = step(sequences, context, 0, 0, 0);
    made.step = plain.total();
    made.plain = plain;
    const double pieces = std::max(1.0, std::ceil(input / most));
    // Share of requests that arrive together with all others.
    double together = machine.constants.burst_mixed;
    if (rules.inputs_first) {
      const double reading_all = sequences * pieces * step(0, 0, input / pieces, input / 2, 1).total();
      together = reading_all / (reading_all + machine.constants.answer_spread * made.steps * made.step);
    }
    double carrying = sequences * pieces;                 // steps with an input, in the life of a request
    double each = input / pieces;
    // More inputs than steps share them, and so do inputs that wait together to be read first.
    const double room = std::max(1.0, 0.9 * made.steps);
    double wanted = each * std::max(1.0, carrying / room);
    if (rules.inputs_first) wanted = std::max(wanted, each * (1 + together * (sequences - 1)));
    if (wanted > each) {
      const double tokens = each * carrying;
      each = std::max(each, std::min(wanted, most));
      carrying = tokens / each;
    }
    const double before = load.input_tokens - input + input / 2;   // context of an average input token
    const double ending = std::max(1.0, each * pieces / std::max(1.0, input));
    double reading = 0;                                   // seconds that one request's input adds to a life
    if (rules.inputs_first) {
      const StepTime alone = step(0, 0, each, before, ending);
      made.spent = made.steps * plain;
      made.spent += carrying * alone;
      reading = carrying * alone.total() / sequences;
    } else {
      const StepTime both = step(sequences, context, each, before, ending);
      made.spent = std::max(0.0, made.steps - carrying) * plain;
      made.spent += carrying * both;
      const double replaced = std::min(carrying, made.steps) * made.step;
      reading = std::max(0.0, carrying * both.total() - replaced) / sequences;
    }
    made.life = made.spent.total();
    const double average = made.life / std::max(made.steps, carrying);
    const double own = running > 1.5 ? 0.5 * average + reading + pieces * made.step : reading;
    const double others = std::max(0.0, running - 1) * reading / 2;
    made.first = std::min(own + together * others, 0.95 * made.life);
    return made;
  }
};

/// Running requests at which `rate` requests a second end; nothing when no number of them is enough.
std::optional<double> running_at(const Replica& replica, double rate, double most) {
  const auto ends = [&](double running) { return running / replica.cycle(running).life; };
  if (ends(most) < rate) return std::nullopt;
  double low = 0.01, high = most;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    // Below one request, a replica is idle part of the time: the life of a single request does not shrink further.
    const double ending = middle < 1 ? middle / replica.cycle(1).life : ends(middle);
    (ending < rate ? low : high) = middle;
  }
  return high;
}

void add_terms(Speed& speed, const Replica& replica, const Cycle& cycle, double waiting_seconds) {
  const double tokens = std::max(1.0, replica.one.load.output_tokens);
  const double all = cycle.life + waiting_seconds;
  const double slower = std::pow(replica.machine.power_share, kPowerProducts);
  std::array<double, static_cast<std::size_t>(Cause::count_)> causes{};
  for (std::size_t i = 0; i < kParts; ++i) {
    const auto spent = static_cast<Spent>(i);
    const double seconds = cycle.spent[spent];
    if (seconds <= 0) continue;
    Term term = describe(spent, {&replica.machine, &replica.one, cycle.running, replica.in_pass(cycle.running)},
                         seconds / tokens, cycle.plain[spent]);
    term.share = seconds / all;
    const double lost = term.cause == Cause::compute ? 1 - slower : 0;
    causes[static_cast<std::size_t>(term.cause)] += seconds * (1 - lost);
    causes[static_cast<std::size_t>(Cause::power)] += seconds * lost;
    speed.terms.push_back(std::move(term));
  }
  causes[static_cast<std::size_t>(Cause::capacity)] += waiting_seconds;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i] > 0) speed.limits.push_back({static_cast<Cause>(i), causes[i] / all});
  }
  sort_stably(speed.limits,
                   [](const Limit& a, const Limit& b) { return a.share > b.share; });
}

}  // namespace

std::string_view engine_key(Engine engine) {
  constexpr std::array<std::string_view, 6> keys = {"vllm", "sglang", "tensorrt_llm", "lmdeploy", "llama_cpp", "other"};
  return keys[static_cast<std::size_t>(engine)];
}

std::string_view cause_key(Cause cause) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Cause::count_)> keys = {
      "bandwidth", "compute", "link", "latency", "capacity", "power"};
  return keys[static_cast<std::size_t>(cause)];
}

double tokens_per_step(const Drafting& drafting) {
  if (drafting.tokens <= 0) return 1;
  const double right = std::clamp(drafting.acceptance, 0.0, 1.0);
  if (right >= 1) return drafting.tokens + 1.0;
  return (1 - std::pow(right, drafting.tokens + 1)) / (1 - right);
}

FormatId usual_cache_format(Engine engine, FormatId weights, FormatId compute) {
  const bool checkpoint_asks =
      weights == FormatId::nvfp4 || (engine == Engine::tensorrt_llm && weights == FormatId::fp8);
  return checkpoint_asks ? FormatId::fp8 : compute;
}

Result<Speed> serving_speed(const Case& one, const Constants& constants) {
  const std::optional<Rates> rates = rates_of(*one.accelerator, *one.interconnect, constants);
  if (!rates) return Message("speed.no_bandwidth").with("gpu", one.accelerator->name);
  if (!one.model->generates) return Message("speed.does_not_generate").with("model", one.model->name);
  Replica replica{one, engine_rules(one.engine, *one.accelerator, constants), {}};
  Machine& machine = replica.machine;
  machine.work = model_work(*one.model, one.split, one.cache);
  if (machine.work.matrices.empty()) return Message("speed.no_weights").with("model", one.model->name);
  machine.rates = *rates;
  machine.exchange = exchange_rate(*one.accelerator, *one.interconnect, one.split.tensor, one.cards_per_node);
  machine.constants = constants;
  machine.engine = replica.rules.constants;
  if (!one.load.streamed) machine.engine.sequence *= constants.not_streamed;
  machine.pipeline = one.split.pipeline;
  machine.cache_bits = storage_format(one.cache).bits;
  if (one.power_w && one.accelerator->tdp_w && *one.accelerator->tdp_w > 0) {
    machine.power_share = std::clamp(*one.power_w / *one.accelerator->tdp_w, 0.1, 1.0);
  }

  Speed speed;
  const Load& load = one.load;
  const double pool = pool_bytes(one, machine.work, replica.rules);
  const double replicas = std::max(1, one.split.data);
  speed.weights_fit = one.pool_bytes || weights_fit(one, machine.work);
  speed.fits = requests_in_pool(one, machine.work, replica.rules, pool);
  const double most = std::max(1.0, std::min(speed.fits, one.max_sequences.value_or(replica.rules.max_sequences)));

  // All requests at once: as many as there are, or as the pool and the engine take.
  double wanted = most;
  if (load.requests) wanted = std::min(wanted, std::max(1.0, *load.requests / replicas));
  if (!load.offline && load.concurrency) wanted = std::max(1.0, *load.concurrency / replicas);
  double running = std::min(wanted, most);
  double idle_share = 0;
  if (!load.offline && !load.concurrency && load.rate) {
    const std::optional<double> found = running_at(replica, *load.rate / replicas, most);
    speed.saturated = !found;
    wanted = running = found.value_or(most);
    if (running < 1) {
      idle_share = 1 - running;
      running = 1;
    }
  }
  const Cycle cycle = replica.cycle(running);
  const double waiting = load.offline ? 0 : std::max(0.0, wanted - running);
  const double waiting_seconds = waiting / running * cycle.life;
  const double life = cycle.life + constants.front;
  double total = replicas * running * load.output_tokens / (load.offline || load.rate ? cycle.life : life);
  if (load.offline && load.requests && *load.requests > replicas * running) {
    // The last requests leave the batch half empty: half a life more than the even flow takes.
    const double rounds = *load.requests / (replicas * running);
    total *= rounds / (rounds + 0.5);
  }
  if (idle_share > 0) total *= 1 - idle_share;

  const double between = (cycle.life - cycle.first) / std::max(1.0, load.output_tokens - 1);
  const Widths widths = band_widths(one, machine,
                                    {.experts = !machine.work.experts.empty(),
                                     .waits = waiting > 0.5 || (load.offline && running < wanted),
                                     .saturated = speed.saturated,
                                     .running = running,
                                     .requests_per_second = total / replicas / std::max(1.0, load.output_tokens)});
  speed.first_token = widths.first_token.around(constants.front + cycle.first + waiting_seconds);
  speed.per_token = widths.per_user.inverse().around(between);
  speed.per_user = widths.per_user.around(1 / between);
  speed.total = widths.total.around(total);
  speed.requests_per_second = total / std::max(1.0, load.output_tokens);
  speed.running = running;
  speed.waiting = waiting;
  speed.step_seconds = cycle.step;
  if (machine.work.layers_assumed) speed.notes.push_back(Message("speed.note.layers_assumed"));
  if (!rates->memory_measured) {
    speed.notes.push_back(Message("speed.note.not_measured").with("gpu", one.accelerator->name));
  }
  if (!speed.weights_fit) speed.notes.push_back(Message("speed.note.weights_do_not_fit").with("gpu", one.accelerator->name));
  if (speed.saturated) speed.notes.push_back(Message("speed.note.saturated"));
  if (waiting > 0.5) {
    speed.notes.push_back(Message("speed.note.waiting").with("running", static_cast<std::int64_t>(std::llround(running)))
                              .with("waiting", static_cast<std::int64_t>(std::llround(waiting))));
  }
  add_terms(speed, replica, cycle, waiting_seconds);
  return speed;
}

}  // namespace vram::speed
