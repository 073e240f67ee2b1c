#include "core/plan/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/plan/training/formulas.h"

namespace vram {
namespace {

// Sources are names of files, papers and figures only: they are shown as they stand in every language. What lies behind
// the assumed ones: a context takes 0.35 … 0.7 GiB, exchange 0.2 GiB over PCIe and 2.1 GiB over NVLink, graphs 0.04 …
// 1.9 GiB in public start-up logs; the activation rules were fitted on 26 of them with a median error of 1.5 %.
constexpr auto kFormulas = std::to_array<Formula>({
    {"weights", "sum", "safetensors, GGUF, config.json"},
    {"weights_host", "sum", "safetensors, GGUF, config.json"},
    {"kv_full", "layers * kv_heads * (key_dim + value_dim) * value_bytes * tokens * sequences",
     "vLLM, kv_cache_interface.py: FullAttentionSpec"},
    {"kv_window", "layers * kv_heads * (key_dim + value_dim) * value_bytes * min(tokens, window) * sequences",
     "vLLM, kv_cache_interface.py: SlidingWindowSpec, ChunkedLocalAttentionSpec"},
    {"kv_latent", "layers * entry_values * value_bytes * tokens * sequences",
     "DeepSeek-V2 (arXiv 2405.04434), 2.1: kv_lora_rank + qk_rope_head_dim"},
    {"kv_indexer", "layers * (entry_values * value_bytes + scale_bytes) * tokens * sequences",
     "vLLM, DeepSeek-V3.2: DeepseekV32IndexerCache"},
    {"kv_compressed", "layers * entry_values * value_bytes * (ceil(tokens / tokens_per_entry) + window) * sequences",
     "vLLM, DeepSeek-V4: compressor.py"},
    {"state", "layers * (state_values * state_bytes + conv_values * conv_bytes) * sequences",
     "vLLM, layers/mamba/mamba_utils.py"},
    {"activations_layer", "batch_tokens * value_bytes * (3 * ffn_width + 3 * hidden)",
     "vLLM, gpu_worker.py: determine_available_memory; n = 26"},
    {"activations_output", "rows * vocab * logit_bytes + batch_tokens * value_bytes * hidden",
     "vLLM, gpu_model_runner.py: _dummy_sampler_run; n = 26"},
    {"activations_experts",
     "batch_tokens * experts_per_token * value_bytes * (max(expert_width, hidden) + max(2 * expert_width, hidden))",
     "vLLM, fused_moe: workspace"},
    {"staging", "2 * layer_bytes", "vLLM, cpu_offload"},
    {"runtime", "context", "vLLM, SGLang: 0.35–0.7 GiB"},
    {"communication", "buffers", "vLLM, NCCL: PCIe 0.2 GiB, NVLink 2.1 GiB"},
    {"graphs", "pool", "vLLM, CUDA graphs: 0.04–1.9 GiB"},
    // what tokens that all requests begin with do to the three above
    {"kv_full_prefix",
     "layers * kv_heads * (key_dim + value_dim) * value_bytes * (prefix + (tokens - prefix) * sequences)",
     "vLLM, prefix caching"},
    {"kv_latent_prefix", "layers * entry_values * value_bytes * (prefix + (tokens - prefix) * sequences)",
     "vLLM, prefix caching"},
    {"kv_indexer_prefix",
     "layers * (entry_values * value_bytes + scale_bytes) * (prefix + (tokens - prefix) * sequences)",
     "vLLM, prefix caching"},
    // servers as they allocate (core/plan/server)
    {"weights_loaded", "sum", "vLLM, SGLang: tensors as loaded, padded and rounded by PyTorch's allocator"},
    {"adapters_loaded", "slots", "vLLM, lora/layers: slots of every adapted layer"},
    {"kv_pages", "sequences * blocks * block_bytes - cached", "vLLM, kv_cache_utils.py: blocks and groups of layers"},
    {"kv_blocks", "sequences * blocks * block_bytes", "vLLM, kv_cache_utils.py: blocks and groups of layers"},
    {"activations_profiled", "peak", "vLLM, gpu_worker.py: determine_available_memory"},
    {"activations_assumed", "peak", "SGLang, TensorRT-LLM"},
    {"measured_less", "calculated - difference", "vLLM, SGLang, TensorRT-LLM, llama.cpp: log"},
    {"measured_more", "calculated + difference", "vLLM, SGLang, TensorRT-LLM, llama.cpp: log"},
    {"runtime_outside", "context + growth", "vLLM, non_torch; SGLang, avail mem"},
    {"graphs_captured", "pool", "vLLM, SGLang: CUDA graphs"},
    {"reserve", "memory - used - pool", "vLLM, gpu_memory_utilization; SGLang, mem_fraction_static"},
    // llama.cpp as it allocates (core/plan/llamacpp)
    {"llamacpp_weights", "buffer", "llama.cpp, llama-model.cpp: load_tensors"},
    {"llamacpp_cells", "cells * streams * cell_bytes", "llama.cpp, llama-kv-cache.cpp"},
    {"llamacpp_state", "sequences * sequence_bytes", "llama.cpp, llama-memory-recurrent.cpp"},
    {"llamacpp_compute", "buffer", "llama.cpp, ggml-alloc.c: ggml_gallocr_reserve"},
    {"llamacpp_output", "sequences * vocab * logit_bytes", "llama.cpp, llama-context.cpp: output_reserve"},
    {"llamacpp_context", "context", "CUDA"},
    // training: what its own table does not have
    {"training_lost", "lost", "PyTorch, CUDACachingAllocator"},
});

enum class TokenKind : std::uint8_t { number, name, symbol, end };
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
};

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

Token next_token(std::string_view& rest) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) return {};
  std::size_t length = 1;
  TokenKind kind = TokenKind::symbol;
  if (is_name_character(rest.front())) {
    kind = TokenKind::name;
    while (length < rest.size() && is_name_character(rest[length])) ++length;
  } else if (is_digit(rest.front())) {
    kind = TokenKind::number;
    while (length < rest.size() && is_digit(rest[length])) ++length;
  }
  const Token token{kind, rest.substr(0, length)};
  rest.remove_prefix(length);
  return token;
}

