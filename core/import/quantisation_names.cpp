#include "core/import/quantisation_names.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A recursive matcher over the pattern text; alternatives and groups are found by scanning for their brackets.
class Regex {
 public:
  explicit Regex(std::string_view pattern) : pattern_(pattern) {}
  bool matches_start(std::string_view text) {
    text_ = text;
    return alternatives(0, pattern_.size(), 0, [](std::size_t) { return true; });
  }

 private:
  static constexpr int kMaxSteps = 20'000;
  static constexpr int kMaxDepth = 256;

  using Continue = bool (*)(const void*, std::size_t);
  /// A continuation without a type of its own, so that recursion does not make new templates.
  struct Then {
    const void* self;
    Continue call;
    bool operator()(std::size_t at) const { return call(self, at); }
  };
  template <class F>
  static Then then(const F& f) {
    return {&f, [](const void* self, std::size_t at) { return (*static_cast<const F*>(self))(at); }};
  }

  /// End of the atom that starts at `i`.
  std::size_t atom_end(std::size_t i, std::size_t end) const {
    if (pattern_[i] == '\\') return std::min(i + 2, end);
    if (pattern_[i] == '[') {
      std::size_t j = i + 1;
      if (j < end && pattern_[j] == '^') ++j;
      if (j < end && pattern_[j] == ']') ++j;
      while (j < end && pattern_[j] != ']') j += pattern_[j] == '\\' ? 2u : 1u;
      return std::min(j + 1, end);
    }
    if (pattern_[i] == '(') {
      int depth = 0;
      for (std::size_t j = i; j < end; ++j) {
        if (pattern_[j] == '\\') {
          ++j;
          continue;
        }
        if (pattern_[j] == '(') ++depth;
        if (pattern_[j] == ')' && --depth == 0) return j + 1;
      }
      return end;
    }
    return i + 1;
  }
  bool one(std::size_t i, std::size_t end, char c) const {
    const char p = pattern_[i];
    if (p == '.') return true;
    if (p == '\\' && i + 1 < end) {
      const char escaped = pattern_[i + 1];
      if (escaped == 'd') return is_digit(c);
      if (escaped == 'w') return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return c == escaped;
    }
    if (p == '[') {
      std::size_t j = i + 1;
      const bool negated = j < end && pattern_[j] == '^';
      if (negated) ++j;
      bool in = false;
      for (; j + 1 < end; ++j) {
        if (j + 3 < end && pattern_[j + 1] == '-') {
          in = in || (c >= pattern_[j] && c <= pattern_[j + 2]);
          j += 2;
        } else if (pattern_[j] == '\\' && j + 2 < end) {
          ++j;
          in = in || c == pattern_[j] || (pattern_[j] == 'd' && is_digit(c));
        } else {
          in = in || c == pattern_[j];
        }
      }
      return in != negated;
    }
    return p == c;
  }

  template <class F>
  bool alternatives(std::size_t begin, std::size_t end, std::size_t at, const F& next) {
    if (++depth_ > kMaxDepth) {
      --depth_;
      return false;
    }
    bool found = false;
    std::size_t from = begin;
    for (std::size_t i = begin; !found;) {
      if (i >= end || pattern_[i] == '|') {
        found = sequence(from, i, at, then(next));
        if (i >= end) break;
        from = ++i;
      } else {
        i = atom_end(i, end);
      }
    }
    --depth_;
    return found;
  }

