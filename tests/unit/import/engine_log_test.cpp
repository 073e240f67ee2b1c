// Lines are quoted from public logs; each test says whose.
#include "core/import/engine_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "core/units/bytes.h"

namespace vram {
namespace {

using Q = Quantity;

EngineLog read(std::string_view text) {
  Result<EngineLog> log = read_engine_log(text);
  EXPECT_TRUE(log.ok()) << (log.ok() ? "" : log.error().key) << "\n" << text;
  return log.ok() ? std::move(log).value() : EngineLog();
}

std::string error_of(std::string_view text) {
  const Result<EngineLog> log = read_engine_log(text);
  return log.ok() ? "" : log.error().key;
}

std::optional<Measured> find(const EngineLog& log, Quantity quantity, int device = 0, int part = 0) {
  for (const Measured& one : log.measured) {
    if (one.quantity == quantity && one.device == device && one.part == part) return one;
  }
  return std::nullopt;
}

/// In GiB, rounded as the logs print; −1 when it was not measured.
double gib(const EngineLog& log, Quantity quantity, int device = 0, int part = 0) {
  const auto one = find(log, quantity, device, part);
  return one ? std::round(gibibytes(Bytes(one->value)) * 10000) / 10000 : -1;
}
double mib(const EngineLog& log, Quantity quantity, int device = 0, int part = 0) {
  const auto one = find(log, quantity, device, part);
  return one ? std::round(gibibytes(Bytes(one->value)) * 1024 * 100) / 100 : -1;
}
std::uint64_t count(const EngineLog& log, Quantity quantity) {
  const auto one = find(log, quantity, kLogAllDevices);
  return one ? one->value : 0;
}

// vLLM's own end of a start on one H100 (v0.10.2), with its configuration.
constexpr std::string_view kVllm =
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:10 [core.py:75] Initializing a V1 LLM engine (v0.10.2) with config: "
    "model='Qwen/Qwen2.5-VL-7B', speculative_config=None, dtype=torch.bfloat16, max_seq_len=4096, "
    "tensor_parallel_size=1, pipeline_parallel_size=1, quantization=None, enforce_eager=False, kv_cache_dtype=auto\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:20 [gpu_model_runner.py:2392] Model loading took 14.0842 GiB and 4.1 "
    "seconds\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:34 [gpu_worker.py:298] Available KV cache memory: 55.15 GiB\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:34 [kv_cache_utils.py:864] GPU KV cache size: 451,744 tokens\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:34 [kv_cache_utils.py:868] Maximum concurrency for 4,096 tokens per "
    "request: 110.29x\n"
    "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  50%|\xE2\x96\x88| 33/67\rCapturing CUDA graphs: "
    "100%|\xE2\x96\x88| 67/67\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:39 [gpu_model_runner.py:3118] Graph capturing finished in 5 secs, took "
    "0.67 GiB\n"
    "(EngineCore_DP0 pid=3021) INFO 09-23 18:12:39 [gpu_worker.py:391] Free memory on device (78.66/79.19 GiB) on "
    "startup. Desired GPU memory utilization is (0.9, 71.27 GiB). Actual usage is 14.08 GiB for weight, 1.97 GiB for "
    "peak activation, 0.07 GiB for non-torch memory, and 0.67 GiB for CUDAGraph memory. Replace gpu_memory_utilization "
    "config with `--kv-cache-memory=58333988249` to fit into requested memory, or `--kv-cache-memory=66273897472` to "
    "fully utilize gpu memory. Current kv cache memory in use is 59212694937 bytes.\n";

TEST(EngineLog, ReadsEveryTermOfAVllmStart) {
  const EngineLog log = read(kVllm);
  EXPECT_EQ(log.program, LogProgram::vllm);
  EXPECT_EQ(log.version, "0.10.2");
  EXPECT_EQ(log.model, "Qwen/Qwen2.5-VL-7B");
  EXPECT_TRUE(log.complete);
  EXPECT_EQ(log.flag("max_model_len"), "4096");
  EXPECT_EQ(log.flag("gpu_memory_utilization"), "0.9");
  EXPECT_EQ(log.flag("quantization"), "");
  EXPECT_DOUBLE_EQ(gib(log, Q::weights), 14.0842);
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 1.97);
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch), 0.07);
  EXPECT_DOUBLE_EQ(gib(log, Q::graphs), 0.67);
  EXPECT_DOUBLE_EQ(gib(log, Q::device_total), 79.19);
  EXPECT_DOUBLE_EQ(gib(log, Q::device_free), 78.66);
  EXPECT_DOUBLE_EQ(gib(log, Q::requested), 71.27);
  EXPECT_EQ(find(log, Q::pool)->value, 59212694937u) << "the exact bytes stand in the last line";
  EXPECT_EQ(count(log, Q::tokens), 451744u);
  EXPECT_EQ(count(log, Q::concurrency), 11029u);
}

TEST(EngineLog, AValueIsWholeBytesWithHalfItsLastPlaceAndItsLine) {
  const EngineLog log = read(kVllm);
  const Measured weights = *find(log, Q::weights);
  EXPECT_EQ(weights.value, 15122794598u);  // 14.0842 × 2^30
  EXPECT_EQ(weights.rounding, kGiB.value() / 20000);
  EXPECT_EQ(weights.line, 2u);
  EXPECT_TRUE(weights.text.starts_with("(EngineCore_DP0 pid=3021) INFO"));
  EXPECT_EQ(find(log, Q::graphs)->line, 7u) << "the pieces of a progress bar are one line";
}

