// Letters and saved pages live for months: what a released page wrote keeps opening. Add to these; never change one.
#include <gtest/gtest.h>

#include "core/scenario/scenario.h"

namespace vram {
namespace {

/// Written by the first page that was shown to anybody (2026-11-30), which knew none of the later fields.
TEST(Released, LinksOfVersion1KeepOpening) {
  struct Sample {
    const char* link;
    const char* model;
    std::int64_t context, users, devices;
    const char* weights;
    const char* accelerator;
  };
  const Sample samples[] = {
      {"v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&n=1", "meta-llama/Llama-3.1-8B-Instruct", 8192, 8, 1,
       "stored", "h100-sxm"},
      {"v=1&model=meta-llama/Llama-3.1-70B-Instruct&weights=awq_int4&ctx=8192&users=4&gpu=h100-sxm&n=1",
       "meta-llama/Llama-3.1-70B-Instruct", 8192, 4, 1, "awq_int4", "h100-sxm"},
      {"v=1&model=Qwen/Qwen3-235B-A22B&users=16&gpu=metax-c550&n=8&offload=weights&ram=512&units=gb",
       "Qwen/Qwen3-235B-A22B", 8192, 16, 8, "stored", "metax-c550"},
      {"v=1&model=Qwen/Qwen3-32B&users=24&ctx=16384&kv=fp8&gpu=h200-sxm&n=2", "Qwen/Qwen3-32B", 16384, 24, 2,
       "stored", "h200-sxm"},
      {"v=1&model=meta-llama/Llama-3.1-405B-Instruct&users=64&ctx=131072&gpu=rtxpro6000-se&n=8&split=layers",
       "meta-llama/Llama-3.1-405B-Instruct", 131072, 64, 8, "stored", "rtxpro6000-se"},
      {"#v=1&model=Qwen%2FQwen3-32B&ctx=32%20768&gpu=custom&card_gib=47%2C5&n=4", "Qwen/Qwen3-32B", 32768, 8, 4,
       "stored", "custom"},
  };
  for (const Sample& sample : samples) {
    const ScenarioReading read = from_link(sample.link);
    EXPECT_TRUE(read.problems.empty()) << sample.link << ": " << read.problems.front().key;
    const Deployment& deployment = read.scenario.deployments.front();
    EXPECT_EQ(deployment.model, sample.model) << sample.link;
    EXPECT_EQ(deployment.context, sample.context) << sample.link;
    EXPECT_EQ(deployment.users, sample.users) << sample.link;
    EXPECT_EQ(deployment.weights, sample.weights) << sample.link;
    EXPECT_EQ(read.scenario.devices, sample.devices) << sample.link;
    EXPECT_EQ(read.scenario.accelerator, sample.accelerator) << sample.link;
  }
}

TEST(Released, ScenarioFilesOfVersion1KeepOpening) {
  const char* const file = R"({"v": 1, "gpu": "h200-sxm", "n": 2, "offload": "no", "ram": 0, "headroom": 10, "units": "gib",
    "deployments": [{"model": "", "config": "{\"model_type\":\"llama\",\"num_hidden_layers\":32}", "weights": "bf16",
                     "kv": "auto", "users": 12, "ctx": 16384, "split": "auto"},
                    {"model": "Qwen/Qwen3-32B", "weights": "stored", "kv": "fp8", "users": 1, "ctx": 4096,
                     "split": "tensor"}]})";
  const Result<Json> json = parse_json(file);
  ASSERT_TRUE(json);
  const ScenarioReading read = from_json(json.value());
  EXPECT_TRUE(read.problems.empty());
  ASSERT_EQ(read.scenario.deployments.size(), 2U);
  EXPECT_EQ(read.scenario.deployments[0].users, 12);
  EXPECT_NE(read.scenario.deployments[0].config.find("llama"), std::string::npos);
  EXPECT_EQ(read.scenario.deployments[1].kv, "fp8");
  EXPECT_EQ(read.scenario.task, "serve") << "a field that did not exist then has its default";
}

}  // namespace
}  // namespace vram
