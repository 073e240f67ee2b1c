// The kinds of rows, each with what it predicts. A row's fields are told in the header of its reader (*_row.h).
//
//   serving      start-up logs of vLLM, SGLang, TensorRT-LLM, LMDeploy. Each figure is predicted from the flags alone
//                (mode "flags") and, where the log says how large the pool was, from that too (mode "given_pool"): then
//                only the rules from pool to tokens are on trial. Family: engine and build ("vllm/hybrid").
//   training     published runs: steady (allocated after a step), peak (the allocator's), reserved, smi (what the
//   driver
//                shows), oom (1 where a run did, or is predicted to, run out). Family: framework and method
//                ("fms/full").
//   throughput   measured speeds: output_tps (tokens a second), tpot and ttft (milliseconds). Where the parallel layout
//                was not told, the one that serves most is taken, as whoever measured will have done. Family: "dense",
//                "moe", "pcie_only", "consumer", "metax", "amd", "ascend".
//   llamacpp_oracle   what libllama planned for a synthetic header, by buffer: every setting is known
//   llamacpp     start-up logs of llama.cpp and its relatives, figures in MiB. Weights and computation are predicted
//                buffer by buffer, the host's buffers together: one case each, with the buffer's name in `part`.
//
// A setting that was not told takes the program's default for its version, and every other value that it may have had
// widens the band. A case is skipped only when its model or hardware is not known, or when its own source contradicts
// it.
#pragma once
#include "core/check/rows.h"

namespace vram::check {

void check_serving(const Json& row, const Library& library, Outcome& outcome);
void check_training(const Json& row, const Library& library, Outcome& outcome);
void check_throughput(const Json& row, const Library& library, Outcome& outcome);
void check_llamacpp_plan(const Json& row, const Library& library, Outcome& outcome);
void check_llamacpp_log(const Json& row, const Library& library, Outcome& outcome);

}  // namespace vram::check