TEST(EngineLog, APlaceThatPythonDropsIsStillKept) {
  const EngineLog log = read("INFO [gpu_worker.py:298] Available KV cache memory: 8.0 GiB\n");
  EXPECT_EQ(find(log, Q::pool)->rounding, kGiB.value() / 200);
}

// 8 × L40S, vLLM 0.25 or later: consumed memory, and a peak that has the graphs' estimate in it (vllm#50000 style
// lines).
TEST(EngineLog, TakesTheSumsOfVllmsLastLineApart) {
  const EngineLog log = read(
      "(Worker_TP0 pid=447) INFO 08-14 14:07:20 [gpu_model_runner.py:4960] Model loading took 14.5 GiB memory and 9 "
      "seconds\n"
      "(Worker_TP0 pid=447) INFO 08-14 14:07:22 [gpu_model_runner.py:6806] Estimated CUDA graph memory: 0.36 GiB "
      "total\n"
      "(Worker_TP0 pid=447) INFO 08-14 14:07:22 [gpu_worker.py:563] Available KV cache memory: 6.87 GiB\n"
      "(Worker_TP0 pid=447) INFO 08-14 14:07:22 [gpu_worker.py:578] CUDA graph memory profiling is enabled (default "
      "since v0.21.0). The current --gpu-memory-utilization=0.8200 is equivalent to --gpu-memory-utilization=0.8048\n"
      "(Worker_TP0 pid=447) INFO 08-14 14:07:39 [gpu_worker.py:793] Actual usage is 15.03 GiB for consumed memory "
      "(weights + non-torch), 1.59 GiB for peak activation, and 0.09 GiB for CUDAGraph memory.\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch), 0.53);   // 15.03 − 14.5
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 1.23);  // 1.59 − 0.36
  EXPECT_EQ(log.flag("graphs_estimate_applied"), "");
}

