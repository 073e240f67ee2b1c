#include "core/import/quantisation.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace vram {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void add_names(NameList& list, const Json* names, FormatId format) {
  if (names == nullptr || !names->is_array()) return;
  for (const Json& name : *names) {
    if (name.is_string()) list.add(name.get_ref<const std::string&>(), format);
  }
}

FormatId by_group(std::int64_t group, FormatId g128, FormatId g64, FormatId g32, FormatId channel) {
  if (group <= 0 || group > 1024) return channel;
  return group > 64 ? g128 : group > 32 ? g64 : g32;
}
FormatId awq(std::int64_t group) {
  return by_group(group, FormatId::awq_int4, FormatId::awq_int4_g64, FormatId::awq_int4_g32,
                  FormatId::gptq_int4_channel);
}
FormatId gptq(std::int64_t group) {
  return by_group(group, FormatId::gptq_int4, FormatId::gptq_int4_g64, FormatId::gptq_int4_g32,
                  FormatId::gptq_int4_channel);
}
FormatId symmetric_int4(std::int64_t group) {
  return by_group(group, FormatId::int4_sym, FormatId::int4_sym_g64, FormatId::int4_sym_g32,
                  FormatId::int4_sym_channel);
}

struct Algorithm {
  std::string_view name;
  FormatId format;
};
// modelopt's `quant_algo` (NVIDIA TensorRT Model Optimizer, export formats).
constexpr Algorithm kAlgorithms[] = {
    {"FP8", FormatId::fp8},
    {"FP8_PER_CHANNEL_PER_TOKEN", FormatId::fp8_channel},
    {"FP8_PB_WO", FormatId::fp8_block},
    {"FP8_PB_REAL", FormatId::fp8_block},
    {"FP8_BLOCK", FormatId::fp8_block},
    {"NVFP4", FormatId::nvfp4},
    {"NVFP4_AWQ", FormatId::nvfp4},
    {"W4A16_NVFP4", FormatId::nvfp4},
    {"W4A8_NVFP4_FP8", FormatId::nvfp4},
    {"MXFP8", FormatId::mxfp8},
    {"MXFP4", FormatId::mxfp4},
    {"W4A8_MXFP4_FP8", FormatId::mxfp4},
    {"INT8_SQ", FormatId::int8},
    {"W8A8_SQ_PER_CHANNEL", FormatId::int8},
    {"W8A16", FormatId::int8},
    {"INT4_AWQ", FormatId::int4_sym},
    {"W4A16_AWQ", FormatId::int4_sym},
    {"W4A8_AWQ", FormatId::int4_sym},
    {"W4A16", FormatId::int4_sym},
};

std::optional<FormatId> algorithm(const Json& object) {
  const auto name = text(object, "quant_algo");
  if (!name) return std::nullopt;
  for (const Algorithm& row : kAlgorithms) {
    if (row.name == *name) return row.format;
  }
  return std::nullopt;
}

/// The weights of a compressed-tensors group.
std::optional<FormatId> group_format(const Json& group) {
  const Json* weights = find(group, "weights");
  if (weights == nullptr || !weights->is_object()) return std::nullopt;
  const std::int64_t bits = integer(*weights, "num_bits").value_or(0),
                     size = integer(*weights, "group_size").value_or(0);
  const std::string type = text(*weights, "type").value_or("int"), strategy = text(*weights, "strategy").value_or("");
  if (type == "float" && bits == 8) {
    if (strategy == "block" || find(*weights, "block_structure") != nullptr) {
      const Json* blocks = find(*weights, "block_structure");
      if (strategy == "block" || (blocks != nullptr && blocks->is_array())) return FormatId::fp8_block;
    }
    if (strategy == "channel") return FormatId::fp8_channel;
    return size == 32 ? FormatId::mxfp8 : FormatId::fp8;
  }
  if (type == "float" && bits == 4) return size == 32 ? FormatId::mxfp4 : FormatId::nvfp4;
  if (type == "int" && bits == 8) return size > 0 ? FormatId::gptq_int8 : FormatId::int8;
  if (type == "int" && bits == 4) {
    const std::int64_t group_size = strategy == "channel" ? 0 : size;
    return boolean(*weights, "symmetric").value_or(true) ? symmetric_int4(group_size) : awq(group_size);
  }
  return std::nullopt;
}

