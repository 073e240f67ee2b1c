#include "core/units/json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace vram {
namespace {

struct Place {
  std::int64_t line = 1, column = 1;
};

Place place_of(std::string_view text, std::size_t position) {
  Place place;
  for (std::size_t i = 0; i < std::min(position, text.size()); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

/// Builds the document and stops at the first thing we do not accept.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  bool null() override { return add(Json(nullptr)); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override {
    const Json& object = *open_.back();
    if (object.size() >= kWide) {
      std::vector<std::string_view> keys;
      keys.reserve(object.size());
      for (const auto& member : object.get_ref<const Json::object_t&>()) keys.push_back(member.first);
      std::sort(keys.begin(), keys.end());
      const auto twice = std::adjacent_find(keys.begin(), keys.end());
      if (twice != keys.end()) return refuse_duplicate(*twice);
    }
    return close();
  }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Json& object = *open_.back();
    // Ordered objects are lists: a look-up costs their length, so wide ones are checked once, sorted, at their end.
    if (object.size() < kWide && object.contains(name)) return refuse_duplicate(name);
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    const Place place = place_of(text_, position == 0 ? 0 : position - 1);
    error_ = Message("json.syntax").with("line", place.line).with("column", place.column);
    return false;
  }

  Json take() { return std::move(root_); }
  const std::optional<Message>& error() const { return error_; }

 private:
  static constexpr std::size_t kWide = 256;

  bool refuse_duplicate(std::string_view key) {
    error_ = Message("json.duplicate_key").with("key", std::string(key));
    return false;
  }
  bool add(Json value) {
    place_value(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (static_cast<int>(open_.size()) >= kMaxJsonDepth) {
      error_ = Message("json.too_deep").with("limit", std::int64_t{kMaxJsonDepth});
      return false;
    }
    open_.push_back(place_value(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  Json* place_value(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    auto& object = parent.get_ref<Json::object_t&>();
    object.std::vector<Json::object_t::value_type>::emplace_back(std::move(key_), std::move(value));
    return &object.back().second;
  }

  std::string_view text_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::optional<Message> error_;
};

/// Python writes NaN, Infinity and -Infinity, which are not JSON, and real config.json files have them (Nemotron-H:
/// "time_step_limit": [0.0, Infinity]). They say "no number" and are read as null.
std::string without_python_numbers(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    std::size_t word = 0;
    if (!in_string) {
      for (const std::string_view name : {"NaN", "Infinity", "-Infinity"}) {
        if (rest.starts_with(name)) word = name.size();
      }
    }
    if (word > 0) {
      result += "null";
      i += word;
      continue;
    }
    if (in_string && text[i] == '\\' && i + 1 < text.size()) result += text[i++];
    else if (text[i] == '"') in_string = !in_string;
    result += text[i++];
  }
  return result;
}

/// What a file that is not JSON looks like, so that the message can name it.
std::string_view kind_of(std::string_view text) {
  if (text.starts_with("%PDF")) return "pdf";
  if (text.starts_with("PK\x03\x04")) return "zip";
  if (text.starts_with("GGUF")) return "gguf";
  if (text.starts_with("version https://git-lfs")) return "lfs";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '<') return "html";
  if (text.substr(0, 512).find('\0') != std::string_view::npos) return "binary";
  return "";
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Message("json.empty");
  if (const std::string_view kind = kind_of(text); !kind.empty()) {
    return Message("json.not_json").with("found", MessageKey{"file_kind." + std::string(kind)});
  }
  std::string cleaned;
  if (text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos) {
    cleaned = without_python_numbers(text);
    text = cleaned;
  }
  Builder builder(text);
  const bool parsed = Json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.error()) return *builder.error();
  if (!parsed) return Message("json.syntax").with("line", std::int64_t{1}).with("column", std::int64_t{1});
  return builder.take();
}

const Json* find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto& members = object.get_ref<const Json::object_t&>();
  for (const auto& member : members) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::optional<std::int64_t> integer(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_unsigned()) {
    const auto number = value->get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (value->is_number_float()) {  // 4096.0 is an integer that some tool wrote as a float
    const double number = value->get<double>();
    if (std::floor(number) == number && std::abs(number) < 9.0e15) return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

std::optional<double> number(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::optional<bool> boolean(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

std::optional<std::string> text(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vram
