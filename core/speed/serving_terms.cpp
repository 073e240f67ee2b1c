#include "core/speed/serving_terms.h"

#include <algorithm>

namespace vram::speed {
namespace {

/// Share of the peak that the counted bytes reached; 0 when nothing was read.
double reached(double bytes, double bandwidth, double seconds) {
  return bandwidth > 0 && seconds > 0 ? bytes / (bandwidth * seconds) : 0;
}

NamedValue bandwidth(const Machine& machine) { return {"bandwidth", machine.rates.memory, ValueUnit::bytes_per_second}; }

void weights(Term& term, const Described& what) {
  double bytes = 0;
  for (const Matrices& matrices : what.machine->work.matrices) bytes += matrices.bytes;
  term.formula = "weight_bytes / (bandwidth * bandwidth_share)";
  term.values = {{"weight_bytes", bytes, ValueUnit::bytes},
                 bandwidth(*what.machine),
                 {"bandwidth_share", reached(bytes, what.machine->rates.memory, term.step_seconds), ValueUnit::share}};
}

void experts(Term& term, const Described& what) {
  double bytes = 0, touched = 0;
  Experts last;
  for (const Experts& one : what.machine->work.experts) {
    touched = touched_experts(one.count, one.chosen, what.in_pass * (1.0 + what.one->drafting.tokens),
                              what.machine->constants.expert_popularity);
    bytes += one.bytes;
    last = one;
  }
  term.formula = "touched_experts * expert_bytes / (bandwidth * bandwidth_share)";
  term.values = {{"experts", last.count},
                 {"experts_per_token", last.chosen},
                 {"sequences", what.in_pass},
                 {"touched_experts", touched},
                 {"expert_bytes", bytes, ValueUnit::bytes},
                 bandwidth(*what.machine),
                 {"bandwidth_share", reached(touched * bytes, what.machine->rates.memory, term.step_seconds),
                  ValueUnit::share}};
}

void cache(Term& term, const Described& what) {
  const ModelWork& work = what.machine->work;
  const double context = what.one->load.input_tokens + what.one->load.output_tokens / 2;
  double bytes = 0;
  for (const Remembered& one : work.remembered) {
    bytes += one.bytes_per_token * seen_context(one, context, work.indexer_layers > 0) + 2 * one.bytes_per_sequence;
  }
  const double own = work.attention_data ? 1.0 / work.tensor : 1.0;
  const double sequences = what.in_pass * own;
  term.formula = "sequences * cache_bytes / (bandwidth * bandwidth_share)";
  term.values = {{"context", context, ValueUnit::tokens},
                 {"cache_bytes", bytes, ValueUnit::bytes},
                 {"sequences", sequences},
                 bandwidth(*what.machine),
                 {"bandwidth_share", reached(sequences * bytes, what.machine->rates.memory, term.step_seconds),
                  ValueUnit::share}};
}

/// Arithmetic of all requests that run: each token of one's answer goes with the inputs and answers of all of them.
void arithmetic(Term& term, const Described& what) {
  const ModelWork& work = what.machine->work;
  const Load& load = what.one->load;
  const double input = load.input_tokens * (1 - std::clamp(load.prefix_share, 0.0, 1.0));
  const double output = std::max(1.0, load.output_tokens);
  double parameters = 0;
  for (const Matrices& matrices : work.matrices) parameters += matrices.parameters;
  for (const Experts& one : work.experts) parameters += one.parameters * one.chosen;
  const double tokens = what.in_pass * (input + output) / output;
  double operations = 2 * parameters * tokens;
  term.formula = "2 * active_parameters * tokens / rate";
  term.values = {{"active_parameters", parameters}};
  if (term.spent == Spent::attention) {
    double each = 0;
    for (const Remembered& one : work.remembered) each += one.prefill_flops;
    const double pairs = what.in_pass * input * input / 2 / output;
    operations = each * pairs;
    term.formula = "attention_operations * pairs / rate";
    term.values = {{"attention_operations", each}, {"pairs", pairs}};
  } else {
    term.values.push_back({"tokens", tokens, ValueUnit::tokens});
  }
  const double rate = term.seconds > 0 ? operations / term.seconds : 0;
  term.values.push_back({"rate", rate, ValueUnit::operations_per_second});
  term.values.push_back({"peak", what.machine->rates.peak_16, ValueUnit::operations_per_second});
}

void layers(Term& term, const Described& what) {
  const ModelWork& work = what.machine->work;
  const double latency = what.machine->rates.latency;
  const double layer = latency * what.machine->engine.layer;
  const double expert = latency * what.machine->engine.expert_layer;
  term.formula = "layers * layer_seconds + expert_layers * expert_layer_seconds + other_seconds";
  const double other = term.step_seconds - work.layers * layer - work.expert_layers * expert;
  term.values = {{"layers", work.layers},
                 {"layer_seconds", layer, ValueUnit::seconds},
                 {"expert_layers", work.expert_layers},
                 {"expert_layer_seconds", expert, ValueUnit::seconds},
                 {"other_seconds", std::max(0.0, other), ValueUnit::seconds}};
}

void exchange(Term& term, const Described& what) {
  const ModelWork& work = what.machine->work;
  const double exchanges = what.machine->exchange.cards > 1 ? work.exchanges : what.machine->pipeline;
  term.formula = "exchanges * exchange_seconds";
  term.values = {{"exchanges", exchanges},
                 {"cards", static_cast<double>(what.machine->exchange.cards)},
                 {"exchange_bytes", what.in_pass * (1.0 + what.one->drafting.tokens) * work.hidden * 2, ValueUnit::bytes},
                 {"exchange_seconds", term.step_seconds / std::max(1.0, exchanges), ValueUnit::seconds}};
}

void engine(Term& term, const Described& what) {
  term.formula = "step_seconds + sequences * sequence_seconds";
  term.values = {{"step_seconds", what.machine->engine.step, ValueUnit::seconds},
                 {"sequences", what.in_pass},
                 {"sequence_seconds", what.machine->engine.sequence, ValueUnit::seconds}};
}

}  // namespace

Cause cause_of(Spent spent) {
  switch (spent) {
    case Spent::weights: case Spent::experts: case Spent::cache: return Cause::bandwidth;
    case Spent::products: case Spent::attention: return Cause::compute;
    case Spent::exchange: return Cause::link;
    case Spent::layers: case Spent::engine: case Spent::count_: break;
  }
  return Cause::latency;
}

Term describe(Spent spent, const Described& what, double seconds, double step_seconds) {
  Term term;
  term.spent = spent;
  term.cause = cause_of(spent);
  term.seconds = seconds;
  term.step_seconds = step_seconds;
  switch (spent) {
    case Spent::weights: weights(term, what); break;
    case Spent::experts: experts(term, what); break;
    case Spent::cache: cache(term, what); break;
    case Spent::products: case Spent::attention: arithmetic(term, what); break;
    case Spent::layers: layers(term, what); break;
    case Spent::exchange: exchange(term, what); break;
    case Spent::engine: engine(term, what); break;
    case Spent::count_: break;
  }
  return term;
}

}  // namespace vram::speed
