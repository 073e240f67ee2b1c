// What a build of llama.cpp, or of a program made of it, does: buffer sizes changed with nearly every season.
//
// Everything is counted in mainline's build numbers ("b8829"). Programs with numbers of their own and logs that only
// have a date are put on the same line by the date.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

enum class Program : std::uint8_t { llama_cpp, ik_llama_cpp, ollama, lm_studio };
std::string_view program_key(Program program);   ///< "llama.cpp", "ik_llama.cpp", "ollama", "lm_studio"

/// What the devices are computed with; ROCm is CUDA's code.
enum class Api : std::uint8_t { cuda, vulkan, metal, sycl, other };

constexpr int kNewestBuild = 10800;              ///< libllama 0.5.0, September 2026: what the rules were read in

/// The mainline build of a month; months from January of year 0.
int build_of_month(int year, int month);
/// The build that a version's words tell: "b8829-6990e2f1f", "9849 (799fcc04a)", "3597 127c6ee6" (ik_llama.cpp),
/// "(2025-04)". Nothing when they do not.
std::optional<int> build_of(Program program, std::string_view version);

/// What that build does.
Build build_rules(Program program, int build, Api api = Api::cuda);

}  // namespace vram::llamacpp
