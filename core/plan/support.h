// Whether an engine runs a weight format and a cache format on an accelerator, and how.
//
//   Support s = support_of(EngineId::vllm, "0.28.0", FormatId::fp8_block, "auto", a100);
//   s.level    // emulated: the Marlin kernel unpacks FP8 and computes in sixteen bits
//   s.source   // "vLLM, pull request 5975"
//
// A format has to be supported by the accelerator *and* by the program. The rows are what the programs' own documents,
// sources and issues say; the first row that applies is the answer. Where no row applies, or nobody said, the level is
// unknown: the calculation stands, the start has to be tried.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/plan/plan.h"

namespace vram {

enum class SupportLevel : std::uint8_t {
  native,    ///< kernels made for the format
  emulated,  ///< works, but stores or computes in another format
  unknown,   ///< nobody said
  refused,   ///< does not start
  count_
};
std::string_view support_key(SupportLevel level);  ///< string "support_level.<key>"

struct Support {
  SupportLevel level = SupportLevel::unknown;
  Message why;              ///< a sentence: "support.…"
  std::string_view source;  ///< a document, file or issue, as it is called in every language; "" = nobody said
};

/// `version`: as people write it; "" = the newest known here.
Support weights_support(EngineId engine, std::string_view version, FormatId weights, const Accelerator& card);
/// `kv`: as the scenario's field has it.
Support cache_support(EngineId engine, std::string_view version, const std::string& kv, const Accelerator& card);
/// The worse of the two.
Support support_of(EngineId engine, std::string_view version, FormatId weights, const std::string& kv,
                   const Accelerator& card);

/// Of a deployment of a plan: the worst over its cards and over the formats that hold a good part of its weights.
Support support_of(const Inputs& inputs, const Plan& plan, std::size_t deployment);

}  // namespace vram