// Before 0.21 the estimate was printed and not applied (llm-d-planner's sweep on H100, vLLM 0.19.0).
TEST(EngineLog, AnEstimateThatWasOnlyPrintedIsNotTakenOff) {
  const EngineLog log = read(
      "INFO [core.py:80] Initializing a V1 LLM engine (v0.19.0) with config: model='x'\n"
      "INFO [gpu_model_runner.py:6588] Estimated CUDA graph memory: 0.84 GiB total\n"
      "INFO [gpu_worker.py:391] Actual usage is 14.99 GiB for weight, 1.89 GiB for peak activation, 0.25 GiB for "
      "non-torch memory, and 0.91 GiB for CUDAGraph memory.\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 1.89);
}

struct RankCase {
  std::string_view prefix;
  int device;
};
TEST(EngineLog, AWorkersRankIsItsDevice) {
  const RankCase cases[] = {
      {"(EngineCore pid=326) INFO 10-06 17:00:11 ", 0},
      {"(EngineCore_DP3 pid=326) INFO ", 3},
      {"(Worker_TP1_EP1 pid=4155525) INFO 08-20 17:28:07 ", 1},
      {"(VllmWorker rank=5 pid=521) INFO ", 5},
      {"2026-07-08T22:40:06.098Z \x1B[0;36m(Worker_TP7 pid=92382)\x1B[0;0m INFO ", 7},
      {"vllm-1  | (Worker_TP2 pid=4) INFO ", 2},
      {"Aug 22 17:36:22 host docker[30907]: (Worker_TP3 pid=4) INFO ", 3},
      {"(#033[1;36m(Worker_TP4 pid=4)#033[0m INFO ", 4},
  };
  for (const RankCase& c : cases) {
    const EngineLog log =
        read(std::string(c.prefix) + "[gpu_model_runner.py:4960] Model loading took 15.26 GiB memory\r\n");
    EXPECT_DOUBLE_EQ(gib(log, Q::weights, c.device), 15.26) << c.prefix;
  }
}

TEST(EngineLog, PipelineAndTensorRanksAreNumberedTogether) {
  const EngineLog log = read(
      "(Worker_PP0_TP0 pid=1) Model loading took 3.75 GiB memory\n(Worker_PP0_TP1 pid=2) Model loading took 3.76 GiB "
      "memory\n"
      "(Worker_PP1_TP0 pid=3) Model loading took 4.26 GiB memory\n(Worker_PP1_TP1 pid=4) Model loading took 4.27 GiB "
      "memory\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::weights, 2), 4.26);
  EXPECT_DOUBLE_EQ(gib(log, Q::weights, 3), 4.27);
}

// vllm#14447: V0 on 16 × 3090; workers have process numbers and no ranks.
TEST(EngineLog, ReadsTheProfileOfVllmV0) {
  const EngineLog log = read(
      "INFO 04-12 08:21:19 [worker.py:267] the current vLLM instance can use total_gpu_memory (23.58GiB) x "
      "gpu_memory_utilization (0.99) = 23.35GiB\n"
      "INFO 04-12 08:21:19 [worker.py:267] model weights take 21.21GiB; non_torch_memory takes 0.20GiB; PyTorch "
      "activation "
      "peak memory takes 0.37GiB; the rest of the memory reserved for KV Cache is 1.57GiB.\n"
      "(VllmWorkerProcess pid=521) INFO 04-12 08:21:19 [worker.py:267] model weights take 21.20GiB; non_torch_memory "
      "takes "
      "0.21GiB; PyTorch activation peak memory takes 0.38GiB; the rest of the memory reserved for KV Cache is "
      "1.56GiB.\n"
      "INFO 04-12 08:21:20 [executor_base.py:111] # cuda blocks: 7191, # CPU blocks: 512\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::requested), 23.35);
  EXPECT_DOUBLE_EQ(gib(log, Q::device_total), 23.58);
  EXPECT_DOUBLE_EQ(gib(log, Q::pool), 1.57);
  EXPECT_DOUBLE_EQ(gib(log, Q::pool, 1), 1.56);
  EXPECT_DOUBLE_EQ(gib(log, Q::activation, 1), 0.38);
  EXPECT_EQ(count(log, Q::blocks), 7191u);
  EXPECT_EQ(log.flag("gpu_memory_utilization"), "0.99");
}

// vllm#10511 (December 2024): a table instead of a sentence. vllm#12569: V1 of January 2025, whose "GB" are GiB.
TEST(EngineLog, ReadsOlderWordings) {
  const EngineLog table = read(
      "INFO 12-13 19:54:18 worker.py:243] total_gpu_memory     79.22GiB\n"
      "INFO 12-13 19:54:18 worker.py:243] model weights take   14.96GiB\n"
      "INFO 12-13 19:54:18 worker.py:243] non_torch_memory     1.79GiB\n"
      "INFO 12-13 19:54:18 worker.py:243] PyTorch activation peak memory       1.26GiB\n"
      "INFO 12-13 19:54:18 worker.py:243] available_kv_cache_memory    53.29GiB\n");
  EXPECT_DOUBLE_EQ(gib(table, Q::non_torch), 1.79);
  EXPECT_DOUBLE_EQ(gib(table, Q::pool), 53.29);
  const EngineLog v1 = read(
      "INFO 01-30 03:18:12 gpu_model_runner.py:848] Loading model weights took 67.7229 GB\n"
      "INFO 01-30 03:19:14 kv_cache_utils.py:395] # GPU blocks: 1381\n");
  EXPECT_DOUBLE_EQ(gib(v1, Q::weights), 67.7229);
  EXPECT_EQ(count(v1, Q::blocks), 1381u);
}

// llm-d-planner's parser: the profile that VLLM_LOGGING_LEVEL=DEBUG prints.
TEST(EngineLog, ReadsTheProfileOfADebugLog) {
  const EngineLog log = read(
      "DEBUG Initial free memory: 78.68 GiB; Requested memory: 0.95 (util), 75.23 GiB\n"
      "DEBUG Memory profiling takes 17.96 seconds. Total non KV cache memory: 17.12GiB; torch peak memory increase: "
      "1.89GiB; non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::device_free), 78.68);
  EXPECT_DOUBLE_EQ(gib(log, Q::requested), 75.23);
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 1.89);
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch), 0.25);
  EXPECT_DOUBLE_EQ(gib(log, Q::weights), 14.99);
}

// vLLM 0.29: consumed memory instead of its parts, tokens and concurrency in one line, blocks.
TEST(EngineLog, ReadsTheLinesOfLaterVersions) {
  const EngineLog log = read(
      "INFO vLLM API server version 0.29.0\n"
      "DEBUG Memory profiling takes 31.20 seconds. Total non KV cache memory: 63.53GiB; torch peak memory increase: "
      "2.04GiB; "
      "total consumed (from mem_get_info): 61.49GiB; weights memory: 55.87GiB.\n"
      "(EngineCore pid=326) INFO 10-06 17:00:33 [kv_cache_utils.py:2464] GPU KV cache size: 460,496 tokens, Maximum "
      "concurrency for 131,072 tokens per request: 3.51x\n"
      "Engine 000: vllm cache_config_info with initialization after num_gpu_blocks is: 29751\n");
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch), 5.62);
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 2.04);
  EXPECT_EQ(count(log, Q::tokens), 460496u);
  EXPECT_EQ(count(log, Q::concurrency), 351u);
  EXPECT_EQ(count(log, Q::blocks), 29751u);
  EXPECT_EQ(log.flag("max_model_len"), "131072");
}

// vllm#23278: gpt-oss-120b on one H100 does not start.
TEST(EngineLog, AFailedStartSaysWhatWasMissing) {
  const EngineLog log =
      read("INFO Model loading took 65.9651 GiB and 20 seconds\nINFO Available KV cache memory: -2.14 GiB\n");
  EXPECT_TRUE(find(log, Q::pool)->negative);
  EXPECT_DOUBLE_EQ(gib(log, Q::pool), 2.14);
  EXPECT_FALSE(log.complete);
}

TEST(EngineLog, TheLastStartThatCameToAnEndCounts) {
  const auto start = [](std::string_view version, std::string_view weights, bool whole) {
    return "(APIServer pid=1) INFO [api_server.py:1896] vLLM API server version " + std::string(version) +
           "\nINFO Model loading took " + std::string(weights) + " GiB memory\n" +
           (whole ? "INFO Available KV cache memory: 6.5 GiB\n" : "");
  };
  const EngineLog log =
      read(start("0.19.0", "11.0", true) + start("0.20.0", "12.0", true) + start("0.21.0", "13.0", false));
  EXPECT_EQ(log.version, "0.20.0");
  EXPECT_DOUBLE_EQ(gib(log, Q::weights), 12);
  EXPECT_EQ(log.starts, 3);
  EXPECT_EQ(log.first_line, 4u);
  EXPECT_TRUE(log.complete);
  const EngineLog broken = read(start("0.20.0", "12.0", false) + start("0.21.0", "13.0", false));
  EXPECT_EQ(broken.version, "0.21.0");
  EXPECT_FALSE(broken.complete);
}

