// Types of a quantisation mix: llama.cpp's src/llama-quant.cpp (llama_tensor_get_type, tensor_type_fallback), without
// an importance matrix.
//
// A mix has a type for everything and exceptions by category and place in the model: values of attention, the
// down-projections of the first and last eighth and of every third layer between get more bits. A row that is no
// multiple of the type's block gets a type with a smaller block. "Q4_K_M" of a 1-billion Gemma is mostly Q5_0 for that
// reason, and 6.4 bits a weight.
#include <algorithm>
#include <array>

#include "core/plan/llamacpp/tensors.h"

namespace vram::llamacpp {
namespace {

enum class Category : std::uint8_t { embedding, q, k, v, qkv, attention_output, up, gate, down, output, other };

Category category_of(Slot slot) {
  switch (slot) {
    case Slot::output: return Category::output;
    case Slot::token_embd:
    case Slot::per_layer_token_embd: return Category::embedding;
    case Slot::attn_qkv: return Category::qkv;
    case Slot::attn_v: return Category::v;
    case Slot::attn_k: return Category::k;
    case Slot::attn_q: return Category::q;
    case Slot::attn_output: return Category::attention_output;
    case Slot::ffn_up:
    case Slot::ffn_up_exps:
    case Slot::ffn_up_shexp: return Category::up;
    case Slot::ffn_gate:
    case Slot::ffn_gate_exps:
    case Slot::ffn_gate_up_exps:
    case Slot::ffn_gate_shexp: return Category::gate;
    case Slot::ffn_down:
    case Slot::ffn_down_exps:
    case Slot::ffn_down_shexp: return Category::down;
    default: return Category::other;
  }
}

/// Matrices that a quantiser leaves alone.
bool stays(const Tensor& tensor) {
  switch (tensor.slot) {
    case Slot::per_layer_model_proj:
    case Slot::altup_proj:
    case Slot::altup_unembd_proj:
    case Slot::altup_router:
    case Slot::laurel_l:
    case Slot::laurel_r: return true;
    default: return tensor.type == FormatId::fp32;
  }
}

struct Mix {
  std::string_view name;
  FormatId type;
};
constexpr Mix kMixes[] = {
    {"F32", FormatId::fp32},         {"F16", FormatId::fp16},         {"BF16", FormatId::bf16},
    {"Q8_0", FormatId::q8_0},        {"Q4_0", FormatId::q4_0},        {"Q4_1", FormatId::q4_1},
    {"Q5_0", FormatId::q5_0},        {"Q5_1", FormatId::q5_1},        {"MXFP4_MOE", FormatId::mxfp4},
    {"Q2_K", FormatId::q2_k},        {"Q2_K_S", FormatId::q2_k},      {"Q3_K_S", FormatId::q3_k},
    {"Q3_K_M", FormatId::q3_k},      {"Q3_K_L", FormatId::q3_k},      {"Q4_K_S", FormatId::q4_k},
    {"Q4_K_M", FormatId::q4_k},      {"Q5_K_S", FormatId::q5_k},      {"Q5_K_M", FormatId::q5_k},
    {"Q6_K", FormatId::q6_k},        {"IQ1_S", FormatId::iq1_s},      {"IQ1_M", FormatId::iq1_m},
    {"IQ2_XXS", FormatId::iq2_xxs},  {"IQ2_XS", FormatId::iq2_xs},    {"IQ2_S", FormatId::iq2_xs},
    {"IQ2_M", FormatId::iq2_s},      {"IQ3_XXS", FormatId::iq3_xxs},  {"IQ3_XS", FormatId::iq3_s},
    {"IQ3_S", FormatId::iq3_s},      {"IQ3_M", FormatId::iq3_s},      {"IQ4_NL", FormatId::iq4_nl},
    {"IQ4_XS", FormatId::iq4_xs},    {"TQ1_0", FormatId::tq1_0},      {"TQ2_0", FormatId::tq2_0},
};

std::uint64_t block_of(FormatId type) {
  const StorageFormat& format = storage_format(type);
  return std::max<std::uint64_t>({1, format.block_values, format.group});
}

class Quantiser {
 public:
  Quantiser(Model& model, std::string_view mix, FormatId type) : model_(model), mix_(mix), type_(type) {
    for (const Tensor& tensor : model.tensors) {
      const Category category = category_of(tensor.slot);
      if (category == Category::v || category == Category::qkv) ++values_;
    }
    // Query heads a key head of the first layer. Gated-delta-net files state the heads once for all layers, other
    // hybrids layer by layer with zeros.
    const auto heads = std::find_if(model.layers.begin(), model.layers.end(),
                                    [](const Layer& layer) { return layer.attention || layer.latent; });
    const bool stated = model.rules->recurrence == Recurrence::delta_net || heads == model.layers.begin();
    if (stated && heads != model.layers.end() && heads->kv_heads > 0) grouped_ = heads->heads / heads->kv_heads;
    const Layer& first = model.layers.front();
    // "70B": llama.cpp's name for 80 layers with grouped heads; its values are small enough to keep more bits.
    seventy_ = model.layers.size() == 80 && (model.arch == "llama" || model.arch == "qwen2" || model.arch == "deci") &&
               first.heads != first.kv_heads;
    layers_ = static_cast<int>(model.layers.size() + (model.rules->stores_draft || model.loads_draft ? model.draft_layers : 0));
  }

