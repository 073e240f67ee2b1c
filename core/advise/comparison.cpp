#include "core/advise/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/scenario/measured.h"

namespace vram {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Compared::count_)> kKeys = {
    "weights", "cache", "pool", "state", "activations", "graphs", "runtime", "total"};

// Cards of one kind differ by 0.2 % (H100: 79.10–79.22 GiB), the nearest two kinds by far more.
constexpr double kOtherCard = 0.02;

// A field holds hundred-thousandths of a GiB, 11 kB: finer than any log prints, and short in a link.
constexpr double kFieldSteps = 1e5;

Compared group_of(Term term) {
  switch (term) {
    case Term::weights:
      return Compared::weights;
    case Term::kv_cache:
      return Compared::cache;
    case Term::state:
      return Compared::state;
    case Term::activations:
    case Term::staging:
      return Compared::activations;
    case Term::graphs:
      return Compared::graphs;
    default:
      return Compared::runtime;
  }
}

std::optional<Compared> group_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::weights:
      return Compared::weights;
    case Quantity::kv:
      return Compared::cache;
    case Quantity::pool:
      return Compared::pool;
    case Quantity::recurrent:
      return Compared::state;
    case Quantity::activation:
    case Quantity::compute:
    case Quantity::host_compute:
    case Quantity::output:
      return Compared::activations;
    case Quantity::graphs:
      return Compared::graphs;
    case Quantity::non_torch:
      return Compared::runtime;
    case Quantity::total_used:
      return Compared::total;
    default:
      return std::nullopt;
  }
}

bool is_server(const EngineLog& log) {
  return log.program != LogProgram::nvidia_smi && log.program != LogProgram::mx_smi;
}

struct Sum {
  Bytes bytes, rounding;
  std::size_t line = 0;
};
/// Host memory, then sums, then devices by their index: the order of the keys is turned when terms are listed.
using Sums = std::map<int, Sum>;

class Comparing {
 public:
  Comparing(const Plan& plan, const EngineLog& log, int deployment) : plan_(plan), log_(log), deployment_(deployment) {
    add_up();
  }

  Comparison run() {
    for (int i = 0; i < static_cast<int>(Compared::count_); ++i) list(static_cast<Compared>(i));
    calibrate(Compared::activations, Term::activations);
    calibrate(Compared::graphs, Term::graphs);
    calibrate(Compared::runtime, Term::runtime);
    check_program();
    notes();
    return std::move(result_);
  }

