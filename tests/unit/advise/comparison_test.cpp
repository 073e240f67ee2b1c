#include "core/advise/comparison.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "assets/assets.h"
#include "core/report/comparison.h"
#include "tests/unit/plan/sample.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

/// A plan of one deployment by hand: {device, term, low, likely, high} in MiB.
struct Part {
  int device;
  Term term;
  std::uint64_t low, likely, high;
};
Plan plan_of(std::vector<Part> parts, int devices = 1, double usable_gib = 79.19) {
  Plan plan;
  plan.devices = devices;
  plan.memory.assign(static_cast<std::size_t>(devices), bytes_from_gib(usable_gib));
  for (const Part& part : parts) {
    Entry entry;
    entry.device = entry.last = part.device;
    entry.term = part.term;
    entry.low = Count(part.low) * kMiB;
    entry.likely = Count(part.likely) * kMiB;
    entry.high = Count(part.high) * kMiB;
    plan.ledger.push_back(entry);
  }
  return plan;
}

EngineLog log_of(std::string_view text) {
  Result<EngineLog> log = read_engine_log(text);
  EXPECT_TRUE(log.ok());
  return log.ok() ? std::move(log).value() : EngineLog();
}

const ComparedTerm* find(const Comparison& comparison, Compared term, int device = 0) {
  for (const ComparedTerm& one : comparison.terms) {
    if (one.term == term && one.device == device) return &one;
  }
  return nullptr;
}

std::optional<Bytes> calibrated(const Comparison& comparison, Term term) {
  for (const CalibratedTerm& one : comparison.calibration) {
    if (one.term == term) return one.bytes;
  }
  return std::nullopt;
}

bool has_note(const Comparison& comparison, std::string_view key) {
  for (const Message& note : comparison.notes) {
    if (note.key == key) return true;
  }
  return false;
}

// Llama-3.1-8B on one H100, vLLM 0.19.0, as llm-d-planner's sweep logged it.
constexpr std::string_view kVllm =
    "INFO [core.py:80] Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'\n"
    "DEBUG Memory profiling takes 17.96 seconds. Total non KV cache memory: 17.12GiB; torch peak memory increase: "
    "1.89GiB; "
    "non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.\n"
    "INFO Available KV cache memory: 58.11 GiB\n"
    "INFO CUDA graph pool memory: 0.91 GiB (actual), 0.84 GiB (estimated), difference: 0.07 GiB (7.7%).\n";

Plan llama_plan() {
  return plan_of({{0, Term::weights, 15317, 15317, 15317},
                  {0, Term::kv_cache, 8192, 8192, 8192},
                  {0, Term::state, 100, 100, 100},
                  {0, Term::activations, 1000, 1500, 2000},
                  {0, Term::graphs, 64, 512, 1024},
                  {0, Term::runtime, 360, 512, 720}});
}

TEST(Comparison, PutsTheTermsOfTheLedgerBesideTheLogs) {
  const Comparison comparison = compare(llama_plan(), log_of(kVllm));
  const ComparedTerm weights = *find(comparison, Compared::weights);
  EXPECT_NEAR(weights.difference, 15317.0 / (14.99 * 1024) - 1, 1e-6);
  EXPECT_EQ(weights.line, 2u);
  EXPECT_EQ(weights.measured, bytes_from_gib(14.99));
  EXPECT_TRUE(find(comparison, Compared::activations)->inside);  // 1.89 GiB = 1935 MiB of 1000–2000
  EXPECT_TRUE(find(comparison, Compared::graphs)->inside);
  EXPECT_FALSE(find(comparison, Compared::runtime)->inside);  // 256 MiB, below 360
  EXPECT_NEAR(find(comparison, Compared::runtime)->difference, 1, 1e-6);
  EXPECT_TRUE(comparison.notes.empty());
}

