#include "core/check/kinds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check/serving_row.h"
#include "core/plan/server/cache.h"
#include "core/plan/server/formats.h"

namespace vram::check {
namespace {

/// How a model is built, as far as its caches and weights behave differently.
std::string_view build_of(const Model& model) {
  const auto any = [&](CacheKind kind) {
    return std::any_of(model.caches.begin(), model.caches.end(),
                       [&](const Cache& c) { return c.kind == kind && c.part == Part::text; });
  };
  if (any(CacheKind::compressed)) return "compressed";
  if (any(CacheKind::recurrent)) return "hybrid";
  if (any(CacheKind::latent)) return "latent";
  if (any(CacheKind::sliding) || any(CacheKind::chunked)) return "window";
  return model.dims.num_experts != 0 ? "experts" : "dense";
}

class Checker {
 public:
  /// `other`: the model in the format farthest from the likely one that the weights may have had; null = it is told.
  Checker(ServingRow& row, const Model& model, const Model* other, const Accelerator* accelerator)
      : row_(row), model_(&model), other_(other), has_device_(accelerator != nullptr || row.settings.device_total) {
    if (accelerator != nullptr) device_ = *accelerator;
    // Without a card the batch defaults are those of the class most logs come from.
    if (!has_device_) device_ = custom_accelerator(79.2);
    family_ = std::string(engine_key(row.settings.engine)) + "/" + std::string(build_of(model));
  }

  Outcome run() {
    if (!row_.knows_layout) choose_layout();
    choose_format();
    const ServerPlan flags = from_flags();
    memory(flags);
    pools(flags, "flags", has_device_);
    if (row_.report.pool && *row_.report.pool > 0) pools(given_pool(), "given_pool", true);
    states(flags);
    return std::move(outcome_);
  }

 private:
  /// Nobody noted how the model was cut: over all devices of the server, or over as few as hold it.
  void choose_layout() {
    ServerSettings& s = row_.settings;
    const int others = std::max(1, s.pipeline_parallel) * (s.engine == Engine::vllm ? std::max(1, s.data_parallel) : 1);
    if (row_.devices > 0) {
      s.tensor_parallel = std::max(1, row_.devices / others);
      return;
    }
    for (s.tensor_parallel = 1; has_device_ && s.tensor_parallel < 16; s.tensor_parallel *= 2) {
      if (plan_server(s, *model_, device_).pool.likely > 0) return;
    }
  }

  /// It did start: of two formats the one that leaves room for a pool.
  void choose_format() {
    if (other_ == nullptr || !has_device_) return;
    const auto fits = [&](const Model& model) { return plan_server(row_.settings, model, device_).pool.likely > 0; };
    if (!fits(*model_) && fits(*other_)) std::swap(model_, other_);
  }

  static void widen(Estimate& e, const Estimate& other) {
    e.low = std::min(e.low, other.low);
    e.high = std::max(e.high, other.high);
  }
  static void widen_pool(ServerPlan& plan, const ServerPlan& other) {
    widen(plan.tokens, other.tokens);
    widen(plan.window_tokens, other.window_tokens);
    widen(plan.concurrency, other.concurrency);
    widen(plan.bytes_per_token, other.bytes_per_token);
  }

  ServerPlan from_flags() const {
    ServerPlan plan = plan_server(row_.settings, *model_, device_);
    if (other_ == nullptr) return plan;
    const ServerPlan other = plan_server(row_.settings, *other_, device_);
    widen(plan.stages.front().weights, other.stages.front().weights);
    widen(plan.pool, other.pool);
    widen_pool(plan, other);
    return plan;
  }

  /// The pool was printed with two digits: the band is what any pool that prints so would give.
  ServerPlan given_pool() const {
    const double pool = *row_.report.pool, half = row_.report.pool_rounding;
    ServerPlan plan = plan_server(row_.settings, *model_, device_, pool);
    if (half <= 0) return plan;
    widen_pool(plan, plan_server(row_.settings, *model_, device_, pool - half));
    widen_pool(plan, plan_server(row_.settings, *model_, device_, pool + half));
    return plan;
  }

  void add(std::string_view quantity, std::string_view mode, double reported, const Estimate& predicted) {
    Case made;
    made.id = row_.id;
    made.quantity = quantity;
    made.family = family_;
    made.mode = mode;
    made.complete = row_.is_complete_for(quantity);
    made.reported = reported;
    made.predicted = predicted.likely;
    made.low = predicted.low;
    made.high = predicted.high;
    outcome_.cases.push_back(std::move(made));
  }
  /// Figures in GiB are printed with two digits.
  static Estimate printed(Estimate e) {
    constexpr double kHalfDigit = 0.005 * 1073741824.0;
    e.low -= kHalfDigit;
    e.high += kHalfDigit;
    return e;
  }
  static Estimate sum(const Estimate& a, const Estimate& b) {
    return {a.low + b.low, a.likely + b.likely, a.high + b.high, std::max(a.certainty, b.certainty)};
  }

  void memory(const ServerPlan& plan) {
    const ServingReport& r = row_.report;
    const ServerRank& rank = plan.stages.front();  // the first device logs
    const bool vllm = row_.settings.engine == Engine::vllm;
    if (r.weights && !row_.settings.weights_on_host) add("weights", "flags", *r.weights, printed(rank.weights));
    // Since 0.21 the line "peak activation" includes the graphs that were charged.
    if (r.activation && vllm)
      add("activation", "flags", *r.activation, printed(sum(rank.activation, rank.graphs_charged)));
    if (r.non_torch && vllm) {
      add("non_torch", "flags", *r.non_torch, printed(rank.non_torch));
    } else if (r.consumed) {
      add("non_torch", "flags", *r.consumed, sum(rank.weights, rank.non_torch));
    }
    if (r.graphs) {
      add("graphs", "flags", *r.graphs, rank.graphs);
    } else if (r.graph_estimate) {
      add("graphs", "flags", *r.graph_estimate, rank.graphs_estimated);
    }
    if (r.pool && has_device_) add("pool", "flags", *r.pool, plan.pool);
    if ((r.pool || r.tokens) && !has_device_) outcome_.skipped.push_back({row_.id, "no_hardware", ""});
  }

