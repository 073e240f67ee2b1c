#include "core/report/language.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/units/json.h"

namespace vram {
namespace {

constexpr std::string_view kNoBreak = "\xC2\xA0";           // between a number and its unit
constexpr std::string_view kNarrowNoBreak = "\xE2\x80\xAF";  // between groups of digits

/// Adds the names in { } that `names` does not have yet.
void add_placeholders(std::string_view text, std::vector<std::string_view>& names) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    if (at == names.end() || *at != name) names.insert(at, name);
  }
}

/// What a file of strings has for one language; nothing when that is no text.
std::optional<Strings::Text> text_from(const Json* json) {
  Strings::Text text;
  bool whole = false;
  if (json != nullptr && json->is_string()) {
    text.other = json->get_ref<const std::string&>();
    whole = true;
  } else if (json != nullptr && json->is_object()) {
    for (const auto& [form, words] : json->items()) {
      if (!words.is_string()) continue;
      const std::string& said = words.get_ref<const std::string&>();
      whole = whole || form == "other";
      if (form == "other") text.other = said;
      else text.forms.emplace_back(form, said);
    }
  }
  if (!whole) return std::nullopt;
  return text;
}

/// Unicode CLDR 44, cardinal rules. Kazakh has one/other too, but its nouns after a number do not change.
std::string_view plural_form(Tongue tongue, double number) {
  const double size = std::abs(number);
  const bool whole = std::floor(size) == size;
  if (tongue != Tongue::ru) return size == 1 ? "one" : "other";
  if (!whole) return "other";
  const double last_two = std::fmod(size, 100), last = std::fmod(size, 10);
  if (last == 1 && last_two != 11) return "one";
  if (last >= 2 && last <= 4 && (last_two < 12 || last_two > 14)) return "few";
  return "many";
}

std::optional<double> number_in(const Parameter& parameter) {
  if (const auto* whole = std::get_if<std::int64_t>(&parameter)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&parameter)) return *real;
  return std::nullopt;
}

std::string_view form_for(const Message& message, Tongue tongue) {
  for (const auto& [name, value] : message.parameters) {
    if (const auto number = number_in(value)) return plural_form(tongue, *number);
  }
  return "other";
}

/// Digits of a number without sign, grouped by three; four digits stay together before a decimal mark as they are read.
std::string grouped(std::string digits, std::string_view mark) {
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), mark);
  }
  return digits;
}

int decimals_for(double value) { return value < 9.995 ? 2 : 1; }

}  // namespace

std::string_view tongue_code(Tongue tongue) {
  switch (tongue) {
    case Tongue::ru: return "ru";
    case Tongue::kk: return "kk";
    case Tongue::en: break;
  }
  return "en";
}

Tongue tongue_from(std::string_view code) {
  if (code.starts_with("ru")) return Tongue::ru;
  if (code.starts_with("kk") || code.starts_with("kz")) return Tongue::kk;
  return Tongue::en;
}

std::optional<Message> Strings::add(std::string_view json_text) {
  const Result<Json> parsed = parse_json(json_text);
  if (!parsed) return parsed.error();
  for (const auto& [key, languages] : parsed.value().items()) {
    std::array<Text, std::size(kTongues)> texts;
    std::vector<std::string_view> wanted;
    for (const Tongue tongue : kTongues) {
      std::optional<Text> text = text_from(vram::find(languages, tongue_code(tongue)));
      if (!text) return Message("strings.malformed").with("key", key);
      Text& kept = texts[static_cast<std::size_t>(tongue)] = *std::move(text);
      std::vector<std::string_view> names;
      add_placeholders(kept.other, names);
      for (const auto& [form, words] : kept.forms) add_placeholders(words, names);
      if (tongue == kTongues[0]) wanted = names;
      if (wanted != names) return Message("strings.malformed").with("key", key);
    }
    texts_[key] = std::move(texts);
  }
  return std::nullopt;
}

const std::string& Strings::Text::form(std::string_view category) const {
  for (const auto& [one, words] : forms) {
    if (one == category) return words;
  }
  return other;
}

const Strings::Text* Strings::find(std::string_view key, Tongue tongue) const {
  const auto found = texts_.find(key);
  if (found == texts_.end()) return nullptr;
  return &found->second[static_cast<std::size_t>(tongue)];
}

std::vector<std::string_view> Strings::keys() const {
  std::vector<std::string_view> all;
  for (const auto& [key, texts] : texts_) all.push_back(key);
  return all;
}

std::string Language::word(std::string_view key) const { return text(Message(key)); }