// sglang PR #12978, #17985, #4826, #36583; the last two lines as printed on a hybrid with windows.
TEST(EngineLog, ReadsAnSglangStart) {
  const EngineLog log = read(
      "[2026-01-30 20:54:40] server_args=ServerArgs(model_path='Qwen/Qwen3-8B', dtype='auto', tp_size=2, pp_size=1, "
      "mem_fraction_static=0.88, context_length=None, kv_cache_dtype='fp8_e5m2', enable_dp_attention=False)\n"
      "[2026-01-30 20:54:42 TP1] Init torch distributed ends. mem usage=1.77 GB\n"
      "[2026-01-30 20:54:56 TP1] Load weight end. elapsed=6.21 s, type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail "
      "mem=76.05 GB, mem usage=2.33 GB.\n"
      "[2026-01-30 20:54:57 TP1] Mamba Cache is allocated. max_mamba_cache_size: 48, conv_state size: 0.09GB, "
      "ssm_state "
      "size: 6.46GB\n"
      "[2026-01-30 20:54:57 TP1] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 102292, K size: 3.41 GB, V "
      "size: "
      "3.41 GB\n"
      "[2026-01-30 20:54:57 TP1] KV Cache is allocated. #tokens: 127866, K size: 1.71 GB, V size: 1.71 GB\n"
      "Capturing batches (bs=1 avail_mem=11.18 GB): 100%|\xE2\x96\x88| 36/36 [00:10<00:00,  3.37it/s]\n"
      "[2026-01-30 20:55:09 TP1] Capture cuda graph end. Time elapsed: 11.39 s. mem usage=1.00 GB. avail mem=11.17 "
      "GB.\n"
      "[2026-01-30 20:55:10 TP0] max_total_num_tokens=127866, chunked_prefill_size=8192, max_running_requests=48, "
      "context_len=16384, available_gpu_mem=13.38 GB\n");
  EXPECT_EQ(log.program, LogProgram::sglang);
  EXPECT_EQ(log.model, "Qwen/Qwen3-8B");
  EXPECT_EQ(log.architecture, "Qwen3ForCausalLM");
  EXPECT_EQ(log.flag("tensor_parallel_size"), "2");
  EXPECT_EQ(log.flag("kv_cache_dtype"), "fp8_e5m2");
  EXPECT_EQ(log.flag("context_length"), "16384");
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch, 1), 1.77);
  EXPECT_DOUBLE_EQ(gib(log, Q::weights, 1), 2.33);
  EXPECT_DOUBLE_EQ(gib(log, Q::recurrent, 1), 6.55);
  EXPECT_DOUBLE_EQ(gib(log, Q::pool, 1), 10.24);
  EXPECT_DOUBLE_EQ(gib(log, Q::graphs, 1), 1);
  EXPECT_EQ(count(log, Q::tokens), 127866u);
  EXPECT_TRUE(log.complete);
}

// sglang on GB200: one latent cache, printed as one size.
TEST(EngineLog, ALatentCacheIsCountedOnce) {
  const EngineLog log =
      read("[2025-10-16 09:06:22 DP5 TP5 EP5] KV Cache is allocated. #tokens: 524288, KV size: 17.16 GB\n");
  double sum = 0;
  for (const Measured& one : log.measured) sum += one.quantity == Q::pool ? gibibytes(Bytes(one.value)) : 0;
  EXPECT_NEAR(sum, 17.16, 0.001);
}

// TensorRT-LLM's PyTorch back-end on GB10; TensorRT-LLM#8961 for the runtime's line; #1400 for the older wording.
TEST(EngineLog, ReadsTensorrtLlm) {
  const EngineLog log = read(
      "[TensorRT-LLM] TensorRT-LLM version: 1.2.0\n"
      "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 0.56 GiB for max tokens in paged KV cache (8256).\n"
      "[12/20/2025-04:21:50] [TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage "
      "profiling: 63.52 GiB\n"
      "[12/20/2025-04:21:50] [TRT-LLM] [I] Memory used after loading model weights (outside torch) in memory usage "
      "profiling: 49.78 GiB\n"
      "[12/20/2025-04:21:51] [TRT-LLM] [I] Memory dynamically allocated during inference (inside torch) in memory "
      "usage "
      "profiling: 0.85 GiB\n"
      "[12/20/2025-04:21:51] [TRT-LLM] [I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage "
      "profiling: 49.28 GiB\n"
      "[12/20/2025-04:21:51] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 113.65 GiB, "
      "available KV cache memory when calculating max tokens: 5.95 GiB, fraction is set 0.8999999761581421, kv size is "
      "73728. device total memory 119.70 GiB, , tmp kv_mem 0.56 GiB\n"
      "[TensorRT-LLM][INFO] Number of tokens per block: 32.\n"
      "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 5.95 GiB for max tokens in paged KV cache (86720).\n");
  EXPECT_EQ(log.program, LogProgram::tensorrt_llm);
  EXPECT_EQ(log.version, "1.2.0");
  EXPECT_DOUBLE_EQ(gib(log, Q::weights), 63.52);
  EXPECT_DOUBLE_EQ(gib(log, Q::activation), 0.85);
  EXPECT_DOUBLE_EQ(gib(log, Q::non_torch), 49.28);
  EXPECT_DOUBLE_EQ(gib(log, Q::device_total), 119.7);
  EXPECT_DOUBLE_EQ(gib(log, Q::pool), 5.95);
  EXPECT_EQ(count(log, Q::tokens), 86720u);
  EXPECT_EQ(log.flag("tokens_per_block"), "32");
  const EngineLog old = read(
      "[TensorRT-LLM][INFO] Loaded engine size: 6683 MiB\n"
      "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 2265.58 MiB for execution context memory.\n"
      "[TensorRT-LLM][INFO] Allocate 69524783104 bytes for k/v cache.\n"
      "[TensorRT-LLM][INFO] Using 132608 tokens in paged KV cache.\n");
  EXPECT_EQ(find(old, Q::pool)->value, 69524783104u);
  EXPECT_DOUBLE_EQ(mib(old, Q::weights), 6683);
  EXPECT_DOUBLE_EQ(mib(old, Q::activation), 2265.58);
  EXPECT_EQ(count(old, Q::tokens), 132608u);
}

