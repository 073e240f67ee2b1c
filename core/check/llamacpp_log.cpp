// Start-up logs: what was noted decides, what was not takes its default and widens the band.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check/kinds.h"
#include "core/check/llamacpp_row.h"
#include "core/check/llamacpp_settings.h"
#include "core/plan/llamacpp/from_model.h"
#include "core/plan/llamacpp/tensors.h"

namespace vram::check {
namespace {

using llamacpp::Plan;
using llamacpp::Settings;

constexpr double kMiB = 1024.0 * 1024.0;
// What the driver takes for a process beside its buffers (facts/llamacpp.md 5.7): CUDA 150–750 MiB, Vulkan little.
constexpr double kCudaContext = 300 * kMiB, kCudaContextLow = 150 * kMiB, kCudaContextHigh = 750 * kMiB;
constexpr double kOtherContext = 15 * kMiB, kOtherContextHigh = 200 * kMiB;

/// Devices by the names of their buffers, in order.
std::vector<std::string> device_order(const LlamaCppReport& report) {
  std::vector<std::string> names;
  for (const auto* list : {&report.device_weights, &report.compute}) {
    for (const BufferFigure& one : *list) {
      const std::string name = one.name.substr(0, one.name.find("_Mapped"));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // CUDA2 before CUDA10
  });
  return names;
}

class LogChecker {
 public:
  LogChecker(const LlamaCppRow& row, llamacpp::Model model, const Library& library, Outcome& outcome)
      : row_(row), model_(std::move(model)), library_(library), outcome_(outcome) {}

  void run() {
    name_types();
    guess_ = guess_settings(row_, model_, library_.release(row_.model_key), library_.accelerators());
    if (guess_.drafts && model_.draft_layers > 0 && !model_.rules->stores_draft) {
      model_.loads_draft = true;
      name_types();
    }
    plans_.push_back(llamacpp::plan(model_, guess_.likely));
    for (const Settings& other : guess_.others) plans_.push_back(llamacpp::plan(model_, other));
    family_ = std::string(row_.is_llamacpp ? llamacpp::program_key(row_.program) : "other") + "/" +
              (model_.has_recurrent() ? "hybrid"
               : model_.experts > 0   ? "experts"
                                      : "dense");
    caches();
    if (!row_.is_llamacpp) return;
    output();
    // Where experts went depends on the cards.
    if (model_.experts > 0 && !guess_.knows_hardware && !row_.experts_on_host) {
      outcome_.skipped.push_back({row_.id, "no_hardware", ""});
      return;
    }
    weights();
    compute();
    total();
  }

 private:
  /// Types of the file: as the mix of its name has them, and in the numbers that the loader counted.
  void name_types() {
    const std::string mix = mix_of(row_.quant);
    llamacpp::list_tensors(model_, mix == "BF16" ? FormatId::bf16 : FormatId::fp16);
    if (model_.kv_rank > 0 && !row_.types.empty()) choose_latent_form(mix);
    knows_types_ = llamacpp::apply_mix(model_, mix);
    const bool dynamic = row_.quant.find("UD-") != std::string::npos || row_.quant.find("_XL") != std::string::npos;
    if (!row_.types.empty() && !(knows_types_ && llamacpp::has_types(model_, row_.types))) {
      llamacpp::spread_types(model_, row_.types, row_.file_bytes.value_or(0));
      knows_types_ = false;
    } else if (row_.types.empty() && (dynamic || !knows_types_)) {
      if (!knows_types_ && row_.quant.empty()) llamacpp::apply_mix(model_, "Q4_K_M");
      knows_types_ = false;
    }
    scale_ = 1;
    if (row_.file_bytes && !knows_types_) scale_ = *row_.file_bytes / static_cast<double>(llamacpp::file_bytes(model_));
  }

  /// A layer's up-projections are two tensors, one, or all three: the number of tensors in the file tells.
  void choose_latent_form(std::string_view mix) {
    std::size_t stored = 0;
    for (const auto& [type, number] : row_.types) stored += type == FormatId::fp32 ? 0 : number;
    const FormatId matrices = mix == "BF16" ? FormatId::bf16 : FormatId::fp16;
    for (const llamacpp::LatentUp form :
         {llamacpp::LatentUp::apart, llamacpp::LatentUp::together, llamacpp::LatentUp::all}) {
      model_.latent_up = form;
      llamacpp::list_tensors(model_, matrices);
      const auto listed = std::count_if(model_.tensors.begin(), model_.tensors.end(),
                                        [&](const llamacpp::Tensor& one) { return one.type == matrices; });
      if (static_cast<std::size_t>(listed) == stored) return;
    }
    model_.latent_up = llamacpp::LatentUp::apart;
    llamacpp::list_tensors(model_, matrices);
  }

  /// One case; `of` picks the figure from a plan. The band covers all ways the row may have been set, and `margin`.
  template <class Of>
  void add(std::string_view quantity, std::string_view part, double reported, double margin, Of of) {
    Case made;
    made.id = row_.id;
    made.quantity = quantity;
    made.part = part;
    made.family = family_;
    made.complete = row_.is_complete_for(quantity);
    made.reported = reported;
    made.predicted = made.low = made.high = of(plans_.front());
    for (const Plan& other : plans_) {
      made.low = std::min(made.low, of(other));
      made.high = std::max(made.high, of(other));
    }
    made.low *= 1 - margin;
    made.high *= 1 + margin;
    // Logs print two digits behind the point.
    made.low -= 0.005 * kMiB;
    made.high += 0.005 * kMiB;
    outcome_.cases.push_back(std::move(made));
  }

