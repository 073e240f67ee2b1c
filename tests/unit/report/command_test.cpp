// Commands that start a plan, and what the programs print then.
#include "core/report/command.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;

StartUp started(const std::string& link, std::size_t deployment = 0) {
  const Inputs inputs = from_fields(link);
  return start_up(inputs, make_plan(inputs), deployment);
}

TEST(Command, HasTheFlagsThatDifferFromTheDefaults) {
  const std::string model = "v=1&model=meta-llama/Llama-3.1-70B-Instruct&users=8&ctx=8192";
  struct Case {
    const char *fields, *line;
  };
  const Case cases[] = {
      {"&engine=vllm&gpu=h100-sxm&n=4", "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 "
                                        "--max-model-len 8192"},
      {"&engine=vllm&gpu=h100-sxm&n=4&split=layers&kv=fp8&weights=fp8_block&share=85&graphs=no&batch=4096&sequences=64",
       "vllm serve meta-llama/Llama-3.1-70B-Instruct --pipeline-parallel-size 4 --max-model-len 8192 "
       "--max-num-seqs 64 --max-num-batched-tokens 4096 --gpu-memory-utilization 0.85 --quantization fp8 "
       "--kv-cache-dtype fp8 --enforce-eager"},
      {"&engine=vllm&gpu=a100-80-sxm&n=4&kv=fp8&adapters=4&adapter_rank=48",
       "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --max-model-len 8192 "
       "--kv-cache-dtype fp8_e5m2 --enable-lora --max-loras 4 --max-lora-rank 64"},
      {"&engine=vllm&gpu=t4&n=16", "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 16 "
                                   "--max-model-len 8192 --dtype half"},
      {"&engine=sglang&gpu=h200-sxm&n=2&replicas=1&share=88",
       "python -m sglang.launch_server --model-path meta-llama/Llama-3.1-70B-Instruct --tp-size 2 "
       "--context-length 8192 --mem-fraction-static 0.88"},
      {"&engine=tensorrt_llm&gpu=h100-sxm&n=4", "trtllm-serve meta-llama/Llama-3.1-70B-Instruct --tp_size 4 "
                                                "--max_seq_len 8192"},
      {"&engine=llama_cpp&weights=q4_k_m&gpu=rtx4090&n=4",
       "llama-server -m Llama-3.1-70B-Instruct-Q4_K_M.gguf -c 65536 -np 8 -ngl 81 -fa on"},
      {"&engine=llama_cpp&weights=q4_k_m&kv=q8_0&gpu=rtx4090&n=4",
       "llama-server -m Llama-3.1-70B-Instruct-Q4_K_M.gguf -c 65536 -np 8 -ngl 81 -fa on -ctk q8_0 -ctv q8_0"},
      {"&engine=ollama&weights=q4_k_m&kv=q8_0&gpu=rtx4090&n=4",
       "OLLAMA_CONTEXT_LENGTH=8192 OLLAMA_NUM_PARALLEL=8 OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0 "
       "OLLAMA_SCHED_SPREAD=1 ollama serve"},
  };
  for (const Case& one : cases) {
    const StartUp start = started(model + one.fields);
    ASSERT_FALSE(start.lines.empty()) << one.fields;
    EXPECT_EQ(start.lines.front(), one.line) << one.fields;
  }
}

TEST(Command, SettingsOfAFileAreWrittenFirst) {
  const StartUp start = started("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=tensorrt_llm&kv=fp8&gpu=h100-sxm");
  ASSERT_EQ(start.lines.size(), 2u);
  EXPECT_EQ(start.lines[0], "printf %b 'kv_cache_config: {dtype: fp8}\\n' > trtllm-0.yml");
  EXPECT_NE(start.lines[1].find("--extra_llm_api_options trtllm-0.yml"), std::string::npos);
}

TEST(Command, OfDraftLayersIsQuotedJson) {
  const StartUp start = started("v=1&model=deepseek-ai/DeepSeek-V3&engine=vllm&gpu=h200-sxm&n=8&draft=1");
  EXPECT_NE(start.lines[0].find("--speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 1}'"),
            std::string::npos)
      << start.lines[0];
}

