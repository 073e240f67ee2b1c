// How fast a deployment answers: time to first token, time per token, tokens a second for one user and for all, each
// with its band, and what holds it back.
//
//   Case case;  model, accelerator, interconnect, engine, split, formats
//   case.load = {.input_tokens = 1000, .output_tokens = 500, .concurrency = 40};
//   Result<Speed> speed = serving_speed(case);
//   speed.value().per_user      tokens/s, low … likely … high
//   speed.value().limit         "memory bandwidth, 62 %"
//
// How it is counted
//   A step gives each running sequence a token (step.h). While a request generates its `o` answer tokens, every one of
//   the `r` requests running beside it is read in once. Engines either mix inputs into steps (vLLM, TensorRT-LLM) or
//   read them first (SGLang). So a request lives
//
//     T = (o − n) · step(r) + n · step(r, input)        mixed;  n = steps that carry an input
//     T =      o  · step(r) + n · step(input)           first
//
//   and in the steady state r requests end in T: all together r · o / T tokens a second. r is the concurrency asked for,
//   or less when keys and values of so many do not fit the pool, or the engine's own limit; the others wait.
//
//   Offline: everything is there at once and the pool limits. A rate of requests: the concurrency at which as many end
//   as arrive (Little's law); if no concurrency does, the server is saturated and says so.
//
// Worked example, Llama-3.1-70B fp8, 2 × H200, vLLM, 1024 in, 1024 out, 16 users. A step reads 35.3 GB of weights at
// 0.90 × 4.8 TB/s = 8.2 ms and 2.0 GB of cache at 0.92 × 4.8 TB/s = 0.9 ms; 80 layers × 55 µs = 4.4 ms, 160 exchanges
// 1.0 ms, the program 0.5 ms: 15.0 ms, and with an input in one of 64 steps 15.9 ms a token; measured 15.65 ms.
//
// Speculative decoding: d drafted tokens of which each is right with probability a give (1 − a^(d+1)) / (1 − a) tokens a
// step; the step checks d + 1 tokens a sequence and runs the draft layers d times.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/model/model.h"
#include "core/speed/constants.h"
#include "core/speed/step.h"
#include "core/speed/work.h"
#include "core/units/result.h"

namespace vram::speed {

enum class Engine : std::uint8_t { vllm, sglang, tensorrt_llm, lmdeploy, llama_cpp, other };
std::string_view engine_key(Engine engine);   ///< "vllm", "sglang", "tensorrt_llm", …

struct Load {
  double input_tokens = 1000, output_tokens = 300;   ///< of a request, means
  std::optional<double> concurrency;     ///< requests at the same time, a new one for each that ends
  std::optional<double> rate;            ///< requests a second; with it `concurrency` is a result
  bool offline = false;                  ///< all requests are there at once
  std::optional<double> requests;        ///< in all; unset = very many
  double prefix_share = 0;               ///< of the input, found in the cache of earlier requests
  bool streamed = true;                  ///< answers are sent token by token; false: a benchmark inside the engine
};

struct Drafting {
  int tokens = 0;                        ///< drafted a step; 0 = none
  double acceptance = 0.7;               ///< of a drafted token, given that those before it were right
};

/// Settings that nobody told; each widens the band.
struct Doubts {
  bool engine = false;                   ///< which engine it was, or one without constants of its own
  bool split = false;
  bool lengths = false;                  ///< input and answer lengths
  bool formats = false;
  bool drafting = false;                 ///< may have been on
};

struct Case {
  const Model* model = nullptr;          ///< in the weight format it runs in
  const Accelerator* accelerator = nullptr;
  const Interconnect* interconnect = nullptr;
  FormatId cache = FormatId::bf16;
  Engine engine = Engine::vllm;
  Split split;
  Load load;
  Drafting drafting;
  std::optional<double> pool_bytes;      ///< of one device, for keys and values, as a plan says; else estimated here
  std::optional<double> memory_share;    ///< of a device's memory that the engine takes; else the engine's default
  std::optional<double> batch_tokens, max_sequences;
  std::optional<int> cards_per_node;
  std::optional<double> power_w;         ///< a cap on the card, in place of its own
  Doubts doubts;
};

struct Band {
  double low = 0, likely = 0, high = 0;
};

enum class Cause : std::uint8_t { bandwidth, compute, link, latency, capacity, power, count_ };
std::string_view cause_key(Cause cause);      ///< "bandwidth", "compute", …

enum class ValueUnit : std::uint8_t { none, bytes, bytes_per_second, operations_per_second, seconds, tokens, share };

struct NamedValue {
  std::string_view name;                      ///< its words are the string "speed.value.<name>"
  double value = 0;
  ValueUnit unit = ValueUnit::none;
};

/// What a request spends its time on. `formula` is written in the names of `values`; for what is read, exchanged or
/// fixed it gives `step_seconds`, for arithmetic (products, attention) `seconds`.
struct Term {
  Spent spent = Spent::weights;
  Cause cause = Cause::bandwidth;
  double seconds = 0;                         ///< for each token of the answer, reading inputs included
  double share = 0;                           ///< of a request's time
  double step_seconds = 0;                    ///< in a step without inputs
  std::string_view formula;
  std::vector<NamedValue> values;
};

struct Limit {
  Cause cause = Cause::bandwidth;
  double share = 0;                           ///< of a request's time that goes to it
};

struct Speed {
  Band first_token;                           ///< seconds
  Band per_token;                             ///< seconds between tokens of one answer
  Band per_user;                              ///< tokens a second while an answer is written
  Band total;                                 ///< output tokens a second, all devices
  double requests_per_second = 0;
  double running = 0;                         ///< requests in a replica at the same time
  double waiting = 0;                         ///< requests that wait for room
  double fits = 0;                            ///< requests that the pool holds at the same time
  bool saturated = false;                     ///< more arrives than can be served
  bool weights_fit = true;                    ///< a device's share of them is smaller than its memory
  double step_seconds = 0;                    ///< of a step without inputs
  std::vector<Term> terms;
  std::vector<Limit> limits;                  ///< all causes, the greatest share first
  std::vector<Message> notes;

  Limit limit() const { return limits.empty() ? Limit{} : limits.front(); }
};

/// Errors: speed.no_bandwidth {gpu}, speed.no_weights {model}, speed.does_not_generate {model}.
Result<Speed> serving_speed(const Case& one, const Constants& constants = {});

/// Formats of keys and values when nobody said: NVIDIA's NVFP4 checkpoints ask for fp8, and TensorRT-LLM follows its
/// fp8 checkpoints too; everything else keeps the model's sixteen bits.
FormatId usual_cache_format(Engine engine, FormatId weights, FormatId compute);

/// Tokens a step yields for a sequence.
double tokens_per_step(const Drafting& drafting);

}  // namespace vram::speed
