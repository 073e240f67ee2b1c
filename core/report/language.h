// Words for the core's keys, and numbers as a reader of that language writes them. The words live in assets/strings.
//
// A file of strings: {"key": {"en": "…", "ru": "…", "kk": "…"}}. A text may have {placeholders}. Where a number decides
// the form, the text is an object of plural forms {"one": …, "few": …, "many": …, "other": …} chosen by the first
// number parameter (Unicode CLDR rules; Russian has one/few/many, English one/other, Kazakh one/other).
#pragma once
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan/ledger.h"
#include "core/units/bytes.h"
#include "core/units/message.h"
#include "core/units/result.h"

namespace vram {

enum class Tongue : std::uint8_t { en, ru, kk };
constexpr Tongue kTongues[] = {Tongue::en, Tongue::ru, Tongue::kk};
std::string_view tongue_code(Tongue tongue);                     ///< "en", "ru", "kk"
Tongue tongue_from(std::string_view code);                       ///< "ru-KZ" → ru; unknown → en

/// All strings of all languages.
class Strings {
 public:
  /// Adds one file. Errors: strings.malformed {key}: not three languages, or placeholders differ.
  [[nodiscard]] std::optional<Message> add(std::string_view json_text);
  struct Text {
    std::string other;                                           ///< of the plural forms, or the only one
    std::vector<std::pair<std::string, std::string>> forms;      ///< the other plural categories and their texts
    const std::string& form(std::string_view category) const;
  };
  const Text* find(std::string_view key, Tongue tongue) const;
  std::vector<std::string_view> keys() const;

 private:
  std::map<std::string, std::array<Text, std::size(kTongues)>, std::less<>> texts_;
};

/// A language in use: words and numbers. Cheap to copy; `strings` must outlive it.
/// With a capital at the beginning, of the letters that the three languages have.
std::string capitalised(std::string words);

class Language {
 public:
  Language(const Strings& strings, Tongue tongue, bool binary_units = true)
      : strings_(&strings), tongue_(tongue), binary_(binary_units) {}

  Tongue tongue() const { return tongue_; }
  bool binary_units() const { return binary_; }

  /// The text of a key; the key in ⟨ ⟩ when there is none, which tests look for.
  std::string word(std::string_view key) const;
  std::string text(const Message& message) const;

  std::string number(std::int64_t value) const;                  ///< 32 768 · 32,768
  std::string number(double value, int decimals) const;          ///< 1 234,5 · 1,234.5
  std::string percent(double share) const;                       ///< 0.12 → 12 %
  std::string date(std::string_view iso) const;                  ///< "2026-11-30" → 30.11.2026 · 2026-11-30
  std::string memory(Bytes bytes) const;                         ///< "131.4 GiB" or "141.1 GB", MiB/MB when small
  std::string memory_hundredths(Bytes bytes) const;              ///< "131.42 GiB": of terms that are added up
  std::string memory_number(Bytes bytes) const;                  ///< without the unit; always GiB or GB
  std::string memory_unit() const;                               ///< "GiB" or "GB"
  std::string memory_range(const Band& band) const;              ///< "131–139 GiB"; one number when exact

 private:
  const Strings* strings_;
  Tongue tongue_;
  bool binary_;
};

}  // namespace vram
