#include "core/check/training_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace vram::check {
namespace {

constexpr double kGiBd = 1073741824.0, kGBd = 1e9;
/// A length worked out from throughput this near to a power of two is the packed one.
constexpr double kPackedWithin = 0.02;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::vector<std::string> texts(const Json& object, std::string_view key) {
  std::vector<std::string> all;
  const Json* list = find(object, key);
  if (list == nullptr || !list->is_array()) return all;
  for (const Json& item : *list) {
    if (item.is_string()) all.push_back(item.get<std::string>());
  }
  return all;
}
bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::optional<int> small(const Json& object, std::string_view key) {
  const std::optional<std::int64_t> value = integer(object, key);
  if (!value || *value < 0 || *value > 1 << 30) return std::nullopt;
  return static_cast<int>(*value);
}

/// Frameworks by a word of the name the source gives them; the first that fits.
TrainingFramework framework_of(std::string_view name, bool on_megatron) {
  constexpr std::array<std::pair<std::string_view, TrainingFramework>, 19> words = {{
      {"fms-acceleration", TrainingFramework::fms},
      {"method_comparison", TrainingFramework::peft_script},
      {"fsdp_qlora", TrainingFramework::fsdp_qlora},
      {"Qwen finetune", TrainingFramework::qwen_finetune},
      {"Megatron-Bridge", TrainingFramework::megatron_bridge},
      {"Megatron", TrainingFramework::megatron},
      {"litgpt", TrainingFramework::litgpt},
      {"torchtune", TrainingFramework::torchtune},
      {"torchtitan", TrainingFramework::torchtitan},
      {"torchao", TrainingFramework::torchtune},
      {"axolotl", TrainingFramework::axolotl},
      {"nsloth", TrainingFramework::unsloth},
      {"LLaMA-Factory", TrainingFramework::llama_factory},
      {"LlamaFactory", TrainingFramework::llama_factory},
      {"GaLore", TrainingFramework::galore},
      {"verl", TrainingFramework::verl},
      {"TRL", TrainingFramework::trl},
      {"DeepSpeed", TrainingFramework::deepspeed},
      {"HF", TrainingFramework::huggingface},
  }};
  if (contains(name, "swift")) return on_megatron ? TrainingFramework::ms_swift_megatron : TrainingFramework::ms_swift;
  for (const auto& [word, framework] : words) {
    if (contains(name, word)) return framework;
  }
  return TrainingFramework::huggingface;
}

std::optional<FormatId> format_of(std::string_view word) {
  if (word == "bnb_nf4") return FormatId::nf4;
  if (word == "bnb_nf4_dq" || word == "ao_nf4") return FormatId::nf4_dq;  // torchao scales are quantised as well
  if (contains(word, "gptq_int4")) return FormatId::gptq_int4;
  if (contains(word, "awq_int4")) return FormatId::awq_int4;
  return find_format(word);
}
std::optional<FormatId> plain_format_in(std::string_view words) {
  for (const FormatId format : {FormatId::fp32, FormatId::bf16, FormatId::fp16}) {
    if (words.substr(0, 4) == storage_format(format).id) return format;
  }
  return std::nullopt;
}

void read_kernels(TrainingSettings& s, const std::vector<std::string>& kernels,
                  const std::optional<std::string>& compute) {
  TrainingKernels& k = s.kernels;
  k.fused_norm = has(kernels, "foak") || has(kernels, "unsloth");
  k.loss_in_place = k.fused_norm;
  k.liger = has(kernels, "liger");
  k.loss_from_hidden = has(kernels, "cce") || has(kernels, "chunked_ce");
  k.compile = has(kernels, "compile");
  k.padding_free = has(kernels, "padding_free") || has(kernels, "multipack");
  k.packing = has(kernels, "packing");
  k.expandable_segments = has(kernels, "expandable_segments");
  k.kbit_upcast = has(kernels, "baseline_peft_bnb");
  k.low_precision_compute =
      has(kernels, "float8") || (compute && *compute != "bf16" && *compute != "fp16" && *compute != "fp32");
}

void read_split(TrainingSettings& s, const Json& object) {
  const Json* split = find(object, "parallelism");
  if (split == nullptr || !split->is_object()) return;
  TrainingParallelism& p = s.split;
  const auto at_least_one = [&](std::string_view key) { return std::max(1, small(*split, key).value_or(1)); };
  p.data = at_least_one("dp");
  p.tensor = at_least_one("tp");
  p.pipeline = at_least_one("pp");
  p.context = at_least_one("cp");
  p.expert = at_least_one("ep");
  p.expert_tensor = at_least_one("etp");
  // Experts that are not told to be cut further are cut by tensor parallel, as Megatron does where devices suffice.
  if (!small(*split, "etp") && p.expert > 1) {
    p.expert_tensor = std::max(1, std::min(p.tensor, p.devices() / std::max(1, p.pipeline * p.expert)));
  }
  p.zero = static_cast<ZeroStage>(std::min(3, small(*split, "zero").value_or(0)));
  const std::string fsdp = text(*split, "fsdp").value_or("");
  if (fsdp == "full_shard") p.fsdp = Fsdp::full_shard;
  if (fsdp == "no_shard") p.fsdp = Fsdp::no_shard;
  if (fsdp == "shard_grad_op") p.fsdp = Fsdp::shard_grad_op;
  p.fsdp_version = std::max(1, small(*split, "fsdp_version").value_or(1));
  p.sequence = boolean(*split, "sp").value_or(false);
  p.virtual_stages = at_least_one("vpp");
  if (contains(text(*split, "schedule").value_or(""), "interleaved")) p.schedule = PipelineSchedule::interleaved;
  const std::vector<std::string> offload = texts(*split, "offload");
  p.offload_optimizer = has(offload, "optimizer");
  p.offload_parameters = has(offload, "param");
}

void read_adapters(TrainingSettings& s, const Json& object) {
  s.adapters.rank = small(object, "lora_rank");
  s.adapters.targets = texts(object, "lora_targets");
  for (const std::string& module : texts(object, "modules_to_save")) {
    s.adapters.modules_to_save.push_back(module == "lm_head" ? "lm_head" : "embedding");
  }
}

/// A length that follows from throughput is a mean: that of packed sequences is their length, any other one hides
/// longer batches.
void read_length(TrainingSettings& s, const Json& object) {
  s.sequence = small(object, "seq_len");
  if (!s.sequence || *s.sequence == 0) {
    s.sequence.reset();
    return;
  }
  if (boolean(object, "seq_len_nominal").value_or(false)) s.length_is = LengthIs::limit;
  if (!has(texts(object, "inferred"), "seq_len")) return;
  const double packed = std::pow(2.0, std::round(std::log2(static_cast<double>(*s.sequence))));
  if (std::fabs(*s.sequence / packed - 1) <= kPackedWithin)
    s.sequence = static_cast<int>(packed);
  else if (s.length_is == LengthIs::exact)
    s.length_is = LengthIs::mean;
}

void read_report(TrainingReport& report, const Json& object) {
  const Json* reported = find(object, "reported");
  if (reported == nullptr || !reported->is_object()) return;
  const auto gib = [&](std::string_view key) -> std::optional<double> {
    const std::optional<double> value = number(*reported, key);
    if (!value || !(*value > 0)) return std::nullopt;
    return *value * kGiBd;
  };
  report.oom = boolean(*reported, "oom");
  if (report.oom.value_or(false)) return;  // the other figures are what had been reached
  report.steady = gib("steady_allocated_gib");
  if (!report.steady) report.steady = gib("model_states_gib");
  report.peak = gib("peak_allocated_gib");
  if (!report.peak) report.peak = gib("peak_active_gib");
  report.reserved = gib("peak_reserved_gib");
  report.smi = gib("nvidia_smi_gib");
  if (!report.smi) {
    const std::optional<double> peak = number(*reported, "device_peak_as_reported");
    const std::string unit = text(*reported, "device_peak_unit").value_or("");
    // "G" without more is decimal: 81.0 of them were seen on a card whose programs see 79.2 GiB.
    if (peak && *peak > 0 && !contains(unit, "sum")) report.smi = *peak * (unit == "GiB" ? kGiBd : kGBd);
  }
}

}  // namespace

