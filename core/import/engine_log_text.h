// Lines and numbers of a log: what is cut away, and how a printed figure becomes whole bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vram {

struct LogLine {
  std::string_view text;   ///< without colours; valid until the next line is asked for
  std::size_t number = 0;  ///< counts line feeds; pieces of one progress bar share it
};

/// Cuts a text at \n and \r, takes out terminal colours, and reads the UTF-16 that PowerShell's ">" writes. Keeps one
/// line at a time, and of a longer line its first kMostExamined bytes.
class LogLines {
 public:
  explicit LogLines(std::string_view text);
  bool next(LogLine& line);

 private:
  std::string_view take_piece();
  std::string_view decoded(std::string_view piece);
  std::string_view without_colours(std::string_view piece);

  std::string_view rest_;
  std::size_t number_ = 0;
  bool new_line_ = true, wide_ = false;
  std::string buffer_, wide_buffer_;
};
constexpr std::size_t kMostExamined = 65536;

/// A figure as it was printed.
struct Figure {
  std::uint64_t value = 0, rounding = 0;
  bool negative = false;
};

/// Takes "14.9888 GB", "21.21GiB", "393MiB", "59212694937 bytes" from the front of `text`; spaces before and between
/// are passed over. Of "44.4/79.1 GiB" the first, which shares the unit. `least_decimals`: places that the program
/// keeps even where it prints fewer (Python's round(8.0, 2) prints 8.0).
std::optional<Figure> take_bytes(std::string_view& text, unsigned least_decimals = 0);
/// The same before position `end` of `text`: of "uses 1.97 GiB for peak", " for peak" at its end.
std::optional<Figure> bytes_before(std::string_view text, std::size_t end, unsigned least_decimals = 0);
/// "476,016"; a fraction is not taken.
std::optional<Figure> take_count(std::string_view& text);
/// "4.46" → 446 hundredths.
std::optional<Figure> take_hundredths(std::string_view& text);

/// The value of a setting in Python's, JSON's or a log's writing: tp_size=4, 'max_model_len': 32768, n_ctx = 4096,
/// buffer=CUDA0. The name stands alone: "n_ctx" is not found in "n_ctx_per_seq". Nothing when there is none or it is
/// None.
std::optional<std::string_view> setting(std::string_view line, std::string_view name);
/// The word after "--name" (or "--name=") of a command.
std::optional<std::string_view> option(std::string_view line, std::string_view name);

/// The word that ends at `end`, spaces before `end` passed over.
std::string_view word_before(std::string_view line, std::size_t end);
std::string_view trimmed(std::string_view text);
/// What stands after `literal`; nothing when it is not there.
std::optional<std::string_view> after(std::string_view line, std::string_view literal);
inline bool contains(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }
bool is_digit(char c);
/// A whole number at the front, nothing else considered; -1 when there is none or it has more than nine digits.
int small_number(std::string_view text);

/// At most `most` bytes, cut between characters, printable, valid UTF-8.
std::string bounded(std::string_view text, std::size_t most);

}  // namespace vram
