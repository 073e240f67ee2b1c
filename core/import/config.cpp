#include "core/import/config.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/import/config_fields.h"
#include "core/import/config_layers.h"
#include "core/import/config_tensors.h"
#include "core/import/config_towers.h"
#include "core/import/families.h"
#include "core/import/quantisation.h"

namespace vram {
namespace {

struct KnownFile {
  std::string_view key;   ///< a member of this file
  std::string_view kind;  ///< "file_kind.…"
  bool never_in_a_model;  ///< false: a config.json may have such a member too
};
// Other JSON files that lie beside a config.json and are opened by mistake.
constexpr KnownFile kOtherFiles[] = {
    {"peft_type", "adapter_config", true},
    {"lora_alpha", "adapter_config", true},
    {"weight_map", "safetensors_index", true},
    {"added_tokens_decoder", "tokenizer_config", true},
    {"image_processor_type", "preprocessor_config", true},
    {"feature_extractor_type", "preprocessor_config", true},
    {"_class_name", "diffusers", true},
    {"_diffusers_version", "diffusers", true},
    {"zero_optimization", "deepspeed", true},
    {"per_device_train_batch_size", "training_arguments", true},
    {"added_tokens", "tokenizer", false},
    {"chat_template", "tokenizer_config", false},
    {"tokenizer_class", "tokenizer_config", false},
    {"processor_class", "preprocessor_config", false},
    {"max_new_tokens", "generation_config", false},
    {"do_sample", "generation_config", false},
    {"_from_model_config", "generation_config", false},
    {"quantization", "hf_quant_config", false},
};

/// Where composite models keep the configuration of their text model, the innermost last.
constexpr std::string_view kTextPaths[] = {"text_config", "language_config", "llm_config", "thinker_config.text_config",
                                           "decoder"};

const Json* walk(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (at != nullptr) {
    const std::size_t dot = path.find('.');
    at = find(*at, path.substr(0, dot));
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

/// The kind of file that such members belong to; empty when none is there.
std::string_view other_file(const Json& config, bool certain) {
  for (const KnownFile& file : kOtherFiles) {
    if ((file.never_in_a_model || !certain) && find(config, file.key) != nullptr) return file.kind;
  }
  return {};
}

Message not_a_model(const Json& config) {
  const std::string_view kind = other_file(config, false);
  return Message("config.not_a_model")
      .with("found", MessageKey{"file_kind." + std::string(kind.empty() ? "other_json" : kind)});
}

std::string first_architecture(const Json& config) {
  const Json* names = find(config, "architectures");
  const bool given = names != nullptr && names->is_array() && !names->empty() && names->front().is_string();
  return given ? names->front().get<std::string>() : std::string();
}

std::optional<FormatId> stored_type(const Json& config) {
  for (const std::string_view key : {"torch_dtype", "dtype"}) {
    const auto name = text(config, key);
    if (!name) continue;
    const std::string_view type =
        name->starts_with("torch.") ? std::string_view(*name).substr(6) : std::string_view(*name);
    if (type == "bfloat16") return FormatId::bf16;
    if (type == "float16" || type == "half") return FormatId::fp16;
    if (type == "float32" || type == "float") return FormatId::fp32;
    if (type.starts_with("float8")) return FormatId::fp8;
  }
  return std::nullopt;
}

/// The text model's family: its own model_type says most, then the whole model's, then the names of the classes.
const Family* family_of(const Json& root, const Json& text_model) {
  const std::string inner = text(text_model, "model_type").value_or(""), outer = text(root, "model_type").value_or("");
  if (const Family* family = find_family(inner, {})) return family;
  if (const Family* family = find_family(outer, {})) return family;
  if (const Family* family = find_family({}, first_architecture(text_model))) return family;
  return find_family({}, first_architecture(root));
}

/// Heads of other tasks than writing: no lm_head, no tokens out.
void apply_architecture(const std::string& architecture, TextModel& text) {
  const bool headless = architecture.ends_with("Model") && !architecture.ends_with("LMHeadModel");
  const bool classifier = architecture.find("ForSequenceClassification") != std::string::npos ||
                          architecture.find("ForTokenClassification") != std::string::npos;
  if (!headless && !classifier) return;
  text.has_head = false;
  text.generates = false;
}

}  // namespace

Result<Model> model_from_config(const Json& config, const ConfigExtras& extras) {
  if (!config.is_object() || !other_file(config, true).empty()) return not_a_model(config);
  const Json *text_model = &config, *whole = &config;  // `whole` holds the text model and its towers side by side
  for (const std::string_view path : kTextPaths) {
    const Json* nested = walk(config, path);
    if (nested == nullptr || !nested->is_object()) continue;
    text_model = nested;
    const std::size_t dot = path.rfind('.');
    whole = dot == std::string_view::npos ? &config : walk(config, path.substr(0, dot));
  }
  FieldReader fields(config, *text_model);
  if (!fields.knows_any()) {
    const Json* architectures = find(config, "architectures");
    if (architectures == nullptr) return not_a_model(config);
    const bool has_tower = find(config, "vision_config") != nullptr || find(config, "audio_config") != nullptr;
    if (has_tower && text_model == &config) {
      return Message("config.no_text_model").with("model_type", text(config, "model_type").value_or("?"));
    }
  }

  const std::string model_type = text(config, "model_type").value_or(text(*text_model, "model_type").value_or(""));
  const std::string architecture =
      first_architecture(config).empty() ? first_architecture(*text_model) : first_architecture(config);
  const Family* family = family_of(config, *text_model);
  TextModel read = read_text_model(fields, family != nullptr ? *family : unknown_family());
  if (fields.error()) return *fields.error();
  apply_architecture(architecture, read);

  Model model;
  model.name = extras.name.empty() ? text(config, "_name_or_path").value_or(model_type) : extras.name;
  model.model_type = !model_type.empty() ? model_type : architecture;
  model.origin = family != nullptr ? Origin::config : Origin::unverified;
  model.dims = read.dims;
  model.generates = read.generates;
  model.notes = std::move(read.notes);
  if (family == nullptr) {
    model.notes.insert(model.notes.begin(),
                       Message("config.note.unknown_family")
                           .with("model_type", model.model_type.empty() ? std::string("?") : model.model_type)
                           .with("read_as", std::string("llama")));
  }

  const std::optional<FormatId> own = stored_type(*text_model);
  const FormatId plain = own ? *own : stored_type(config).value_or(FormatId::bf16);
  // Engines run a model stored in fp32 or fp8 in sixteen bits (vLLM, dtype "auto").
  model.compute_format = plain == FormatId::fp32 ? FormatId::fp16 : plain == FormatId::fp8 ? FormatId::bf16 : plain;

  std::vector<Piece> pieces = text_pieces(read);
  const std::string whole_type = text(*whole, "model_type").value_or(model_type);
  std::vector<Piece> towers = tower_pieces(*whole, whole_type, read.dims.hidden_size, model.notes);
  pieces.insert(pieces.end(), towers.begin(), towers.end());
  if (find(config, "talker_config") != nullptr) model.notes.push_back(Message("config.note.talker_left_out"));
  const Quantisation quantisation = read_quantisation(config, *text_model, extras.hf_quant_config);
  model.notes.insert(model.notes.end(), quantisation.notes.begin(), quantisation.notes.end());
  store_pieces(pieces, quantisation, plain, model);
  add_caches(read, model);
  if (count_parameters(model).total.overflowed() || weight_bytes(model).overflowed())
    return Message("config.too_large");
  return model;
}

namespace {

/// Python's json module writes Infinity and NaN, which are not JSON (Nemotron-H: "time_step_limit": [0.0, Infinity]).
/// None of them is a dimension of ours: outside strings they become null.
std::string without_python_numbers(std::string_view text) {
  constexpr std::string_view kWords[] = {"-Infinity", "Infinity", "NaN"};
  std::string result;
  result.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\' && i + 1 < text.size()) result += text[i++];
      quoted = text[i] != '"' || c == '\\';
      result += text[i];
      continue;
    }
    quoted = c == '"';
    const std::string_view* word = std::find_if(std::begin(kWords), std::end(kWords),
                                                [&](std::string_view w) { return text.substr(i).starts_with(w); });
    if (word != std::end(kWords)) {
      result += "null";
      i += word->size() - 1;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

Result<Model> model_from_config_text(std::string_view text, const ConfigExtras& extras) {
  const bool python = text.find("Infinity") != std::string_view::npos || text.find("NaN") != std::string_view::npos;
  Result<Json> json = python ? parse_json(without_python_numbers(text)) : parse_json(text);
  if (!json) return json.error();
  return model_from_config(json.value(), extras);
}

}  // namespace vram
