#include "core/check/untold.h"

#include <algorithm>
#include <string_view>

namespace vram::check {
namespace {

enum class Doubt : std::uint8_t {
  missing,     ///< none of the fields is told
  set,         ///< the field is true, which means that something else was not noted
  unversioned  ///< the field's words hold no number
};

struct Rule {
  std::string_view kind, quantities;  ///< separated by spaces; no quantities = all
  std::string_view fields;            ///< any of which tells it
  std::string_view words;
  Doubt doubt = Doubt::missing;
  bool makes_pool = false;  ///< bears on nothing where the pool is given
};

constexpr std::string_view kSteps = "peak reserved smi oom";
constexpr std::string_view kGraph = "compute host_compute output total";
constexpr std::string_view kPlaces = "weights compute host_compute total";
constexpr std::string_view kShares = "gpu_memory_utilization mem_fraction_static kv_cache_free_gpu_mem_fraction";
constexpr Rule kRules[] = {
    {.kind = "serving", .quantities = "", .fields = "engine_version", .words = "engine version"},
    {.kind = "serving", .quantities = "", .fields = "tensor_parallel", .words = "parallel layout"},
    {.kind = "serving",
     .quantities = "weights pool tokens concurrency",
     .fields = "weights_format",
     .words = "weight format",
     .makes_pool = true},
    {.kind = "serving",
     .quantities = "pool tokens concurrency kv_per_token",
     .fields = "kv_format",
     .words = "KV format"},
    {.kind = "serving",
     .quantities = "pool tokens concurrency",
     .fields = kShares,
     .words = "share of memory",
     .makes_pool = true},
    {.kind = "serving",
     .quantities = "activation graphs pool tokens concurrency",
     .fields = "max_num_batched_tokens",
     .words = "tokens of a batch",
     .makes_pool = true},
    {.kind = "serving",
     .quantities = "activation graphs pool tokens concurrency recurrent",
     .fields = "max_num_seqs",
     .words = "sequences at once",
     .makes_pool = true},
    {.kind = "serving",
     .quantities = "graphs pool tokens concurrency",
     .fields = "enforce_eager",
     .words = "graphs on or off",
     .makes_pool = true},
    {.kind = "serving",
     .quantities = "weights pool tokens concurrency kv_per_token recurrent",
     .fields = "speculative",
     .words = "speculative decoding"},
    {.kind = "serving",
     .quantities = "tokens concurrency kv_per_token recurrent",
     .fields = "prefix_caching",
     .words = "prefix caching"},
    {.kind = "llamacpp", .quantities = kGraph, .fields = "version", .words = "build"},
    {.kind = "llamacpp", .quantities = kGraph, .fields = "n_ubatch", .words = "n_ubatch"},
    {.kind = "llamacpp", .quantities = kGraph, .fields = "flash_attn", .words = "flash attention"},
    {.kind = "llamacpp", .quantities = "kv recurrent output compute total", .fields = "n_seq_max", .words = "slots"},
    {.kind = "llamacpp", .quantities = "kv total", .fields = "type_k", .words = "KV format"},
    {.kind = "llamacpp",
     .quantities = kPlaces,
     .fields = "tensor_override",
     .words = "which tensors a pattern placed",
     .doubt = Doubt::set},
    {.kind = "llamacpp", .quantities = kPlaces, .fields = "n_gpu_layers", .words = "layers on GPUs"},
    {.kind = "llamacpp", .quantities = "weights total", .fields = "tensor_types", .words = "types of tensors"},
    {.kind = "llamacpp", .quantities = kPlaces, .fields = "hardware_ids", .words = "cards"},
    {.kind = "training",
     .quantities = "",
     .fields = "framework",
     .words = "framework's version",
     .doubt = Doubt::unversioned},
    {.kind = "training", .quantities = "", .fields = "optimizer", .words = "optimizer"},
    {.kind = "training", .quantities = "", .fields = "weights_format", .words = "weight format"},
    {.kind = "training", .quantities = "", .fields = "parallelism", .words = "parallel layout"},
    {.kind = "training", .quantities = kSteps, .fields = "micro_batch", .words = "sequences a GPU"},
    {.kind = "training", .quantities = kSteps, .fields = "seq_len", .words = "length"},
    {.kind = "training",
     .quantities = kSteps,
     .fields = "seq_len_nominal",
     .words = "padded length of the step",
     .doubt = Doubt::set},
    {.kind = "training", .quantities = kSteps, .fields = "grad_checkpointing", .words = "recompute"},
    {.kind = "training", .quantities = kSteps, .fields = "attention_impl", .words = "attention"},
    {.kind = "training", .quantities = "smi oom", .fields = "hardware_id", .words = "card"},
    {.kind = "throughput", .quantities = "", .fields = "isl", .words = "input length"},
    {.kind = "throughput", .quantities = "", .fields = "osl", .words = "output length"},
    {.kind = "throughput", .quantities = "", .fields = "concurrency rate num_requests", .words = "load"},
    {.kind = "throughput", .quantities = "", .fields = "tp", .words = "parallel layout"},
    {.kind = "throughput", .quantities = "", .fields = "weights_format", .words = "weight format"},
};

template <class Of>
bool any_word(std::string_view words, Of of) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (of(word)) return true;
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return false;
}

bool lists(const Json& row, std::string_view key, std::string_view word) {
  const Json* list = find(row, key);
  return list != nullptr && list->is_array() && std::any_of(list->begin(), list->end(), [&](const Json& one) {
           return one.is_string() && one.get_ref<const std::string&>() == word;
         });
}

bool is_told(const Json& row, std::string_view field) {
  const Json* value = find(row, field);
  const bool noted = value != nullptr && !value->is_null() && !(value->is_string() && value->empty());
  if (noted) return !lists(row, "inferred", field);
  return find(row, "missing_flags") != nullptr && !lists(row, "missing_flags", field);
}

bool told(const Json& row, const Rule& rule) {
  switch (rule.doubt) {
    case Doubt::missing:
      return any_word(rule.fields, [&](std::string_view field) { return is_told(row, field); });
    case Doubt::set:
      return !boolean(row, rule.fields).value_or(false);
    case Doubt::unversioned:
      return text(row, rule.fields).value_or("").find_first_of("0123456789") != std::string::npos;
  }
  return true;
}

}  // namespace

std::vector<std::string> untold(const Json& row, const Case& one) {
  std::vector<std::string> result;
  for (const Rule& rule : kRules) {
    if (rule.kind != one.kind || (rule.makes_pool && one.mode == "given_pool")) continue;
    const bool bears = rule.quantities.empty() ||
                       any_word(rule.quantities, [&](std::string_view word) { return word == one.quantity; });
    if (!bears) continue;
    if (!told(row, rule)) result.emplace_back(rule.words);
  }
  return result;
}

}  // namespace vram::check
