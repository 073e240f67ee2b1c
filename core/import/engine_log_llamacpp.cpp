// llama.cpp and what runs it: llama-server, ik_llama.cpp, LM Studio, Ollama. Sizes stand by buffer, which names its
// device; a sliding-window model prints two caches, a split file a buffer for each part: those are sums.
#include <algorithm>
#include <array>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

using Q = Quantity;

struct BufferKind {
  std::string_view words;  ///< between the buffer's name and " buffer size"
  Quantity quantity;
  Merge merge;
};
constexpr BufferKind kBuffers[] = {
    {" model buffer size", Q::weights, Merge::add},  {" KV buffer size", Q::kv, Merge::add},
    {" RS buffer size", Q::recurrent, Merge::add},   {" compute buffer size", Q::compute, Merge::last},
    {" output buffer size", Q::output, Merge::last}, {" buffer size", Q::weights, Merge::add},  // until 2024-05
};

constexpr std::string_view kNumbers[] = {"n_ctx",      "n_batch",       "n_ubatch", "n_seq_max", "flash_attn",
                                         "kv_unified", "n_outputs_max", "type_k",   "type_v"};

constexpr LogSetting kOptions[] = {
    {"--ctx-size", "n_ctx"},        {"--batch-size", "n_batch"},        {"--ubatch-size", "n_ubatch"},
    {"--parallel", "n_seq_max"},    {"--n-gpu-layers", "n_gpu_layers"}, {"--tensor-split", "tensor_split"},
    {"--cache-type-k", "type_k"},   {"--cache-type-v", "type_v"},       {"--kv-cache-type", "type_k"},
    {"--flash-attn", "flash_attn"}, {"--split-mode", "split_mode"},
};

/// Ollama's runner is asked to load with these.
constexpr LogSetting kRequest[] = {
    {"KvSize", "n_ctx"},
    {"BatchSize", "n_batch"},
    {"Parallel", "n_seq_max"},
    {"FlashAttention", "flash_attn"},
};

/// Device of a buffer by its name: "CUDA1", "ROCm0_Split", "MTL0_Mapped", "CUDA_Host", "CPU_REPACK", "RPC[host:port]".
int device_of(std::string_view name) {
  if (contains(name, "Host") || name.substr(0, 3) == "CPU" || name == "BLAS" || contains(name, "AARCH64"))
    return kLogHost;
  if (name.substr(0, 3) == "RPC") return kLogOtherNode;
  std::size_t first = 0;
  while (first < name.size() && !is_digit(name[first])) ++first;
  const int number = small_number(name.substr(first));
  return std::clamp(number, 0, 1023);  // Metal has one device and no number
}

/// A buffer's name has no spaces and begins with a letter.
bool is_buffer_name(std::string_view name) {
  return !name.empty() && name.size() <= 80 && name.back() != ':' &&
         ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'));
}

class LlamacppReader final : public LogReader {
 public:
  LlamacppReader() : LogReader(LogProgram::llamacpp) {}

  void read(const LogLine& line) override {
    const std::string_view text = line.text;
    read_begin(line);
    if (contains(text, " buffer size")) return read_buffer(line);
    if (contains(text, " size = ")) read_whole(line);
    if (contains(text, "size=")) read_own(line);
    if (contains(text, "load request=")) read_settings(kRequest, text);
    if (contains(text, "memory_breakdown_print: ")) return read_breakdown(line);
    if (contains(text, "offloaded ")) read_layers(text);
    if (contains(text, "general.") || contains(text, "arch ")) read_model(text);
    if (contains(text, " = ")) read_setting(line);
    if (const auto rest = after(text, "using device ")) read_device(line, *rest);
    if (contains(text, "Device ") && contains(text, "compute capability")) read_device_name(text);
  }

 private:
  bool is_complete(const Start& start) const override {
    bool weights = false, context = false;
    for (const Measured& one : start.log.measured) {
      weights = weights || one.quantity == Q::weights;
      context = context || one.quantity == Q::kv || one.quantity == Q::recurrent || one.quantity == Q::compute;
    }
    return weights && context;
  }