  bool sequence(std::size_t i, std::size_t end, std::size_t at, Then next) {
    if (++steps_ > kMaxSteps || depth_ > kMaxDepth) return false;
    if (i >= end) return next(at);
    if (pattern_[i] == '^') return at == 0 && sequence(i + 1, end, at, next);
    if (pattern_[i] == '$') return at == text_.size() && sequence(i + 1, end, at, next);
    const std::size_t after = atom_end(i, end);
    const char quantifier = after < end ? pattern_[after] : '\0';
    const bool counted = quantifier == '*' || quantifier == '+' || quantifier == '?';
    const std::size_t rest = counted ? after + (after + 1 < end && pattern_[after + 1] == '?' ? 2u : 1u) : after;
    if (pattern_[i] == '(') {
      std::size_t inside = i + 1;
      if (pattern_.substr(inside, 2) == "?:") inside += 2;
      const std::size_t close = after > inside && pattern_[after - 1] == ')' ? after - 1 : after;
      const auto go_on = [&](std::size_t k) { return sequence(rest, end, k, next); };
      if ((quantifier == '?' || quantifier == '*') && go_on(at)) return true;
      if (quantifier == '*' || quantifier == '+') {
        const auto again = [&](std::size_t k) {
          return k != at && (go_on(k) || repeat(inside, close, k, then(go_on)));
        };
        return alternatives(inside, close, at, again);
      }
      return alternatives(inside, close, at, go_on);
    }
    if (!counted) return at < text_.size() && one(i, end, text_[at]) && sequence(rest, end, at + 1, next);
    std::size_t longest = at;
    const std::size_t most = quantifier == '?' ? at + 1 : text_.size();
    while (longest < std::min(most, text_.size()) && one(i, after, text_[longest])) ++longest;
    const std::size_t least = quantifier == '+' ? at + 1 : at;
    for (std::size_t k = longest + 1; k-- > least;) {
      if (sequence(rest, end, k, next)) return true;
      if (steps_ > kMaxSteps) return false;
    }
    return false;
  }
  bool repeat(std::size_t begin, std::size_t end, std::size_t at, Then next) {
    if (++steps_ > kMaxSteps) return false;
    const auto again = [&](std::size_t k) { return k != at && (next(k) || repeat(begin, end, k, next)); };
    return alternatives(begin, end, at, again);
  }

  std::string_view pattern_, text_;
  int steps_ = 0, depth_ = 0;
};

bool is_pattern(std::string_view entry) { return entry.find_first_of("*?[") != std::string_view::npos; }

/// "…layers.12.rest" → where "layers." starts; npos when there is no such part.
std::size_t layers_at(std::string_view entry) {
  for (const std::string_view word : {"layers.", "h.", "blocks."}) {
    const std::size_t at = entry.find(word);
    if (at != std::string_view::npos && (at == 0 || entry[at - 1] == '.')) return at;
  }
  return std::string_view::npos;
}

/// Experts are alike: "experts.17.w1" and "experts.w1" are one name.
std::string without_expert_number(std::string_view name) {
  const std::size_t at = name.find("experts.");
  std::string result(name);
  if (at == std::string_view::npos) return result;
  const std::size_t from = at + 8;
  std::size_t end = from;
  while (end < name.size() && is_digit(name[end])) ++end;
  if (end == from) return result;
  if (end == name.size()) return result.erase(from - 1);
  if (name[end] == '.') result.erase(from, end - from + 1);
  return result;
}

bool is_wrapper(std::string_view word) {
  return word == "model" || word == "language_model" || word == "backbone" || word == "transformer" ||
         word == "text_model";
}
/// "model.language_model.lm_head" → "lm_head".
std::string_view without_wrappers(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || !is_wrapper(name.substr(0, dot))) return name;
    name.remove_prefix(dot + 1);
  }
}

/// Calls `use` with the name and with each module that holds it, until it says yes.
template <class Use>
bool any_parent(std::string_view name, Use use) {
  while (true) {
    if (use(name)) return true;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return false;
    name = name.substr(0, dot);
  }
}