std::string Language::text(const Message& message) const {
  const Strings::Text* found = strings_->find(message.key, tongue_);
  if (found == nullptr) return "\xE2\x9F\xA8" + message.key + "\xE2\x9F\xA9";  // ⟨key⟩
  const std::string& pattern = found->form(form_for(message, tongue_));

  std::string result;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', at), pattern.size());
    const std::size_t close = std::min(pattern.find('}', open), pattern.size());
    if (close == pattern.size()) return result += pattern.substr(at);
    result += pattern.substr(at, open - at);
    at = open;
    const std::string_view name = std::string_view(pattern).substr(at + 1, close - at - 1);
    const auto value = std::find_if(message.parameters.begin(), message.parameters.end(),
                                    [&](const auto& parameter) { return parameter.first == name; });
    if (value == message.parameters.end()) {
      result += pattern.substr(at, close - at + 1);  // left as it stands, so that it is seen
    } else if (const auto* words = std::get_if<std::string>(&value->second)) {
      result += *words;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value->second)) {
      result += number(*whole);
    } else if (const auto* real = std::get_if<double>(&value->second)) {
      result += number(*real, std::floor(*real) == *real ? 0 : 2);
    } else if (const auto* bytes = std::get_if<Bytes>(&value->second)) {
      result += memory(*bytes);
    } else {
      result += word(std::get_if<MessageKey>(&value->second)->key);
    }
    at = close + 1;
  }
  return result;
}

std::string Language::number(std::int64_t value) const {
  const std::string_view mark = tongue_ == Tongue::en ? "," : kNarrowNoBreak;
  const std::uint64_t size = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                       : static_cast<std::uint64_t>(value);
  return (value < 0 ? "\xE2\x88\x92" : "") + grouped(std::to_string(size), mark);
}

std::string Language::number(double value, int decimals) const {
  if (!std::isfinite(value)) return "\xE2\x88\x9E";
  char buffer[352];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, std::abs(value));
  const std::string plain = buffer;
  const std::size_t point = plain.find('.');
  std::string result = grouped(plain.substr(0, point), tongue_ == Tongue::en ? "," : kNarrowNoBreak);
  if (point != std::string::npos) result += (tongue_ == Tongue::en ? "." : ",") + plain.substr(point + 1);
  const bool negative = value < 0 && plain.find_first_of("123456789") != std::string::npos;
  return (negative ? "\xE2\x88\x92" : "") + result;
}

std::string Language::percent(double share) const {
  const std::string digits = number(share * 100, std::abs(share) < 0.0995 && share != 0 ? 1 : 0);
  return tongue_ == Tongue::en ? digits + "%" : digits + std::string(kNoBreak) + "%";
}

std::string capitalised(std::string words) {
  if (words.empty()) return words;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(words[i]); };
  const auto put = [&](int first, int second) {
    words[0] = static_cast<char>(first);
    words[1] = static_cast<char>(second);
  };
  if (at(0) >= 'a' && at(0) <= 'z') words[0] = static_cast<char>(at(0) - 'a' + 'A');
  if (words.size() < 2) return words;
  const int second = at(1);
  if (at(0) == 0xD0 && second >= 0xB0) put(0xD0, second - 0x20);                          // а … п
  else if (at(0) == 0xD1 && second < 0x90) put(0xD0, second + 0x20);                      // р … я
  else if (at(0) == 0xD1 && second < 0xA0) put(0xD0, second - 0x10);                      // ё, і
  else if ((at(0) == 0xD2 || at(0) == 0xD3) && second % 2 == 1) put(at(0), second - 1);   // ғ қ ң ү ұ һ ә ө
  return words;
}

std::string Language::memory_unit() const { return binary_ ? "GiB" : "GB"; }

std::string Language::memory_number(Bytes bytes) const {
  const double value = binary_ ? gibibytes(bytes) : gigabytes(bytes);
  return number(value, decimals_for(value));
}

std::string Language::memory_hundredths(Bytes bytes) const {
  return number(binary_ ? gibibytes(bytes) : gigabytes(bytes), 2) + std::string(kNoBreak) + memory_unit();
}

std::string Language::date(std::string_view iso) const {
  const bool is_date = iso.size() == 10 && iso[4] == '-' && iso[7] == '-';
  if (tongue_ == Tongue::en || !is_date) return std::string(iso);
  std::string words(iso.substr(8, 2));
  return words.append(".").append(iso.substr(5, 2)).append(".").append(iso.substr(0, 4));
}

std::string Language::memory(Bytes bytes) const {
  if (bytes.overflowed()) return "> 16 EiB";
  const double value = binary_ ? gibibytes(bytes) : gigabytes(bytes);
  const std::string space(kNoBreak);
  if (value >= 0.1 || bytes == Bytes(0)) return memory_number(bytes) + space + memory_unit();
  const double smaller = value * (binary_ ? 1024 : 1000);
  if (smaller >= 0.1) return number(smaller, decimals_for(smaller)) + space + (binary_ ? "MiB" : "MB");
  return number(static_cast<std::int64_t>(bytes.value())) + space + "B";
}

std::string Language::memory_range(const Band& band) const {
  const std::string low = memory_number(band.low), high = memory_number(band.high);
  const std::string unit = std::string(kNoBreak) + memory_unit();
  if (low == high) return low + unit;
  return low + "\xE2\x80\x93" + high + unit;
}

}  // namespace vram