  void read_begin(const LogLine& line) {
    const std::string_view text = line.text;
    if (contains(text, "source=") && contains(text, "level=")) set_program(LogProgram::ollama);
    if (const auto version = after(text, "(version ")) {
      if (contains(text, "Listening on")) ollama_version_ = bounded(version->substr(0, version->find(')')), 40);
    }
    // One server of Ollama's starts a runner for each model it is asked for.
    const bool runner = contains(text, "msg=\"starting llama server\"") || contains(text, "msg=\"starting runner\"") ||
                        contains(text, "msg=\"starting llama-server\"");
    if (runner) {
      begin(line);
      read_options(kOptions, text);
      if (const auto model = option(text, "--model")) start().log.model = bounded(*model, 200);
      return;
    }
    if (const auto build = after(text, "build_info: ")) return begin(line, *build);
    if (const auto build = after(text, "main: build = ")) return begin(line, *build);
    if (const auto build = after(text, "build: ")) {
      const bool says_compiler = contains(*build, ") with ");
      if (says_compiler && small_number(*build) >= 0) return begin(line, *build);
    }
    if (contains(text, "loaded meta data with")) return read_load(text);
    if (contains(text, "constructing llama_context") && has(Q::compute, part_)) ++part_;
  }

  void begin(const LogLine& line, std::string_view build = {}) {
    begin_start(line, true);
    part_ = 0;
    file_.clear();
    breakdown_.clear();
    own_.clear();
    start().log.version = build.empty() ? ollama_version_ : bounded(build.substr(0, build.find(' ')), 40);
  }

  /// The same file again is a second look (the sizes of the first are of a trial, or of the vocabulary alone); another
  /// one is a draft model.
  void read_load(std::string_view text) {
    const auto from = after(text, " from ");
    if (!from) return;
    const std::string file = bounded(from->substr(0, from->find(" (version")), 400);
    if (file_.empty() || file_ == file) {
      if (file_ == file && part_ == 0) forget_measured();
      file_ = file;
      if (start().log.model.empty()) start().log.model = bounded(file, 200);
    } else {
      ++part_;
    }
  }

  static Measured in_buffer(Quantity quantity, std::string_view buffer, int part) {
    Measured measured;
    measured.device = device_of(buffer);
    measured.quantity = quantity == Q::compute && measured.device == kLogHost ? Q::host_compute : quantity;
    measured.buffer = bounded(buffer, 80);
    measured.part = part;
    return measured;
  }

  void keep(const LogLine& line, Quantity quantity, std::string_view buffer, const Figure& figure, Merge merge,
            int part) {
    record(line, in_buffer(quantity, buffer, part), figure, merge);
  }

  void read_buffer(const LogLine& line) {
    for (const BufferKind& kind : kBuffers) {
      const std::size_t at = line.text.find(kind.words);
      if (at == std::string_view::npos) continue;
      std::string_view rest = line.text.substr(at + kind.words.size());
      rest = trimmed(rest);
      if (!rest.empty() && (rest.front() == '=' || rest.front() == ':'))
        rest.remove_prefix(1);
      else if (rest.substr(0, 3) == "is ")
        rest.remove_prefix(3);  // "is 495.0000 MiB, matches expectation"
      const std::string_view name = word_before(line.text, at);
      const std::optional<Figure> figure = take_bytes(rest);
      if (!figure || !is_buffer_name(name)) return;
      // The vision tower has a scheduler of its own.
      const bool tower = contains(line.text, "alloc_compute_meta") || contains(line.text, "clip");
      return keep(line, kind.quantity, name, *figure, kind.merge, tower ? part_ + 1 : part_);
    }
  }

  /// Ollama's own lines, 'msg="kv cache" device=CUDA0 size="1.6 GiB"': what its engine has, or what it expects of
  /// llama.cpp, whose own lines then count. Printed again for every layout that is tried.
  void read_own(const LogLine& line) {
    const std::string_view text = line.text;
    struct Own {
      std::string_view message;
      Quantity quantity;
    };
    constexpr Own kOwn[] = {
        {"msg=\"model weights\"", Q::weights}, {"msg=\"kv cache\"", Q::kv}, {"msg=\"compute graph\"", Q::compute}};
    for (const Own& own : kOwn) {
      if (!contains(text, own.message)) continue;
      auto device = setting(text, "device");
      if (!device) device = setting(text, "buffer");
      if (!device) device = setting(text, "buffer_type");
      const auto size = setting(text, "size");
      if (!device || !size || !is_buffer_name(*device)) return;
      std::string_view rest = *size;
      const auto figure = take_bytes(rest);
      if (!figure || own_.size() > 1024) return;
      Measured measured = in_buffer(own.quantity, *device, 0);
      measured.value = figure->value;
      measured.rounding = figure->rounding;
      measured.line = line.number;
      measured.text = bounded(text, kMostLogLine);
      own_[{measured.quantity, measured.buffer}] = std::move(measured);
      return;
    }
  }