template <class Use>
bool any_word(std::string_view words, char separator, Use use) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(separator), words.size());
    if (use(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches_regex(std::string_view pattern, std::string_view text) {
  if (pattern.size() > 512) return false;
  return Regex(pattern).matches_start(text);
}

void NameList::add_pattern(Patterns& patterns, Pattern pattern) {
  if (patterns.size() < kMaxPatterns) {
    patterns.push_back(std::move(pattern));
  } else {
    overflowed_ = true;
  }
}

void NameList::add(std::string_view entry, FormatId format) {
  if (entry.empty() || entry.size() > 512) return;
  const auto general = [&](std::string text, bool regex) {
    const bool numbered = std::any_of(text.begin(), text.end(), is_digit);
    add_pattern(numbered ? numbered_ : patterns_, {std::move(text), format, regex});
  };
  if (entry.starts_with("re:")) return general(std::string(entry.substr(3)), true);
  if (entry.ends_with(".weight")) entry.remove_suffix(7);
  if (!entry.starts_with("mtp")) {
    const std::size_t at = layers_at(entry);
    if (at == std::string_view::npos) {
      if (!is_pattern(entry)) entry = without_wrappers(entry);
    } else {
      entry.remove_prefix(entry.find('.', at) + 1);  // from the layer's number on
      std::size_t digits = 0;
      while (digits < entry.size() && is_digit(entry[digits])) ++digits;
      const bool numbered = digits > 0 && digits < 6 && (digits == entry.size() || entry[digits] == '.');
      const std::string cut = "layers." + std::string(entry);
      if (!numbered) return general(cut, false);
      if (!is_pattern(entry)) {
        names_.emplace(without_expert_number(cut), format);
        return;
      }
      std::uint32_t layer = 0;
      for (std::size_t i = 0; i < digits; ++i) layer = layer * 10 + static_cast<std::uint32_t>(entry[i] - '0');
      return add_pattern(by_layer_[layer], {cut, format, false});
    }
  }
  if (is_pattern(entry)) return general(std::string(entry), false);
  names_.emplace(without_expert_number(entry), format);
}

std::optional<FormatId> NameList::first_match(const Patterns& patterns, std::string_view candidate) {
  for (const Pattern& pattern : patterns) {
    const bool found =
        pattern.regex ? matches_regex(pattern.text, candidate)
                      : any_parent(candidate, [&](std::string_view name) { return matches_glob(pattern.text, name); });
    if (found) return pattern.format;
  }
  return std::nullopt;
}

std::optional<FormatId> NameList::look_up(std::string_view candidate) const {
  std::optional<FormatId> result;
  any_parent(candidate, [&](std::string_view name) {
    const auto found = names_.find(std::string(name));
    if (found != names_.end()) result = found->second;
    return result.has_value();
  });
  return result;
}

namespace {

/// The full names a piece may go by, for one of its aliases. The first is the one that entries are cut to.
std::vector<std::string> candidates(const Piece& piece, std::string_view alias, std::uint32_t layer,
                                    std::uint32_t drafts) {
  if (piece.layers.empty()) {
    return {std::string(alias), (piece.part == Part::mtp ? "mtp." : "model.") + std::string(alias)};
  }
  const std::string below = "." + std::string(alias), cut = "layers." + std::to_string(layer) + below;
  std::vector<std::string> names = {cut, "model." + cut};
  if (piece.part == Part::mtp) {
    const std::string number = std::to_string(layer >= drafts ? layer - drafts : 0);
    names.push_back("mtp.layers." + number + below);
    names.push_back("mtp." + number + below);
  }
  return names;
}

}  // namespace

std::optional<FormatId> NameList::find_any(const Piece& piece, std::uint32_t drafts) const {
  std::optional<FormatId> result;
  if (names_.empty() && patterns_.empty()) return result;
  const std::uint32_t layer = piece.layers.empty() ? 0 : piece.layers.front();
  any_word(piece.names, ' ', [&](std::string_view alias) {
    // A bare word names modules anywhere: "gate" is the router, not "gate_proj".
    any_word(alias, '.', [&](std::string_view word) {
      const auto found = names_.find(std::string(word));
      if (found != names_.end()) result = found->second;
      return result.has_value();
    });
    if (result) return true;
    for (const std::string& name : candidates(piece, alias, layer, drafts)) {
      if ((result = first_match(patterns_, name))) return true;
    }
    return false;
  });
  return result;
}

std::optional<FormatId> NameList::find(const Piece& piece, std::uint32_t layer, std::uint32_t drafts) const {
  std::optional<FormatId> result;
  if (names_.empty() && by_layer_.empty() && numbered_.empty()) return result;
  const auto own = by_layer_.find(layer);
  any_word(piece.names, ' ', [&](std::string_view alias) {
    for (const std::string& name : candidates(piece, alias, layer, drafts)) {
      if ((result = look_up(name))) return true;
      if (own != by_layer_.end() && (result = first_match(own->second, name))) return true;
      if ((result = first_match(numbered_, name))) return true;
    }
    return false;
  });
  return result;
}

}  // namespace vram
