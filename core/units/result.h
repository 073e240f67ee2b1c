// A value or the reason why there is none. Errors are values; nothing is thrown across the core's border.
#pragma once
#include <cstdlib>
#include <utility>
#include <variant>

#include "core/units/message.h"

namespace vram {

/// Check `ok()` before `value()`; taking the value of a failed result ends the program, as a broken promise should.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Message error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    if (!ok()) std::abort();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    if (!ok()) std::abort();
    return std::move(*std::get_if<0>(&state_));
  }
  const Message& error() const {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Message> state_;
};

}  // namespace vram
