// vLLM's start-up against published figures: each is a line of a public log (tests/accuracy/serving, facts).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "assets/assets.h"
#include "core/import/catalogue.h"
#include "core/plan/server/server.h"
#include "core/plan/server/cache.h"
#include "core/plan/server/formats.h"
#include "core/plan/server/storage.h"
#include "core/plan/server/weights.h"
#include "core/plan/server/vllm.h"
#include "core/plan/server/vllm_cache.h"
#include "core/plan/server/vllm_profile.h"

namespace vram {
namespace {

constexpr double kGiBf = 1073741824.0;

const Model& model(const std::string& id, const std::string& format = "") {
  static auto* const made = new std::map<std::string, Model>;
  const auto found = made->find(id + format);
  if (found != made->end()) return found->second;
  static const auto* const rows = new auto(models_from_json(assets::file("models.json")));
  const CatalogueModel* row = *rows ? find_model(rows->value(), id) : nullptr;
  EXPECT_NE(row, nullptr) << id;
  Model read;
  if (row != nullptr) {
    if (auto result = model_of(*row)) read = std::move(result).value();
  }
  if (!format.empty()) {
    if (auto served = in_served_format(read, format)) read = *served;
  }
  return made->emplace(id + format, std::move(read)).first->second;
}

Accelerator card(const std::string& id) {
  static const auto* const all = new auto(accelerators_from_json(assets::file("accelerators.json")));
  const Accelerator* found = *all ? find_accelerator(all->value(), id) : nullptr;
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? Accelerator{} : *found;
}

ServerSettings vllm(const char* version, int tensor_parallel = 1) {
  ServerSettings s;
  s.version = parse_engine_version(Engine::vllm, version);
  s.tensor_parallel = tensor_parallel;
  s.cache_told = true;
  return s;
}

double loaded_gib(const Model& m, const ServerSettings& s, int stage = 0) {
  return gibibytes(loaded_weights(m, s, stage).total());
}

ServerPlan with_pool(const ServerSettings& s, const Model& m, double gib) {
  return vllm_plan(s, m, card("h100-sxm"), gib * kGiBf);
}

// ---- versions --------------------------------------------------------------------------------------------

TEST(EngineVersions, AreReadAsPeopleWriteThem) {
  const auto number = [](const char* text) { return parse_engine_version(Engine::vllm, text).number; };
  EXPECT_EQ(number("0.19.1"), 1901);
  EXPECT_EQ(number("~0.27 V2 runner"), 2700);
  EXPECT_EQ(number("0.31.1rc1.dev50"), 3101);
  EXPECT_EQ(number("0.25-0.26"), 2500);
  EXPECT_EQ(number("2026-08"), 2700);
  EXPECT_EQ(parse_engine_version(Engine::sglang, "0.5.17").number, 517);
}

TEST(EngineVersions, TellTheFirstEngineCoreFromTheSecond) {
  EXPECT_TRUE(parse_engine_version(Engine::vllm, "0.6.5 V0").engine_v0);
  EXPECT_TRUE(parse_engine_version(Engine::vllm, "V0 ~0.8").engine_v0);
  EXPECT_FALSE(parse_engine_version(Engine::vllm, "0.8.x V1").engine_v0);
  EXPECT_TRUE(parse_engine_version(Engine::vllm, "0.5.3").engine_v0);
  EXPECT_TRUE(parse_engine_version(Engine::vllm, "~0.27 V2 runner").runner_v2);
}

TEST(EngineVersions, ABuildOfTheMainBranchIsDatedByItsCommits) {
  EXPECT_GE(parse_engine_version(Engine::vllm, "0.1.dev16944").number, 2100);
  EXPECT_GE(parse_engine_version(Engine::vllm, "0.1.dev20073").number, 2600);
}

TEST(EngineVersions, AnUnknownOneIsTheNewestAndSaysSo) {
  EXPECT_FALSE(parse_engine_version(Engine::vllm, "").known);
  EXPECT_EQ(parse_engine_version(Engine::vllm, "").number, newest_version(Engine::vllm).number);
}

TEST(EngineVersions, OfAModelIsTheReleaseOfTwoMonthsLater) {
  EXPECT_EQ(version_of_model(Engine::vllm, "2026-02").number, 2000);
  EXPECT_TRUE(version_of_model(Engine::vllm, "2024-07").engine_v0);
}

// ---- the allocator ---------------------------------------------------------------------------------------

TEST(Allocation, LargeTensorsAreRoundedToTwoMiBWhenLittleIsLeft) {
  const auto mib = [](double size) { return gibibytes(allocated(bytes_from(size * 1048576))) * 1024; };
  EXPECT_DOUBLE_EQ(mib(259), 260);
  EXPECT_DOUBLE_EQ(mib(129.5), 130);
  EXPECT_DOUBLE_EQ(mib(31.5), 32);
  EXPECT_DOUBLE_EQ(mib(64.75), 64.75) << "1.25 MiB are handed out again";
}

TEST(Allocation, WhatIsLeftOfASegmentIsUsedBeforeANewOne) {
  Allocator allocator;
  EXPECT_EQ(allocator.take(Bytes(8u << 20)), Bytes(8u << 20));
  EXPECT_EQ(allocator.take(Bytes(11u << 20)), Bytes(12u << 20)) << "fits the 12 MiB that the first left of 20";
}

// ---- weights ---------------------------------------------------------------------------------------------

TEST(VllmWeights, AreTheLoggedOnesToTheFourthDigit) {
  EXPECT_NEAR(loaded_gib(model("Qwen/Qwen2.5-7B-Instruct"), vllm("0.19.0")), 14.2487, 0.0006);
  EXPECT_NEAR(loaded_gib(model("meta-llama/Llama-3.1-8B-Instruct"), vllm("0.19.0")), 14.9888, 0.0006);
  EXPECT_NEAR(loaded_gib(model("openai/gpt-oss-120b"), vllm("0.10.2")), 65.9651, 0.005);
  EXPECT_NEAR(loaded_gib(model("Qwen/Qwen3-14B"), vllm("0.28.0")), 27.5185, 0.002);
  EXPECT_NEAR(loaded_gib(model("Qwen/Qwen2.5-7B-Instruct", "awq_int4_g128"), vllm("0.8.0")), 5.2035, 0.0006);
}

struct Split {
  const char *id, *format;
  int tensor_parallel;
  double gib;
};
TEST(VllmWeights, AreCutOverDevices) {
  const Split cases[] = {
      {"meta-llama/Llama-3.1-8B-Instruct", "", 2, 7.51},
      {"meta-llama/Llama-3.1-8B-Instruct", "", 4, 3.77},
      {"Qwen/Qwen2.5-7B-Instruct", "", 2, 7.12},
      {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "", 4, 53.12},
      {"google/gemma-3-27b-it", "", 1, 51.45},
      {"google/gemma-2-27b-it", "", 1, 50.72},
      {"Qwen/Qwen3.5-9B", "", 1, 17.66},
      {"Qwen/Qwen3-235B-A22B-Instruct-2507", "fp8_block", 8, 27.72},
      {"MiniMaxAI/MiniMax-M2.5", "fp8_block", 4, 53.75},
      {"meta-llama/Llama-3.1-8B-Instruct", "fp8_tensor", 1, 8.49},
      {"meta-llama/Llama-3.1-8B-Instruct", "fp32", 1, 29.98},
  };
  for (const Split& c : cases) {
    ServerSettings s = vllm("0.19.0", c.tensor_parallel);
    s.expert_parallel = std::string_view(c.id).starts_with("Qwen/Qwen3-235B");
    EXPECT_NEAR(loaded_gib(model(c.id, c.format), s) / c.gib, 1, 0.002) << c.id << " over " << c.tensor_parallel;
  }
}

TEST(VllmWeights, AFirstStageHasTheEmbeddingAndTheLastTheHead) {
  ServerSettings s = vllm("0.19.0");
  s.pipeline_parallel = 4;
  EXPECT_NEAR(loaded_gib(model("meta-llama/Llama-3.1-8B-Instruct"), s, 0), 4.26, 0.005);
  EXPECT_NEAR(loaded_gib(model("meta-llama/Llama-3.1-8B-Instruct"), s, 3), 4.26, 0.005);
  EXPECT_NEAR(loaded_gib(model("meta-llama/Llama-3.1-8B-Instruct"), s, 1), 3.28, 0.01);
}

TEST(VllmWeights, ADraftLayerIsLoadedOnlyForDrafting) {
  ServerSettings s = vllm("0.20.0");
  const double without = loaded_gib(model("Qwen/Qwen3.5-9B"), s);
  s.speculation = Speculation::mtp;
  EXPECT_NEAR(loaded_gib(model("Qwen/Qwen3.5-9B"), s), 18.12, 0.03);
  EXPECT_NEAR(loaded_gib(model("Qwen/Qwen3.5-9B"), s) - without, 0.453, 0.01);
}

TEST(VllmWeights, StagesShareLayersEvenlyAndTheLastTakesNoneTooMany) {
  ServerSettings s = vllm("0.19.0");
  s.pipeline_parallel = 4;
  EXPECT_EQ(server_stage_layers(61, s, 0), (std::pair<int, int>{0, 15}));
  EXPECT_EQ(server_stage_layers(61, s, 2), (std::pair<int, int>{30, 46}));
  EXPECT_EQ(server_stage_layers(61, s, 3), (std::pair<int, int>{46, 61}));
}

// ---- the pool --------------------------------------------------------------------------------------------

TEST(VllmPool, PrintsTokensOfOneGroupAndConcurrencyOfAllWithWindows) {
  ServerSettings s = vllm("0.19.0");
  s.max_model_len = 8192;
  s.batch_tokens = 8192;
  const ServerPlan gemma3 = with_pool(s, model("google/gemma-3-27b-it"), 19.53);
  EXPECT_EQ(gemma3.cache_groups, 7);
  EXPECT_EQ(gemma3.padding_layers, 8);
  EXPECT_NEAR(gemma3.tokens.likely, 36560, 16);
  EXPECT_NEAR(gemma3.concurrency.likely, 4.46, 0.006);
  const ServerPlan gemma2 = with_pool(s, model("google/gemma-2-27b-it"), 20.59);
  EXPECT_NEAR(gemma2.tokens.likely, 58672, 16);
  EXPECT_NEAR(gemma2.concurrency.likely, 7.16, 0.006);
}

TEST(VllmPool, ChargesChunksWithoutTheExtraBlockOfWindows) {
  ServerSettings s = vllm("0.19.0", 4);
  s.max_model_len = 8192;
  s.batch_tokens = 8192;
  const ServerPlan scout = with_pool(s, model("meta-llama/Llama-4-Scout-17B-16E-Instruct"), 16.75);
  EXPECT_NEAR(scout.tokens.likely, 365968, 64);
  EXPECT_NEAR(scout.concurrency.likely, 44.68, 0.02);
}

struct Block {
  const char* id;
  int tensor_parallel;
  CacheFormat cache;
  int draft_tokens;
  std::uint64_t tokens;
};
TEST(VllmPool, StretchesTheBlockUntilItHoldsARecurrentState) {
  const Block cases[] = {
      {"Qwen/Qwen3.5-9B", 1, CacheFormat::automatic, 0, 528},
      {"Qwen/Qwen3.5-9B", 2, CacheFormat::automatic, 0, 528},
      {"Qwen/Qwen3.5-9B", 1, CacheFormat::fp8, 0, 1056},
      {"Qwen/Qwen3.6-27B", 1, CacheFormat::automatic, 0, 784},
      {"Qwen/Qwen3.6-27B", 1, CacheFormat::fp8, 0, 1568},
      {"Qwen/Qwen3.6-27B", 1, CacheFormat::fp8, 2, 1600},
      {"Qwen/Qwen3.6-35B-A3B", 1, CacheFormat::automatic, 0, 1056},
      {"Qwen/Qwen3.6-35B-A3B", 1, CacheFormat::fp8, 2, 2128},
      {"Qwen/Qwen3.6-35B-A3B", 1, CacheFormat::fp8, 0, 2096},
      {"Qwen/Qwen3.5-2B", 1, CacheFormat::automatic, 0, 544},
  };
  for (const Block& c : cases) {
    ServerSettings s = vllm("0.20.0", c.tensor_parallel);
    s.cache = c.cache;
    if (c.draft_tokens > 0) {
      s.speculation = Speculation::mtp;
      s.draft_tokens = c.draft_tokens;
    }
    EXPECT_EQ(with_pool(s, model(c.id), 20).block_tokens, c.tokens) << c.id;
  }
}

TEST(VllmPool, SharesBlocksBetweenAttentionAndRecurrentLayers) {
  ServerSettings s = vllm("0.20.0");
  s.max_model_len = 4096;
  const ServerPlan one = with_pool(s, model("Qwen/Qwen3.5-9B"), 6.56);
  EXPECT_EQ(one.tokens.likely, 53328);
  EXPECT_NEAR(one.concurrency.likely, 36.91, 0.1);
  s.tensor_parallel = 2;
  EXPECT_EQ(with_pool(s, model("Qwen/Qwen3.5-9B"), 15.06).tokens.likely, 246576);
}

TEST(VllmPool, CountsBothStatesOfPrefixCachingAndPrintsTokensFromConcurrency) {
  ServerSettings s = vllm("0.17.0");
  s.max_model_len = 65536;
  s.cache = CacheFormat::fp8;
  s.prefix_caching = true;
  const ServerPlan plan = with_pool(s, model("Qwen/Qwen3.6-35B-A3B"), 6.08);
  EXPECT_EQ(plan.blocks, 304U);
  EXPECT_EQ(plan.tokens.likely, 159296);
  EXPECT_DOUBLE_EQ(plan.concurrency.likely, 8);
  s.version = parse_engine_version(Engine::vllm, "0.26");
  EXPECT_EQ(with_pool(s, model("Qwen/Qwen3.6-35B-A3B"), 6.08).tokens.likely, 8 * 65536);
}

TEST(VllmPool, ReproducesTheCompressedCachesOfDeepSeekV4) {
  ServerSettings s = vllm("0.31.1rc1.dev50", 8);
  s.cache = CacheFormat::fp8_ds_mla;
  s.max_model_len = 262144;
  s.batch_tokens = 8192;
  EXPECT_NEAR(with_pool(s, model("deepseek-ai/DeepSeek-V4-Flash"), 47.43).tokens.likely / 1728531, 1, 0.0002);
  s.max_model_len = 131072;
  EXPECT_NEAR(with_pool(s, model("deepseek-ai/DeepSeek-V4-Flash"), 77.53).tokens.likely / 1513358, 1, 0.0002);
}

TEST(VllmPool, SaysWhatALengthNeedsAndTheLongestThatFits) {
  ServerSettings s = vllm("2026-09");
  s.cache = CacheFormat::fp8;
  s.max_model_len = 204800;
  s.batch_tokens = 8192;
  const ServerPlan plan = with_pool(s, model("Qwen/Qwen3.8-27B"), 5.42);
  EXPECT_NEAR(plan.needed.likely / kGiBf, 6.56, 0.005);
  EXPECT_EQ(plan.longest.likely, 167776);
}

TEST(VllmPool, AFullAttentionModelTakesWholeBlocksOfSixteen) {
  ServerSettings s = vllm("0.19.0");
  s.max_model_len = 8192;
  const ServerPlan plan = with_pool(s, model("meta-llama/Llama-3.1-8B-Instruct"), 58.11);
  EXPECT_EQ(plan.bytes_per_token.likely, 131072);
  EXPECT_NEAR(plan.tokens.likely, 476016, 48);
  EXPECT_EQ(static_cast<std::uint64_t>(plan.tokens.likely) % 16, 0U);
}

TEST(VllmPool, RepeatsKeysWhenThereAreFewerHeadsThanDevices) {
  ServerSettings s = vllm("0.10.2", 8);
  EXPECT_EQ(with_pool(s, model("Qwen/Qwen3-235B-A22B"), 10).bytes_per_token.likely, 48128);
  s.tensor_parallel = 4;
  EXPECT_EQ(with_pool(s, model("Qwen/Qwen3-235B-A22B"), 10).bytes_per_token.likely, 48128);
}

TEST(VllmPool, ALatentCacheIsTheSameOnEveryDeviceUnlessContextIsCut) {
  ServerSettings s = vllm("0.20.0", 8);
  const double whole = with_pool(s, model("zai-org/GLM-5.2"), 10).bytes_per_token.likely;
  s.context_parallel = 8;
  EXPECT_DOUBLE_EQ(with_pool(s, model("zai-org/GLM-5.2"), 10).bytes_per_token.likely, whole / 8);
  EXPECT_NEAR(whole / 8, 11578, 1);
}

// ---- the budget ------------------------------------------------------------------------------------------

TEST(VllmBudget, ShareDefaultsRoseWhenGraphsWereCharged) {
  const Model& m = model("meta-llama/Llama-3.1-8B-Instruct");
  const Accelerator h100 = card("h100-sxm");
  EXPECT_EQ(vllm_defaults(vllm("0.20.0"), m, h100, 79.19 * kGiBf).memory_share, 0.90);
  EXPECT_EQ(vllm_defaults(vllm("0.21.0"), m, h100, 79.19 * kGiBf).memory_share, 0.92);
}

TEST(VllmBudget, BatchesDependOnTheCard) {
  const Model& m = model("meta-llama/Llama-3.1-8B-Instruct");
  EXPECT_EQ(vllm_defaults(vllm("0.19.0"), m, card("h100-sxm"), 79.19 * kGiBf).batch_tokens, 8192U);
  EXPECT_EQ(vllm_defaults(vllm("0.19.0"), m, card("a100-80-sxm"), 79.15 * kGiBf).batch_tokens, 2048U);
  EXPECT_EQ(vllm_defaults(vllm("0.19.0"), m, card("l40s"), 44.42 * kGiBf).max_sequences, 256U);
  EXPECT_EQ(vllm_defaults(vllm("0.28.0"), m, card("b200"), 178.35 * kGiBf).batch_tokens, 16384U);
}

TEST(VllmBudget, PeakOfTheProfilingRunFellWhenTheSamplerStoppedSorting) {
  const Model& m = model("Qwen/Qwen3-14B");
  const auto peak = [&](const char* version) {
    const ServerSettings s = vllm_defaults(vllm(version), m, card("h100-sxm"), 79.19 * kGiBf);
    return vllm_activation(m, s, 0).likely / kGiBf;
  };
  EXPECT_NEAR(peak("0.16.0"), 5.64, 0.1);
  EXPECT_NEAR(peak("0.17.0"), 2.23, 0.05);
}

TEST(VllmBudget, LeavesThePoolThatTheLogShows) {
  ServerSettings s = vllm("0.19.0");
  s.memory_share = 0.95;
  s.max_model_len = 8192;
  s.batch_tokens = 8192;
  s.eager = false;
  const ServerPlan plan = plan_server(s, model("meta-llama/Llama-3.1-8B-Instruct"), card("h100-sxm"));
  EXPECT_NEAR(plan.pool.likely / kGiBf, 58.11, 0.1);
  EXPECT_LE(plan.pool.low, 58.11 * kGiBf);
  EXPECT_GE(plan.pool.high, 58.11 * kGiBf);
}

TEST(VllmBudget, AFlagThatNobodyToldWidensTheBandAndNeverNarrowsIt) {
  ServerSettings s = vllm("0.19.0");
  s.memory_share = 0.9;
  s.max_model_len = 8192;
  s.batch_tokens = 8192;
  s.max_sequences = 256;
  s.eager = false;
  const Model& m = model("meta-llama/Llama-3.1-8B-Instruct");
  const ServerPlan told = plan_server(s, m, card("h100-sxm"));
  s.memory_share.reset();
  const ServerPlan untold = plan_server(s, m, card("h100-sxm"));
  EXPECT_DOUBLE_EQ(told.pool.likely, untold.pool.likely) << "0.90 was the default";
  EXPECT_LT(untold.pool.low, told.pool.low);
  EXPECT_GT(untold.pool.high, told.pool.high);
}

TEST(VllmBudget, ANegativePoolIsAFailedStartAndHoldsNothing) {
  const ServerPlan plan = plan_server(vllm("0.10.1"), model("openai/gpt-oss-120b"), card("a100-40-pcie"));
  EXPECT_LT(plan.pool.likely, 0);
  EXPECT_EQ(plan.tokens.likely, 0);
}

TEST(VllmFirstEngine, AllocatesStatesForEverySequenceApart) {
  ServerSettings s = vllm("0.10.1 V0");
  s.max_sequences = 256;
  const ServerPlan plan = with_pool(s, model("nvidia/NVIDIA-Nemotron-Nano-9B-v2"), 10);
  EXPECT_NEAR(plan.state.likely / kGiBf, 33.75, 1e-9);
}

}  // namespace
}  // namespace vram