  /// Whole caches: "llama_kv_cache: size = 768.00 MiB ( 32768 cells, …), K (f16): …"
  void read_whole(const LogLine& line) {
    const std::string_view text = line.text;
    const bool recurrent = contains(text, "llama_memory_recurrent:");
    const bool cache = contains(text, "llama_kv_cache") || contains(text, "KV self size");
    if (!recurrent && !cache) return;
    auto rest = after(text, " size = ");
    const std::optional<Figure> figure = take_bytes(*rest);
    if (!figure) return;
    Measured measured;
    measured.quantity = recurrent ? Q::recurrent : Q::kv;
    measured.device = kLogAllDevices;
    measured.part = part_;
    record(line, std::move(measured), *figure, Merge::add);
    if (part_ == 0 && cache) {
      read_cache_type(*rest, "K (", "type_k");
      read_cache_type(*rest, "V (", "type_v");
      read_cache_type(*rest, "c^KV (", "type_k");
    }
  }

  void read_cache_type(std::string_view text, std::string_view literal, std::string_view name) {
    if (const auto type = after(text, literal)) set_flag(name, type->substr(0, type->find(')')));
  }

  /// "- CUDA0 (RTX 4090) | 24080 = 9436 + (14193 = 13169 + 38 + 985) + 451 |", whole MiB cut down. Printed before
  /// loading for trials and on exit for what was: the last one counts, and only for what no buffer's line told.
  void read_breakdown(const LogLine& line) {
    auto rest = after(line.text, "  - ");
    if (!rest) return;
    const std::string_view name = rest->substr(0, rest->find_first_of(" :|"));
    std::size_t begin = rest->find('|');
    if (begin == std::string_view::npos) begin = rest->find("):");
    if (begin == std::string_view::npos || !is_buffer_name(name) || breakdown_.size() > 256) return;
    Breakdown row;
    row.line = line.number;
    row.text = bounded(line.text, kMostLogLine);
    for (std::size_t i = begin; i < rest->size() && row.count < row.mib.size();) {
      const std::string_view digits = rest->substr(i);
      const int number = is_digit(digits.front()) ? small_number(digits) : -1;
      if (!is_digit(digits.front())) {
        ++i;
        continue;
      }
      row.mib[row.count++] = rest->at(i - 1) == '-' ? -1 : number;
      while (i < rest->size() && is_digit((*rest)[i])) ++i;
    }
    breakdown_[std::string(name)] = row;
  }

  void settle(Start& start) const override {
    const std::size_t by_llamacpp = start.log.measured.size();
    for (const auto& own : own_) {
      const auto same = [&](const Measured& one) { return one.quantity == own.second.quantity; };
      const auto end = start.log.measured.begin() + static_cast<std::ptrdiff_t>(by_llamacpp);
      if (std::any_of(start.log.measured.begin(), end, same)) continue;
      start.log.measured.push_back(own.second);
      start.ranks.push_back({});
    }
    for (const auto& [name, row] : breakdown_) {
      const int device = device_of(name);
      const bool host = device == kLogHost;
      if (row.count != (host ? 4U : 7U)) continue;
      const std::size_t model = host ? 1 : 3;
      // Caches and states are one figure here, which the caches' own lines divide.
      if (!measured(start, Q::weights, device)) fill(start, row, model, Q::weights, device, name);
      if (!measured(start, Q::kv, device) && !measured(start, Q::recurrent, device) &&
          !measured(start, Q::kv, kLogAllDevices)) {
        fill(start, row, model + 1, Q::kv, device, name);
      }
      const Quantity compute = host ? Q::host_compute : Q::compute;
      if (!measured(start, compute, device)) fill(start, row, model + 2, compute, device, name);
      if (host) continue;
      fill(start, row, 0, Q::device_total, device, name);
      if (row.mib[6] >= 0 && row.mib[6] < row.mib[0]) fill(start, row, 6, Q::non_torch, device, name);
    }
  }

