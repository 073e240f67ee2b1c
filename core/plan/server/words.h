// A word in a list of words separated by spaces: how tables of families are written.
#pragma once
#include <algorithm>
#include <string_view>

namespace vram {

inline bool has_word(std::string_view words, std::string_view word) {
  while (!word.empty() && !words.empty()) {
    const std::size_t space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return false;
}

}  // namespace vram