TEST(Comparison, AFigureWithinItsRoundingIsInside) {
  const std::string_view log = "INFO Model loading took 15.0 GiB memory\nINFO Available KV cache memory: 6.5 GiB\n";
  EXPECT_TRUE(
      find(compare(plan_of({{0, Term::weights, 15364, 15364, 15364}}), log_of(log)), Compared::weights)->inside);
  EXPECT_FALSE(
      find(compare(plan_of({{0, Term::weights, 15366, 15366, 15366}}), log_of(log)), Compared::weights)->inside);
}

TEST(Comparison, APoolHasToHoldTheCacheAndTheStatesThatLiveInIt) {
  const Comparison comparison = compare(llama_plan(), log_of(kVllm));
  const ComparedTerm pool = *find(comparison, Compared::pool);
  EXPECT_EQ(pool.calculated.likely, Count(8292) * kMiB);
  EXPECT_TRUE(pool.inside);
  EXPECT_EQ(find(comparison, Compared::cache), nullptr);
  EXPECT_EQ(find(comparison, Compared::state), nullptr);
  const Plan larger = plan_of({{0, Term::kv_cache, 60000, 60000, 60000}});
  EXPECT_FALSE(find(compare(larger, log_of(kVllm)), Compared::pool)->inside);
}

// sglang prints states by themselves.
TEST(Comparison, StatesThatAreLoggedByThemselvesAreComparedByThemselves) {
  const Comparison comparison =
      compare(llama_plan(), log_of("[TP0] Mamba Cache is allocated. conv_state size: 0.09GB, ssm_state size: 6.46GB\n"
                                   "[TP0] KV Cache is allocated. #tokens: 7, K size: 4.00 GB, V size: 4.00 GB\n"));
  EXPECT_EQ(find(comparison, Compared::pool)->calculated.likely, Count(8192) * kMiB);
  EXPECT_EQ(find(comparison, Compared::state)->calculated.likely, Count(100) * kMiB);
}

TEST(Comparison, WhatTheLogDoesNotPrintIsListedAsNotMeasured) {
  const Comparison comparison = compare(llama_plan(), log_of("INFO Model loading took 14.99 GiB memory\n"));
  for (const Compared term :
       {Compared::cache, Compared::state, Compared::activations, Compared::graphs, Compared::runtime}) {
    ASSERT_NE(find(comparison, term), nullptr) << compared_key(term);
    EXPECT_FALSE(find(comparison, term)->measured) << compared_key(term);
  }
  EXPECT_TRUE(comparison.calibration.empty());
  EXPECT_TRUE(has_note(comparison, "comparison.incomplete"));
}

// A llama.cpp start on two devices with experts in host memory.
TEST(Comparison, BuffersAreSummedByDeviceAndHost) {
  const EngineLog log = log_of(
      "load_tensors: CPU_Mapped model buffer size = 400.00 MiB\n"
      "load_tensors: CPU_REPACK model buffer size = 100.00 MiB\n"
      "load_tensors: CUDA0 model buffer size = 1000.00 MiB\n"
      "load_tensors: CUDA1 model buffer size = 1200.00 MiB\n"
      "llama_kv_cache: CUDA0 KV buffer size = 10.00 MiB\nllama_kv_cache: CUDA1 KV buffer size = 20.00 MiB\n"
      "llama_kv_cache: size = 30.00 MiB ( 8192 cells), K (f16): 15.00 MiB, V (f16): 15.00 MiB\n"
      "sched_reserve: CUDA1 compute buffer size = 90.00 MiB\n"
      "sched_reserve: CUDA_Host compute buffer size = 16.00 MiB\n");
  const Comparison comparison = compare(plan_of({{0, Term::weights, 1000, 1000, 1000},
                                                 {1, Term::weights, 1200, 1200, 1200},
                                                 {kHost, Term::weights, 500, 500, 500},
                                                 {0, Term::kv_cache, 10, 10, 10},
                                                 {1, Term::kv_cache, 20, 20, 20},
                                                 {1, Term::activations, 20, 40, 60},
                                                 {1, Term::staging, 20, 20, 20}},
                                                2),
                                        log);
  for (const int device : {0, 1, kHost}) EXPECT_TRUE(find(comparison, Compared::weights, device)->inside) << device;
  EXPECT_TRUE(find(comparison, Compared::cache, 1)->inside);
  EXPECT_EQ(find(comparison, Compared::cache, kLogAllDevices), nullptr) << "its parts are there";
  EXPECT_FALSE(find(comparison, Compared::activations, 1)->inside);
  EXPECT_EQ(calibrated(comparison, Term::activations), Count(90) * kMiB);
}