  void run() {
    for (Tensor& tensor : model_.tensors) {
      if (stays(tensor)) continue;
      tensor.type = fitting(tensor, choose(tensor, category_of(tensor.slot)));
    }
  }

 private:
  bool is(std::initializer_list<std::string_view> mixes) const {
    return std::find(mixes.begin(), mixes.end(), mix_) != mixes.end();
  }
  static bool more_bits(int i, int n) { return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2; }

  FormatId choose(const Tensor& tensor, Category category) {
    using F = FormatId;
    if (block_of(type_) == 1) return type_;  // F16, BF16, F32: everything alike
    const bool low = is({"IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ1_S", "IQ1_M"});
    const bool eight_experts = model_.experts == 8;
    const bool like_output = category == Category::output || (model_.tied && category == Category::embedding);
    if (like_output) {
      if (mix_ == "MXFP4_MOE" || tensor.ne[0] % block_of(type_) != 0) return F::q8_0;
      if (low || mix_ == "IQ3_XXS") return F::q5_k;
      return type_ == F::q8_0 ? F::q8_0 : F::q6_k;
    }
    if (mix_ == "MXFP4_MOE") return tensor.ne[2] > 1 ? F::mxfp4 : F::q8_0;
    if (category == Category::embedding) {
      if (is({"IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"})) return F::q2_k;
      if (is({"IQ2_S", "IQ2_M", "IQ3_XXS"})) return F::iq3_s;
      if (is({"TQ1_0", "TQ2_0"})) return F::q4_k;
      return type_;
    }
    const bool second = is({"IQ2_S", "IQ2_M"});
    if (low) return choose_low(category, second, eight_experts);
    switch (category) {
      case Category::v:
      case Category::qkv: return choose_value(eight_experts);
      case Category::k:
        if (eight_experts) return F::q8_0;
        [[fallthrough]];
      case Category::q:
        if (mix_ == "IQ3_XS") return F::iq3_xxs;
        if (mix_ == "IQ3_XXS") return F::iq2_s;
        return type_;
      case Category::down: return choose_down(tensor);
      case Category::attention_output: return choose_output_projection(eight_experts);
      case Category::gate: return choose_inner(tensor, gates_++);
      case Category::up: return choose_inner(tensor, ups_++);
      default: return type_;
    }
  }

  FormatId choose_low(Category category, bool second, bool eight_experts) {
    using F = FormatId;
    switch (category) {
      case Category::v:
      case Category::qkv:
        if (grouped_ >= 4 || model_.experts >= 4) return F::q4_k;
        return second ? F::iq3_s : F::q2_k;
      case Category::k: return eight_experts ? F::q4_k : type_;
      case Category::down: return downs_++ < layers_ / 8 ? (second ? F::iq3_s : F::q2_k) : type_;
      case Category::attention_output:
        if (eight_experts) return F::q5_k;
        if (is({"IQ1_S", "IQ1_M"})) return F::iq2_xxs;
        return second ? F::iq3_s : type_;
      default: return type_;
    }
  }