 private:
  void add_up() {
    for (const Measured& one : log_.measured) {
      const std::optional<Compared> group = group_of(one.quantity);
      if (!group || one.part != 0 || one.device == kLogOtherNode || one.device >= plan_.devices) continue;
      Sum& sum = sums_[*group][one.device == kLogHost ? kHost : one.device];
      if (!one.negative) sum.bytes += Bytes(one.value);
      sum.rounding += Bytes(one.rounding);
      sum.line = one.line;
    }
    for (auto& [group, sums] : sums_) {  // a sum says nothing more where its parts are there
      const bool has_parts = std::any_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.first >= 0; });
      if (has_parts) sums.erase(kLogAllDevices);
    }
  }

  bool pool_holds_state() const { return sums_.count(Compared::pool) != 0 && sums_.count(Compared::state) == 0; }

  const EngineFigures* figures() const {
    const auto which = static_cast<std::size_t>(deployment_);
    return which < plan_.placed.size() && plan_.placed[which].figures ? &*plan_.placed[which].figures : nullptr;
  }

  bool belongs(const Entry& entry, Compared group) const {
    if (entry.term == Term::reserve) return false;
    if (group == Compared::total) return true;
    const Compared own = group_of(entry.term);
    if (entry.deployment != deployment_) return false;
    if (group == Compared::pool) return own == Compared::cache || (own == Compared::state && pool_holds_state());
    return own == group;
  }

  Band calculated(Compared group, int device) const {
    Band band;
    const int first = device == kLogAllDevices ? 0 : device, last = device == kLogAllDevices ? plan_.devices - 1 : device;
    for (int one = first; one <= last; ++one) {
      // What the engine takes for its pool, not what the sequences asked for need of it.
      const bool of_engine = group == Compared::pool && one != kHost && figures() != nullptr;
      if (of_engine) {
        const Bytes pool = figures()->pool;
        band.low += pool;
        band.likely += pool;
        band.high += pool;
        continue;
      }
      for (const Entry& entry : plan_.ledger) {
        if (entry.on(one) && belongs(entry, group)) band += entry;
      }
    }
    return band;
  }

  void list(Compared group) {
    const auto found = sums_.find(group);
    if (found == sums_.end()) return list_unmeasured(group);
    const auto add = [&](int device) {
      const auto sum = found->second.find(device);
      if (sum != found->second.end()) result_.terms.push_back(term(group, device, sum->second));
    };
    for (const auto& sum : found->second) {
      if (sum.first >= 0) add(sum.first);
    }
    add(kLogAllDevices);
    add(kHost);
  }

  ComparedTerm term(Compared group, int device, const Sum& sum) const {
    ComparedTerm made;
    made.term = group;
    made.device = device;
    made.calculated = calculated(group, device);
    made.measured = sum.bytes;
    made.rounding = sum.rounding;
    made.line = sum.line;
    const double measured = static_cast<double>(sum.bytes.value());
    if (measured > 0) made.difference = (static_cast<double>(made.calculated.likely.value()) - measured) / measured;
    const Bytes highest = sum.bytes + sum.rounding, lowest = sum.bytes - sum.rounding;
    // A device under a server that fills its budget is as full as the budget, whatever the scenario needs.
    const bool at_least = group == Compared::pool || (group == Compared::total && sums_.count(Compared::pool) != 0);
    made.inside = highest >= made.calculated.low && (at_least || lowest <= made.calculated.high);
    return made;
  }

  /// One row, of the fullest device, for what the plan has and the log does not tell.
  void list_unmeasured(Compared group) {
    if (group == Compared::pool || group == Compared::total) return;
    const bool in_pool = sums_.count(Compared::pool) != 0 &&
                         (group == Compared::cache || (group == Compared::state && pool_holds_state()));
    ComparedTerm made;
    made.term = group;
    made.device = plan_.fullest;
    made.calculated = calculated(group, plan_.fullest);
    if (!in_pool && made.calculated.high > Bytes(0)) result_.terms.push_back(made);
  }

  /// The device that had most decides for all.
  void calibrate(Compared group, Term term) {
    const auto found = sums_.find(group);
    if (found == sums_.end()) return;
    Bytes most;
    for (const auto& [index, sum] : found->second) {
      if (index >= 0) most = std::max(most, sum.bytes);
    }
    if (most > Bytes(0)) result_.calibration.push_back({term, most});
  }

  void check_program() {
    const auto which = static_cast<std::size_t>(deployment_);
    if (!is_server(log_) || which >= plan_.placed.size()) return;
    const EngineId planned = plan_.placed[which].engine;
    const bool by_llamacpp = log_.program == LogProgram::llamacpp || log_.program == LogProgram::ollama;
    const bool same = planned == EngineId::generic ||
                      (is_llamacpp(planned) ? by_llamacpp : engine_id_key(planned) == log_program_key(log_.program));
    if (same) return;
    result_.notes.push_back(Message("comparison.other_program")
                                .with("log", std::string(log_program_name(log_.program)))
                                .with("plan", std::string(engine_name(planned))));
  }

  void notes() {
    int devices = 0;
    for (const Measured& one : log_.measured) devices = std::max(devices, one.device + 1);
    if (is_server(log_) && devices > plan_.devices) {
      result_.notes.push_back(Message("comparison.devices_differ")
                                  .with("log", std::int64_t{devices})
                                  .with("plan", std::int64_t{plan_.devices}));
    }
    for (const Measured& one : log_.measured) {
      if (one.quantity != Quantity::device_total || !is_server(log_) || plan_.usable() == Bytes(0)) continue;
      const double share = static_cast<double>(one.value) / static_cast<double>(plan_.usable().value());
      if (share > 1 - kOtherCard && share < 1 + kOtherCard) continue;
      result_.notes.push_back(
          Message("comparison.other_card").with("log", Bytes(one.value)).with("plan", plan_.usable()));
      break;
    }
    for (const Measured& one : log_.measured) {
      if (one.quantity != Quantity::pool || !one.negative) continue;
      result_.notes.push_back(Message("comparison.start_failed").with("bytes", Bytes(one.value)));
      break;
    }
    if (!log_.complete) result_.notes.push_back(Message("comparison.incomplete"));
  }

  const Plan& plan_;
  const EngineLog& log_;
  int deployment_;
  std::map<Compared, Sums> sums_;
  Comparison result_;
};

}  // namespace

std::string_view compared_key(Compared compared) { return kKeys[static_cast<std::size_t>(compared)]; }

Comparison compare(const Plan& plan, const EngineLog& log, int deployment) {
  return Comparing(plan, log, deployment).run();
}

Comparison compare_calculated(Inputs inputs, const EngineLog& log, std::size_t deployment) {
  for (Deployment& one : inputs.scenario.deployments) drop_measured(one);
  return compare(make_plan(inputs), log, static_cast<int>(deployment));
}

Scenario calibrated(Scenario scenario, const Plan& plan, const Comparison& comparison, std::size_t deployment) {
  if (deployment >= scenario.deployments.size() || deployment >= plan.placed.size()) return scenario;
  Deployment& measured = scenario.deployments[deployment];
  drop_measured(measured);
  for (const CalibratedTerm& one : comparison.calibration) {
    const double gib = std::round(gibibytes(one.bytes) * kFieldSteps) / kFieldSteps;
    if (one.term == Term::activations) measured.measured_activations_gib = gib;
    else if (one.term == Term::graphs) measured.measured_graphs_gib = gib;
    else measured.measured_runtime_gib = gib;
  }
  if (has_measured(measured)) {
    measured.measured_with = measured_at(scenario, deployment, is_llamacpp(plan.placed[deployment].engine));
  }
  return scenario;
}

}  // namespace vram
