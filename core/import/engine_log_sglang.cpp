// SGLang. Its "GB" are GiB; what it calls memory usage of weights is the fall of free memory while they load.
#include <algorithm>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

using Q = Quantity;

constexpr LogRule kRules[] = {
    {"Init torch distributed ends.", "mem usage=", Q::non_torch},
    {"Load weight begin.", "avail mem=", Q::device_free},
    {"Load weight end.", "mem usage=", Q::weights, Merge::add},  // a draft model is loaded after the model
    {"cuda graph end.", "mem usage=", Q::graphs, Merge::add},
    {"KV Cache is allocated", "#tokens: ", Q::tokens, Merge::finest},
    {"KV Cache is allocated", ", K size: ", Q::pool, Merge::add},
    {"KV Cache is allocated", ", V size: ", Q::pool, Merge::add},
    {"KV Cache is allocated", ", KV size: ", Q::pool, Merge::add},
    {"Mamba Cache is allocated", "conv_state size: ", Q::recurrent, Merge::add},
    {"Mamba Cache is allocated", " ssm_state size: ", Q::recurrent, Merge::add},
    {"Mamba Cache is allocated", "intermediate_ssm_state_cache size: ", Q::recurrent, Merge::add},
    {"Mamba Cache is allocated", "intermediate_conv_window_cache size: ", Q::recurrent, Merge::add},
    {"max_total_num_tokens=", "", Q::tokens, Merge::last},  // with windows, the first pool's count is not this one
};

constexpr LogSetting kSettings[] = {
    {"context_length", "context_length"},
    {"mem_fraction_static", "mem_fraction_static"},
    {"kv_cache_dtype", "kv_cache_dtype"},
    {"max_running_requests", "max_running_requests"},
    {"chunked_prefill_size", "chunked_prefill_size"},
    {"page_size", "page_size"},
    {"dtype", "dtype"},
    {"quantization", "quantization"},
    {"tp_size", "tensor_parallel_size"},
    {"pp_size", "pipeline_parallel_size"},
    {"dp_size", "data_parallel_size"},
    {"ep_size", "expert_parallel_size"},
    {"enable_dp_attention", "enable_dp_attention"},
    {"disable_cuda_graph", "disable_cuda_graph"},
    {"disable_radix_cache", "disable_radix_cache"},
    {"speculative_algorithm", "speculative_algorithm"},
    {"cpu_offload_gb", "cpu_offload_gb"},
};
constexpr LogSetting kSizes[] = {
    {"context_len", "context_length"},
    {"max_running_requests", "max_running_requests"},
    {"chunked_prefill_size", "chunked_prefill_size"},
};
constexpr LogSetting kOptions[] = {
    {"--tp", "tensor_parallel_size"},
    {"--tp-size", "tensor_parallel_size"},
    {"--mem-fraction-static", "mem_fraction_static"},
    {"--context-length", "context_length"},
    {"--kv-cache-dtype", "kv_cache_dtype"},
    {"--max-running-requests", "max_running_requests"},
};

class SglangReader final : public LogReader {
 public:
  SglangReader() : LogReader(LogProgram::sglang) {}

  void read(const LogLine& line) override {
    const std::string_view text = line.text;
    if (contains(text, "ServerArgs(")) {
      begin_start(line, true);
      read_settings(kSettings, text);
      if (const auto model = setting(text, "model_path")) start().log.model = bounded(*model, 200);
      return;
    }
    if (const auto command = after(text, "sglang.launch_server")) {
      read_options(kOptions, *command);
      for (const std::string_view name : {"--model-path", "--model"}) {
        const auto model = option(*command, name);
        if (model && start().log.model.empty()) start().log.model = bounded(*model, 200);
      }
      return;
    }
    if (!contains(text, "mem") && !contains(text, "Cache is allocated") && !contains(text, "max_total_num_tokens=")) {
      return;
    }
    // Without its arguments a start is told by a pool being there when communication is set up again.
    if (contains(text, "Init torch distributed begin") && has(Q::tokens)) begin_start(line, false);
    if (!apply(kRules, line, rank_of(text), 2)) return;
    if (contains(text, "Load weight end.")) {
      if (const auto type = setting(text, "type"); type && start().log.architecture.empty()) {
        start().log.architecture = bounded(*type, 100);
      }
    }
    if (contains(text, "max_total_num_tokens=")) read_settings(kSizes, text);
  }

 private:
  bool is_complete(const Start& start) const override {
    const auto reached = [&](Quantity quantity) {
      return std::any_of(start.log.measured.begin(), start.log.measured.end(),
                         [&](const Measured& one) { return one.quantity == quantity && !one.negative; });
    };
    return reached(Q::weights) && (reached(Q::pool) || reached(Q::tokens));
  }

  /// "[2025-11-10 19:59:08 TP1]", "[2026-01-30 20:54:56 PP1 TP1]"; a container's own prefix may come before it.
  static LogRank rank_of(std::string_view text) {
    std::string_view rest = text.substr(0, 300);
    while (true) {
      const std::size_t open = rest.find('['), close = rest.find(']');
      if (open == std::string_view::npos || close == std::string_view::npos) return {};
      if (close > open) {
        const LogRank rank = rank_in(rest.substr(open, close - open));
        if (rank.known()) return rank;
      }
      rest.remove_prefix(close + 1);
    }
  }
};

}  // namespace

std::unique_ptr<LogReader> sglang_log_reader() { return std::make_unique<SglangReader>(); }

}  // namespace vram
