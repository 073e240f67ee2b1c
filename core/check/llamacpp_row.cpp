#include "core/check/llamacpp_row.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/check/card_name.h"

namespace vram::check {
namespace {

constexpr double kMiB = 1024.0 * 1024.0, kGiB = 1024.0 * kMiB;
constexpr std::size_t kMostBuffers = 256;
constexpr std::int64_t kMost = 1 << 28;

std::optional<std::uint32_t> count(const Json& row, std::string_view key) {
  const auto value = integer(row, key);
  if (!value || *value < 0 || *value > kMost) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::optional<double> positive(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return number >= 0 && number < 1e12 ? std::optional<double>(number) : std::nullopt;
}

std::vector<BufferFigure> buffers(const Json& reported, std::string_view key) {
  std::vector<BufferFigure> made;
  const Json* object = find(reported, key);
  if (object == nullptr || !object->is_object()) return made;
  for (const auto& [name, value] : object->items()) {
    if (made.size() == kMostBuffers) break;
    if (const auto mib = positive(value)) made.push_back({name, *mib * kMiB});
  }
  return made;
}

std::optional<double> sum(const std::vector<BufferFigure>& all) {
  if (all.empty()) return std::nullopt;
  double bytes = 0;
  for (const BufferFigure& one : all) bytes += one.bytes;
  return bytes;
}

/// Buffers of repacked copies are not the loader's plain placement.
void drop_repacked(std::vector<BufferFigure>& all) {
  const auto is_copy = [](const BufferFigure& one) {
    return contains(one.name, "REPACK") || contains(one.name, "AARCH64");
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_copy), all.end());
}

/// Matrices split by rows (-sm row) lie on all GPUs together, in one buffer that no single device names.
bool is_split(const BufferFigure& one) { return contains(one.name, "Split"); }

LlamaCppReport report_of(const Json& reported) {
  LlamaCppReport made;
  made.device_weights = buffers(reported, "cuda_model_buffer_mib");
  made.host_weights = buffers(reported, "cpu_model_buffer_mib");
  const auto split = std::stable_partition(made.host_weights.begin(), made.host_weights.end(),
                                           [](const BufferFigure& one) { return !is_split(one); });
  made.device_weights.insert(made.device_weights.end(), split, made.host_weights.end());
  made.host_weights.erase(split, made.host_weights.end());
  drop_repacked(made.device_weights);
  drop_repacked(made.host_weights);
  made.compute = buffers(reported, "compute_buffer_mib");
  made.host_compute = buffers(reported, "host_compute_mib");
  const auto mib = [&](std::string_view key) -> std::optional<double> {
    const Json* value = find(reported, key);
    if (value == nullptr) return std::nullopt;
    const auto number = positive(*value);
    return number ? std::optional<double>(*number * kMiB) : std::nullopt;
  };
  made.kv = mib("kv_mib");
  if (!made.kv && find(reported, "kv_mib_nonswa") == nullptr) made.kv = sum(buffers(reported, "kv_mib_per_device"));
  made.recurrent = mib("recurrent_state_mib");
  if (const Json* output = find(reported, "output_buffer_mib")) {
    made.output = output->is_object() ? sum(buffers(reported, "output_buffer_mib")) : mib("output_buffer_mib");
  }
  for (const std::string_view key : {"device_total_mib", "vram_mib"}) {
    if (!made.total) made.total = mib(key);
  }
  if (made.total) return made;
  for (const std::string_view key : {"device_memory_held_mib", "nvidia_smi_process_mib", "nvidia_smi_after_load_mib",
                                     "nvidia_smi_mib", "nvidia_smi_peak_mib", "nvidia_smi_total_mib"}) {
    if (!made.total) made.total = mib(key);
  }
  for (const std::string_view key : {"total_gib", "device_memory_held_gb", "total_gb"}) {
    const Json* value = find(reported, key);
    if (made.total || value == nullptr) continue;
    if (const auto number = positive(*value)) made.total = *number * (contains(key, "gib") ? kGiB : 1e9);
  }
  made.total_includes_context = made.total.has_value();
  return made;
}

/// Devices whose buffers the log names, each once: "CUDA0", "MTL0", "RPC[0]".
std::vector<std::string> device_names(const LlamaCppReport& report, const Json& reported) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<BufferFigure>& all) {
    for (const BufferFigure& one : all) {
      std::string name = one.name.substr(0, one.name.find("_Mapped"));
      if (name.substr(0, 3) == "CPU" || contains(name, "Host") || contains(name, "Meta") || is_split(one)) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  };
  add(report.device_weights);
  if (names.empty()) add(report.compute);
  if (names.empty()) add(buffers(reported, "kv_mib_per_device"));
  return names;
}

llamacpp::Api api_of(std::string_view names) {
  if (contains(names, "vulkan")) return llamacpp::Api::vulkan;
  if (contains(names, "metal") || contains(names, "mtl") || contains(names, "apple")) return llamacpp::Api::metal;
  if (contains(names, "sycl")) return llamacpp::Api::sycl;
  if (contains(names, "rpc") || contains(names, "htp")) return llamacpp::Api::other;
  return llamacpp::Api::cuda;
}

void read_engine(LlamaCppRow& row, const Json& object) {
  const std::string engine = text(object, "engine").value_or("llama.cpp"), words = lower(engine);
  if (contains(words, "ik_llama"))
    row.program = llamacpp::Program::ik_llama_cpp;
  else if (contains(words, "ollama"))
    row.program = llamacpp::Program::ollama;
  else if (contains(words, "lm studio"))
    row.program = llamacpp::Program::lm_studio;
  else if (!contains(words, "llama") || contains(words, "exllama") || contains(words, "not llama.cpp"))
    row.is_llamacpp = false;
  if (const auto version = text(object, "version")) row.build = llamacpp::build_of(row.program, *version);
  if (!row.build) row.build = llamacpp::build_of(row.program, engine);
  // llamafile carries a llama.cpp of mid-2024.
  if (!row.build && contains(words, "llamafile")) row.build = llamacpp::build_of_month(2024, 7);
}

void read_devices(LlamaCppRow& row, const Json& object, const Json& reported) {
  const std::vector<std::string> names = device_names(row.report, reported);
  std::string words;
  for (const std::string& name : names) words += lower(name) + " ";
  const Json* gpus = find(object, "gpus");
  std::size_t listed = 0;
  if (gpus != nullptr && gpus->is_array()) {
    for (const Json& one : *gpus) {
      if (!one.is_string() || ++listed > kMostBuffers) continue;
      words += lower(one.get_ref<const std::string&>()) + " ";
      row.printed_memory.push_back(memory_in_name(one.get_ref<const std::string&>()));
    }
  }
  // A log that names no GPU, neither by a card nor by a buffer, is of a run on the CPU.
  const bool on_host = !row.report.host_weights.empty() && names.empty() && listed == 0;
  if (on_host) row.gpu_layers = 0;
  row.api = api_of(words + lower(text(object, "engine").value_or("")));
  row.names_devices = !names.empty();
  const bool by_rows = std::any_of(row.report.device_weights.begin(), row.report.device_weights.end(), is_split);
  const std::size_t devices = names.empty() || by_rows ? std::max(listed, names.size()) : names.size();
  row.devices = static_cast<int>(std::min<std::size_t>(devices, 64));
  const Json* ids = find(object, "hardware_ids");
  if (ids != nullptr && ids->is_array()) {
    for (const Json& one : *ids) {
      if (row.hardware.size() < 64) row.hardware.push_back(one.is_string() ? one.get<std::string>() : std::string());
    }
  }
}

void read_repacked(LlamaCppRow& row, const Json& types) {
  for (const auto& [name, number] : types.items()) {
    const std::string word = lower(name);
    const std::size_t at = word.rfind("_r");
    if (at == std::string::npos || at + 2 >= word.size() || std::isdigit(static_cast<unsigned char>(word[at + 2])) == 0)
      continue;
    row.repacked = true;
  }
}

void read_cache(LlamaCppRow& row, const Json& object) {
  const auto type = [&](std::string_view key) -> std::optional<FormatId> {
    const auto name = text(object, key);
    if (!name || *name == "none") return std::nullopt;
    const auto found = ggml_type(*name);
    if (!found) row.unknown_cache_type = true;
    return found;
  };
  row.type_k = type("type_k");
  row.type_v = type("type_v");
  if (const auto flash = boolean(object, "flash_attn"))
    row.flash = *flash ? Flash::on : Flash::off;
  else if (text(object, "flash_attn").value_or("") == "auto")
    row.flash = Flash::automatic;
}

}  // namespace

