#include "core/plan/training/entries.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vram {
namespace {

constexpr std::array<std::string_view, 4> kShards = {"no", "zero1", "zero2", "zero3"};

int degree(std::int64_t wanted, int devices) {
  return std::max(1, std::min(static_cast<int>(wanted), devices));
}

void set_shards(TrainingSettings& settings, std::string_view shard) {
  TrainingParallelism& split = settings.split;
  split.zero = ZeroStage::none;
  split.fsdp = Fsdp::none;
  if (split.data <= 1) return;
  if (shard == "zero1") split.zero = ZeroStage::one;
  if (shard == "zero2") split.zero = ZeroStage::two;
  if (shard == "zero3") split.zero = ZeroStage::three;
  if (shard == "fsdp") split.fsdp = Fsdp::full_shard;
}

void set_precision(TrainingSettings& settings, const Scenario& scenario) {
  if (settings.method == TrainingMethod::qlora) settings.weights = FormatId::nf4;
  else if (scenario.precision == "fp32") settings.weights = FormatId::fp32;
  else settings.weights = FormatId::bf16;
  if (scenario.precision != "mixed") return;
  settings.compute = FormatId::bf16;
  if (is_megatron(settings.framework) || settings.framework == TrainingFramework::deepspeed) {
    settings.master_weights = true;
  } else if (settings.method == TrainingMethod::full) {
    settings.weights = FormatId::fp32;  // torch autocast: weights stay in fp32, products are computed in sixteen bits
  }
}

void set_adapters(TrainingSettings& settings, const Scenario& scenario) {
  if (!trains_adapters(settings.method)) return;
  settings.adapters.rank = static_cast<int>(scenario.rank);
  settings.adapters.targets = {"q", "v"};
  if (scenario.targets != "qv") settings.adapters.targets = {"q", "k", "v", "o"};
  if (scenario.targets == "all") {
    for (const char* target : {"gate", "up", "down"}) settings.adapters.targets.emplace_back(target);
  }
}

/// Entries of a phase on the devices of one stage.
void add_phase(Plan& plan, const TrainingPlan& job, int first, int last) {
  for (const TrainingEntry& one : job.entries) {
    if (one.phase != job.fullest || one.likely == Bytes(0)) continue;
    plan.ledger.push_back({.device = first, .last = last, .term = one.term, .certainty = one.certainty,
                           .low = one.low, .likely = one.likely, .high = one.high, .derivation = one.derivation});
  }
  for (const TrainingEntry& one : job.outside) {
    if (one.term != Term::runtime) continue;
    plan.ledger.push_back({.device = first, .last = last, .term = one.term, .certainty = one.certainty,
                           .low = one.low, .likely = one.likely, .high = one.high, .derivation = one.derivation});
  }
  // What a run that succeeds needs besides: holes that nothing fits into. More is kept, and given back before it fails.
  Bytes counted;
  for (const Entry& entry : plan.ledger) {
    if (entry.device == first && entry.last == last) counted += entry.likely;
  }
  const Bytes lost = job.needed - counted;
  if (lost == Bytes(0)) return;
  plan.ledger.push_back({.device = first, .last = last, .term = Term::fragments, .certainty = Certainty::assumed,
                         .low = Bytes(0), .likely = lost, .high = lost,
                         .derivation = {"training_lost",
                                        {{"lost", static_cast<double>(lost.value()), ValueUnit::bytes}}}});
}

}  // namespace

TrainingSettings training_settings(const Inputs& inputs, int devices) {
  const Scenario& scenario = inputs.scenario;
  TrainingSettings settings;
  settings.framework = find_training_framework(scenario.framework).value_or(TrainingFramework::huggingface);
  settings.era = Era::current;
  if (scenario.task == "tune") {
    settings.method = find_training_method(scenario.method).value_or(TrainingMethod::lora);
  }
  settings.objective = find_training_objective(scenario.objective).value_or(TrainingObjective::sft);
  settings.optimizer = find_training_optimizer(scenario.optimizer).value_or(TrainingOptimizer::adamw);
  set_precision(settings, scenario);
  set_adapters(settings, scenario);
  settings.recompute = find_recompute(scenario.recompute).value_or(Recompute::full);
  settings.attention = find_attention_kernel(scenario.attention).value_or(AttentionKernel::flash_attention);
  settings.kernels.loss_from_hidden = scenario.fused != "no";
  settings.kernels.liger = scenario.fused == "all";
  settings.kernels.expandable_segments = scenario.segments == "growing";
  settings.micro_batch = static_cast<int>(scenario.micro_batch);
  settings.sequence = static_cast<int>(scenario.sequence);
  settings.accumulation = static_cast<int>(scenario.accumulation);
  settings.gpus_per_node = static_cast<int>(inputs.accelerator.per_node.value_or(8));

  TrainingParallelism& split = settings.split;
  split.tensor = degree(scenario.train_tensor, devices);
  split.pipeline = degree(scenario.train_pipeline, devices / split.tensor);
  split.context = degree(scenario.train_context, devices / (split.tensor * split.pipeline));
  split.data = std::max(1, devices / (split.tensor * split.pipeline * split.context));
  split.expert = degree(scenario.train_expert, devices);
  split.sequence = split.tensor > 1 && is_megatron(settings.framework);
  split.offload_optimizer = scenario.states_to != "device";
  split.offload_parameters = scenario.states_to == "all_host" || scenario.states_to == "disk";
  split.offload_to_disk = scenario.states_to == "disk";
  if (scenario.shard != "auto") {
    set_shards(settings, scenario.shard);
    return settings;
  }
  // Sharding costs exchange: as little of it as fits, and everything when nothing does.
  const Bytes usable = inputs.accelerator.usable();
  for (const std::string_view shard : kShards) {
    set_shards(settings, shard);
    if (split.data <= 1 || plan_training(inputs.models.front(), settings, usable).needed <= usable) break;
  }
  return settings;
}

void add_training(Plan& plan, const Inputs& inputs) {
  const Model& model = inputs.models.front();
  const TrainingSettings settings = training_settings(inputs, plan.devices);
  Placed placed;
  placed.devices = plan.devices;
  placed.split.tensor_parallel = settings.split.tensor;
  placed.split.pipeline_parallel = settings.split.pipeline;
  placed.split.replicas = settings.split.data * settings.split.context;
  plan.placed.push_back(placed);

  const int stages = std::max(1, settings.split.pipeline), a_stage = std::max(1, placed.split.used() / stages);
  TrainingPlan fullest;
  for (int stage = 0; stage < stages; ++stage) {
    TrainingPlan job = plan_training_stage(model, settings, plan.usable(0), stage);
    add_phase(plan, job, stage * a_stage, (stage + 1) * a_stage - 1);
    if (stage == 0 || job.needed > fullest.needed) fullest = std::move(job);
  }
  for (const TrainingEntry& one : fullest.host) {
    plan.ledger.push_back({.device = kHost, .last = kHost, .term = one.term, .certainty = one.certainty,
                           .low = one.low, .likely = one.likely, .high = one.high, .derivation = one.derivation});
  }
  for (const Message& note : fullest.notes) plan.notes.push_back(note);
  plan.training = std::move(fullest);
}

}  // namespace vram
