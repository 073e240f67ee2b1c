// Which formats start on which cards, by published tables and issues.
#include "core/plan/support.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;
using sample::shipped_card;

constexpr auto kNative = SupportLevel::native, kEmulated = SupportLevel::emulated, kUnknown = SupportLevel::unknown,
               kRefused = SupportLevel::refused;

TEST(Support, OfWeightsIsWhatTheProgramsDocumentsSay) {
  struct Case {
    EngineId engine;
    std::string_view version;
    FormatId format;
    const char* card;
    SupportLevel level;
    const char* source;
  };
  const Case cases[] = {
      {EngineId::vllm, "", FormatId::bf16, "h100-sxm", kNative, "vLLM, quantization/README.md"},
      {EngineId::vllm, "", FormatId::bf16, "t4", kEmulated, "vllm#1157: --dtype half"},
      {EngineId::vllm, "", FormatId::bf16, "v100-32-sxm", kEmulated, "vllm#946: --dtype half"},
      {EngineId::vllm, "", FormatId::fp8_block, "h100-sxm", kNative, "vLLM, FP8 W8A8: Ada, Hopper"},
      {EngineId::vllm, "", FormatId::fp8_block, "a100-80-sxm", kEmulated, "vllm#5975: FP8 Marlin on Ampere"},
      {EngineId::vllm, "0.4.0", FormatId::fp8_block, "a100-80-sxm", kRefused, "vllm#5975 was merged in July 2024"},
      {EngineId::vllm, "", FormatId::fp8, "t4", kRefused, "vLLM: FP8 not on Turing"},
      {EngineId::vllm, "", FormatId::awq_int4, "t4", kNative, "vLLM, AWQ: Turing and later"},
      {EngineId::vllm, "", FormatId::awq_int4, "v100-32-sxm", kRefused, "vLLM, AWQ: not on Volta"},
      {EngineId::vllm, "", FormatId::gptq_int4, "v100-32-sxm", kNative, "vLLM, GPTQ: Volta and later"},
      {EngineId::vllm, "", FormatId::int8, "l40s", kNative, "vLLM, INT8 W8A8: Turing … Hopper"},
      {EngineId::vllm, "", FormatId::int8, "b200", kRefused, "vLLM, int8.md: Blackwell GPU Limitation"},
      {EngineId::vllm, "", FormatId::mxfp4, "a100-80-sxm", kEmulated, "vllm#23203: needs 8.0"},
      {EngineId::vllm, "", FormatId::mxfp4, "t4", kRefused, "vllm#22288: not on SM75"},
      {EngineId::vllm, "", FormatId::mxfp4, "rtxpro6000-se", kEmulated, "vllm#30135: Marlin on SM120"},
      {EngineId::vllm, "", FormatId::nvfp4, "b200", kNative, "SGLang, modelopt_fp4: Blackwell"},
      {EngineId::vllm, "", FormatId::nvfp4, "h100-sxm", kEmulated, "vLLM, is_fp4_marlin_supported: 8.0"},
      {EngineId::vllm, "", FormatId::awq_int4, "mi300x", kRefused, "vLLM table: AMD"},
      {EngineId::vllm, "", FormatId::fp8, "mi300x", kNative, "vLLM table: AMD"},
      {EngineId::vllm, "", FormatId::bf16, "metax-c500", kNative, "vLLM-metax"},
      {EngineId::vllm, "", FormatId::fp8_block, "metax-c500", kRefused, "MetaX C500: no FP8"},
      {EngineId::vllm, "", FormatId::awq_int4, "metax-c500", kUnknown, "nobody said"},
      {EngineId::vllm, "", FormatId::q4_k, "h100-sxm", kEmulated, "vLLM, gguf.md: experimental"},
      {EngineId::sglang, "", FormatId::nvfp4, "h100-sxm", kUnknown, "SGLang table: Blackwell; Marlin since"},
      {EngineId::sglang, "", FormatId::awq_int4, "mi300x", kEmulated, "SGLang table: Triton dequantize on AMD"},
      {EngineId::tensorrt_llm, "", FormatId::fp8, "a100-80-sxm", kRefused, "TensorRT-LLM matrix: Ampere"},
      {EngineId::tensorrt_llm, "", FormatId::awq_int4, "a100-80-sxm", kNative, "TensorRT-LLM matrix: W4A16 AWQ"},
      {EngineId::tensorrt_llm, "", FormatId::fp8_block, "rtx5090", kRefused, "TensorRT-LLM matrix: sm120"},
      {EngineId::tensorrt_llm, "", FormatId::nvfp4, "b200", kNative, "TensorRT-LLM matrix: sm100"},
      {EngineId::tensorrt_llm, "", FormatId::bf16, "mi300x", kRefused, "TensorRT-LLM: NVIDIA only"},
      {EngineId::tensorrt_llm, "", FormatId::q4_k, "h100-sxm", kRefused, "TensorRT-LLM reads no GGUF"},
      {EngineId::llama_cpp, "", FormatId::q4_k, "t4", kNative, "llama.cpp"},
      {EngineId::llama_cpp, "", FormatId::awq_int4, "h100-sxm", kEmulated, "llama.cpp, convert_hf_to_gguf.py"},
      {EngineId::llama_cpp, "", FormatId::iq4_ks, "h100-sxm", kRefused, "a type of ik_llama.cpp"},
      {EngineId::ik_llama_cpp, "", FormatId::iq4_ks, "h100-sxm", kNative, "ik_llama.cpp"},
      {EngineId::generic, "", FormatId::bf16, "h100-sxm", kUnknown, "no program is chosen"},
  };
  for (const Case& one : cases) {
    const Support support = weights_support(one.engine, one.version, one.format, shipped_card(one.card));
    EXPECT_EQ(support_key(support.level), support_key(one.level))
        << engine_id_key(one.engine) << ' ' << storage_format(one.format).id << " on " << one.card << ": " << one.source;
    EXPECT_EQ(support.source.empty(), one.level == kUnknown) << one.source;
  }
}

