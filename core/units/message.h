// What the core says: a key and its parameters. Words in a language are put to it in core/report, from assets/strings.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
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

  /// With a parameter: a whole number, a double, or what else a Parameter is made of.
  template <class Value>
  Message& with(std::string_view name, Value&& value) & {
    add(name, std::forward<Value>(value));
    return *this;
  }
  template <class Value>
  Message&& with(std::string_view name, Value&& value) && {
    add(name, std::forward<Value>(value));
    return std::move(*this);
  }
  friend bool operator==(const Message&, const Message&) = default;

 private:
  // Not one function that takes a Parameter: making and destroying a variant at each of five hundred places is a
  // hundredth of the page.
  template <class Value>
  void add(std::string_view name, Value&& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<Value>>) add_number(name, static_cast<std::int64_t>(value));
    else if constexpr (std::is_convertible_v<Value, std::string_view>) add_text(name, value);
    else add_other(name, std::forward<Value>(value));
  }
  void add_number(std::string_view name, std::int64_t number);
  void add_text(std::string_view name, std::string_view text);
  void add_other(std::string_view name, double number);
  void add_other(std::string_view name, Bytes bytes);
  void add_other(std::string_view name, MessageKey looked_up);
  void add_other(std::string_view name, Parameter any);
};

}  // namespace vram