TEST(Command, ExpertsInHostMemoryAreNamed) {
  const StartUp start =
      started("v=1&model=openai/gpt-oss-120b&engine=llama_cpp&weights=q8_0&gpu=rtx4090&offload=experts&users=1");
  const bool named = start.lines[0].find("--n-cpu-moe ") != std::string::npos ||
                     start.lines[0].find("--cpu-moe") != std::string::npos;
  EXPECT_TRUE(named) << start.lines[0];
}

// With several GPUs each keeps the experts that fit on it: --n-cpu-moe, which counts from layer 0, would say another plan.
TEST(Command, ExpertsThatLieApartAreNamedByTheirLayers) {
  const Inputs inputs = from_fields(
      "v=1&model=Qwen/Qwen3-235B-A22B&engine=llama_cpp&weights=q4_k_m&gpu=rtx4090&n=4&split=layers&offload=experts"
      "&ctx=8192&users=1");
  const Plan plan = make_plan(inputs);
  const std::vector<int>& moved = plan.placed[0].host_experts;
  ASSERT_FALSE(moved.empty());
  EXPECT_LT(moved.size(), 94u);
  std::string layers;
  for (const int layer : moved) layers += (layers.empty() ? "" : "|") + std::to_string(layer);
  EXPECT_NE(moved.back() + 1, static_cast<int>(moved.size())) << "a run from layer 0 needs no pattern";
  const std::string line = start_up(inputs, plan, 0).lines[0];
  EXPECT_NE(line.find(" -ot 'blk\\.(" + layers + ")\\.ffn_(up|down|gate|gate_up)_(ch|)exps=CPU' "), std::string::npos) << line;
  EXPECT_EQ(line.find("cpu-moe"), std::string::npos) << line;
}

// DeepSeek's first three layers are dense: --n-cpu-moe counts them, a layer without experts has nothing to move.
TEST(Command, DenseLayersInFrontAreNoExpertsInHostMemory) {
  const Inputs inputs = from_fields(
      "v=1&model=deepseek-ai/DeepSeek-V3&engine=llama_cpp&weights=q4_k_m&gpu=h200-sxm&n=1&offload=experts&users=1&ctx=8192");
  const Plan plan = make_plan(inputs);
  const std::vector<int>& moved = plan.placed[0].host_experts;
  ASSERT_FALSE(moved.empty());
  EXPECT_EQ(moved.front(), 3);
}

TEST(Command, LayersInHostMemoryAreGigabytesForVllm) {
  const StartUp start = started("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&gpu=rtx4090&offload=weights&ctx=65536&users=1");
  EXPECT_NE(start.lines[0].find("--cpu-offload-gb "), std::string::npos) << start.lines[0];
}

TEST(Command, DeploymentsThatShareDevicesDivideThem) {
  Scenario scenario;
  scenario.accelerator = "h100-sxm";
  scenario.deployments.resize(2);
  for (Deployment& deployment : scenario.deployments) deployment.engine = "vllm";
  const Inputs inputs = resolve(scenario, sample::shipped()).value();
  const Plan plan = make_plan(inputs);
  double shares = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string line = start_up(inputs, plan, i).lines[0];
    const std::size_t at = line.find("--gpu-memory-utilization ");
    ASSERT_NE(at, std::string::npos) << line;
    shares += std::stod(line.substr(at + 25));
  }
  EXPECT_LE(shares, 1.0);
  EXPECT_NE(start_up(inputs, plan, 1).lines[0].find("--port 8001"), std::string::npos);
}

TEST(Command, DevicesOfItsOwnAreNamed) {
  Scenario scenario;
  scenario.devices = 3;
  scenario.deployments.resize(2);
  scenario.deployments[0].own_devices = 1;
  scenario.deployments[1].own_devices = 2;
  const Inputs inputs = resolve(scenario, sample::shipped()).value();
  EXPECT_TRUE(start_up(inputs, make_plan(inputs), 1).lines[0].starts_with("CUDA_VISIBLE_DEVICES=1,2 vllm serve"));
}