TEST(Support, OfCachesIsWhatTheProgramsDocumentsSay) {
  struct Case {
    EngineId engine;
    const char *kv, *card;
    SupportLevel level;
    const char* source;
  };
  const Case cases[] = {
      {EngineId::vllm, "auto", "t4", kNative, "the model's own"},
      {EngineId::vllm, "fp8", "l40s", kNative, "vLLM, quantized_kvcache.md"},
      {EngineId::vllm, "fp8", "rtx3090", kEmulated, "vllm#26431: e4m3 fails, e5m2 is stored"},
      {EngineId::vllm, "fp8", "t4", kUnknown, "nobody said"},
      {EngineId::vllm, "fp8", "metax-c550", kRefused, "MetaX C550: no FP8"},
      {EngineId::vllm, "q8_0", "h100-sxm", kRefused, "a cache of llama.cpp"},
      {EngineId::tensorrt_llm, "fp8", "a100-80-sxm", kEmulated, "TensorRT-LLM matrix: FP8 KV Cache, Ampere"},
      {EngineId::llama_cpp, "q4_0", "rtx3090", kNative, "llama.cpp, --cache-type-k"},
      {EngineId::llama_cpp, "fp8", "h100-sxm", kEmulated, "llama.cpp has q8_0"},
  };
  for (const Case& one : cases) {
    const Support support = cache_support(one.engine, "", one.kv, shipped_card(one.card));
    EXPECT_EQ(support_key(support.level), support_key(one.level))
        << engine_id_key(one.engine) << ' ' << one.kv << " on " << one.card << ": " << one.source;
  }
}

TEST(Support, ThatIsRefusedMakesThePlanFailWhateverTheMemory) {
  const Plan plan = make_plan(from_fields("v=1&engine=tensorrt_llm&weights=fp8_block&gpu=a100-80-sxm&n=8"));
  EXPECT_EQ(plan.shortage(), Bytes(0));
  ASSERT_TRUE(plan.refusal);
  EXPECT_EQ(plan.refusal->key, "support.no_kernel");
  EXPECT_EQ(plan.verdict, Verdict::does_not_fit);
}

TEST(Support, ThatComputesInAnotherFormatIsANoteOfThePlan) {
  const Plan plan = make_plan(from_fields("v=1&engine=vllm&weights=fp8_block&gpu=a100-80-sxm"));
  EXPECT_FALSE(plan.refusal);
  EXPECT_EQ(std::count_if(plan.notes.begin(), plan.notes.end(),
                          [](const Message& note) { return note.key == "support.marlin"; }),
            1);
}

TEST(Support, OfAMixedModelIsThatOfItsWorstPart) {  // experts in MXFP4, the rest in BF16
  const Inputs inputs = from_fields("v=1&model=openai/gpt-oss-20b&engine=vllm&gpu=t4");
  EXPECT_EQ(support_of(inputs, make_plan(inputs), 0).level, kRefused);
}

TEST(Support, OfAMixedMachineIsThatOfItsWorstCard) {
  const Inputs inputs = from_fields("v=1&engine=vllm&weights=fp8_block&gpu=h100-sxm&more_cards=a100-80-sxm:1");
  EXPECT_EQ(support_of(inputs, make_plan(inputs), 0).level, kEmulated);
}

TEST(Support, ACacheOfLlamaCppMakesItTheEngine) {
  EXPECT_EQ(make_plan(from_fields("v=1&kv=q8_0")).placed[0].engine, EngineId::llama_cpp);
}

}  // namespace
}  // namespace vram