// A Gemma 4 12B start of llama-server on four slots: two caches, embeddings in host memory.
constexpr std::string_view kLlamacpp =
    "build: 6301 (d8914fc4) with cc (Debian 14.2.0-19) 14.2.0 for x86_64-linux-gnu\n"
    "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3090) (0000:03:00.0) - 23720 MiB free\n"
    "llama_model_loader: loaded meta data with 44 key-value pairs and 531 tensors from "
    "/models/gemma-4-12b-it-Q4_K_M.gguf "
    "(version GGUF V3 (latest))\n"
    "llama_model_loader: - kv   0:                       general.architecture str              = gemma4\n"
    "llama_model_loader: - kv   2:                               general.name str              = Gemma 4 12B It\n"
    "load_tensors: offloading 48 repeating layers to GPU\n"
    "load_tensors: offloaded 49/49 layers to GPU\n"
    "load_tensors:   CPU_Mapped model buffer size =   787.69 MiB\n"
    "load_tensors:        CUDA0 model buffer size =  6956.38 MiB\n"
    "llama_context: constructing llama_context\n"
    "llama_context: n_seq_max     = 4\n"
    "llama_context: n_ctx         = 8192\n"
    "llama_context: n_ctx_seq     = 8192\n"
    "llama_context: n_batch       = 2048\n"
    "llama_context: n_ubatch      = 2048\n"
    "llama_context: flash_attn    = auto\n"
    "llama_context:  CUDA_Host  output buffer size =     4.00 MiB\n"
    "llama_kv_cache:      CUDA0 KV buffer size =   128.00 MiB\n"
    "llama_kv_cache: size =  128.00 MiB (  8192 cells,   8 layers,  4/1 seqs), K (f16):   64.00 MiB, V (f16):   64.00 "
    "MiB\n"
    "llama_kv_cache:      CUDA0 KV buffer size =  1920.00 MiB\n"
    "llama_kv_cache: size = 1920.00 MiB (  6144 cells,  40 layers,  4/1 seqs), K (f16):  960.00 MiB, V (f16):  960.00 "
    "MiB\n"
    "sched_reserve:      CUDA0 compute buffer size =   541.07 MiB\n"
    "sched_reserve:  CUDA_Host compute buffer size =   112.08 MiB\n";

TEST(EngineLog, ReadsALlamacppStart) {
  const EngineLog log = read(kLlamacpp);
  EXPECT_EQ(log.program, LogProgram::llamacpp);
  EXPECT_EQ(log.version, "6301");
  EXPECT_EQ(log.model, "Gemma 4 12B It");
  EXPECT_EQ(log.architecture, "gemma4");
  EXPECT_EQ(log.flag("n_ctx"), "8192");
  EXPECT_EQ(log.flag("n_ubatch"), "2048");
  EXPECT_EQ(log.flag("n_seq_max"), "4");
  EXPECT_EQ(log.flag("offloaded_layers"), "49/49");
  EXPECT_EQ(log.flag("type_k"), "f16");
  EXPECT_EQ(log.flag("flash_attn"), "auto");
  ASSERT_EQ(log.devices.size(), 1u);
  EXPECT_EQ(log.devices[0].name, "NVIDIA GeForce RTX 3090");
  EXPECT_DOUBLE_EQ(mib(log, Q::device_free), 23720);
  EXPECT_DOUBLE_EQ(mib(log, Q::weights), 6956.38);
  EXPECT_DOUBLE_EQ(mib(log, Q::weights, kLogHost), 787.69);
  EXPECT_DOUBLE_EQ(mib(log, Q::kv), 2048) << "both caches together";
  EXPECT_DOUBLE_EQ(mib(log, Q::kv, kLogAllDevices), 2048);
  EXPECT_DOUBLE_EQ(mib(log, Q::compute), 541.07);
  EXPECT_DOUBLE_EQ(mib(log, Q::host_compute, kLogHost), 112.08);
  EXPECT_DOUBLE_EQ(mib(log, Q::output, kLogHost), 4);
  EXPECT_EQ(find(log, Q::compute)->rounding, kMiB.value() / 200);
  EXPECT_TRUE(log.complete);
}