const NamedValue* find_value(const Derivation& derivation, std::string_view name) {
  for (const NamedValue& value : derivation.values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

bool is_function(std::string_view name) { return name == "min" || name == "max" || name == "ceil"; }

/// Recursive descent over our own table of expressions; their depth is ours, not a stranger's.
class Evaluation {
 public:
  explicit Evaluation(const Derivation& derivation, std::string_view expression)
      : derivation_(derivation), rest_(expression), token_(next_token(rest_)) {}

  Result<double> run() {
    const double value = sum();
    if (!error_ && token_.kind != TokenKind::end) fail("formula.malformed", derivation_.formula);
    if (error_) return *error_;
    return value;
  }

 private:
  void advance() { token_ = next_token(rest_); }
  bool take(std::string_view symbol) {
    if (token_.kind != TokenKind::symbol || token_.text != symbol) return false;
    advance();
    return true;
  }
  void fail(std::string_view key, std::string_view what) {
    if (!error_) error_ = Message(key).with(key == "formula.no_value" ? "name" : "formula", std::string(what));
  }

  double sum() {
    double value = product();
    while (!error_) {
      if (take("+")) value += product();
      else if (take("-")) value -= product();
      else break;
    }
    return value;
  }
  double product() {
    double value = factor();
    while (!error_) {
      if (take("*")) value *= factor();
      else if (take("/")) value /= factor();
      else break;
    }
    return value;
  }
  double factor() {
    const Token token = token_;
    advance();
    if (token.kind == TokenKind::number) return std::strtod(std::string(token.text).c_str(), nullptr);
    if (token.kind == TokenKind::symbol && token.text == "(") {
      const double value = sum();
      if (!take(")")) fail("formula.malformed", derivation_.formula);
      return value;
    }
    if (token.kind != TokenKind::name) {
      fail("formula.malformed", derivation_.formula);
      return 0;
    }
    if (is_function(token.text)) return call(token.text);
    const NamedValue* value = find_value(derivation_, token.text);
    if (value == nullptr) {
      fail("formula.no_value", token.text);
      return 0;
    }
    return value->value;
  }
  double call(std::string_view function) {
    if (!take("(")) fail("formula.malformed", derivation_.formula);
    double value = sum();
    if (function == "ceil") value = std::ceil(value);
    while (!error_ && take(",")) {
      const double other = sum();
      value = function == "min" ? std::min(value, other) : std::max(value, other);
    }
    if (!take(")")) fail("formula.malformed", derivation_.formula);
    return value;
  }

  const Derivation& derivation_;
  std::string_view rest_;
  Token token_;
  std::optional<Message> error_;
};

}  // namespace

std::span<const Formula> formulas() { return kFormulas; }

const Formula* find_formula(std::string_view key) {
  for (const std::span<const Formula> table : {std::span<const Formula>(kFormulas), training_formulas()}) {
    for (const Formula& formula : table) {
      if (formula.key == key) return &formula;
    }
  }
  return nullptr;
}

Result<double> evaluate(const Derivation& derivation) {
  const Formula* formula = find_formula(derivation.formula);
  if (formula == nullptr) return Message("formula.unknown").with("formula", std::string(derivation.formula));
  if (formula->expression == "sum") {
    double value = 0;
    for (const NamedValue& one : derivation.values) value += one.value;
    return value;
  }
  return Evaluation(derivation, formula->expression).run();
}

double evaluate_or_zero(const Derivation& derivation) {
  const Result<double> value = evaluate(derivation);
  return value ? value.value() : 0;
}

std::vector<FormulaPiece> pieces(const Derivation& derivation) {
  std::vector<FormulaPiece> result;
  const Formula* formula = find_formula(derivation.formula);
  if (formula == nullptr) return result;
  if (formula->expression == "sum") {
    for (const NamedValue& value : derivation.values) {
      if (!result.empty()) result.push_back({"+", nullptr});
      result.push_back({"", &value});
    }
    return result;
  }
  std::string_view rest = formula->expression;
  for (Token token = next_token(rest); token.kind != TokenKind::end; token = next_token(rest)) {
    const NamedValue* value = token.kind == TokenKind::name ? find_value(derivation, token.text) : nullptr;
    result.push_back(value != nullptr ? FormulaPiece{"", value} : FormulaPiece{token.text, nullptr});
  }
  return result;
}

}  // namespace vram
