// Start-up logs of programs that serve models → what they measured, as values with the line they stand in.
//
//   Result<EngineLog> log = read_engine_log(text);   // pasted, or the whole of a dropped file
//   for (const Measured& one : log.value().measured) …  {Quantity::weights, device 0, 16094200463 B ± 5.4 MB, line 41}
//
// A log is whatever a customer has: with colours, time stamps, prefixes of Docker, journald or Kubernetes, progress
// bars, several starts after one another, cut off at either end, tens of megabytes of requests after the start. The
// last start that came to an end counts; where none did, the last that printed anything.
//
// Units. Each of these programs divides by powers of two, whatever letters it prints: SGLang's and vLLM V0's "GB" are
// 2^30 bytes (their totals of known cards and checkpoints show it). A value is whole bytes; `rounding` is half a unit
// of the last place that the program keeps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

namespace vram {

enum class LogProgram : std::uint8_t { vllm, sglang, tensorrt_llm, llamacpp, ollama, nvidia_smi, mx_smi, count_ };
std::string_view log_program_name(LogProgram program);  ///< as its makers write it: "llama.cpp"
std::string_view log_program_key(LogProgram program);   ///< "llamacpp"

enum class Quantity : std::uint8_t {
  weights,
  activation,       ///< highest of one forward pass over what stays
  non_torch,        ///< context, communication, libraries: all that is neither weights, cache nor activation
  graphs,           ///< captured graphs, measured
  graphs_estimate,  ///< what vLLM sets aside for them before it sizes the pool
  pool,             ///< what a server takes for caches: all that is left of its budget
  kv,               ///< caches as long as was asked for (llama.cpp)
  recurrent,        ///< states of recurrent layers, where they are not in the pool
  compute,          ///< llama.cpp's buffer for intermediate results
  host_compute,     ///< the same in host memory
  output,           ///< logits in host memory
  requested,        ///< a server's whole budget
  device_free,      ///< before the program took anything
  device_total,     ///< as the program sees it; nvidia-smi: as the driver does
  total_used,       ///< of the device, by all programs (nvidia-smi)
  tokens,           ///< that the pool holds
  blocks,           ///< of the pool
  concurrency,      ///< requests of the longest length that the pool holds, in hundredths
  count_
};
std::string_view quantity_key(Quantity quantity);  ///< "weights", "host_compute", …

enum class QuantityUnit : std::uint8_t { bytes, count, hundredths };
QuantityUnit quantity_unit(Quantity quantity);

constexpr int kLogHost = -1;        ///< host memory
constexpr int kLogAllDevices = -2;  ///< a sum over the devices, or what the whole server says
constexpr int kLogOtherNode = -3;   ///< memory of another machine (RPC)

struct Measured {
  Quantity quantity = Quantity::weights;
  int device = 0;           ///< rank or index of the device, or one of the above
  std::string buffer;       ///< the program's own name for it ("CUDA0", "CPU_Mapped"); "" = none
  int part = 0;             ///< 0: the model; 1…: draft models and further contexts of the same start
  std::uint64_t value = 0;  ///< bytes, a count, or hundredths: quantity_unit()
  std::uint64_t rounding = 0;
  bool negative = false;  ///< printed with a minus: so much is missing (the start failed)
  std::size_t line = 0;   ///< from 1, as an editor counts
  std::string text;       ///< of that line, at most kMostLogLine bytes of UTF-8
};

struct LogFlag {
  std::string name, value;  ///< as the program calls it in its documentation: "max_model_len", "n_ubatch"
};

struct LogDevice {
  int index = 0;
  std::string name;
};

struct EngineLog {
  LogProgram program = LogProgram::vllm;
  std::string version;  ///< "" = not printed, as are the others
  std::string model, architecture;
  std::vector<LogFlag> flags;  ///< each name once, the last value
  std::vector<LogDevice> devices;
  std::vector<Measured> measured;  ///< in the order of the lines
  bool complete = false;           ///< weights and cache were both reached
  int starts = 1;                  ///< of this program in the text
  std::size_t first_line = 1;      ///< of the start that was read

  /// The value of a flag, "" when it was not printed.
  std::string_view flag(std::string_view name) const;
};

constexpr std::uint64_t kMostLog = std::uint64_t{64} << 20;
constexpr std::size_t kMostLogLine = 240;

/// One pass, in time linear in the text and memory that does not grow with it. Errors: log.empty, log.too_large {size,
/// most}, log.not_recognised: no line of a program that is known here.
Result<EngineLog> read_engine_log(std::string_view text);

/// Do the first bytes of a file look like the beginning of such a log? False says nothing: it may come later.
bool looks_like_engine_log(std::string_view begin);

}  // namespace vram