TEST(EngineLog, ATrialBeforeLoadingAndADraftContextAfterItAreKeptApart) {
  const std::string text = std::string(kLlamacpp) +
                           std::string(kLlamacpp.substr(kLlamacpp.find("llama_model_loader"))) +
                           "llama_context: constructing llama_context\n"
                           "llama_kv_cache:      CUDA0 KV buffer size =    32.00 MiB\n"
                           "sched_reserve:      CUDA0 compute buffer size =   520.06 MiB\n";
  const EngineLog log = read(text);
  EXPECT_DOUBLE_EQ(mib(log, Q::weights), 6956.38);
  EXPECT_DOUBLE_EQ(mib(log, Q::compute), 541.07);
  EXPECT_DOUBLE_EQ(mib(log, Q::kv, 0, 1), 32);
  EXPECT_DOUBLE_EQ(mib(log, Q::compute, 0, 1), 520.06);
  EXPECT_DOUBLE_EQ(mib(log, Q::device_free), 23720);
}

struct BufferCase {
  std::string_view line;
  Quantity quantity;
  int device;
  double mib;
};
// Wordings of builds from 2024 to 2026 and of ik_llama.cpp, as the rows of tests/accuracy/llamacpp quote them.
TEST(EngineLog, NamesOfBuffersAreDevices) {
  const BufferCase cases[] = {
      {"llm_load_tensors:      CUDA0 buffer size =  3577.56 MiB", Q::weights, 0, 3577.56},
      {"llama_new_context_with_model: CUDA1 compute buffer size = 444.77 MiB", Q::compute, 1, 444.77},
      {"llama_context: Vulkan0 compute buffer size = 613.01 MiB", Q::compute, 0, 613.01},
      {"llama_context: Vulkan_Host compute buffer size = 80.01 MiB", Q::host_compute, kLogHost, 80.01},
      {"load_tensors: Metal_Mapped model buffer size = 37958.69 MiB", Q::weights, 0, 37958.69},
      {"load_tensors: CPU_AARCH64 model buffer size = 350606.64 MiB", Q::weights, kLogHost, 350606.64},
      {"load_tensors: RPC[192.168.1.7:50052] model buffer size = 18773.49 MiB", Q::weights, kLogOtherNode, 18773.49},
      {"llama_memory_recurrent:      CUDA3 RS buffer size =    36.49 MiB", Q::recurrent, 3, 36.49},
      {"llama_memory_recurrent: size =  149.06 MiB (     1 cells,  48 layers,  1 seqs), R (f32):    5.06 MiB",
       Q::recurrent, kLogAllDevices, 149.06},
      {"llama_new_context_with_model: KV self size = 1166.62 MiB, c^KV (q8_0): 1166.62 MiB, kv^T: not used", Q::kv,
       kLogAllDevices, 1166.62},
      {"~llama_context:      CUDA0 compute buffer size is 495.0000 MiB, matches expectation of 495.0000 MiB",
       Q::compute, 0, 495},
      {"llama_memory_breakdown_print: |   - CUDA0 (RTX 4090) | 24080 = 9436 + (14193 = 13169 +      38 +     985) +"
       "         451 |",
       Q::non_torch, 0, 451},
      {"common_memory_breakdown_print: |   - Host               |                  25094 =  1502 +   21504 +    2088   "
       "  "
       "           |",
       Q::kv, kLogHost, 21504},
  };
  for (const BufferCase& c : cases) EXPECT_DOUBLE_EQ(mib(read(c.line), c.quantity, c.device), c.mib) << c.line;
}

// ggml-org/llama.cpp#19437: a trial's remainder wraps below zero.
TEST(EngineLog, ARemainderThatCannotBeIsNotTaken) {
  const EngineLog log = read(
      "llama_memory_breakdown_print: |   - CUDA0 (GTX 1080 Ti) | 11165 = 8702 + (10001 =  9814 +"
      "     134 +      51) + 17592186036877 |\n");
  EXPECT_FALSE(find(log, Q::non_torch));
  EXPECT_DOUBLE_EQ(mib(log, Q::weights), 9814);
}

// ollama PR #11090, #12000, through journald.
TEST(EngineLog, ReadsOllama) {
  const EngineLog log = read(
      "Jul 18 14:50:00 host ollama[30907]: time=2025-07-18T14:50:59.994Z level=INFO source=routes.go:1288 "
      "msg=\"Listening "
      "on 127.0.0.1:11434 (version 0.9.6)\"\n"
      "Jul 18 14:50:00 host ollama[30907]: time=2025-07-18T14:50:59.994Z level=INFO source=server.go:438 "
      "msg=\"starting "
      "llama server\" cmd=\"/usr/local/bin/ollama runner --ollama-engine --model "
      "/root/.ollama/models/blobs/sha256-e8ad "
      "--ctx-size 8192 --batch-size 512 --n-gpu-layers 48 --threads 28 --parallel 1 --port 36629\"\n"
      "Jul 18 14:51:00 host ollama[30907]: time=2025-07-18T14:51:00.217Z level=INFO source=ggml.go:362 msg=\"offloaded "
      "41/41 layers to GPU\"\n"
      "Jul 18 14:51:00 host ollama[30907]: time=2025-07-18T14:51:00.217Z level=INFO source=ggml.go:365 msg=\"model "
      "weights\" buffer=CUDA1 size=\"11.9 GiB\"\n"
      "Jul 18 14:51:00 host ollama[30907]: time=2025-07-18T14:51:00.217Z level=INFO source=ggml.go:365 msg=\"model "
      "weights\" buffer=CPU size=\"680.0 MiB\"\n"
      "Jul 18 14:51:01 host ollama[30907]: time=2025-07-18T14:51:01.272Z level=INFO source=ggml.go:672 msg=\"compute "
      "graph\" backend=CUDA1 buffer_type=CUDA1 size=\"1.2 GiB\"\n");
  EXPECT_EQ(log.program, LogProgram::ollama);
  EXPECT_EQ(log.version, "0.9.6");
  EXPECT_EQ(log.flag("n_ctx"), "8192");
  EXPECT_EQ(log.flag("n_gpu_layers"), "48");
  EXPECT_EQ(log.flag("offloaded_layers"), "41/41");
  EXPECT_DOUBLE_EQ(gib(log, Q::weights, 1), 11.9);
  EXPECT_DOUBLE_EQ(mib(log, Q::weights, kLogHost), 680);
  EXPECT_DOUBLE_EQ(gib(log, Q::compute, 1), 1.2);
  EXPECT_TRUE(log.complete);
}