  FormatId choose_value(bool eight_experts) {
    using F = FormatId;
    F type = type_;
    const int i = value_++;
    const bool grouped = grouped_ >= 4;
    if (mix_ == "Q2_K") type = grouped ? F::q4_k : F::q3_k;
    else if (mix_ == "Q2_K_S" && grouped) type = F::q4_k;
    else if (mix_ == "IQ3_XXS") type = grouped ? F::q4_k : F::iq3_s;
    else if (is({"IQ3_XS", "IQ3_S"}) && grouped) type = F::q4_k;
    else if (mix_ == "IQ3_M") type = F::q4_k;
    else if (mix_ == "Q3_K_M") type = i < 2 ? F::q5_k : F::q4_k;
    else if (mix_ == "Q3_K_L") type = F::q5_k;
    else if (is({"IQ4_NL", "IQ4_XS"}) && grouped) type = F::q5_k;
    else if (is({"Q4_K_M", "Q5_K_M"}) && more_bits(i, values_)) type = F::q6_k;
    else if (mix_ == "Q4_K_S" && i < 4) type = F::q5_k;
    if (seventy_ && (type == F::q3_k || type == F::q4_k)) type = F::q5_k;
    return eight_experts ? F::q8_0 : type;
  }

  /// The index that decides: the layer in models with experts, a running number otherwise.
  int place(const Tensor& tensor, int running) const { return model_.experts > 1 ? tensor.layer : running; }

  FormatId choose_down(const Tensor& tensor) {
    using F = FormatId;
    const int i = place(tensor, downs_++), n = layers_;
    if (mix_ == "Q2_K") return F::q3_k;
    if (mix_ == "Q2_K_S") return i < n / 8 ? F::q4_k : type_;
    if (mix_ == "IQ3_XXS") return i < n / 8 ? F::q4_k : F::q3_k;
    if (mix_ == "Q3_K_M") return i < n / 16 ? F::q5_k : F::q4_k;
    if (mix_ == "IQ3_M" && (i < n / 8 || (model_.experts == 8 && more_bits(i, n)))) return F::q4_k;
    if (mix_ == "Q3_K_L") return F::q5_k;
    if (is({"Q4_K_M", "Q5_K_M"})) return more_bits(i, n) ? F::q6_k : type_;
    if (is({"IQ4_NL", "IQ4_XS", "Q4_K_S"}) && i < n / 8) return F::q5_k;
    return type_;
  }

  FormatId choose_output_projection(bool eight_experts) const {
    using F = FormatId;
    if (eight_experts) {
      return is({"Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M",
                 "IQ4_XS"}) ? F::q5_k : type_;
    }
    if (mix_ == "Q2_K") return F::q3_k;
    if (mix_ == "IQ3_XXS") return F::iq3_s;
    if (is({"Q3_K_M", "IQ3_M"})) return F::q4_k;
    return mix_ == "Q3_K_L" ? F::q5_k : type_;
  }

  FormatId choose_inner(const Tensor& tensor, int running) const {
    const int i = place(tensor, running), n = layers_;
    return mix_ == "IQ3_XS" && i >= n / 8 && i < 7 * n / 8 ? FormatId::iq3_xxs : type_;
  }

  static FormatId fitting(const Tensor& tensor, FormatId type) {
    using F = FormatId;
    if (tensor.ne[0] % block_of(type) == 0) return type;
    F smaller = F::fp16;
    switch (type) {
      case F::iq1_s: case F::iq1_m: case F::iq2_xxs: case F::iq2_xs: case F::iq2_s: case F::iq3_xxs: case F::iq3_s:
      case F::iq4_xs: smaller = F::iq4_nl; break;
      case F::q2_k: case F::q3_k: case F::tq1_0: case F::tq2_0: smaller = F::q4_0; break;
      case F::q4_k: smaller = F::q5_0; break;
      case F::q5_k: smaller = F::q5_1; break;
      case F::q6_k: smaller = F::q8_0; break;
      default: break;
    }
    return tensor.ne[0] % block_of(smaller) == 0 ? smaller : F::fp16;
  }

  Model& model_;
  std::string_view mix_;
  FormatId type_;
  int values_ = 0, layers_ = 0;
  int value_ = 0, downs_ = 0, gates_ = 0, ups_ = 0;
  std::uint32_t grouped_ = 0;
  bool seventy_ = false;
};

}  // namespace

bool apply_mix(Model& model, std::string_view mix) {
  const auto* found = std::find_if(std::begin(kMixes), std::end(kMixes), [&](const Mix& row) { return row.name == mix; });
  if (found == std::end(kMixes) || model.layers.empty()) return false;
  Quantiser(model, found->name, found->type).run();
  return true;
}

}  // namespace vram::llamacpp
