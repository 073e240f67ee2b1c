#include "core/import/engine_log.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

struct ProgramName {
  std::string_view key, name;
};
constexpr std::array<ProgramName, static_cast<std::size_t>(LogProgram::count_)> kPrograms = {{
    {"vllm", "vLLM"},
    {"sglang", "SGLang"},
    {"tensorrt_llm", "TensorRT-LLM"},
    {"llamacpp", "llama.cpp"},
    {"ollama", "Ollama"},
    {"nvidia_smi", "nvidia-smi"},
    {"mx_smi", "mx-smi"},
}};

constexpr std::array<std::string_view, static_cast<std::size_t>(Quantity::count_)> kQuantities = {
    "weights",     "activation",   "non_torch",  "graphs",       "graphs_estimate", "pool",
    "kv",          "recurrent",    "compute",    "host_compute", "output",          "requested",
    "device_free", "device_total", "total_used", "tokens",       "blocks",          "concurrency",
};

bool is_monitor(LogProgram program) { return program == LogProgram::nvidia_smi || program == LogProgram::mx_smi; }

std::size_t last_line(const EngineLog& log) { return log.measured.back().line; }

/// Of what several readers found, the server's log that comes last; what a monitor says of the devices stands beside
/// it.
std::optional<EngineLog> choose(std::vector<EngineLog> found) {
  std::optional<EngineLog> server, monitor;
  for (EngineLog& log : found) {
    std::optional<EngineLog>& best = is_monitor(log.program) ? monitor : server;
    const bool better = !best || std::pair(log.complete, last_line(log)) > std::pair(best->complete, last_line(*best));
    if (better) best = std::move(log);
  }
  if (!server) return monitor;
  if (monitor) {
    for (Measured& one : monitor->measured) {
      if (one.quantity == Quantity::total_used) server->measured.push_back(std::move(one));
    }
    if (server->devices.empty()) server->devices = std::move(monitor->devices);
  }
  return server;
}

}  // namespace

std::string_view log_program_name(LogProgram program) { return kPrograms[static_cast<std::size_t>(program)].name; }
std::string_view log_program_key(LogProgram program) { return kPrograms[static_cast<std::size_t>(program)].key; }
std::string_view quantity_key(Quantity quantity) { return kQuantities[static_cast<std::size_t>(quantity)]; }

QuantityUnit quantity_unit(Quantity quantity) {
  switch (quantity) {
    case Quantity::tokens:
    case Quantity::blocks:
      return QuantityUnit::count;
    case Quantity::concurrency:
      return QuantityUnit::hundredths;
    default:
      return QuantityUnit::bytes;
  }
}

std::string_view EngineLog::flag(std::string_view name) const {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const LogFlag& flag) { return flag.name == name; });
  return found == flags.end() ? std::string_view() : std::string_view(found->value);
}

Result<EngineLog> read_engine_log(std::string_view text) {
  if (text.size() > kMostLog) {
    return Message("log.too_large").with("size", Bytes(text.size())).with("most", Bytes(kMostLog));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Message("log.empty");
  std::array<std::unique_ptr<LogReader>, 5> readers = {
      vllm_log_reader(), sglang_log_reader(), tensorrt_llm_log_reader(), llamacpp_log_reader(), smi_log_reader()};
  LogLines lines(text);
  LogLine line;
  while (lines.next(line)) {
    for (const auto& reader : readers) reader->read(line);
  }
  std::vector<EngineLog> found;
  for (const auto& reader : readers) {
    if (std::optional<EngineLog> log = reader->finish()) found.push_back(*std::move(log));
  }
  std::optional<EngineLog> chosen = choose(std::move(found));
  if (!chosen) return Message("log.not_recognised");
  return *std::move(chosen);
}

bool looks_like_engine_log(std::string_view begin) {
  constexpr std::string_view kMarks[] = {"vLLM API server version",
                                         " LLM engine (v",
                                         "(EngineCore",
                                         "(APIServer pid=",
                                         "ServerArgs(",
                                         "Load weight begin",
                                         "[TensorRT-LLM]",
                                         "[TRT-LLM]",
                                         "llama_model_loader:",
                                         "llm_load_",
                                         "llama_context:",
                                         "ggml_cuda_init:",
                                         "ggml_init_cublas:",
                                         "load_backend: loaded",
                                         "build_info: b",
                                         "main: build = ",
                                         "starting llama server",
                                         "source=routes.go",
                                         "| NVIDIA-SMI ",
                                         "mx-smi  version:",
                                         "memory.total [MiB]",
                                         "memory.used [MiB]"};
  // PowerShell's ">" writes UTF-16: every second byte is zero.
  std::string narrow;
  if (begin.substr(0, 2) == "\xFF\xFE") {
    for (std::size_t i = 2; i < begin.size(); i += 2) narrow += begin[i];
    begin = narrow;
  }
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](auto mark) { return contains(begin, mark); });
}

}  // namespace vram
