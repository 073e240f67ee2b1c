// What starts a training job: the launcher, and the settings that decide its memory.
#include <algorithm>
#include <utility>

#include "core/plan/training/entries.h"
#include "core/report/command_line.h"

namespace vram {
namespace {

/// transformers, training_args.py: OptimizerNames. "" = it has none of that kind.
std::string_view optimizer_name(std::string_view optimizer) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"adamw", "adamw_torch"},          {"adamw_8bit", "adamw_bnb_8bit"}, {"adamw_4bit", "adamw_torch_4bit"},
      {"paged_adamw", "paged_adamw_32bit"}, {"paged_adamw_8bit", "paged_adamw_8bit"}, {"sgd", "sgd"},
      {"lion", "lion_32bit"},            {"adafactor", "adafactor"},       {"galore_adamw", "galore_adamw"}};
  for (const auto& [key, name] : kNames) {
    if (key == optimizer) return name;
  }
  return "";
}

std::string_view attention_name(AttentionKernel kernel) {
  if (kernel == AttentionKernel::eager) return "eager";
  return kernel == AttentionKernel::sdpa ? "sdpa" : "flash_attention_2";
}

int nodes_of(const TrainingSettings& settings) {
  const int a_node = std::max(1, settings.gpus_per_node);
  return (settings.split.devices() + a_node - 1) / a_node;
}

void add_division(CommandLine& line, const TrainingParallelism& split) {
  if (split.fsdp != Fsdp::none) {
    line.word("--use_fsdp").flag("--fsdp_sharding_strategy", "FULL_SHARD");
  } else if (split.zero != ZeroStage::none) {
    line.word("--use_deepspeed").flag("--zero_stage", static_cast<std::int64_t>(split.zero));
    const std::string_view where = split.offload_to_disk ? "nvme" : "cpu";
    if (split.offload_optimizer) line.flag("--offload_optimizer_device", where);
    if (split.offload_parameters) line.flag("--offload_param_device", where);
  }
}

std::string target_list(const AdapterSettings& adapters) {
  std::string list;
  for (const std::string& target : adapters.targets) list += (list.empty() ? "" : " ") + target + "_proj";
  return list;
}

/// Hugging Face Trainer and TRL take the same arguments.
std::string accelerate_command(const Inputs& inputs, const TrainingSettings& settings) {
  const Scenario& scenario = inputs.scenario;
  const std::string segments = settings.kernels.expandable_segments
                                   ? "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
                                   : "";
  CommandLine line(segments + "accelerate launch");
  line.flag("--num_processes", settings.split.devices());
  line.unless(1, "--num_machines", nodes_of(settings));
  add_division(line, settings.split);
  if (settings.framework == TrainingFramework::trl) line.flag("-m", "trl.scripts.sft");
  else line.word("train.py");
  line.flag("--model_name_or_path", model_word(scenario.deployments.front()));
  line.when(scenario.precision != "fp32", "--bf16");
  line.flag("--per_device_train_batch_size", scenario.micro_batch);
  line.flag("--gradient_accumulation_steps", scenario.accumulation).flag("--max_length", scenario.sequence);
  const std::string_view optimizer = optimizer_name(scenario.optimizer);
  if (!optimizer.empty()) line.flag("--optim", optimizer);
  line.when(settings.recompute != Recompute::none, "--gradient_checkpointing");
  if (settings.attention) line.flag("--attn_implementation", attention_name(*settings.attention));
  line.when(settings.kernels.loss_from_hidden || settings.kernels.liger, "--use_liger_kernel");
  if (trains_adapters(settings.method)) {
    line.word("--use_peft").flag("--lora_r", scenario.rank);
    std::string targets = target_list(settings.adapters);
    if (scenario.targets == "all") targets = "all-linear";
    line.word("--lora_target_modules");
    for (std::size_t at = 0; at < targets.size();) {
      const std::size_t space = std::min(targets.find(' ', at), targets.size());
      line.word(targets.substr(at, space - at));
      at = space + 1;
    }
    line.when(settings.method == TrainingMethod::dora, "--use_dora");
    line.when(settings.method == TrainingMethod::qlora, "--load_in_4bit");
  }
  return std::move(line).text();
}

/// Megatron-LM, megatron/training/arguments.py.
std::string megatron_command(const Inputs& inputs, const TrainingSettings& settings) {
  const Scenario& scenario = inputs.scenario;
  const TrainingParallelism& split = settings.split;
  CommandLine line("torchrun");
  line.unless(1, "--nnodes", nodes_of(settings));
  line.flag("--nproc_per_node", std::min(split.devices(), std::max(1, settings.gpus_per_node)));
  line.word("pretrain_gpt.py").flag("--tensor-model-parallel-size", split.tensor);
  line.flag("--pipeline-model-parallel-size", split.pipeline);
  line.unless(1, "--context-parallel-size", split.context).unless(1, "--expert-model-parallel-size", split.expert);
  line.when(split.sequence, "--sequence-parallel");
  line.flag("--seq-length", scenario.sequence).flag("--micro-batch-size", scenario.micro_batch);
  line.flag("--global-batch-size", scenario.micro_batch * scenario.accumulation * split.data);
  line.when(scenario.precision != "fp32", "--bf16").when(split.zero != ZeroStage::none, "--use-distributed-optimizer");
  if (settings.recompute == Recompute::full) {
    line.flag("--recompute-granularity", "full").flag("--recompute-method", "uniform");
    line.flag("--recompute-num-layers", 1);
  }
  line.when(settings.recompute == Recompute::selective, "--recompute-activations");
  return std::move(line).text();
}

}  // namespace

StartUp training_start_up(const Inputs& inputs, const Plan& plan) {
  StartUp start;
  const TrainingSettings settings = training_settings(inputs, plan.devices);
  const bool trainer = settings.framework == TrainingFramework::huggingface ||
                       settings.framework == TrainingFramework::trl ||
                       settings.framework == TrainingFramework::deepspeed;
  const bool sft = settings.objective == TrainingObjective::sft || settings.objective == TrainingObjective::pretrain;
  if (settings.framework == TrainingFramework::megatron) start.lines = {megatron_command(inputs, settings)};
  else if (trainer && sft) start.lines = {accelerate_command(inputs, settings)};
  if (!start.lines.empty()) start.notes.emplace_back("command.training_is_short");
  return start;
}

}  // namespace vram
