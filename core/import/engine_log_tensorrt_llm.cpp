// TensorRT-LLM: the PyTorch back-end's profile, and the C++ runtime's lines that both it and built engines print.
#include <algorithm>

#include "core/import/engine_log_reader.h"

namespace vram {
namespace {

using Q = Quantity;

// The pool is made twice, a small one for the profile first: the last line of each kind counts.
constexpr LogRule kRules[] = {
    {"uses ", "", Q::weights, Merge::finest},
    {"after loading model weights (inside torch)", "profiling: ", Q::weights, Merge::last},
    {"Loaded engine size: ", "", Q::weights, Merge::last},
    {"dynamically allocated during inference (inside torch)", "profiling: ", Q::activation, Merge::last},
    {"] Allocated ", "", Q::activation, Merge::last},
    {"Memory used outside torch", "profiling: ", Q::non_torch, Merge::last},
    {"device total memory ", "", Q::device_total, Merge::last},
    {"max tokens in paged kv cache: total: ", "", Q::device_total, Merge::last},
    {"max tokens in paged kv cache: total: ", "available: ", Q::device_free, Merge::last},
    {"available KV cache memory when calculating max tokens: ", "", Q::pool, Merge::last},
    {"] Allocated ", "", Q::pool, Merge::last},
    {"Allocate ", "", Q::pool, Merge::last},
    {"for max tokens in paged KV cache (", "", Q::tokens, Merge::last},
    {"Using ", "", Q::tokens, Merge::last},
    {"locks in KV cache primary pool: ", "", Q::blocks, Merge::last},
};
/// Words that a rule needs beside its literal, which alone says nothing.
struct Beside {
  std::string_view literal;
  Quantity quantity;
  std::string_view words;
};
constexpr Beside kBeside[] = {
    {"uses ", Q::weights, "for model weights"},
    {"] Allocated ", Q::activation, "for execution context memory"},
    {"] Allocated ", Q::pool, "for max tokens in paged KV cache"},
    {"Allocate ", Q::pool, "for k/v cache"},
    {"Using ", Q::tokens, "tokens in paged KV cache"},
};

constexpr LogSetting kSettings[] = {
    {"max_seq_len", "max_seq_len"},
    {"max_num_tokens", "max_num_tokens"},
    {"max_batch_size", "max_batch_size"},
    {"tokens per block", "tokens_per_block"},
    {"kv_cache_dtype", "kv_cache_dtype"},
    {"tensor_parallel_size", "tensor_parallel_size"},
    {"pipeline_parallel_size", "pipeline_parallel_size"},
    {"free_gpu_memory_fraction", "free_gpu_memory_fraction"},
};

class TensorrtReader final : public LogReader {
 public:
  TensorrtReader() : LogReader(LogProgram::tensorrt_llm) {}

  void read(const LogLine& line) override {
    const std::string_view text = line.text;
    if (!contains(text, "TensorRT-LLM") && !contains(text, "TRT-LLM")) return;
    if (const auto version = after(text, "TensorRT-LLM version: ")) {
      begin_start(line, false);
      start().log.version = bounded(version->substr(0, version->find(' ')), 40);
    }
    const LogRank rank = rank_of(text);
    for (const LogRule& rule : kRules) {
      const Beside* beside = std::find_if(std::begin(kBeside), std::end(kBeside), [&](const Beside& one) {
        return one.literal == rule.literal && one.quantity == rule.quantity;
      });
      if (beside == std::end(kBeside) || contains(text, beside->words)) apply({&rule, 1}, line, rank, 0);
    }
    read_settings(kSettings, text);
    if (const auto fraction = after(text, "fraction is set ")) {
      set_flag("free_gpu_memory_fraction", fraction->substr(0, fraction->find_first_not_of("0123456789.")));
    }
    if (const auto block = after(text, "Number of tokens per block: ")) {
      set_flag("tokens_per_block", block->substr(0, block->find_first_not_of("0123456789")));
    }
  }

 private:
  bool is_complete(const Start& start) const override {
    return std::any_of(start.log.measured.begin(), start.log.measured.end(),
                       [](const Measured& one) { return one.quantity == Q::pool || one.quantity == Q::tokens; });
  }

  /// "[TRT-LLM] [RANK 3] [I]"; older ones do not say.
  static LogRank rank_of(std::string_view text) {
    LogRank rank;
    if (const auto number = after(text.substr(0, 300), "[RANK ")) rank.tensor = small_number(*number);
    return rank;
  }
};

}  // namespace

std::unique_ptr<LogReader> tensorrt_llm_log_reader() { return std::make_unique<TensorrtReader>(); }

}  // namespace vram