bool LlamaCppRow::is_complete_for(std::string_view quantity) const {
  return std::find(complete_for.begin(), complete_for.end(), quantity) != complete_for.end();
}

std::optional<FormatId> ggml_type(std::string_view name) {
  std::string word = lower(name);
  if (word == "f16") return FormatId::fp16;
  if (word == "f32") return FormatId::fp32;
  if (word == "int8" || word == "i8") return FormatId::raw8;
  if (const auto exact = find_format(word)) return exact;
  // Repacked types ("q4_k_r4", "q8_0_r8") have the size of what they hold.
  if (const std::size_t at = word.rfind("_r"); at != std::string::npos && at + 3 <= word.size()) word.resize(at);
  if (word == "iq5_ks") return FormatId::iq5_ks;
  return find_format(word);
}

std::string mix_of(std::string_view quant) {
  std::string word(quant.substr(0, quant.find('(')));
  const auto cut = [&](std::string_view end) {
    if (const std::size_t at = word.find(end); at != std::string::npos) word.resize(at);
  };
  for (const std::string_view start : {"UD-", "mostly ", "MTP-"}) {
    if (word.rfind(start, 0) == 0) word.erase(0, start.size());
  }
  struct Printed {
    std::string_view name, mix;
  };
  constexpr Printed printed[] = {
      {"Q2_K - Medium", "Q2_K"},
      {"Q2_K - Small", "Q2_K_S"},
      {"Q3_K - Small", "Q3_K_S"},
      {"Q3_K - Medium", "Q3_K_M"},
      {"Q3_K - Large", "Q3_K_L"},
      {"Q4_K - Small", "Q4_K_S"},
      {"Q4_K - Medium", "Q4_K_M"},
      {"Q5_K - Small", "Q5_K_S"},
      {"Q5_K - Medium", "Q5_K_M"},
      {"MXFP4 MoE", "MXFP4_MOE"},
      {"MXFP4", "MXFP4_MOE"},
      {"Q4", "Q4_K_M"},
      {"Q8", "Q8_0"},
      {"IQ3_S mix", "IQ3_S"},
  };
  const auto trim = [&] {
    while (!word.empty() && word.back() == ' ') word.pop_back();
  };
  trim();
  for (const Printed& one : printed) {
    if (one.name == word) return std::string(one.mix);
  }
  cut(" - ");
  cut("-class");
  cut(" QAT");
  cut("_R4");
  cut("_R8");
  if (const std::size_t at = word.find("_XL"); at != std::string::npos) word = word.substr(0, at) + "_M";
  if (word == "Q6_K_L" || word == "Q6_K_M") word = "Q6_K";
  if (word == "Q8_0_M" || word == "Q8_M") word = "Q8_0";
  trim();
  return word;
}