  void pools(const ServerPlan& plan, std::string_view mode, bool knows_pool) {
    const ServingReport& r = row_.report;
    if (r.tokens && knows_pool) add("tokens", mode, *r.tokens, plan.tokens);
    if (r.concurrency && knows_pool && plan.concurrency.likely > 0)
      add("concurrency", mode, *r.concurrency, rounded(plan.concurrency));
    kv_per_token(plan, mode, knows_pool);
  }
  static Estimate rounded(const Estimate& e) {  // printed with two digits
    return {std::floor(e.low * 100 - 0.5) / 100, e.likely, std::ceil(e.high * 100 + 0.5) / 100, e.certainty};
  }

  /// Bytes of the pool for a printed token: one of mode `flags`, unless states share the pool; then what is printed
  /// follows from the pool and the length served, and the figure is one of mode `given_pool`.
  void kv_per_token(const ServerPlan& plan, std::string_view mode, bool knows_pool) {
    const ServingReport& r = row_.report;
    const Estimate& e = plan.bytes_per_token;
    const bool has_need = r.needed_bytes && r.needed_tokens && *r.needed_tokens > 0;
    const bool asked_apart = r.bytes_per_token || has_need;
    if (mode != (plan.bytes_per_token_is_exact || asked_apart ? "flags" : "given_pool")) return;
    if (r.bytes_per_token) {
      add("kv_per_token", mode, *r.bytes_per_token, {e.low - 0.5, e.likely, e.high + 0.5, e.certainty});
    } else if (has_need) {
      ServerSettings longer = row_.settings;
      longer.max_model_len = static_cast<std::uint64_t>(*r.needed_tokens);
      const Estimate needed = plan_server(longer, *model_, device_).needed;
      const double tokens = *r.needed_tokens, half = 0.005 * 1073741824.0;
      add("kv_per_token", mode, *r.needed_bytes / tokens,
          {(needed.low - half) / tokens, needed.likely / tokens, (needed.high + half) / tokens, needed.certainty});
    } else if (r.pool && *r.pool > 0 && r.tokens && *r.tokens > 0 && (plan.bytes_per_token_is_exact || knows_pool)) {
      // The printed pool is rounded, and so is the number of blocks.
      const auto block = static_cast<double>(std::max<std::uint64_t>(16, plan.block_tokens) *
                                             static_cast<std::uint64_t>(std::max(1, plan.cache_groups)));
      const double spread = row_.report.pool_rounding / *r.tokens + e.likely * block / *r.tokens;
      add("kv_per_token", mode, *r.pool / *r.tokens, {e.low - spread, e.likely, e.high + spread, e.certainty});
    }
  }

  void states(const ServerPlan& plan) {
    const ServingReport& r = row_.report;
    if (r.state_allocation && plan.state.likely > 0) add("recurrent", "flags", *r.state_allocation, plan.state);
    if (r.state_bytes && r.state_slots && plan.state.likely > 0) {  // one slot more than is used
      const double slots = *r.state_slots + 1;
      add("recurrent", "given_pool", *r.state_bytes,
          printed({plan.state.low * slots, plan.state.likely * slots, plan.state.high * slots, plan.state.certainty}));
    }
    if (r.state_blocks && has_device_ && plan.blocks > 0) {
      add("recurrent", "flags", *r.state_blocks, Estimate::exactly(static_cast<double>(plan.blocks)));
    }
  }

  ServingRow& row_;
  const Model* model_;
  const Model* other_;
  const bool has_device_;
  Accelerator device_;
  std::string family_;
  Outcome outcome_;
};

}  // namespace

void check_serving(const Json& json, const Library& library, Outcome& outcome) {
  const Result<ServingRow> read = serving_row(json);
  const auto skip = [&](std::string_view reason) {
    outcome.skipped.push_back({text(json, "id").value_or("?"), std::string(reason), ""});
  };
  if (!read) return skip(read.error().key);
  ServingRow row = read.value();
  if (!row.settings.version.known)
    row.settings.version = version_of_model(row.settings.engine, library.release(row.model_key));
  if (!row.known_engine) return skip("no_engine");
  const Model* stored = row.model_key.empty() ? nullptr : library.model(row.model_key);
  if (stored == nullptr) return skip("no_model");
  // Formats nobody noted are those of the checkpoint, or as few as four bits; a mix that we do not know is four.
  const std::optional<Model> told =
      row.weights_format.empty() ? std::nullopt : in_served_format(*stored, row.weights_format);
  const std::optional<Model> small = told ? std::nullopt : in_served_format(*stored, "int4");
  const bool quantised = !told && small && !row.weights_format.empty();
  const Model& likely = told ? *told : quantised ? *small : *stored;
  const Model& unlikely = quantised || !small ? *stored : *small;
  const Outcome found =
      Checker(row, likely, told ? nullptr : &unlikely, find_accelerator(library.accelerators(), row.hardware_id)).run();
  outcome.cases.insert(outcome.cases.end(), found.cases.begin(), found.cases.end());
  outcome.skipped.insert(outcome.skipped.end(), found.skipped.begin(), found.skipped.end());
  if (found.cases.empty() && found.skipped.empty()) skip("nothing_reported");
}

}  // namespace vram::check
