#include "core/check/kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/check/throughput_row.h"
#include "core/plan/server/formats.h"
#include "core/speed/serving_speed.h"

namespace vram::check {
namespace {

using speed::Speed;

/// llama-bench's usual lengths and those of chat benchmarks, where a row says neither.
constexpr double kUsualInput = 512, kUsualOutput = 128;
constexpr double kChatInput = 1024, kChatOutput = 256;

/// Types of a GGUF by the name of its mix: most matrices, the head, and what half of the values and down-projections
/// get ("more bits", llama.cpp's quantiser: first and last eighth and every third layer between).
struct Mix {
  std::string_view word;
  FormatId most, head, more;
};
constexpr std::array kMixes = {
    Mix{"gguf_q2_k", FormatId::q2_k, FormatId::q6_k, FormatId::q3_k},
    Mix{"gguf_q3_k_m", FormatId::q3_k, FormatId::q6_k, FormatId::q5_k},
    Mix{"gguf_q4_0", FormatId::q4_0, FormatId::q6_k, FormatId::q4_0},
    Mix{"gguf_q4_1", FormatId::q4_1, FormatId::q6_k, FormatId::q4_1},
    Mix{"gguf_q4_k_s", FormatId::q4_k, FormatId::q6_k, FormatId::q4_k},
    Mix{"gguf_q4_k_m", FormatId::q4_k, FormatId::q6_k, FormatId::q6_k},
    Mix{"gguf", FormatId::q4_k, FormatId::q6_k, FormatId::q6_k},
    Mix{"gguf_q5_0", FormatId::q5_0, FormatId::q6_k, FormatId::q5_0},
    Mix{"gguf_q5_k_s", FormatId::q5_k, FormatId::q6_k, FormatId::q5_k},
    Mix{"gguf_q5_k_m", FormatId::q5_k, FormatId::q6_k, FormatId::q6_k},
    Mix{"gguf_q6_k", FormatId::q6_k, FormatId::q6_k, FormatId::q6_k},
    Mix{"gguf_q8_0", FormatId::q8_0, FormatId::q8_0, FormatId::q8_0},
    Mix{"gguf_iq4_xs", FormatId::iq4_xs, FormatId::q6_k, FormatId::q5_k},
    Mix{"gguf_iq4_nl", FormatId::iq4_nl, FormatId::q6_k, FormatId::q5_k},
};

/// Format that most of a row's weights are in, for what follows from it.
FormatId main_format(std::string_view word) {
  struct Row {
    std::string_view word;
    FormatId format;
  };
  constexpr std::array rows = {Row{"fp8_tensor", FormatId::fp8}, Row{"int4", FormatId::int4_sym},
                               Row{"awq_int4_g128", FormatId::awq_int4}, Row{"gptq_int4_g128", FormatId::gptq_int4},
                               Row{"fp4", FormatId::nvfp4}};
  for (const Row& row : rows) {
    if (row.word == word) return row.format;
  }
  for (const Mix& mix : kMixes) {
    if (mix.word == word) return mix.most;
  }
  return find_format(word).value_or(FormatId::bf16);
}

bool is_routed(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }

bool has_experts(const Model& model) {
  return std::any_of(model.tensors.begin(), model.tensors.end(),
                     [](const Tensor& t) { return t.part == Part::text && is_routed(t.role); });
}

bool is_four_bit_integer(FormatId format) {
  const StorageFormat& stored = storage_format(format);
  return stored.bits == 4 && stored.group > 0 && format != FormatId::nvfp4 && format != FormatId::mxfp4;
}

/// The checkpoint's own integers ("int4" of Kimi: experts in groups of 32, the rest in sixteen bits).
bool stores_four_bit_integers(const Model& model) {
  return std::any_of(model.tensors.begin(), model.tensors.end(),
                     [](const Tensor& t) { return is_four_bit_integer(t.format); });
}

Model in_mix(const Model& stored, const Mix& mix) {
  Model model = with_weight_format(stored, mix.most);
  const std::size_t tensors = model.tensors.size();
  for (std::size_t i = 0; i < tensors; ++i) {
    const Tensor tensor = model.tensors[i];
    if (tensor.role == Role::head || tensor.role == Role::embedding) model.tensors[i].format = mix.head;
    const bool gets_more = tensor.role == Role::attention_v || tensor.role == Role::ffn_down ||
                           tensor.role == Role::expert_down || tensor.role == Role::shared_expert_down;
    if (!gets_more || tensor.layer_set == kNoLayer || mix.more == mix.most) continue;
    LayerSet half, rest;
    for (const std::uint16_t layer : model.layer_sets[static_cast<std::size_t>(tensor.layer_set)]) {
      (half.size() <= rest.size() ? half : rest).push_back(layer);
    }
    if (rest.empty()) continue;
    Tensor better = tensor;
    better.format = mix.more;
    better.layer_set = add_layer_set(model, half);
    model.tensors[i].layer_set = add_layer_set(model, rest);
    model.tensors.push_back(better);
  }
  return model;
}

bool is_geforce(const Accelerator& accelerator) {
  const auto& notes = accelerator.notes;
  return std::find(notes.begin(), notes.end(), "geforce_datacentre") != notes.end();
}

/// Layouts of `cards` devices that a model can be cut into. Models with a latent cache and experts are also run with
/// attention data-parallel: their cache would be the same on every card of a tensor-parallel group.
std::vector<speed::Split> layouts(const Model& model, int cards) {
  std::vector<speed::Split> all;
  const bool latent = std::any_of(model.caches.begin(), model.caches.end(),
                                  [](const Cache& cache) { return cache.kind == CacheKind::latent; });
  for (int tensor = 1; tensor <= std::min(cards, 16); tensor *= 2) {
    if (cards % tensor != 0) continue;
    const auto heads = static_cast<int>(model.dims.num_attention_heads);
    if (heads > 0 && heads % tensor != 0) continue;
    all.push_back({.tensor = tensor, .data = cards / tensor});
    if (latent && tensor > 1 && has_experts(model)) {
      all.push_back({.tensor = tensor, .data = cards / tensor, .expert = tensor, .attention_data = true});
    }
  }
  if (all.empty()) all.push_back({.data = cards});
  return all;
}

std::vector<speed::Split> splits_of(const ThroughputRow& row, const speed::Case& one) {
  const int cards = row.cards.value_or(1);
  if (!row.tensor) {
    if (one.engine == speed::Engine::llama_cpp) return {{.pipeline = cards}};
    return layouts(*one.model, cards);
  }
  speed::Split split{.tensor = *row.tensor,
                     .pipeline = row.pipeline.value_or(1),
                     .data = row.data.value_or(1),
                     .expert = row.expert.value_or(1),
                     .attention_data = row.attention_data};
  // Attention data-parallelism over the same cards is told as such, or as dp beside a tp that fills them already.
  if (row.cards && split.tensor * split.pipeline == cards && split.data > 1) {
    split.attention_data = true;
    split.data = 1;
  }
  return {split};
}

/// llama.cpp and its tools print the rate of writing alone, and so do notes of a single stream without lengths.
bool reports_writing_only(const ThroughputRow& row) {
  const bool single = row.concurrency && *row.concurrency <= 1;
  return single && (speed_engine(row.engine) == speed::Engine::llama_cpp || !row.output_tokens);
}

void set_load(speed::Case& one, const ThroughputRow& row) {
  const bool bench = one.engine == speed::Engine::llama_cpp;
  one.doubts.lengths = !row.input_tokens || !row.output_tokens;
  one.load.input_tokens = row.input_tokens.value_or(bench ? kUsualInput : kChatInput);
  one.load.output_tokens = row.output_tokens.value_or(bench ? kUsualOutput : kChatOutput);
  one.load.offline = row.offline || (row.every_request_at_once && !row.concurrency);
  if (!one.load.offline) one.load.concurrency = row.concurrency;
  one.load.rate = row.rate;
  one.load.requests = row.requests;
  // Clients count their requests; benchmarks inside an engine (MLPerf, trtllm-bench) tell none.
  one.load.streamed = !one.load.offline || row.requests.has_value();
  // A row that tells no load at all is a figure somebody was proud of: as much as the server can.
  if (!one.load.offline && !one.load.concurrency && !one.load.rate) {
    one.load.offline = true;
    one.load.streamed = true;
    one.doubts.lengths = true;
  }
}

/// The model as a row's weight format has it; nothing when the word is not known.
std::optional<Model> in_row_format(const Model& stored, std::string_view word) {
  if (word.empty()) return stored;
  if (word == "int4" && stores_four_bit_integers(stored)) return stored;
  for (const Mix& mix : kMixes) {
    if (mix.word == word) return in_mix(stored, mix);
  }
  if (word == "exl2" || word == "exl3") return with_weight_format(stored, FormatId::int4_sym);
  return in_served_format(stored, word);
}

std::string_view speed_family(const Accelerator& accelerator, bool experts) {
  if (accelerator.vendor == "MetaX") return "metax";
  if (accelerator.vendor == "AMD") return "amd";
  if (accelerator.vendor == "Huawei") return "ascend";
  if (is_geforce(accelerator) || accelerator.form == FormFactor::soc) return "consumer";
  if (!accelerator.link) return "pcie_only";
  return experts ? "moe" : "dense";
}

/// What the speed model says of a row's settings; the error is the reason why it says nothing ("no_model", …).
Result<Speed> speed_of(const ThroughputRow& row, const Library& library) {
  const Model* stored = row.model_key.empty() ? nullptr : library.model(row.model_key);
  if (stored == nullptr) return Message("no_model");
  const Accelerator* accelerator = find_accelerator(library.accelerators(), row.hardware_id);
  if (accelerator == nullptr) return Message("no_hardware");

  speed::Case one;
  std::optional<Model> model = in_row_format(*stored, row.weights_format);
  one.doubts.formats = row.weights_format.empty() || !model;
  if (!model) model = *stored;
  one.model = &*model;
  one.accelerator = accelerator;
  one.interconnect = &library.interconnect();
  one.engine = speed_engine(row.engine);
  one.doubts.engine = one.engine == speed::Engine::other || one.engine == speed::Engine::lmdeploy;
  one.cache =
      find_format(row.cache_format)
          .value_or(speed::usual_cache_format(one.engine, main_format(row.weights_format), model->compute_format));
  set_load(one, row);

  // Drafting: told, or possible wherever the checkpoint brings draft layers and nobody said that they were off.
  const bool drafts = !row.speculative.empty() && row.speculative != "none";
  if (drafts) one.drafting.tokens = 3;
  const bool has_draft_layers =
      std::any_of(model->tensors.begin(), model->tensors.end(), [](const Tensor& t) { return t.part == Part::mtp; });
  one.doubts.drafting = drafts || (row.speculative.empty() && has_draft_layers);
  if (row.nodes && *row.nodes > 1) one.cards_per_node = std::max(1, row.cards.value_or(1) / *row.nodes);

  std::optional<Speed> best;
  one.doubts.split = !row.tensor && row.cards.value_or(1) > 1;
  for (const speed::Split& split : splits_of(row, one)) {
    one.split = split;
    Result<Speed> speed = speed::serving_speed(one);
    if (!speed) return speed.error();
    const bool better =
        !best || (speed.value().weights_fit && !best->weights_fit) ||
        (speed.value().weights_fit == best->weights_fit && speed.value().total.likely > best->total.likely);
    if (better) best = std::move(speed).value();
  }
  return std::move(*best);
}

}  // namespace

void check_throughput(const Json& json, const Library& library, Outcome& outcome) {
  const auto skip = [&](std::string_view reason) {
    outcome.skipped.push_back({text(json, "id").value_or("?"), std::string(reason), ""});
  };
  const Result<ThroughputRow> read = throughput_row(json);
  if (!read) return skip(read.error().key);
  const ThroughputRow& row = read.value();
  if (!row.duplicate_of.empty()) return skip("duplicate");
  for (const std::string_view doubted : {"copied", "model", "n_gpu", "gpu", "hardware_id"}) {
    if (row.doubts(doubted)) return skip("suspect");
  }
  const Result<Speed> predicted = speed_of(row, library);
  if (!predicted) return skip(predicted.error().key);
  const Speed& speed = predicted.value();
  const bool experts = has_experts(*library.model(row.model_key));
  const std::string_view family = speed_family(*find_accelerator(library.accelerators(), row.hardware_id), experts);
  const auto add = [&](std::string_view quantity, double reported, const speed::Band& band, double unit) {
    Case made;
    made.id = row.id;
    made.quantity = quantity;
    made.family = family;
    made.complete = row.is_complete_for(quantity);
    made.reported = reported * unit;
    made.predicted = band.likely * unit;
    made.low = band.low * unit;
    made.high = band.high * unit;
    outcome.cases.push_back(std::move(made));
  };
  if (row.output_tps && !row.doubts("total_output_tok_s")) {
    add("output_tps", *row.output_tps, reports_writing_only(row) ? speed.per_user : speed.total, 1);
  }
  if (row.per_token && !row.doubts("tpot_ms")) add("tpot", *row.per_token, speed.per_token, 1000);
  if (row.first_token && !row.doubts("ttft_ms")) add("ttft", *row.first_token, speed.first_token, 1000);
}

}  // namespace vram::check