bool TrainingRow::is_complete_for(std::string_view quantity) const { return has(complete_for, quantity); }

Result<TrainingRow> training_row(const Json& object) {
  TrainingRow row;
  row.id = text(object, "id").value_or("");
  if (row.id.empty()) return Message("training.no_id");
  row.model_key = text(object, "model_key").value_or("");
  row.hardware_id = text(object, "hardware_id").value_or("");
  row.framework = text(object, "framework").value_or("");
  row.is_job = text(object, "kind").value_or("") == "job";
  row.measured = text(object, "evidence").value_or("") == "measured";
  row.complete = boolean(object, "complete").value_or(false);
  row.complete_for = texts(object, "complete_for");

  TrainingSettings& s = row.settings;
  read_split(s, object);
  const bool distributed_optimizer = boolean(object, "distributed_optimizer").value_or(false);
  s.framework = framework_of(row.framework,
                             distributed_optimizer || s.split.tensor > 1 || s.split.pipeline > 1 || s.split.expert > 1);
  const auto method = find_training_method(text(object, "method").value_or(""));
  row.known_method = method.has_value();
  s.method = method.value_or(TrainingMethod::full);
  s.objective = find_training_objective(text(object, "objective").value_or("")).value_or(TrainingObjective::sft);
  s.optimizer = find_training_optimizer(text(object, "optimizer").value_or("")).value_or(TrainingOptimizer::adamw);
  s.optimizer_in_backward = boolean(object, "optimizer_in_backward").value_or(false);
  if (contains(text(object, "optimizer_as_stated").value_or(""), "fused")) s.kernels.fused_optimizer = true;
  const std::string weights = text(object, "weights_format").value_or("");
  s.weights = format_of(weights);
  if (!s.weights && s.method == TrainingMethod::qlora) s.weights = FormatId::nf4_dq;
  s.compute = plain_format_in(text(object, "compute_format").value_or(""));
  s.gradients = plain_format_in(text(object, "gradient_dtype").value_or(""));
  s.master_weights = boolean(object, "master_weights");
  const std::string states = text(object, "optimizer_state_dtype").value_or("");
  s.optimizer_states = plain_format_in(states);
  s.recompute = find_recompute(text(object, "grad_checkpointing").value_or(""));
  s.attention = find_attention_kernel(text(object, "attention_impl").value_or(""));
  const bool fused = s.kernels.fused_optimizer;
  read_kernels(s, texts(object, "kernels"), text(object, "compute_format"));
  s.kernels.fused_optimizer = fused;
  s.micro_batch = small(object, "micro_batch");
  if (s.micro_batch && *s.micro_batch == 0) s.micro_batch.reset();
  read_length(s, object);
  // ms-swift's scripts state max_length; only packed samples, or a single one, are sure to be as long.
  const bool swift = s.framework == TrainingFramework::ms_swift || s.framework == TrainingFramework::ms_swift_megatron;
  if (swift && !s.kernels.packing && s.split.context == 1 && s.micro_batch.value_or(1) > 1)
    s.length_is = LengthIs::limit;
  read_adapters(s, object);
  read_report(row.report, object);
  return row;
}

}  // namespace vram::check
