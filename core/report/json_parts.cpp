#include "core/report/json_parts.h"

#include <variant>

namespace vram {

Json band_json(const Band& band) {
  return {{"low", band.low.value()}, {"likely", band.likely.value()}, {"high", band.high.value()}};
}

Json band_json(const speed::Band& band) { return {{"low", band.low}, {"likely", band.likely}, {"high", band.high}}; }

Json range_json(const std::optional<Range>& range) {
  return range ? Json({{"low", range->low}, {"high", range->high}}) : Json(nullptr);
}

Json message_json(const Message& message) {
  Json parameters = Json::object();
  for (const auto& [name, value] : message.parameters) {
    if (const auto* words = std::get_if<std::string>(&value))
      parameters[name] = *words;
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
      parameters[name] = *whole;
    else if (const auto* real = std::get_if<double>(&value))
      parameters[name] = *real;
    else if (const auto* bytes = std::get_if<Bytes>(&value))
      parameters[name] = bytes->value();
    else
      parameters[name] = std::get_if<MessageKey>(&value)->key;
  }
  return {{"key", message.key}, {"parameters", std::move(parameters)}};
}

}  // namespace vram
