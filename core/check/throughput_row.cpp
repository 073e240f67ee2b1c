#include "core/check/throughput_row.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace vram::check {
namespace {

std::optional<double> positive(const Json& object, std::string_view key) {
  const auto value = number(object, key);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::optional<int> count(const Json& object, std::string_view key) {
  const auto value = number(object, key);
  if (!value || *value < 1 || *value > 100000) return std::nullopt;
  return static_cast<int>(*value);
}

std::vector<std::string> words(const Json& object, std::string_view key) {
  std::vector<std::string> found;
  const Json* list = find(object, key);
  if (list == nullptr || !list->is_array()) return found;
  for (const Json& item : *list) {
    if (item.is_string()) found.push_back(item.get_ref<const std::string&>());
  }
  return found;
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool ThroughputRow::is_complete_for(std::string_view quantity) const { return has(complete_for, quantity); }
bool ThroughputRow::doubts(std::string_view field) const { return has(suspect, field); }

speed::Engine speed_engine(std::string_view word) {
  std::string name;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto starts = [&](std::string_view start) { return name.compare(0, start.size(), start) == 0; };
  // "vLLM/SGLang": the first is taken. Forks for other hardware ("vllm-ascend", "vLLM-MACA") schedule as vLLM does.
  if (starts("vllm")) return speed::Engine::vllm;
  if (starts("sglang")) return speed::Engine::sglang;
  if (starts("trtllm") || starts("tensorrt")) return speed::Engine::tensorrt_llm;
  if (starts("lmdeploy")) return speed::Engine::lmdeploy;
  if (starts("llamacpp") || starts("ikllama") || starts("ollama") || starts("lmstudio") || starts("koboldcpp")) {
    return speed::Engine::llama_cpp;
  }
  return speed::Engine::other;
}

Result<ThroughputRow> throughput_row(const Json& object) {
  ThroughputRow row;
  row.id = text(object, "id").value_or("");
  if (row.id.empty()) return Message("throughput.no_id");
  row.set = text(object, "set").value_or("");
  row.model_key = text(object, "model_key").value_or("");
  row.hardware_id = text(object, "hardware_id").value_or("");
  row.engine = text(object, "engine").value_or("");
  row.weights_format = text(object, "weights_format").value_or("");
  row.cache_format = text(object, "kv_format").value_or("");
  row.speculative = text(object, "speculative").value_or("");
  row.cards = count(object, "n_gpu");
  row.tensor = count(object, "tp");
  row.pipeline = count(object, "pp");
  row.data = count(object, "dp");
  row.expert = count(object, "ep");
  row.nodes = count(object, "nodes");
  row.attention_data = boolean(object, "attention_dp").value_or(false);
  row.offline = boolean(object, "offline").value_or(false);
  row.input_tokens = positive(object, "isl");
  row.output_tokens = positive(object, "osl");
  row.concurrency = positive(object, "concurrency");
  row.rate = positive(object, "rate");
  row.every_request_at_once = text(object, "rate").value_or("") == "inf";
  row.requests = positive(object, "num_requests");
  row.complete_for = words(object, "complete_for");
  row.suspect = words(object, "suspect");
  row.duplicate_of = text(object, "duplicate_of").value_or("");
  row.output_tps = positive(object, "total_output_tok_s");
  if (const auto ms = positive(object, "tpot_ms")) row.per_token = *ms / 1000;
  if (const auto ms = positive(object, "ttft_ms")) row.first_token = *ms / 1000;
  return row;
}

}  // namespace vram::check
