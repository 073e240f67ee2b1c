// Type-ahead over the catalogue, in Latin and Cyrillic.
//
// Both the rows and the query become words: lower case, Cyrillic letters written in Latin ones, names apart from the
// numbers behind them ("qwen3" = "qwen" "3", but "32b", "a22b" and "v3.1" stay whole). Names that people write by ear
// are put right by a table. Every word of the query has to be found in a row; exact words count most, then beginnings.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/import/catalogue.h"
#include "core/units/order.h"

namespace vram {
namespace {

struct Letter {
  char32_t code;
  std::string_view latin;
};
// Russian and Kazakh small letters, by their code points. Names of models are transliterated the way people type them.
constexpr Letter kLetters[] = {
    {U'а', "a"},  {U'б', "b"}, {U'в', "v"}, {U'г', "g"},  {U'д', "d"},  {U'е', "e"},  {U'ё', "e"},
    {U'ж', "zh"}, {U'з', "z"}, {U'и', "i"}, {U'й', "i"},  {U'к', "k"},  {U'л', "l"},  {U'м', "m"},
    {U'н', "n"},  {U'о', "o"}, {U'п', "p"}, {U'р', "r"},  {U'с', "s"},  {U'т', "t"},  {U'у', "u"},
    {U'ф', "f"},  {U'х', "h"}, {U'ц', "c"}, {U'ч', "ch"}, {U'ш', "sh"}, {U'щ', "sh"}, {U'ъ', ""},
    {U'ы', "y"},  {U'ь', ""},  {U'э', "e"}, {U'ю', "yu"}, {U'я', "ya"}, {U'ә', "a"},  {U'ғ', "g"},
    {U'қ', "k"},  {U'ң', "n"}, {U'ө', "o"}, {U'ұ', "u"},  {U'ү', "u"},  {U'һ', "h"},  {U'і', "i"},
};

struct Spelling {
  std::string_view heard, written;
};
// How names sound, in the letters above → how they are written.
constexpr Spelling kSpellings[] = {
    {"kven", "qwen"},
    {"kwen", "qwen"},
    {"kuen", "qwen"},
    {"lama", "llama"},
    {"lamma", "llama"},
    {"lyama", "llama"},
    {"gema", "gemma"},
    {"zhema", "gemma"},
    {"zhemma", "gemma"},
    {"dzhema", "gemma"},
    {"dzhemma", "gemma"},
    {"dipsik", "deepseek"},
    {"dipseek", "deepseek"},
    {"dipsiik", "deepseek"},
    {"mikstral", "mixtral"},
    {"mixstral", "mixtral"},
    {"fi", "phi"},
    {"granit", "granite"},
    {"falkon", "falcon"},
    {"komand", "command"},
    {"koher", "command"},
    {"yandeks", "yandex"},
    {"yandeksgpt", "yandexgpt"},
    {"vihr", "vikhr"},
    {"lait", "lite"},
    {"minimaks", "minimax"},
    {"dzhamba", "jamba"},
    {"zhamba", "jamba"},
    {"visper", "whisper"},
    {"uisper", "whisper"},
    {"starkoder", "starcoder"},
    {"kodllama", "codellama"},
    {"kodlama", "codellama"},
    {"koder", "coder"},
    {"kodestral", "codestral"},
    {"instrakt", "instruct"},
    {"eksaone", "exaone"},
    {"eksaon", "exaone"},
    {"munlait", "moonlight"},
    {"skaut", "scout"},
    {"maverik", "maverick"},
    {"nekst", "next"},
    {"flesh", "flash"},
    {"lardzh", "large"},
    {"smol", "small"},
    {"smoll", "small"},
    {"dzhipiti", "gpt"},
    {"chatgpt", "gpt"},
    {"sid", "seed"},
    {"vizhn", "vl"},
    {"embeding", "embedding"},
    {"hunyan", "hunyuan"},
    {"intern", "internlm"},
    {"alem", "alemllm"},
    {"stepfan", "step"},
    {"ernii", "ernie"},
};

/// The next character of UTF-8 text; bytes that are none are skipped as a space.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80         ? 1
                             : (first >> 5) == 6  ? 2
                             : (first >> 4) == 14 ? 3
                             : (first >> 3) == 30 ? 4
                                                  : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return U' ';
  }
  char32_t code = length == 1 ? first : static_cast<char32_t>(first & (0xFFu >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      text.remove_prefix(1);
      return U' ';
    }
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  text.remove_prefix(length);
  return code;
}

char32_t small(char32_t c) {
  if ((c >= U'A' && c <= U'Z') || (c >= U'А' && c <= U'Я')) return c + 32;
  if (c == U'Ё') return U'ё';
  // Kazakh capitals lie just before their small letters.
  if (c == U'Ә' || c == U'Ғ' || c == U'Қ' || c == U'Ң' || c == U'Ө' || c == U'Ұ' || c == U'Ү' || c == U'Һ')
    return c + 1;
  return c == U'І' ? U'і' : c;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Latin small letters, digits, and points between digits; everything else becomes a space.
std::string folded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = small(next_character(text));
    if (c < 0x80) {
      const char plain = static_cast<char>(c);
      const bool point = (plain == '.' || plain == ',') && !result.empty() && is_digit(result.back()) &&
                         !text.empty() && is_digit(text[0]);
      result += is_digit(plain) || is_letter(plain) ? plain : point ? '.' : ' ';
      continue;
    }
    if (c == U'х' && !result.empty() && is_digit(result.back()) && !text.empty() && is_digit(text[0])) {
      result += 'x';  // "8х7": a times sign, whichever alphabet it was typed in
      continue;
    }
    const auto found =
        std::find_if(std::begin(kLetters), std::end(kLetters), [&](const Letter& letter) { return letter.code == c; });
    if (found != std::end(kLetters)) {
      result += found->latin;
    } else {
      result += ' ';
    }
  }
  return result;
}

