#include "core/units/message.h"

namespace vram {

void Message::add_number(std::string_view name, std::int64_t number) { parameters.emplace_back(name, number); }
void Message::add_text(std::string_view name, std::string_view text) {
  parameters.emplace_back(name, std::string(text));
}
void Message::add_other(std::string_view name, double number) { parameters.emplace_back(name, number); }
void Message::add_other(std::string_view name, Bytes bytes) { parameters.emplace_back(name, bytes); }
void Message::add_other(std::string_view name, MessageKey looked_up) {
  parameters.emplace_back(name, std::move(looked_up));
}
void Message::add_other(std::string_view name, Parameter any) { parameters.emplace_back(name, std::move(any)); }

}  // namespace vram
