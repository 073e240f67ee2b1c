// The loader's own plans (llamacpp_oracle.jsonl): every setting is known, every figure is in bytes and must be met.
#include <algorithm>

#include "core/check/kinds.h"
#include "core/check/llamacpp_dims.h"
#include "core/check/llamacpp_row.h"
#include "core/plan/llamacpp/tensors.h"

namespace vram::check {
namespace {

constexpr std::int64_t kMost = 1 << 24;

std::uint32_t value(const Json& row, std::string_view key) {
  const auto found = integer(row, key);
  return found && *found > 0 && *found <= kMost ? static_cast<std::uint32_t>(*found) : 0;
}

/// "cuda x2" → 2, "cpu" → 0.
int device_count(std::string_view backend) {
  if (backend.substr(0, 3) == "cpu") return 0;
  const std::size_t at = backend.find(" x");
  const bool counted =
      at != std::string_view::npos && at + 2 < backend.size() && backend[at + 2] >= '1' && backend[at + 2] <= '9';
  return counted ? backend[at + 2] - '0' : 1;
}

std::string family(const llamacpp::Model& model, const llamacpp::Settings& settings) {
  std::string made = "llama.cpp plan/";
  if (settings.devices == 0) return made + "host";
  if (settings.devices > 1) return made + "several GPUs";
  if (settings.all_experts_on_host) return made + "experts on host";
  if (settings.gpu_layers >= 0) return made + "some layers";
  if (model.has_recurrent()) return made + "hybrid";
  return made + (model.experts > 0 ? "experts" : "dense");
}

class Writer {
 public:
  Writer(Outcome& outcome, const Json& row, std::string family)
      : outcome_(outcome),
        id_(text(row, "id").value_or("?")),
        family_(std::move(family)),
        complete_(boolean(row, "complete").value_or(true)) {}

  void add(std::string_view quantity, std::string_view part, std::optional<double> reported, std::uint64_t predicted) {
    if (!reported) return;
    Case made;
    made.id = id_;
    made.quantity = quantity;
    made.part = part;
    made.family = family_;
    made.complete = complete_;
    made.reported = *reported;
    made.predicted = static_cast<double>(predicted);
    const bool modelled = quantity == "compute" || quantity == "total";
    made.low = made.predicted * (modelled ? 0.98 : 1);
    made.high = made.predicted * (modelled ? 1.02 : 1);
    outcome_.cases.push_back(std::move(made));
  }

 private:
  Outcome& outcome_;
  std::string id_, family_;
  bool complete_;
};

std::optional<double> buffer(const Json& reported, std::string_view table, std::string_view name) {
  const Json* object = find(reported, table);
  return object == nullptr ? std::nullopt : number(*object, name);
}

/// The host's buffers together; nothing where the table does not exist.
std::optional<double> host(const Json& reported, std::string_view table) {
  const auto pinned = buffer(reported, table, "CUDA_Host"), plain = buffer(reported, table, "CPU");
  if (!pinned && !plain) return std::nullopt;
  return pinned.value_or(0) + plain.value_or(0);
}

std::optional<FormatId> cache_type(const Json& row, std::string_view key) {
  return ggml_type(text(row, key).value_or("f16"));
}

}  // namespace

void check_llamacpp_plan(const Json& row, const Library&, Outcome& outcome) {
  const std::string id = text(row, "id").value_or("?");
  const auto skip = [&](std::string_view reason) { outcome.skipped.push_back({id, std::string(reason), ""}); };
  const Json *dims = find(row, "dims"), *reported = find(row, "reported");
  const auto arch = text(row, "arch"), mix = text(row, "file_type");
  if (dims == nullptr || !dims->is_object() || reported == nullptr || !reported->is_object() || !arch || !mix)
    return skip("incomplete_row");
  if (!llamacpp::knows(*arch)) return skip("no_model");
  auto model = model_from_dims(*arch, *dims);
  if (!model) return skip("no_model");
  llamacpp::list_tensors(*model, *mix == "BF16" ? FormatId::bf16 : FormatId::fp16);
  if (!llamacpp::apply_mix(*model, *mix)) return skip("no_format");

  llamacpp::Settings settings;
  settings.devices = device_count(text(row, "backend").value_or("cpu"));
  settings.context = value(row, "n_ctx");
  settings.batch = value(row, "n_batch");
  settings.ubatch = value(row, "n_ubatch");
  settings.sequences = value(row, "n_seq_max");
  settings.outputs = value(row, "n_outputs_max");
  settings.draft_states = value(row, "n_rs_seq");
  settings.flash = text(row, "flash_attn").value_or("on") != "off";
  const auto type_k = cache_type(row, "type_k"), type_v = cache_type(row, "type_v");
  if (settings.context == 0 || settings.batch == 0 || settings.sequences > 256 || !type_k || !type_v)
    return skip("incomplete_row");
  settings.type_k = *type_k;
  settings.type_v = *type_v;
  settings.unified = boolean(row, "unified").value_or(false);
  settings.full_windows = boolean(row, "swa_full").value_or(false);
  settings.cache_on_device = boolean(row, "offload_kqv").value_or(true);
  settings.all_experts_on_host = boolean(row, "cpu_moe").value_or(false);
  const auto layers = integer(row, "n_gpu_layers");
  if (layers && *layers >= 0 && *layers < 4096) settings.gpu_layers = static_cast<int>(*layers);

  if (!boolean(row, "ok").value_or(true)) {  // llama.cpp refused: so must we
    return skip(llamacpp::refusal(*model, settings).empty() ? "refused_by_llamacpp_only" : "refused");
  }
  const llamacpp::Plan plan = llamacpp::plan(*model, settings);
  Writer writer(outcome, row, family(*model, settings));
  for (int device = 0; device < settings.devices; ++device) {
    const std::string name = "CUDA" + std::to_string(device);
    const std::size_t i = static_cast<std::size_t>(device);
    writer.add("weights", name, buffer(*reported, "model_by_buffer", name), plan.weights[i]);
    writer.add("compute", name, buffer(*reported, "compute_by_buffer", name), plan.compute[i]);
  }
  writer.add("weights", "host", host(*reported, "model_by_buffer"), plan.weights.back());
  writer.add("host_compute", "", number(*reported, "host_compute_bytes"), plan.compute.back());
  writer.add("kv", "", number(*reported, "kv_bytes"), plan.kv());
  const auto recurrent = number(*reported, "recurrent_bytes");
  if (recurrent && (*recurrent > 0 || model->has_recurrent()))
    writer.add("recurrent", "", recurrent, plan.recurrent_bytes());
  writer.add("output", "", number(*reported, "output_bytes"), plan.output);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < plan.weights.size(); ++i) total += plan.total_of(i);
  writer.add("total", "", number(*reported, "total"), total);
}

}  // namespace vram::check