constexpr std::size_t kMaxQuery = 200;

/// How well `word`, as typed, is met by `target`, a word of a row; 0 = not at all.
int closeness(std::string_view word, std::string_view target) {
  if (word == target) return 12;
  if (target.starts_with(word)) {
    // "70" means 70b, not 700b; "3" hardly means 32b.
    const bool number_goes_on = is_digit(word.back()) && is_digit(target[word.size()]);
    return number_goes_on ? 1 : is_digit(word.back()) ? 9 : word.size() >= 2 ? 7 : 3;
  }
  if (word.size() < 3) return 0;
  const std::size_t at = target.find(word);
  if (at == std::string_view::npos) return 0;
  const bool in_number = is_digit(word[0]) && is_digit(target[at - 1]);
  return in_number ? 0 : 4;
}

/// The same for what the word may stand for: a name written by ear, perhaps not to its end yet.
int closeness_by_ear(std::string_view word, std::string_view target) {
  int best = closeness(word, target);
  if (word.size() < 2) return best;
  for (const Spelling& spelling : kSpellings) {
    const bool whole = spelling.heard == word;
    if (!whole && (word.size() < 3 || !spelling.heard.starts_with(word))) continue;
    best = std::max(best, closeness(spelling.written, target) - (whole ? 0 : 2));
  }
  return best;
}

struct Found {
  const CatalogueModel* model;
  int score;
  std::size_t words;
};

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  const std::string plain = folded(text);
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < plain.size()) {
    if (plain[i] == ' ') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < plain.size() && plain[end] != ' ') ++end;
    // A name of two letters or more ends where its number begins; "v3", "k2" and "a22b" are one word.
    std::size_t letters = i;
    while (letters < end && is_letter(plain[letters])) ++letters;
    if (letters - i >= 2 && letters < end) {
      words.push_back(plain.substr(i, letters - i));
      i = letters;
    }
    words.push_back(plain.substr(i, end - i));
    i = end;
  }
  return words;
}

std::vector<const CatalogueModel*> search_models(std::span<const CatalogueModel> models, std::string_view query) {
  const std::vector<std::string> asked = search_words(query.substr(0, kMaxQuery));
  std::vector<const CatalogueModel*> result;
  if (asked.empty()) {
    for (const CatalogueModel& model : models) result.push_back(&model);
    return result;
  }
  std::vector<Found> found;
  for (const CatalogueModel& model : models) {
    int score = 0;
    for (const std::string& word : asked) {
      int best = 0;
      for (const std::string& target : model.words) best = std::max(best, closeness_by_ear(word, target));
      if (best == 0) {
        score = 0;
        break;
      }
      score += best;
    }
    if (score > 0) found.push_back({&model, score, model.words.size()});
  }
  // Of rows that meet the words equally well, the one with the least beside them; then the catalogue's order.
  sort_stably(found, [](const Found& a, const Found& b) {
    return a.score != b.score ? a.score > b.score : a.words < b.words;
  });
  for (const Found& one : found) result.push_back(one.model);
  return result;
}

}  // namespace vram