class Reader {
 public:
  Quantisation read(const Json& root, const Json& text_model, const Json* beside) {
    const Json* config = find(root, "quantization_config");
    if (config == nullptr || !config->is_object()) config = find(text_model, "quantization_config");
    if (config == nullptr || !config->is_object()) config = find(root, "compression_config");
    if (config != nullptr && config->is_object()) read_config(*config);
    // hf_quant_config.json says the same in other words; it is read where config.json is silent.
    const Json* inner = beside == nullptr ? nullptr : find(*beside, "quantization");
    if (config == nullptr && inner != nullptr && inner->is_object()) read_modelopt(*inner);
    if (const auto type = text(text_model, "expert_dtype"); type == "fp4" && result_.experts == std::nullopt) {
      result_.experts = FormatId::mxfp4;
    }
    if (result_.left_out.overflowed() || result_.listed.overflowed()) {
      result_.notes.push_back(
          Message("config.note.patterns_left_out").with("limit", static_cast<std::int64_t>(NameList::kMaxPatterns)));
    }
    return std::move(result_);
  }

 private:
  void not_read(std::string_view method) {
    result_.notes.push_back(
        Message("config.note.quantisation_not_read").with("method", std::string(method.substr(0, 64))));
  }
  void leave_out(const Json& config) {
    for (const std::string_view key : {"modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules",
                                       "llm_int8_skip_modules", "exclude"}) {
      add_names(result_.left_out, find(config, key), FormatId::bf16);
    }
  }

  void read_config(const Json& config) {
    const std::string method = lower(text(config, "quant_method").value_or(""));
    if (method == "fp8") return read_fp8(config);
    if (method == "compressed-tensors") return read_groups(config);
    if (method == "modelopt" || method == "modelopt_fp4" || find(config, "quant_algo") != nullptr)
      return read_modelopt(config);
    leave_out(config);
    const std::int64_t bits = integer(config, "bits").value_or(integer(config, "w_bit").value_or(4));
    const std::int64_t group = integer(config, "group_size").value_or(integer(config, "q_group_size").value_or(128));
    if (method == "awq" && bits == 4) {
      result_.base = boolean(config, "zero_point").value_or(true) ? awq(group) : symmetric_int4(group);
    } else if ((method == "gptq" || method == "auto-round" || method == "intel/auto-round" ||
                method == "gptq_marlin") &&
               (bits == 4 || bits == 8)) {
      result_.base = bits == 8 ? FormatId::gptq_int8 : gptq(group);
      result_.head = boolean(config, "lm_head").value_or(false);
    } else if (method == "bitsandbytes") {
      const bool eight =
          boolean(config, "load_in_8bit").value_or(false) || boolean(config, "_load_in_8bit").value_or(false);
      const bool twice = boolean(config, "bnb_4bit_use_double_quant").value_or(false);
      result_.base = eight ? FormatId::int8 : twice ? FormatId::nf4_dq : FormatId::nf4;
    } else if (method == "mxfp4") {
      result_.base = FormatId::mxfp4;
      result_.only_experts = true;
    } else if (method == "fbgemm_fp8") {
      result_.base = FormatId::fp8_channel;
    } else if (method == "quark") {
      read_quark(config);
    } else {
      not_read(method.empty() ? "?" : method);
    }
  }

  /// DeepSeek, Qwen, MiniMax and Mistral. Experts may be repacked to another format on top (NVIDIA's DeepSeek V4).
  void read_fp8(const Json& config) {
    const Json* block = find(config, "weight_block_size");
    result_.base = block != nullptr && block->is_array() ? FormatId::fp8_block : FormatId::fp8;
    for (const std::string_view key : {"modules_to_not_convert", "ignored_layers"}) {
      add_names(result_.left_out, find(config, key), FormatId::bf16);
    }
    read_listed(config);
  }

  void read_listed(const Json& config) {
    const Json* layers = find(config, "quantized_layers");
    if (layers == nullptr || !layers->is_object()) return;
    for (const auto& entry : layers->get_ref<const Json::object_t&>()) {
      if (const auto format = algorithm(entry.second)) result_.listed.add(entry.first, *format);
    }
  }

  void read_groups(const Json& config) {
    leave_out(config);
    const Json* groups = find(config, "config_groups");
    if (groups == nullptr || !groups->is_object()) return not_read("compressed-tensors");
    for (const auto& group : groups->get_ref<const Json::object_t&>()) {
      const auto format = group_format(group.second);
      if (!format) {
        not_read("compressed-tensors: " + group.first);
        continue;
      }
      const Json* targets = find(group.second, "targets");
      const bool everywhere = targets == nullptr || !targets->is_array() ||
                              std::any_of(targets->begin(), targets->end(), [](const Json& t) {
                                return t == "Linear" || t == "LinearBase" || t == "FusedMoE";
                              });
      if (everywhere) {
        result_.base = format;
      } else {
        add_names(result_.listed, targets, *format);
      }
    }
  }

