// Logs of llama.cpp and its relatives, and the loader's own plans, against ours.
//
// Two kinds of rows (data/README.md):
//   llamacpp_oracle   what libllama planned for a synthetic header, by buffer, in bytes: every setting is known
//   llamacpp          start-up logs: settings as far as they were noted, figures in MiB
//
// Weights and computation are predicted buffer by buffer, the host's buffers together: one case each, with the buffer's
// name in `part`. The rest is one case a row. What a log does not say takes the program's default for its build, and
// every other value it may have had widens the band.
#pragma once
#include "core/check/rows.h"

namespace vram::check {

void check_llamacpp_plan(const Json& row, const Library& library, Outcome& outcome);
void check_llamacpp_log(const Json& row, const Library& library, Outcome& outcome);

}  // namespace vram::check
