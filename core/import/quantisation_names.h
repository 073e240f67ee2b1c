// Lists of module names as quantisers write them, and whether a module is in one.
//
// Written by hand and by tools, in several dialects at once:
//   model.layers.3.mlp.gate                      a module (and all below it)
//   language_model.model.layers.7.self_attn*     a shell pattern
//   re:.*mlp\.(gate|up|down)_proj.*              a regular expression, matched from the start
//   lm_head, gate                                a module of that name anywhere
// Lists reach 22,000 entries (MiniMax-M3-NVFP4), so plain names are looked up, patterns that name a layer are kept with
// it, and only the few that are left are tried one after another.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/import/config_tensors.h"

namespace vram {

/// Shell pattern: `*` any characters, `?` one.
bool matches_glob(std::string_view pattern, std::string_view text);
/// Regular expression matched from the start of `text`, not to its end. Knows . * + ? | ( ) [ ] ^ $ and escapes. Gives
/// up (false) after a bounded number of steps.
bool matches_regex(std::string_view pattern, std::string_view text);

class NameList {
 public:
  /// Adds an entry that means `format`.
  void add(std::string_view entry, FormatId format);
  bool empty() const { return names_.empty() && by_layer_.empty() && patterns_.empty() && numbered_.empty(); }

  /// What entries without a layer's number say of a piece: the same for all its layers.
  std::optional<FormatId> find_any(const Piece& piece, std::uint32_t drafts) const;
  /// What entries with a number say of it in layer `layer`; `drafts` = number of the first draft layer.
  std::optional<FormatId> find(const Piece& piece, std::uint32_t layer, std::uint32_t drafts) const;

  /// Patterns that are tried one after another; more are left out.
  static constexpr std::size_t kMaxPatterns = 256;
  bool overflowed() const { return overflowed_; }

 private:
  struct Pattern {
    std::string text;
    FormatId format = FormatId::bf16;
    bool regex = false;
  };
  using Patterns = std::vector<Pattern>;
  void add_pattern(Patterns& patterns, Pattern pattern);
  static std::optional<FormatId> first_match(const Patterns& patterns, std::string_view candidate);
  std::optional<FormatId> look_up(std::string_view candidate) const;

  std::unordered_map<std::string, FormatId> names_;       ///< plain names
  std::unordered_map<std::uint32_t, Patterns> by_layer_;  ///< patterns that start with the number of a layer
  Patterns patterns_, numbered_;                          ///< others: without a digit, and with one
  bool overflowed_ = false;
};

}  // namespace vram
