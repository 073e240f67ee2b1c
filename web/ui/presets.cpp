#include "web/ui/presets.h"

#include <array>

namespace ui {
namespace {

constexpr std::array<Preset, 8> kPresets = {{
    {"small_office", "v=1&model=Qwen/Qwen3-8B&weights=awq_int4&users=10&ctx=8192&gpu=rtx4090&n=1"},
    {"four_bits_one_card", "v=1&model=meta-llama/Llama-3.1-70B-Instruct&weights=awq_int4&users=4&ctx=8192&gpu=h100-sxm&n=1"},
    {"half_precision_two", "v=1&model=meta-llama/Llama-3.1-70B-Instruct&users=4&ctx=8192&share=96&gpu=h200-sxm&n=2"},
    {"several_small", "v=1&model=Qwen/Qwen3-32B&users=8&ctx=16384&gpu=l40s&n=4"},
    {"experts", "v=1&model=Qwen/Qwen3-235B-A22B&weights=fp8_block&users=40&ctx=16384&gpu=h200-sxm&n=4"},
    {"long_context", "v=1&model=meta-llama/Llama-3.1-8B-Instruct&users=4&ctx=131072&kv=fp8&gpu=h100-sxm&n=1"},
    {"adapters", "v=1&model=meta-llama/Llama-3.1-8B-Instruct&task=tune&method=qlora&seq=4096&gpu=rtx4090&n=1"},
    {"whole_training", "v=1&model=meta-llama/Llama-3.1-8B-Instruct&task=train&seq=4096&gpu=h100-sxm&n=8"},
}};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

}  // namespace ui
