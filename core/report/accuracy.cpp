#include "core/report/accuracy.h"

#include <algorithm>

#include "core/plan/engine.h"
#include "core/units/json.h"

namespace vram {
namespace {

/// What logs call a term, by whose rules it was planned; "" = they do not tell it.
std::string_view server_key(Term term) {
  switch (term) {
    case Term::weights: return "weights.weights";
    case Term::kv_cache: return "kv.kv_per_token";
    case Term::state: return "kv.recurrent";
    case Term::activations: return "activations.activation";
    case Term::graphs: return "runtime.graphs";
    case Term::runtime: return "runtime.non_torch";
    default: return "";
  }
}

std::string_view llamacpp_key(const Entry& entry) {
  switch (entry.term) {
    case Term::weights: return "llamacpp.weights";
    case Term::kv_cache: return "llamacpp.kv";
    case Term::state: return "llamacpp.recurrent";
    case Term::activations: return entry.device == kHost ? "llamacpp.host_compute" : "llamacpp.compute";
    case Term::output: return "llamacpp.output";
    default: return "";
  }
}

std::string_view key_of(const Plan& plan, const Entry& entry) {
  if (entry.certainty == Certainty::measured) return "";
  if (plan.training) return entry.device == kHost ? "" : "training.peak";  // runs publish the sum of all terms
  const auto which = static_cast<std::size_t>(entry.deployment);
  if (which >= plan.placed.size()) return "";
  const EngineId engine = plan.placed[which].engine;
  if (is_llamacpp(engine)) return llamacpp_key(entry);
  return is_server(engine) && entry.device != kHost ? server_key(entry.term) : "";
}

/// Two digits that count; what is less than a hundredth of a per cent is not told from it.
std::string percent(double share, const Language& language) {
  const double value = share > 0 ? std::max(100 * share, 0.01) : 0;
  const std::string digits = language.number(value, value == 0 ? 0 : value < 0.995 ? 2 : value < 9.95 ? 1 : 0);
  return digits + (language.tongue() == Tongue::en ? "" : "\xC2\xA0") + "%";
}

}  // namespace

std::vector<AccuracyFigure> accuracy_from_json(std::string_view json) {
  std::vector<AccuracyFigure> figures;
  const Result<Json> read = parse_json(json);
  if (!read || !read.value().is_object()) return figures;
  for (const auto& [key, row] : read.value().items()) {
    const bool three = row.is_array() && row.size() == 3 && row[0].is_number() && row[1].is_number() && row[2].is_number();
    if (three) figures.push_back({key, row[0].get<std::int64_t>(), row[1].get<double>(), row[2].get<double>()});
  }
  return figures;
}

const AccuracyFigure* accuracy_of(const std::vector<AccuracyFigure>& figures, const Plan& plan, const Entry& entry) {
  return find_figure(figures, key_of(plan, entry));
}

const AccuracyFigure* find_figure(const std::vector<AccuracyFigure>& figures, std::string_view key) {
  for (const AccuracyFigure& figure : figures) {
    if (figure.key == key) return &figure;
  }
  return nullptr;
}

std::string accuracy_sentence(const AccuracyFigure& figure, const Language& language) {
  return language.text(Message("accuracy.checked")
                           .with("count", figure.count)
                           .with("median", percent(figure.median, language))
                           .with("p90", percent(figure.p90, language)));
}

}  // namespace vram
