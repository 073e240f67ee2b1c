// vLLM, V0 (2023) to today. The lines are those of worker.py, gpu_worker.py, gpu_model_runner.py, kv_cache_utils.py and
// executor_base.py of each time; what they mean and how they add up stands with the rules in core/plan/server.
#include <algorithm>
#include <iterator>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

using Q = Quantity;

constexpr LogRule kRules[] = {
    {"Model loading took ", "", Q::weights},
    {"Loading model weights took ", "", Q::weights},
    {"model weights take", "", Q::weights},
    {"weights memory: ", "", Q::weights},
    {" for weight", "Actual usage", Q::weights, Merge::finest, true},
    {"torch peak memory increase: ", "", Q::activation},
    {"PyTorch activation peak memory takes ", "", Q::activation},
    {"PyTorch activation peak memory", "", Q::activation},
    {"non-torch forward increase memory: ", "", Q::non_torch},
    {"non_torch_memory takes ", "", Q::non_torch},
    {"non_torch_memory", "", Q::non_torch},
    {" for non-torch memory", "Actual usage", Q::non_torch, Merge::finest, true},
    {"Graph capturing finished", ", took ", Q::graphs},
    {"CUDA graph pool memory: ", "", Q::graphs},
    {" for CUDAGraph memory", "Actual usage", Q::graphs, Merge::finest, true},
    {" for NPU graph memory", "Actual usage", Q::graphs, Merge::finest, true},
    {"Estimated CUDA graph memory: ", "", Q::graphs_estimate},
    {"Available KV cache memory: ", "", Q::pool},
    {"memory reserved for KV Cache is ", "", Q::pool},
    {"available_kv_cache_memory", "", Q::pool},
    {"Current kv cache memory in use is ", "", Q::pool},
    {"Initial free memory: ", "", Q::device_free},
    {"Requested memory: ", ", ", Q::requested},
    {"Free memory on device (", "", Q::device_free},
    {"Free memory on device (", "/", Q::device_total},
    {"total_gpu_memory (", "", Q::device_total},
    {"total_gpu_memory", "", Q::device_total},
    {"esired GPU memory utilization is (", ", ", Q::requested},
    {"vLLM instance can use", ") = ", Q::requested},
    {"GPU KV cache size: ", "", Q::tokens},
    {"# GPU blocks: ", "", Q::blocks},
    {"# CUDA blocks: ", "", Q::blocks},
    {"# cuda blocks: ", "", Q::blocks},
    {"num_gpu_blocks is: ", "", Q::blocks},
    {"Maximum concurrency for ", "per request: ", Q::concurrency},
};
// Figures of the last line that are sums: settled when the start is over.
struct SumRule {
  std::string_view literal;
  bool figure_before;
  Quantity quantity;
  std::string_view name;  ///< stands in Measured::buffer until it is taken apart
};
constexpr std::string_view kSumOfGraphs = "activation + graphs", kSumOfNonTorch = "weights + non-torch";
constexpr SumRule kSums[] = {
    {" for peak activation", true, Q::activation, kSumOfGraphs},
    {" for consumed memory", true, Q::non_torch, kSumOfNonTorch},
    {"total consumed (from mem_get_info): ", false, Q::non_torch, kSumOfNonTorch},
};

constexpr LogSetting kSettings[] = {
    {"max_seq_len", "max_model_len"},
    {"max_model_len", "max_model_len"},
    {"tensor_parallel_size", "tensor_parallel_size"},
    {"pipeline_parallel_size", "pipeline_parallel_size"},
    {"data_parallel_size", "data_parallel_size"},
    {"enable_expert_parallel", "enable_expert_parallel"},
    {"kv_cache_dtype", "kv_cache_dtype"},
    {"gpu_memory_utilization", "gpu_memory_utilization"},
    {"max_num_seqs", "max_num_seqs"},
    {"max_num_batched_tokens", "max_num_batched_tokens"},
    {"block_size", "block_size"},
    {"dtype", "dtype"},
    {"quantization", "quantization"},
    {"enforce_eager", "enforce_eager"},
    {"enable_prefix_caching", "enable_prefix_caching"},
    {"cpu_offload_gb", "cpu_offload_gb"},
};
constexpr LogSetting kOptions[] = {
    {"--max-model-len", "max_model_len"},
    {"--tensor-parallel-size", "tensor_parallel_size"},
    {"-tp", "tensor_parallel_size"},
    {"--pipeline-parallel-size", "pipeline_parallel_size"},
    {"--data-parallel-size", "data_parallel_size"},
    {"--kv-cache-dtype", "kv_cache_dtype"},
    {"--gpu-memory-utilization", "gpu_memory_utilization"},
    {"--max-num-seqs", "max_num_seqs"},
    {"--max-num-batched-tokens", "max_num_batched_tokens"},
    {"--block-size", "block_size"},
    {"--quantization", "quantization"},
};