  void read_modelopt(const Json& config) {
    leave_out(config);
    const std::string name = text(config, "quant_algo").value_or("");
    if (name == "MIXED_PRECISION") return read_listed(config);
    if (const auto format = algorithm(config)) {
      result_.base = format;
    } else if (find(config, "config_groups") != nullptr) {
      read_groups(config);
    } else if (!name.empty()) {
      not_read(name);
    }
  }

  void read_quark(const Json& config) {
    const Json* global = find(config, "global_quant_config");
    const Json* weight = global == nullptr ? nullptr : find(*global, "weight");
    const std::string type = weight == nullptr ? "" : text(*weight, "dtype").value_or("");
    const std::string scheme = weight == nullptr ? "" : text(*weight, "qscheme").value_or("");
    if (type == "fp8_e4m3") {
      result_.base = scheme == "per_channel" ? FormatId::fp8_channel : FormatId::fp8;
    } else if (type == "fp4") {
      result_.base = FormatId::mxfp4;
    } else if (type == "int4") {
      result_.base = symmetric_int4(integer(*weight, "group_size").value_or(128));
    } else {
      not_read("quark");
    }
  }

  Quantisation result_;
};

bool is_routed_expert(Role role) {
  return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down;
}

/// Matrices that quantisers cover unless told otherwise.
bool is_covered(const Piece& piece, const Quantisation& quantisation) {
  if (piece.part != Part::text && piece.part != Part::mtp) return false;
  if (piece.inputs <= Count(1)) return false;
  if (quantisation.only_experts) return is_routed_expert(piece.role);
  if (piece.role == Role::head) return quantisation.head;
  // An indexer's projections are linear layers; its weighting of heads is kept in sixteen bits (DeepSeek V3.2, GLM-5).
  if (piece.role == Role::indexer)
    return piece.names.find("weights_proj") == std::string_view::npos && !piece.names.empty();
  return is_quantised_role(piece.role);
}

}  // namespace

Quantisation read_quantisation(const Json& root, const Json& text_model, const Json* hf_quant_config) {
  return Reader().read(root, text_model, hf_quant_config);
}

void store_pieces(const std::vector<Piece>& pieces, const Quantisation& quantisation, FormatId plain, Model& model) {
  const std::uint32_t drafts = model.dims.num_hidden_layers;
  const auto add = [&](const Piece& piece, FormatId format, LayerSet layers) {
    Tensor tensor;
    tensor.role = piece.role;
    tensor.part = piece.part;
    tensor.format = format;
    tensor.outputs = piece.outputs;
    tensor.inputs = piece.inputs;
    tensor.copies = piece.copies;
    tensor.stored = piece.stored;
    if (!piece.layers.empty()) tensor.layer_set = add_layer_set(model, std::move(layers));
    model.tensors.push_back(tensor);
  };
  for (const Piece& piece : pieces) {
    const bool matrix = piece.inputs > Count(1) && !piece.names.empty();
    if (!matrix) {
      add(piece, plain, piece.layers);
      continue;
    }
    const bool covered = is_covered(piece, quantisation);
    const std::optional<FormatId> listed_any = quantisation.listed.find_any(piece, drafts);
    const std::optional<FormatId> left_out_any = quantisation.left_out.find_any(piece, drafts);
    const auto format_of = [&](std::uint32_t layer) {
      auto listed = quantisation.listed.find(piece, layer, drafts);
      if (!listed) listed = listed_any;
      if (listed) return *listed;
      if (left_out_any || quantisation.left_out.find(piece, layer, drafts)) return plain;
      if (is_routed_expert(piece.role) && quantisation.experts) return *quantisation.experts;
      return covered && quantisation.base ? *quantisation.base : plain;
    };
    if (piece.layers.empty()) {
      add(piece, format_of(0), {});
      continue;
    }
    std::vector<std::pair<FormatId, LayerSet>> by_format;
    for (const std::uint16_t layer : piece.layers) {
      const FormatId format = format_of(layer);
      auto found =
          std::find_if(by_format.begin(), by_format.end(), [&](const auto& entry) { return entry.first == format; });
      if (found == by_format.end()) found = by_format.insert(by_format.end(), {format, {}});
      found->second.push_back(layer);
    }
    for (auto& [format, layers] : by_format) add(piece, format, std::move(layers));
  }
}

}  // namespace vram
