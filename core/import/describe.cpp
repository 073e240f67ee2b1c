#include "core/import/describe.h"

#include "core/import/config_trim.h"
#include "core/model/model_json.h"

namespace vram {

std::string describe(const Opened& opened) {
  if (opened.model.origin != Origin::checkpoint && !opened.config.empty()) {
    const Result<Json> config = parse_json(opened.config);
    const Result<Json> quant = parse_json(opened.quant_config);
    ConfigExtras extras;
    extras.name = opened.model.name;
    if (quant) extras.hf_quant_config = &quant.value();
    std::string trimmed = config ? trimmed_config(config.value(), extras) : "";
    const Result<Model> read = model_from_trimmed_config(trimmed);
    if (read && read.value().tensors == opened.model.tensors) return trimmed;
  }
  return to_text(model_to_json(opened.model));
}

Result<Model> described_model(std::string_view description) {
  const Result<Json> json = parse_json(description);
  if (!json) return json.error();
  return is_model_json(json.value()) ? model_from_json(json.value()) : model_from_trimmed_config(description);
}

}  // namespace vram