TEST(Comparison, ASumOverDevicesIsComparedWithTheirSum) {
  const EngineLog log =
      log_of("llama_new_context_with_model: KV self size = 30.00 MiB, K (f16): 15.00 MiB, V (f16): 15.00 MiB\n");
  const Plan plan =
      plan_of({{0, Term::kv_cache, 10, 10, 10}, {1, Term::kv_cache, 20, 20, 20}, {kHost, Term::kv_cache, 5, 5, 5}}, 2);
  EXPECT_TRUE(find(compare(plan, log), Compared::cache, kLogAllDevices)->inside);
}

TEST(Comparison, ADraftModelIsNotTakenForTheModel) {
  const EngineLog log = log_of(
      "llama_context: constructing llama_context\n"
      "llama_kv_cache: CUDA0 KV buffer size = 10.00 MiB\nsched_reserve: CUDA0 compute buffer size = 9.00 MiB\n"
      "llama_context: constructing llama_context\nllama_kv_cache: CUDA0 KV buffer size = 32.00 MiB\n");
  EXPECT_TRUE(find(compare(plan_of({{0, Term::kv_cache, 10, 10, 10}}), log), Compared::cache)->inside);
}

TEST(Comparison, TheRuntimeTermsBecomeWhatTheFullestDeviceMeasured) {
  const EngineLog log = log_of(
      "(Worker_TP0 pid=1) INFO Actual usage is 7.51 GiB for weight, 1.89 GiB for peak activation, "
      "2.00 GiB for non-torch memory, and 0.50 GiB for CUDAGraph memory.\n"
      "(Worker_TP1 pid=2) INFO Actual usage is 7.51 GiB for weight, 1.80 GiB for peak activation, "
      "2.10 GiB for non-torch memory, and 0.50 GiB for CUDAGraph memory.\n");
  const Comparison comparison = compare(plan_of({{0, Term::runtime, 1, 512, 900},
                                                 {0, Term::communication, 1, 1536, 2200},
                                                 {1, Term::runtime, 1, 512, 900},
                                                 {1, Term::communication, 1, 1536, 2200}},
                                                2),
                                        log);
  EXPECT_EQ(calibrated(comparison, Term::runtime), bytes_from_gib(2.10)) << "with exchange, as the log has it";
  EXPECT_EQ(calibrated(comparison, Term::activations), bytes_from_gib(1.89));
  EXPECT_EQ(calibrated(comparison, Term::graphs), bytes_from_gib(0.5));
}

TEST(Comparison, NotesSayWhatMakesItUnequal) {
  const Comparison other =
      compare(plan_of({{0, Term::weights, 1, 1, 1}}, 1, 47.5),
              log_of("(Worker_TP3 pid=1) INFO Free memory on device (78.66/79.19 GiB) on startup\n"));
  EXPECT_TRUE(has_note(other, "comparison.devices_differ"));
  EXPECT_TRUE(has_note(other, "comparison.other_card"));
  const Comparison failed = compare(llama_plan(), log_of("INFO Available KV cache memory: -2.14 GiB\n"));
  EXPECT_TRUE(has_note(failed, "comparison.start_failed"));
  EXPECT_FALSE(find(failed, Compared::pool)->inside);
}