TEST(Command, WordsOfStrangersCannotLeaveTheirPlace) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"},
      {"a b", "'a b'"},
      {"x; rm -rf /", "'x; rm -rf /'"},
      {"$(reboot)", "'$(reboot)'"},
      {"it's", "'it'\\''s'"},
      {"two\nlines", "'two?lines'"},
      {"", "''"},
      {"модель", "'модель'"},
  };
  for (const auto& [word, quoted] : cases) EXPECT_EQ(shell_word(word), quoted);
  Inputs inputs = from_fields("v=1&engine=vllm&gpu=h100-sxm");
  inputs.scenario.deployments[0].model = "-rf '$HOME'";
  EXPECT_TRUE(start_up(inputs, make_plan(inputs), 0).lines[0].starts_with("vllm serve './-rf '\\''$HOME'\\''' "));
}

TEST(Command, OfATrainingJobHasTheSettingsThatDecideItsMemory) {
  const std::pair<const char*, const char*> cases[] = {
      {"v=1&task=tune&method=qlora&framework=trl&gpu=l40s&micro=2&seq=2048&segments=growing",
       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True accelerate launch --num_processes 1 -m trl.scripts.sft "
       "--model_name_or_path meta-llama/Llama-3.1-8B-Instruct --bf16 --per_device_train_batch_size 2 "
       "--gradient_accumulation_steps 8 --max_length 2048 --optim adamw_torch --gradient_checkpointing "
       "--attn_implementation flash_attention_2 --use_peft --lora_r 16 --lora_target_modules all-linear "
       "--load_in_4bit"},
      {"v=1&task=train&gpu=h100-sxm&n=8&shard=zero3&states_to=host&optimizer=adamw_8bit&recompute=none",
       "accelerate launch --num_processes 8 --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu train.py "
       "--model_name_or_path meta-llama/Llama-3.1-8B-Instruct --bf16 --per_device_train_batch_size 1 "
       "--gradient_accumulation_steps 8 --max_length 4096 --optim adamw_bnb_8bit "
       "--attn_implementation flash_attention_2"},
      {"v=1&task=train&framework=megatron&gpu=h100-sxm&n=16&train_tp=4&train_pp=2&shard=zero1",
       "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 4 "
       "--pipeline-model-parallel-size 2 --sequence-parallel --seq-length 4096 --micro-batch-size 1 "
       "--global-batch-size 16 --bf16 --use-distributed-optimizer --recompute-granularity full "
       "--recompute-method uniform --recompute-num-layers 1"},
  };
  for (const auto& [link, line] : cases) {
    const Inputs inputs = from_fields(link);
    const StartUp start = training_start_up(inputs, make_plan(inputs));
    ASSERT_EQ(start.lines.size(), 1u) << link;
    EXPECT_EQ(start.lines[0], line);
  }
}

TEST(Log, OfVllmPrintsTheFiguresOfThePlan) {
  const Inputs inputs = from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=vllm&gpu=h100-sxm");
  const Plan plan = make_plan(inputs);
  const std::vector<std::string> log = start_up(inputs, plan, 0).log;
  ASSERT_EQ(log.size(), 4u);
  EXPECT_EQ(log[0], "Model loading took 14.99 GiB memory");  // vLLM logs of this model: 14.99
  EXPECT_TRUE(log[1].starts_with("Available KV cache memory: "));
  EXPECT_TRUE(log[2].starts_with("GPU KV cache size: ") && log[2].ends_with(" tokens"));
  EXPECT_TRUE(log[3].starts_with("Maximum concurrency for 8,192 tokens per request: ") && log[3].ends_with("x"));
}

TEST(Log, OfSglangAndLlamaCppIsInTheirOwnWords) {
  const auto sglang = started("v=1&model=meta-llama/Llama-3.1-8B-Instruct&engine=sglang&gpu=h100-sxm").log;
  ASSERT_EQ(sglang.size(), 3u);
  EXPECT_TRUE(sglang[2].starts_with("max_total_num_tokens="));
  EXPECT_NE(sglang[2].find("context_len=8192"), std::string::npos);
  const auto llama = started("v=1&model=meta-llama/Llama-3.1-8B-Instruct&weights=q4_k_m&gpu=rtx4090&users=1").log;
  ASSERT_GE(llama.size(), 4u);
  EXPECT_NE(llama[1].find("CUDA0 model buffer size = "), std::string::npos) << llama[1];
  EXPECT_NE(llama[2].find("CUDA0 KV buffer size =  1024.00 MiB"), std::string::npos) << llama[2];  // 8 × 128 × 2 × 32 × 8192 × 2 B
}

}  // namespace
}  // namespace vram