/// format_gib() rounds to two decimals and drops the zeros at the end.
constexpr unsigned kDecimals = 2;

class VllmReader final : public LogReader {
 public:
  VllmReader() : LogReader(LogProgram::vllm) {}

  void read(const LogLine& line) override {
    const std::string_view text = line.text;
    read_begin(line);
    if (!contains(text, "emory") && !contains(text, "took ") && !contains(text, "KV cache size") &&
        !contains(text, "blocks") && !contains(text, "tokens per request") && !contains(text, "model weights take")) {
      read_rest(text);
      return;
    }
    const LogRank rank = rank_of(text);
    apply(kRules, line, rank, kDecimals);
    for (const SumRule& sum : kSums) read_sum(line, rank, sum);
    if (const auto rest = after(text, "Maximum concurrency for ")) set_count("max_model_len", *rest);
    if (const auto rest = after(text, "gpu_memory_utilization (")) set_flag("gpu_memory_utilization", number(*rest));
    if (const auto rest = after(text, "utilization is (")) set_flag("gpu_memory_utilization", number(*rest));
    if (contains(text, "CUDA graph memory profiling is enabled")) set_flag("graphs_estimate_applied", "True");
    read_rest(text);
  }

 private:
  bool is_complete(const Start& start) const override {
    bool weights = false, pool = false;
    for (const Measured& one : start.log.measured) {
      weights = weights || one.quantity == Q::weights;
      pool = pool ||
             ((one.quantity == Q::pool || one.quantity == Q::tokens || one.quantity == Q::blocks) && !one.negative);
    }
    return weights && pool;
  }

  static std::string_view number(std::string_view text) {
    return text.substr(0, text.find_first_not_of("0123456789."));
  }

  void set_count(std::string_view name, std::string_view text) {
    if (const auto count = take_count(text)) set_flag(name, std::to_string(count->value));
  }

  void read_begin(const LogLine& line) {
    const std::string_view text = line.text;
    if (const auto version = after(text, "API server version ")) {
      begin_start(line, true);
      has_begun_.clear();
      workers_.clear();
      start().log.version = bounded(version->substr(0, version->find_first_of(" ,)")), 40);
      return;
    }
    const auto engine = after(text, " LLM engine (v");
    if (!engine) return;
    // Engines of one server begin after one another; only one that has begun before begins a new start.
    const int data = rank_of(text).data;
    if (data <= 0 || has_begun_.count(data) != 0) {
      begin_start(line, false);
      if (start().log.measured.empty()) {
        has_begun_.clear();
        workers_.clear();
      }
    }
    if (has_begun_.size() < 1024) has_begun_[data] = true;
    start().log.version = bounded(engine->substr(0, engine->find(')')), 40);
  }

  void read_rest(std::string_view text) {
    if (contains(text, "with config: ") || contains(text, "non-default args") || contains(text, "args: Namespace(") ||
        contains(text, "max_num_batched_tokens=")) {
      read_settings(kSettings, text);
      for (const std::string_view name : {"model", "model_tag"}) {
        if (const auto model = setting(text, name)) start().log.model = bounded(*model, 200);
      }
    }
    if (const auto command = after(text, "vllm serve ")) {
      read_options(kOptions, *command);
      const std::string_view model = command->substr(0, command->find(' '));
      if (start().log.model.empty() && model.substr(0, 1) != "-") start().log.model = bounded(model, 200);
    }
    if (const auto name = after(text, "Resolved architecture: ")) start().log.architecture = bounded(*name, 100);
    if (const auto tokens = after(text, "Setting attention block size to ")) set_count("block_size", *tokens);
  }