// Where Ollama runs llama.cpp, its own lines are what it expects (Ollama 0.17 on a Mac, build lines of llama.cpp
// after).
TEST(EngineLog, WhatLlamacppAllocatesCountsBeforeWhatOllamaExpects) {
  const EngineLog log = read(
      "time=2026-02-25T18:14:34.262+08:00 level=INFO source=device.go:240 msg=\"model weights\" device=Metal "
      "size=\"4.7 "
      "GiB\"\n"
      "time=2026-02-25T18:14:34.262+08:00 level=INFO source=device.go:251 msg=\"kv cache\" device=Metal size=\"1.2 "
      "GiB\"\n"
      "time=2026-02-25T18:14:35.128+08:00 level=INFO source=runner.go:1284 msg=load request=\"{Operation:commit "
      "LoraPath:[] Parallel:1 BatchSize:512 FlashAttention:Enabled KvSize:4096 KvCacheType: NumThreads:4}\"\n"
      "load_tensors: Metal_Mapped model buffer size =  4655.99 MiB\n");
  double weights = 0;
  for (const Measured& one : log.measured) weights += one.quantity == Q::weights ? gibibytes(Bytes(one.value)) : 0;
  EXPECT_NEAR(weights * 1024, 4655.99, 0.001);
  EXPECT_DOUBLE_EQ(gib(log, Q::kv), 1.2);
  EXPECT_EQ(log.flag("n_ctx"), "4096");
  EXPECT_EQ(log.flag("flash_attn"), "Enabled");
}

// vllm#7553
constexpr std::string_view kTable =
    "Thu Aug 15 02:55:11 2024\n"
    "+---------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 535.54.03              Driver Version: 535.54.03    CUDA Version: 12.2     |\n"
    "|-----------------------------------------+----------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |\n"
    "|=========================================+======================+======================|\n"
    "|   0  NVIDIA GeForce RTX 4090        Off | 00000000:4F:00.0 Off |                  Off |\n"
    "| 31%   28C    P8              21W / 450W |    393MiB / 24564MiB |      0%      Default |\n"
    "+-----------------------------------------+----------------------+----------------------+\n"
    "|   1  NVIDIA GeForce RTX 4090        Off | 00000000:52:00.0 Off |                  Off |\n"
    "| 31%   28C    P8              21W / 450W |  21804MiB / 24564MiB |      0%      Default |\n"
    "+-----------------------------------------+----------------------+----------------------+\n"
    "| Processes:                                                                            |\n"
    "|    1   N/A  N/A      1234      C   python                                   21796MiB |\n";

TEST(EngineLog, ReadsNvidiaSmisTable) {
  const EngineLog log = read(kTable);
  EXPECT_EQ(log.program, LogProgram::nvidia_smi);
  EXPECT_EQ(log.version, "535.54.03");
  EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 0), 393);
  EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 1), 21804);
  EXPECT_DOUBLE_EQ(mib(log, Q::device_total, 1), 24564);
  ASSERT_EQ(log.devices.size(), 2u);
  EXPECT_EQ(log.devices[1].name, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(log.measured.size(), 4u) << "processes are parts of what was told";
}

TEST(EngineLog, ReadsNvidiaSmisListWithAndWithoutUnits) {
  for (const std::string_view text : {"index, name, memory.total [MiB], memory.used [MiB]\n1, NVIDIA L40S, 46068 MiB, "
                                      "45200 MiB\n0, NVIDIA L40S, 46068 "
                                      "MiB, 1 MiB\n",
                                      "index, name, memory.total [MiB], memory.used [MiB]\n1, NVIDIA L40S, 46068, "
                                      "45200\n0, NVIDIA L40S, 46068, 1\n"}) {
    const EngineLog log = read(text);
    EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 1), 45200);
    EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 0), 1);
    EXPECT_EQ(log.devices.size(), 2u);
  }
}