  struct Breakdown {
    std::array<int, 7> mib{};
    std::size_t count = 0, line = 0;
    std::string text;
  };

  static bool measured(const Start& start, Quantity quantity, int device) {
    return std::any_of(start.log.measured.begin(), start.log.measured.end(), [&](const Measured& one) {
      return one.quantity == quantity && one.device == device && one.part == 0;
    });
  }

  static void fill(Start& start, const Breakdown& row, std::size_t column, Quantity quantity, int device,
                   const std::string& name) {
    if (row.mib[column] < 0) return;
    Measured one;
    one.quantity = quantity;
    one.device = device;
    one.buffer = name;
    one.value = (Count(static_cast<std::uint64_t>(row.mib[column])) * kMiB).value();
    one.rounding = kMiB.value();
    one.line = row.line;
    one.text = row.text;
    start.log.measured.push_back(std::move(one));
    start.ranks.push_back({});
  }

  /// "offloaded 25/25 layers to GPU"
  void read_layers(std::string_view text) {
    const auto rest = after(text, "offloaded ");
    if (part_ != 0 || !rest || !contains(*rest, " layers to GPU")) return;
    const std::string_view count = rest->substr(0, rest->find(' '));
    if (small_number(count) >= 0) set_flag("offloaded_layers", count);
  }

  void read_model(std::string_view text) {
    if (part_ != 0) return;
    for (const std::string_view key : {"general.name", "general.architecture"}) {
      auto value = after(text, key);
      if (!value) continue;
      value = after(*value, "= ");
      if (!value || trimmed(*value).empty()) continue;
      (key == "general.name" ? start().log.model : start().log.architecture) = bounded(*value, 200);
    }
    auto arch = after(text, "print_info: arch ");
    if (!arch) arch = after(text, "llm_load_print_meta: arch ");
    if (arch) arch = after(*arch, "= ");
    if (arch) start().log.architecture = bounded(*arch, 100);
  }

  /// "llama_context: n_ctx         = 4096", and of older builds several in a line.
  void read_setting(const LogLine& line) {
    const std::size_t function = line.text.find("llama_");
    if (function == std::string_view::npos) return;
    const std::string_view rest = line.text.substr(function);
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || contains(rest.substr(0, colon), "loader")) return;
    const std::string_view settings = rest.substr(colon + 2);
    if (setting(settings, "n_ctx") && has(Q::compute, part_)) ++part_;  // builds that do not announce a context
    if (part_ != 0) return;
    for (const std::string_view name : kNumbers) {
      if (const auto value = setting(settings, name)) set_flag(name, *value);
    }
  }

  /// "using device CUDA0 (NVIDIA GeForce GTX 1080 Ti) (0000:03:00.0) - 8720 MiB free"
  void read_device(const LogLine& line, std::string_view rest) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    const std::size_t open = rest.find('('), close = rest.find(')');
    if (!is_buffer_name(name) || open == std::string_view::npos || close == std::string_view::npos || close < open)
      return;
    set_device_name(device_of(name), rest.substr(open + 1, close - open - 1));
    const std::size_t free = rest.find(" free");
    if (free == std::string_view::npos) return;
    if (const auto figure = bytes_before(rest, free)) keep(line, Q::device_free, name, *figure, Merge::last, 0);
  }

  /// "Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes"
  void read_device_name(std::string_view text) {
    const auto rest = after(text, "Device ");
    const auto name = after(*rest, ": ");
    if (name) set_device_name(small_number(*rest), name->substr(0, name->find(", compute")));
  }

  int part_ = 0;
  std::string file_, ollama_version_;
  std::map<std::string, Breakdown> breakdown_;
  std::map<std::pair<Quantity, std::string>, Measured> own_;
};

}  // namespace

std::unique_ptr<LogReader> llamacpp_log_reader() { return std::make_unique<LlamacppReader>(); }

}  // namespace vram
