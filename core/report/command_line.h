// A command line that is put together flag by flag.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/report/command.h"

namespace vram {

class CommandLine {
 public:
  explicit CommandLine(std::string program) : text_(std::move(program)) {}

  CommandLine& word(std::string_view word) {
    text_ += ' ' + shell_word(word);
    return *this;
  }
  CommandLine& flag(std::string_view name, std::string_view value) { return word(name).word(value); }
  CommandLine& flag(std::string_view name, std::int64_t value) { return flag(name, std::to_string(value)); }
  /// Only where it is not what the program does anyway.
  CommandLine& unless(std::int64_t usual, std::string_view name, std::int64_t value) {
    return value == usual ? *this : flag(name, value);
  }
  CommandLine& when(bool condition, std::string_view name) { return condition ? word(name) : *this; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// "CUDA_VISIBLE_DEVICES=2,3 " where the first `used` devices of a deployment are not all there are; "" otherwise.
std::string visible_devices(const Inputs& inputs, const Plan& plan, const Placed& placed, int used);
/// A line that writes a small text file.
std::string file_line(std::string_view text, std::string_view file);
/// The file or repository a command names: the catalogue's id, or a folder for a model that was opened.
std::string model_word(const Deployment& deployment);
/// "0.90".
std::string share_text(double share);

/// Lines of llama.cpp and of the programs made of it.
StartUp llamacpp_start_up(const Inputs& inputs, const Plan& plan, std::size_t deployment);

}  // namespace vram
