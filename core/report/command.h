// What starts a plan, and what the program will then say: command lines and log lines, in the programs' own words.
//
//   StartUp start = start_up(inputs, plan, 0);
//   start.lines   // {"vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192"}
//   start.log     // {"GPU KV cache size: 475,984 tokens", …}
//
// Flags that stand at the program's default are left out. Whatever came from a file or a link is quoted for a POSIX shell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace vram {

struct StartUp {
  std::vector<std::string> lines;  ///< to be run in this order; empty = no program of ours, or nothing to show
  std::vector<Message> notes;      ///< strings "command.…": what the lines cannot say
  std::vector<std::string> log;    ///< English, as the program prints it; empty where it prints no such figures
};

/// Of a deployment that serves.
StartUp start_up(const Inputs& inputs, const Plan& plan, std::size_t deployment);
/// Of a training job: the launcher and the settings that decide its memory. No lines for frameworks that are set up in
/// files of their own.
StartUp training_start_up(const Inputs& inputs, const Plan& plan);

/// A word as a POSIX shell takes it back unchanged; control characters become "?".
std::string shell_word(std::string_view word);

}  // namespace vram