  void caches() {
    if (row_.report.kv && !row_.unknown_cache_type && row_.context) {
      add("kv", "", *row_.report.kv, 0.001, [](const Plan& plan) { return static_cast<double>(plan.kv()); });
    }
    if (row_.report.recurrent && row_.is_llamacpp) {
      add("recurrent", "", *row_.report.recurrent, 0.001,
          [](const Plan& plan) { return static_cast<double>(plan.recurrent_bytes()); });
    }
  }

  void output() {
    if (row_.report.output)
      add("output", "", *row_.report.output, 0.01, [](const Plan& plan) { return static_cast<double>(plan.output); });
  }

  bool is_device(std::string_view buffer) const {
    if (buffer.find("Split") != std::string_view::npos) return true;
    const std::vector<std::string> order = device_order(row_.report);
    const auto found = std::find(order.begin(), order.end(), buffer.substr(0, buffer.find("_Mapped")));
    return found - order.begin() < guess_.likely.devices;
  }

  /// The GPUs together: how a model was shared out among them is rarely noted; and the host.
  void weights() {
    const double margin = knows_types_ && guess_.knows_placement ? 0.001 : 0.1;
    double on_devices = 0, on_host = 0;
    bool is_mapped = false;
    for (const BufferFigure& one : row_.report.device_weights) on_devices += is_device(one.name) ? one.bytes : 0;
    for (const BufferFigure& one : row_.report.host_weights) {
      on_host += one.bytes;
      is_mapped |= one.name.find("Mapped") != std::string::npos;
    }
    if (on_devices > 0) {
      add("weights", "devices", on_devices, margin, [&](const Plan& plan) {
        return scale_ *
               static_cast<double>(std::accumulate(plan.weights.begin(), plan.weights.end() - 1, std::uint64_t{0}));
      });
    }
    if (on_host > 0) {
      add("weights", "host", on_host, margin, [&](const Plan& plan) {
        return scale_ * static_cast<double>(is_mapped ? plan.mapped : plan.weights.back());
      });
    }
  }

  /// The largest buffer of a GPU, as that decides whether it fits; and the host's together.
  void compute() {
    const double margin = llamacpp::knows(model_.arch) ? 0.02 : 0.3;
    const BufferFigure* largest = nullptr;
    for (const BufferFigure& one : row_.report.compute) {
      if (is_device(one.name) && (largest == nullptr || one.bytes > largest->bytes)) largest = &one;
    }
    if (largest != nullptr) {
      add("compute", largest->name, largest->bytes, margin, [](const Plan& plan) {
        std::uint64_t most = 0;
        for (std::size_t i = 0; i + 1 < plan.compute.size(); ++i) most = std::max(most, plan.compute[i]);
        return static_cast<double>(most);
      });
    }
    double host = 0;
    for (const BufferFigure& one : row_.report.host_compute) host += one.bytes;
    if (host > 0)
      add("host_compute", "", host, margin,
          [](const Plan& plan) { return static_cast<double>(plan.compute.back()); });
  }

  void total() {
    if (!row_.report.total || guess_.likely.devices == 0 || !row_.context) return;
    const bool cuda = row_.api == llamacpp::Api::cuda, outside = row_.report.total_includes_context;
    const double n = guess_.likely.devices;
    const auto on_devices = [&](const Plan& plan) {
      double sum = 0;
      for (std::size_t i = 0; i + 1 < plan.weights.size(); ++i) {
        sum += static_cast<double>(plan.total_of(i)) + (scale_ - 1) * static_cast<double>(plan.weights[i]);
      }
      return sum + (outside ? n * (cuda ? kCudaContext : kOtherContext) : 0);
    };
    add("total", "", *row_.report.total, 0.02, on_devices);
    if (!outside) return;
    Case& made = outcome_.cases.back();
    made.low -= n * (cuda ? kCudaContext - kCudaContextLow : kOtherContext);
    made.high += n * (cuda ? kCudaContextHigh - kCudaContext : kOtherContextHigh);
  }

  const LlamaCppRow& row_;
  llamacpp::Model model_;
  const Library& library_;
  Outcome& outcome_;
  LlamaCppGuess guess_;
  std::vector<Plan> plans_;  ///< the likely one first
  std::string family_;
  bool knows_types_ = false;
  double scale_ = 1;  ///< size of the file by the log ÷ by our types
};

}  // namespace

void check_llamacpp_log(const Json& json, const Library& library, Outcome& outcome) {
  const auto row = llamacpp_row(json);
  if (!row) {
    outcome.skipped.push_back({"?", "incomplete_row", ""});
    return;
  }
  const auto skip = [&](std::string_view reason) { outcome.skipped.push_back({row->id, std::string(reason), ""}); };
  if (row->arch.empty() && row->model_key.empty()) return skip("no_model");
  const Model* known = library.model(row->model_key);
  if (known == nullptr) return skip("no_model");
  auto model = llamacpp::to_llamacpp(*known, row->arch);
  if (!model) return skip("no_arch");
  const std::size_t before = outcome.cases.size();
  LogChecker(*row, std::move(*model), library, outcome).run();
  if (outcome.cases.size() == before) skip("nothing_reported");
}

}  // namespace vram::check