  void read_sum(const LogLine& line, LogRank rank, const SumRule& sum) {
    const std::size_t at = line.text.find(sum.literal);
    if (at == std::string_view::npos || (sum.figure_before && !contains(line.text, "Actual usage"))) return;
    std::string_view behind = line.text.substr(at + sum.literal.size());
    const auto figure = sum.figure_before ? bytes_before(line.text, at, kDecimals) : take_bytes(behind, kDecimals);
    if (!figure) return;
    Measured measured;
    measured.quantity = sum.quantity;
    measured.buffer = sum.name;
    record(line, std::move(measured), *figure, Merge::finest, rank);
  }

  /// "(Worker_TP0 pid=34322)", "(EngineCore_DP1 pid=3021)", "(VllmWorker rank=1 pid=521)"; V0's "(VllmWorkerProcess
  /// pid=521)" has no rank: its workers are numbered as they appear, the one without a prefix being the first.
  LogRank rank_of(std::string_view text) {
    const std::size_t pid = text.substr(0, 400).find("pid=");
    if (pid == std::string_view::npos || pid == 0) return {};
    const std::size_t open = text.rfind('(', pid);
    if (open == std::string_view::npos) return {};
    const std::string_view name = text.substr(open + 1, pid - open - 1);
    LogRank rank = rank_in(name);
    if (rank.known()) return rank;
    if (const auto number = setting(name, "rank")) rank.tensor = small_number(*number);
    const bool nameless = contains(name, "WorkerProcess") || contains(name, "RayWorker");
    if (rank.known() || !nameless) return rank;
    const int process = small_number(text.substr(pid + 4));
    if (workers_.size() < 1024) workers_.try_emplace(process, static_cast<int>(workers_.size()) + 1);
    const auto known = workers_.find(process);
    if (known != workers_.end()) rank.tensor = known->second;
    return rank;
  }

  /// The figures that stand in the last line as sums become the quantities themselves where their other part is known.
  void settle(Start& start) const override {
    std::vector<Measured>& all = start.log.measured;
    const auto find = [&](std::size_t like, Quantity quantity) -> const Measured* {
      Measured wanted;
      wanted.quantity = quantity;
      const auto place = start.places.find(key_of(wanted, start.ranks[like]));
      return place == start.places.end() ? nullptr : &all[place->second];
    };
    const bool applied = applies_estimate(start.log);
    std::vector<bool> drop(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Measured& one = all[i];
      if (one.buffer != kSumOfGraphs && one.buffer != kSumOfNonTorch) continue;
      const bool graphs = one.buffer == kSumOfGraphs;
      const Measured* part = graphs ? (applied ? find(i, Q::graphs_estimate) : nullptr) : find(i, Q::weights);
      if (find(i, one.quantity) != nullptr || (!graphs && part == nullptr)) {
        drop[i] = true;  // printed by itself, or of no use alone
        continue;
      }
      if (part == nullptr) continue;
      one.value -= std::min(one.value, part->value);
      one.rounding += part->rounding;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (drop[i]) continue;
      if (kept != i) {
        all[kept] = std::move(all[i]);
        start.ranks[kept] = start.ranks[i];
      }
      all[kept].buffer.clear();
      ++kept;
    }
    all.resize(kept);
    start.ranks.resize(kept);
    std::vector<LogFlag>& flags = start.log.flags;
    flags.erase(std::remove_if(flags.begin(), flags.end(),
                               [](const LogFlag& flag) { return flag.name == "graphs_estimate_applied"; }),
                flags.end());
  }

  /// Since 0.21 the estimate is part of the peak that the last line prints (2.23 → 1.04 = 0.56 + 0.48 on one card).
  static bool applies_estimate(const EngineLog& log) {
    if (!log.flag("graphs_estimate_applied").empty()) return true;
    const std::size_t point = log.version.find('.');
    if (point == std::string::npos) return false;
    const int major = small_number(log.version), minor = small_number(std::string_view(log.version).substr(point + 1));
    return major > 0 || minor >= 21;
  }

  std::map<int, int> workers_;
  std::map<int, bool> has_begun_;
};

}  // namespace

std::unique_ptr<LogReader> vllm_log_reader() { return std::make_unique<VllmReader>(); }

}  // namespace vram