std::optional<LlamaCppRow> llamacpp_row(const Json& object) {
  LlamaCppRow row;
  const auto id = text(object, "id");
  if (!id || id->empty()) return std::nullopt;
  row.id = *id;
  row.model_key = text(object, "model_key").value_or("");
  row.arch = text(object, "arch").value_or("");
  row.quant = text(object, "quant").value_or("");
  row.weights_format = text(object, "weights_format").value_or("");
  static const Json kNothing = Json::object();
  const Json* reported = find(object, "reported");
  if (reported == nullptr || !reported->is_object()) reported = &kNothing;
  row.report = report_of(*reported);
  read_engine(row, object);
  read_devices(row, object, *reported);
  read_cache(row, object);
  row.context = count(object, "n_ctx");
  row.sequences = count(object, "n_seq_max");
  row.batch = count(object, "n_batch");
  row.ubatch = count(object, "n_ubatch");
  row.layers = count(object, "n_layer").value_or(0);
  row.unified = boolean(object, "kv_unified");
  row.full_windows = boolean(object, "swa_full");
  row.experts_on_host = boolean(object, "cpu_moe");
  row.some_on_host = boolean(object, "tensor_override");
  if (const auto layers = integer(object, "n_gpu_layers"); layers && *layers >= -1 && *layers <= 4096)
    row.gpu_layers = static_cast<int>(*layers);
  else if (text(object, "n_gpu_layers").value_or("") == "all")
    row.gpu_layers = -1;
  if (const auto all = count(object, "n_layers_offloadable"); all && *all <= 4096)
    row.offloadable = static_cast<int>(*all);
  if (const auto spec = text(object, "spec")) {  // "draft-mtp n_max 2"
    const std::size_t at = spec->find("n_max ");
    if (at != std::string::npos && at + 6 < spec->size() &&
        std::isdigit(static_cast<unsigned char>((*spec)[at + 6])) != 0) {
      row.draft_tokens = static_cast<std::uint32_t>((*spec)[at + 6] - '0');
    }
  }
  if (const auto mla = count(object, "mla_attn"); mla && *mla < 16) row.mla = static_cast<int>(*mla);
  if (const auto most = count(object, "attn_max_b")) row.attention_batch = static_cast<int>(*most);
  if (const auto fused = count(object, "fused_moe")) row.fused_moe = *fused != 0;
  const Json* types = find(object, "tensor_types");
  if (types != nullptr && types->is_object()) {
    for (const auto& [name, number] : types->items()) {
      const auto type = ggml_type(name);
      if (!type || !number.is_number_integer() || row.types.size() == 64) {
        row.types.clear();
        break;
      }
      row.types.push_back(
          {*type, static_cast<std::uint32_t>(std::clamp<std::int64_t>(number.get<std::int64_t>(), 0, 1 << 20))});
    }
  }
  if (types != nullptr && types->is_object()) read_repacked(row, *types);
  row.per_head_cache = text(object, "kv_layout").value_or("") == "per_head";
  if (text(object, "kv_layout").value_or("") == "mla_latent_and_transpose") row.mla = 1;
  const auto named = [&](std::string_view name) {
    return std::any_of(row.report.host_weights.begin(), row.report.host_weights.end(),
                       [&](const BufferFigure& one) { return one.name == name; });
  };
  row.read_into_memory = named("CUDA_Host");
  if (const auto copies = count(object, "pipeline_parallel_copies"); copies && *copies < 64)
    row.pipeline_copies = static_cast<int>(*copies);
  if (const auto gib = number(object, "model_size_gib"); gib && *gib > 0 && *gib < 1e6) row.file_bytes = *gib * kGiB;
  if (const Json* list = find(object, "complete_for"); list != nullptr && list->is_array()) {
    for (const Json& one : *list) {
      if (one.is_string() && row.complete_for.size() < 64) row.complete_for.push_back(one.get<std::string>());
    }
  }
  return row;
}

}  // namespace vram::check
