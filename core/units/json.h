// JSON in, with the place of what is wrong; the library's own types out.
//
// nlohmann-json does the work. What is added here is what a page that opens strangers' files needs: no exceptions, a
// bound on nesting, duplicate keys refused (two readers could disagree on which one counts), and errors as messages.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace vram {

using Json = nlohmann::ordered_json;

constexpr int kMaxJsonDepth = 64;

/// Parses `text`. NaN and Infinity, which Python writes, become null. Errors: json.empty, json.not_json {found}, json.syntax {line, column}, json.too_deep {line},
/// json.duplicate_key {key}, json.not_object. `found` is "html", "pdf", "zip", "gguf" or "binary" where it can be told.
Result<Json> parse_json(std::string_view text);

/// Members of an object, asked for by name. A member that is missing or of another type is nothing, never a default.
const Json* find(const Json& object, std::string_view key);
std::optional<std::int64_t> integer(const Json& object, std::string_view key);
std::optional<double> number(const Json& object, std::string_view key);
std::optional<bool> boolean(const Json& object, std::string_view key);
std::optional<std::string> text(const Json& object, std::string_view key);

/// JSON text; bytes that are not UTF-8 become U+FFFD instead of an error.
std::string to_text(const Json& json, int indent = -1);

}  // namespace vram
