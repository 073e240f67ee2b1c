// llama.cpp, ik_llama.cpp, Ollama and LM Studio: what starts a plan, and their lines of buffers.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/plan/llamacpp/entries.h"
#include "core/plan/shares.h"
#include "core/report/command_line.h"

namespace vram {
namespace {

/// "Llama-3.1-8B-Instruct-Q4_K_M.gguf": how such files are usually called.
std::string gguf_name(const Deployment& deployment) {
  std::string name = model_word(deployment);
  name = name.substr(name.rfind('/') + 1);
  const std::string_view mix = mix_of(deployment.weights);
  return name + "-" + (mix.empty() ? "BF16" : std::string(mix)) + ".gguf";
}

std::string_view cache_type(FormatId format) {
  if (format == FormatId::fp32) return "f32";
  if (format == FormatId::bf16) return "bf16";
  if (format == FormatId::q8_0) return "q8_0";
  return format == FormatId::q4_0 ? "q4_0" : "f16";
}

int devices_of_copy(const Placed& placed) { return placed.split.tensor_parallel * placed.split.pipeline_parallel; }

/// Layers and the output layer that stay on the GPUs.
std::int64_t gpu_layers(const Model& model, const Placed& placed) {
  return static_cast<std::int64_t>(model.dims.num_hidden_layers) + 1 - placed.layers_on_host;
}

/// Layers that have experts, ascending.
std::vector<int> expert_layers(const Model& model) {
  std::vector<int> layers;
  for (int il = 0; il < static_cast<int>(model.dims.num_hidden_layers); ++il) {
    const bool has = std::any_of(model.tensors.begin(), model.tensors.end(), [&](const Tensor& tensor) {
      return tensor.role == Role::expert_down && tensor.part == Part::text && tensor.layer_set != kNoLayer &&
             layers_between(model.layer_sets[static_cast<std::size_t>(tensor.layer_set)], il, il + 1) > 0;
    });
    if (has) layers.push_back(il);
  }
  return layers;
}

/// Experts in host memory. --n-cpu-moe N means those of layers 0 … N − 1; with several GPUs each keeps what fits on it,
/// and the layers in host memory lie apart: a pattern names them, with the words of --n-cpu-moe itself (llama.cpp,
/// common.h: LLM_FFN_EXPS_REGEX).
void move_experts(CommandLine& line, const Model& model, const std::vector<int>& on_host) {
  if (on_host.empty()) return;
  const std::vector<int> all = expert_layers(model);
  if (on_host.size() >= all.size()) {
    line.word("--cpu-moe");
  } else if (std::equal(on_host.begin(), on_host.end(), all.begin())) {
    line.flag("--n-cpu-moe", std::int64_t{on_host.back() + 1});
  } else {
    std::string layers;
    for (const int il : on_host) layers += (layers.empty() ? "" : "|") + std::to_string(il);
    line.flag("-ot", "blk\\.(" + layers + ")\\.ffn_(up|down|gate|gate_up)_(ch|)exps=CPU");
  }
}

std::string server_command(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  const Model& model = inputs.models[i];
  const llamacpp::Settings settings = llamacpp_settings(deployment, placed);
  const bool ik = placed.engine == EngineId::ik_llama_cpp;
  CommandLine line(visible_devices(inputs, plan, placed, devices_of_copy(placed)) + "llama-server");
  line.flag("-m", gguf_name(deployment));
  line.flag("-c", settings.context).flag("-np", settings.sequences).flag("-ngl", gpu_layers(model, placed));
  move_experts(line, model, placed.host_experts);
  line.when(placed.cache_on_host, "-nkvo");
  line.word("-fa").when(!ik, "on");
  if (settings.type_k != FormatId::fp16) line.flag("-ctk", cache_type(settings.type_k));
  if (settings.type_v != FormatId::fp16) line.flag("-ctv", cache_type(settings.type_v));
  if (deployment.batch_tokens > 0) line.flag("-b", settings.batch).flag("-ub", settings.ubatch);
  if (ik && model.dims.kv_lora_rank > 0) line.flag("-mla", settings.latent_mode);
  line.when(ik && model.dims.num_experts > 0, "-fmoe");
  line.unless(8080, "--port", 8080 + static_cast<std::int64_t>(i));
  return std::move(line).text();
}

std::vector<std::string> ollama_commands(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  const llamacpp::Settings settings = llamacpp_settings(deployment, placed);
  std::string serve = visible_devices(inputs, plan, placed, devices_of_copy(placed));
  serve += "OLLAMA_CONTEXT_LENGTH=" + std::to_string(deployment.context);
  serve += " OLLAMA_NUM_PARALLEL=" + std::to_string(settings.sequences) + " OLLAMA_FLASH_ATTENTION=1";
  if (settings.type_k == FormatId::q8_0 || settings.type_k == FormatId::q4_0) {
    serve += " OLLAMA_KV_CACHE_TYPE=" + std::string(cache_type(settings.type_k));
  }
  if (settings.devices > 1) serve += " OLLAMA_SCHED_SPREAD=1";
  std::vector<std::string> lines = {serve + " ollama serve"};
  std::string file = "FROM ./" + gguf_name(deployment) + "\n";
  if (placed.layers_on_host > 0) {
    file += "PARAMETER num_gpu " + std::to_string(gpu_layers(inputs.models[i], placed)) + "\n";
  }
  lines.push_back(file_line(file, "Modelfile"));
  lines.emplace_back("ollama create my-model -f Modelfile");
  lines.emplace_back("ollama run my-model");
  return lines;
}

std::vector<std::string> lm_studio_commands(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Deployment& deployment = inputs.scenario.deployments[i];
  const Placed& placed = plan.placed[i];
  const auto all = static_cast<double>(inputs.models[i].dims.num_hidden_layers + 1);
  const double share = static_cast<double>(gpu_layers(inputs.models[i], placed)) / all;
  CommandLine import("lms import");
  import.word("./" + gguf_name(deployment));
  CommandLine load("lms load");
  load.flag("--context-length", deployment.context);
  load.flag("--gpu", placed.layers_on_host > 0 ? share_text(share) : "max");
  return {std::move(import).text(), std::move(load).text(), "lms server start"};
}

std::string buffer_line(std::string_view who, const std::string& device, std::string_view what, Bytes bytes) {
  char text[160];
  const double mib = static_cast<double>(bytes.value()) / static_cast<double>(kMiB.value());
  std::snprintf(text, sizeof text, "%.*s: %10s %.*s buffer size = %8.2f MiB", static_cast<int>(who.size()), who.data(),
                device.c_str(), static_cast<int>(what.size()), what.data(), mib);
  return text;
}

std::vector<std::string> buffer_lines(const Inputs& inputs, const Plan& plan, std::size_t i) {
  const Placed& placed = plan.placed[i];
  const std::string api = inputs.accelerator.vendor == "AMD" ? "ROCm" : "CUDA";
  struct Buffer {
    Term term;
    std::string_view who, what, on_host;
  };
  constexpr Buffer kBuffers[] = {{Term::weights, "load_tensors", "model", "CPU_Mapped"},
                                 {Term::kv_cache, "llama_kv_cache", "KV", "CPU"},
                                 {Term::state, "llama_memory_recurrent", "RS", "CPU"},
                                 {Term::output, "llama_context", "output", "_Host"},
                                 {Term::activations, "llama_context", "compute", "_Host"}};
  std::vector<std::string> lines;
  for (const Buffer& buffer : kBuffers) {
    for (int device = kHost; device < devices_of_copy(placed); ++device) {
      const int where = device == kHost ? kHost : placed.first + device;
      Bytes bytes;
      for (const Entry& entry : plan.ledger) {
        const bool mine = entry.deployment == static_cast<int>(i) && entry.term == buffer.term;
        if (mine && entry.on(where)) bytes += entry.likely;
      }
      if (device == kHost) bytes = bytes_from(static_cast<double>(bytes.value()) / std::max(1, placed.split.replicas));
      const std::string host = (buffer.on_host.front() == '_' ? api : "") + std::string(buffer.on_host);
      const std::string name = device == kHost ? host : api + std::to_string(device);
      if (bytes > Bytes(0)) lines.push_back(buffer_line(buffer.who, name, buffer.what, bytes));
    }
  }
  return lines;
}

}  // namespace

StartUp llamacpp_start_up(const Inputs& inputs, const Plan& plan, std::size_t deployment) {
  const Placed& placed = plan.placed[deployment];
  const Deployment& used = inputs.scenario.deployments[deployment];
  StartUp start;
  if (placed.engine == EngineId::ollama) start.lines = ollama_commands(inputs, plan, deployment);
  else if (placed.engine == EngineId::lm_studio) start.lines = lm_studio_commands(inputs, plan, deployment);
  else start.lines = {server_command(inputs, plan, deployment)};
  start.notes.push_back(Message("command.needs_gguf").with("file", gguf_name(used)));
  if (placed.engine == EngineId::lm_studio) {
    start.notes.push_back(Message("command.lm_studio_settings").with("users", used.users));
  }
  if (placed.split.replicas > 1) {
    start.notes.push_back(Message("command.each_copy").with("copies", std::int64_t{placed.split.replicas}));
  }
  start.log = buffer_lines(inputs, plan, deployment);
  return start;
}

}  // namespace vram
