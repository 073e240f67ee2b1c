// What the readers of each program's log share: starts, ranks, and which of two figures for one thing stays.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/import/engine_log.h"
#include "core/import/engine_log_text.h"

namespace vram {

/// Which worker printed a line; -1 = the line does not say.
struct LogRank {
  int data = -1, pipeline = -1, tensor = -1;
  bool known() const { return data >= 0 || pipeline >= 0 || tensor >= 0; }
};
/// "TP3", "PP1 TP0", "DP0_TP1_EP1" within `words`.
LogRank rank_in(std::string_view words);

/// Two figures of one quantity for one device and buffer in one start.
enum class Merge : std::uint8_t { finest, last, add };

/// A figure beside a literal.
struct LogRule {
  std::string_view literal, then;  ///< the figure follows `then` behind `literal`, or `literal` where `then` is ""
  Quantity quantity;
  Merge merge = Merge::finest;
  bool figure_before = false;  ///< "… 1.97 GiB for weight": the figure stands before `literal`, `then` in the line
};

/// A setting and the name it gets.
struct LogSetting {
  std::string_view printed, name;
};

class LogReader {
 public:
  explicit LogReader(LogProgram program) : program_(program) {}
  virtual ~LogReader() = default;
  virtual void read(const LogLine& line) = 0;
  /// The last start that came to an end, else the last that printed anything; nothing when none did.
  std::optional<EngineLog> finish();

 protected:
  /// Quantity, part, device, ranks, buffer: what a start has once.
  using Key = std::tuple<Quantity, int, int, int, int, int, std::string>;
  static Key key_of(const Measured& measured, LogRank rank);
  struct Start {
    EngineLog log;
    std::vector<LogRank> ranks;         ///< of each measured value, until devices are known
    std::map<Key, std::size_t> places;  ///< in `measured`, until the start is settled
  };

  virtual bool is_complete(const Start& start) const = 0;
  /// Derives what the lines say together, once a start is over; it may have measured nothing.
  virtual void settle(Start& start) const { (void)start; }

  /// A line that begins a start; `sure`: false where the same start may print it again before it measured anything.
  void begin_start(const LogLine& line, bool sure);
  Start& start() { return start_; }
  /// All sizes but what the devices had free.
  void forget_measured();
  bool has(Quantity quantity, int part = 0) const;

  void record(const LogLine& line, Measured measured, const Figure& figure, Merge merge, LogRank rank = {});
  /// Applies the rules to a line; true when one of them found its figure.
  bool apply(std::span<const LogRule> rules, const LogLine& line, LogRank rank, unsigned least_decimals);
  void set_flag(std::string_view name, std::string_view value);
  void read_settings(std::span<const LogSetting> settings, std::string_view text);
  void read_options(std::span<const LogSetting> options, std::string_view text);
  void set_device_name(int index, std::string_view name);
  void set_program(LogProgram program) { program_ = program; }
  LogProgram program() const { return program_; }

 private:
  void close();

  LogProgram program_;
  Start start_, last_complete_, last_any_;
  bool begun_ = false, has_complete_ = false, has_any_ = false;
  int starts_ = 0;
};

std::unique_ptr<LogReader> vllm_log_reader();
std::unique_ptr<LogReader> sglang_log_reader();
std::unique_ptr<LogReader> tensorrt_llm_log_reader();
std::unique_ptr<LogReader> llamacpp_log_reader();  ///< Ollama too, which runs it
std::unique_ptr<LogReader> smi_log_reader();       ///< nvidia-smi and mx-smi

}  // namespace vram