TEST(Comparison, ADriversTotalIsOfAllThatTheDeviceHolds) {
  const Comparison comparison = compare(llama_plan(), log_of("index, memory.used [MiB]\n0, 26200 MiB\n"));
  EXPECT_EQ(find(comparison, Compared::total)->calculated.likely, llama_plan().of(0).likely);
  EXPECT_TRUE(find(comparison, Compared::total)->inside);
}

TEST(Comparison, OtherDeploymentsOfThePlanAreLeftOut) {
  Plan plan = llama_plan();
  Entry second = plan.ledger.front();
  second.deployment = 1;
  plan.ledger.push_back(second);
  EXPECT_EQ(find(compare(plan, log_of(kVllm)), Compared::weights)->calculated.likely, Count(15317) * kMiB);
  EXPECT_EQ(find(compare(plan, log_of(kVllm), 1), Compared::pool)->calculated.likely, Bytes(0));
}

TEST(ComparisonReport, HasWordsAndRectanglesInEveryLanguage) {
  const Strings& strings = all_strings();
  for (int i = 0; i < static_cast<int>(Compared::count_); ++i) {
    EXPECT_NE(strings.find("compared." + std::string(compared_key(static_cast<Compared>(i))), Tongue::kk), nullptr);
  }
  for (int i = 0; i < static_cast<int>(Quantity::count_); ++i) {
    EXPECT_NE(strings.find("quantity." + std::string(quantity_key(static_cast<Quantity>(i))), Tongue::kk), nullptr);
  }
  for (const std::string_view key : {"log.not_recognised", "log.empty", "log.too_large", "log.opened"}) {
    EXPECT_NE(strings.find(key, Tongue::kk), nullptr) << key;
  }
  const EngineLog log =
      log_of(std::string(kVllm) + "(Worker_TP9 pid=1) INFO Free memory on device (7/9.19 GiB) on startup\n" +
             "INFO Available KV cache memory: -2.14 GiB\n[core.py:80] Initializing a V1 LLM engine (v0.20.0)\n");
  for (const Tongue tongue : kTongues) {
    const Language language(strings, tongue);
    std::vector<Section> sections = comparison_sections(compare(llama_plan(), log), log, language);
    EXPECT_EQ(sections.size(), 3u);
    sections.push_back(engine_log_section(log, language));
    for (const Section& section : sections) {
      std::string all = section.heading;
      for (const std::string& paragraph : section.paragraphs) all += paragraph;
      for (const auto& row : section.table.rows) {
        EXPECT_EQ(row.size(), section.table.head.size()) << section.heading;
        for (const std::string& cell : row) all += cell;
      }
      EXPECT_EQ(all.find("\xE2\x9F\xA8"), std::string::npos) << all;
      EXPECT_EQ(all.find('{'), std::string::npos) << all;
    }
  }
}

TEST(ComparisonReport, SaysTheDifferenceWithItsSign) {
  const Strings& strings = all_strings();
  const EngineLog log = log_of(kVllm);
  const auto sections = comparison_sections(compare(llama_plan(), log), log, Language(strings, Tongue::en));
  EXPECT_EQ(sections[0].paragraphs[0], "vLLM 0.19.0 · meta-llama/Llama-3.1-8B-Instruct");
  const std::vector<std::string> expected = {
      "Context, libraries, exchange", "GPU 0", "0.35–0.70\xC2\xA0GiB", "0.25\xC2\xA0GiB", "+100%", "outside the band"};
  EXPECT_EQ(sections[0].table.rows.back(), expected);
}

TEST(ComparisonJson, HasBytesAndTheLogsLines) {
  const EngineLog log = log_of(kVllm);
  const Json json = comparison_json(compare(llama_plan(), log), log);
  EXPECT_EQ(json["terms"][0]["term"], "weights");
  EXPECT_EQ(json["terms"][0]["measured"], bytes_from_gib(14.99).value());
  EXPECT_EQ(json["log"]["program"], "vllm");
  EXPECT_EQ(json["log"]["measured"][0]["line"], 2);
  EXPECT_EQ(json["calibration"][0]["term"], "activations");
}

}  // namespace
}  // namespace vram