// MetaX's two layouts (mx-smi 2.2.4 with C500, 2.1.6 with C550).
TEST(EngineLog, ReadsMxSmi) {
  const EngineLog log = read(
      "mx-smi  version: 2.2.4\n"
      "| MX-SMI 2.2.4                        Kernel Mode Driver Version: 2.14.8          |\n"
      "|------------------------------------+---------------------+----------------------+\n"
      "| GPU         NAME                   | Bus-id              | GPU-Util             |\n"
      "| Temp        Pwr:Usage/Cap          | Memory-Usage        | GPU-State            |\n"
      "|====================================+=====================+======================|\n"
      "| 0           MetaX C500             | 0000:01:00.0        | 0%                   |\n"
      "| 45C         48W / 350W             | 858/65536 MiB       | Available            |\n"
      "| 1           MXC550                 | 0000:2a:00.0        | 0%                   |\n"
      "| 31C         44W                    | 810/65536 MiB       |                      |\n"
      "+------------------------------------+---------------------+----------------------+\n"
      "| Process:                                                                        |\n");
  EXPECT_EQ(log.program, LogProgram::mx_smi);
  EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 0), 858);
  EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 1), 810);
  EXPECT_DOUBLE_EQ(mib(log, Q::device_total, 1), 65536);
  EXPECT_EQ(log.devices[0].name, "MetaX C500");
}

TEST(EngineLog, WhatTheDriverSaysStandsBesideTheServersLog) {
  const EngineLog log = read(std::string(kVllm) + std::string(kTable));
  EXPECT_EQ(log.program, LogProgram::vllm);
  EXPECT_DOUBLE_EQ(mib(log, Q::total_used, 1), 21804);
  EXPECT_DOUBLE_EQ(gib(log, Q::device_total), 79.19) << "what the program sees, not the driver's figure";
}

TEST(EngineLog, ReadsWhatPowershellWrites) {
  std::string wide = "\xFF\xFE";
  for (const char c : kLlamacpp) {
    if (c == '\n') wide += std::string("\r\0", 2);
    wide += c;
    wide += '\0';
  }
  const EngineLog log = read(wide);
  EXPECT_DOUBLE_EQ(mib(log, Q::kv), 2048);
  EXPECT_EQ(find(log, Q::weights)->line, 9u);
  EXPECT_TRUE(looks_like_engine_log(wide));
}

TEST(EngineLog, ABrokenOffLogGivesWhatItHas) {
  const std::size_t first_figure = kVllm.find(" GiB") + 4;
  for (std::size_t size = 0; size < kVllm.size(); size += 13) {
    EXPECT_EQ(read_engine_log(kVllm.substr(0, size)).ok(), size >= first_figure) << size;
  }
  const EngineLog cut = read(kVllm.substr(0, kVllm.find("Available")));
  EXPECT_FALSE(cut.complete);
  EXPECT_DOUBLE_EQ(gib(cut, Q::weights), 14.0842);
  const EngineLog tail = read(kVllm.substr(kVllm.find("Actual")));
  EXPECT_DOUBLE_EQ(gib(tail, Q::activation), 1.97);
}

TEST(EngineLog, OtherTextIsNotALogAndSaysSo) {
  EXPECT_EQ(error_of(""), "log.empty");
  EXPECT_EQ(error_of(" \r\n\t\n"), "log.empty");
  for (const std::string_view text :
       {"Hello, we need 15 GiB for weights and 2 GiB for peak activation.", "{\"model_type\": \"llama\"}",
        "# README\n| GPU | Memory |\n| 0  | 10MiB / 20MiB |\n", "\x01\x02\xFF\xFE\x00 noise",
        "using 5 tokens, = 7 MiB"}) {
    EXPECT_EQ(error_of(text), "log.not_recognised") << text;
  }
}

TEST(EngineLog, FiguresThatCannotBeDoNoHarm) {
  for (const std::string_view figure : {"99999999999999999999 GiB", "1e9 GiB", "GiB", "-", "..", "1,2,3 GiB",
                                        "4294967296 TiB", "0.00000000000000000001 GiB"}) {
    const Result<EngineLog> log =
        read_engine_log("Model loading took " + std::string(figure) + "\nAvailable KV cache memory: 6.5 GiB\n");
    ASSERT_TRUE(log.ok()) << figure;
    EXPECT_DOUBLE_EQ(gib(log.value(), Q::pool), 6.5);
  }
}

TEST(EngineLog, AQuotedLineIsBoundedAndReadable) {
  const std::string line = "\xFF\x01Model loading took 15.26 GiB memory " + std::string(100000, 'x');
  const Measured weights = *find(read(line), Q::weights);
  EXPECT_EQ(weights.text.size(), kMostLogLine);
  EXPECT_TRUE(weights.text.starts_with("? Model loading took")) << weights.text.substr(0, 30);
}

TEST(EngineLog, MegabytesOfRequestsAfterTheStartAreReadInOnePass) {
  const std::string request =
      "(APIServer pid=7) INFO:     10.0.0.1:5000 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n"
      "INFO 09-23 18:20:39 [loggers.py:123] Engine 000: Avg prompt throughput: 514.2 tokens/s, Running: 3 reqs, GPU KV "
      "cache usage: 7.1%\n";
  std::string text(kVllm);
  while (text.size() < (std::size_t{8} << 20)) text += request;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_DOUBLE_EQ(gib(read(text), Q::weights), 14.0842);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 20) << "of eight megabytes";  // half a second here; the bound only tells linear from quadratic
}

TEST(EngineLog, MoreThanTheBoundIsNotRead) {
  EXPECT_EQ(error_of(std::string(static_cast<std::size_t>(kMostLog) + 1, 'x')), "log.too_large");
}

}  // namespace
}  // namespace vram
