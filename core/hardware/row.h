// One row of a hardware catalogue, read field by field. Catalogues are edited by hand, so the first field of a wrong
// kind is remembered by its name instead of being taken for "not known".
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/json.h"

namespace vram::hardware {

class Row {
 public:
  explicit Row(const Json& object, std::string prefix = "") : object_(&object), prefix_(std::move(prefix)) {
    if (!object.is_object()) blame("");
  }

  std::string text(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return {};
    if (!value->is_string()) return blame(key), std::string();
    return value->get<std::string>();
  }
  std::optional<double> number(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : -1;
    if (!(number >= 0 && number < 1e12)) return blame(key), std::nullopt;
    return number;
  }
  std::optional<std::uint32_t> count(std::string_view key) {
    const std::optional<double> value = number(key);
    if (!value) return std::nullopt;
    if (*value > 1e9 || *value != static_cast<double>(static_cast<std::uint32_t>(*value))) {
      return blame(key), std::nullopt;
    }
    return static_cast<std::uint32_t>(*value);
  }
  bool flag(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return blame(key), false;
    return value->get<bool>();
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> all;
    const Json* value = member(key);
    if (value == nullptr) return all;
    if (!value->is_array()) return blame(key), all;
    for (const Json& item : *value) {
      if (!item.is_string()) return blame(key), all;
      all.push_back(item.get<std::string>());
    }
    return all;
  }
  /// A row within the row; nothing when it is not there.
  std::optional<Row> row(std::string_view key) {
    const Json* value = member(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_object()) return blame(key), std::nullopt;
    return Row(*value, prefix_ + std::string(key) + ".");
  }
  bool has(std::string_view key) { return member(key) != nullptr; }

  /// One of `keys` by its place; the first of them stands for "not known" where `key` is not there.
  template <class Enum, std::size_t n>
  Enum choice(std::string_view key, const std::array<std::string_view, n>& keys) {
    const Json* value = member(key);
    if (value == nullptr) return Enum{};
    if (value->is_string()) {
      const std::string name = value->get<std::string>();
      for (std::size_t i = 0; i < n; ++i) {
        if (keys[i] == name) return static_cast<Enum>(i);
      }
    }
    return blame(key), Enum{};
  }

  void blame(std::string_view key) {
    if (!wrong_) wrong_ = prefix_ + std::string(key);
  }
  void blame(const Row& inner) {
    if (!wrong_) wrong_ = inner.wrong_;
  }
  /// The first field that could not be read.
  const std::optional<std::string>& wrong() const { return wrong_; }

 private:
  const Json* member(std::string_view key) const {
    const Json* value = find(*object_, key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  const Json* object_;
  std::string prefix_;
  std::optional<std::string> wrong_;
};

}  // namespace vram::hardware
