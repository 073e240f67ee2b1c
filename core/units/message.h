// What the core says: a key and its parameters. Words in a language are put to it in core/report, from assets/strings.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/units/bytes.h"

namespace vram {

/// One parameter of a message. Text is shown as it is (a file's or a field's name), numbers and bytes are formatted in
/// the reader's language and unit; `MessageKey` is itself looked up ("term.weights").
struct MessageKey {
  std::string key;
  friend bool operator==(const MessageKey&, const MessageKey&) = default;
};
using Parameter = std::variant<std::string, std::int64_t, double, Bytes, MessageKey>;

struct Message {
  std::string key;
  std::vector<std::pair<std::string, Parameter>> parameters;

  Message() = default;
  explicit Message(std::string_view message_key) : key(message_key) {}

  Message& with(std::string_view name, Parameter value) & {
    parameters.emplace_back(name, std::move(value));
    return *this;
  }
  Message&& with(std::string_view name, Parameter value) && {
    parameters.emplace_back(name, std::move(value));
    return std::move(*this);
  }
  friend bool operator==(const Message&, const Message&) = default;
};

}  // namespace vram
