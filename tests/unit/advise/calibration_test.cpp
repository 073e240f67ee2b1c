// "Calculated, then measured": what a start-up log measured, in a plan.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/advise/comparison.h"
#include "core/plan/formula.h"
#include "core/scenario/measured.h"
#include "tests/unit/plan/catalogue_inputs.h"

namespace vram {
namespace {

using sample::from_fields;

// Llama-3.1-8B on one H100, vLLM 0.19.0, gpu_memory_utilization 0.95, as llm-d-planner's sweep logged it.
constexpr std::string_view kVllm =
    "INFO [core.py:80] Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'\n"
    "DEBUG Memory profiling takes 17.96 seconds. Total non KV cache memory: 17.12GiB; torch peak memory increase: "
    "1.89GiB; non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.\n"
    "INFO Available KV cache memory: 58.11 GiB\n"
    "INFO CUDA graph pool memory: 0.91 GiB (actual), 0.84 GiB (estimated), difference: 0.07 GiB (7.7%).\n";
const char* const kServed =
    "v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm&engine=vllm&engine_version=0.19.0&share=95&ctx=4096";

// llama.cpp's buffers of a start on two cards.
constexpr std::string_view kLlamaCpp =
    "load_tensors: CUDA0 model buffer size = 2200.00 MiB\nload_tensors: CUDA1 model buffer size = 2400.00 MiB\n"
    "llama_kv_cache: CUDA0 KV buffer size = 512.00 MiB\nllama_kv_cache: CUDA1 KV buffer size = 512.00 MiB\n"
    "sched_reserve: CUDA0 compute buffer size = 300.00 MiB\nsched_reserve: CUDA1 compute buffer size = 346.00 MiB\n";
const char* const kLocal =
    "v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=rtx3090&n=2&engine=llama_cpp&weights=q4_k_m&ctx=4096&users=2";

Scenario measured(const std::string& link, std::string_view text) {
  const Inputs inputs = from_fields(link);
  const Result<EngineLog> log = read_engine_log(text);
  EXPECT_TRUE(log.ok());
  if (!log) return inputs.scenario;
  return calibrated(inputs.scenario, make_plan(inputs), compare_calculated(inputs, log.value()));
}

Plan plan_of(const Scenario& scenario) { return make_plan(from_fields(to_link(scenario))); }

std::vector<Entry> entries(const Plan& plan, Term term, int device = 0) {
  std::vector<Entry> found;
  for (const Entry& entry : plan.ledger) {
    if (entry.term == term && entry.on(device)) found.push_back(entry);
  }
  return found;
}

std::vector<std::string> fields_of_notes(const Plan& plan) {
  std::vector<std::string> names;
  for (const Message& note : plan.notes) {
    if (note.key != "note.measured_otherwise") continue;
    for (const auto& [name, value] : note.parameters) {
      if (const auto* key = std::get_if<MessageKey>(&value)) names.push_back(key->key);
    }
  }
  return names;
}

TEST(Calibration, AMeasuredTermStandsInPlaceOfTheCalculatedOne) {
  const Plan before = plan_of(from_fields(kServed).scenario), after = plan_of(measured(kServed, kVllm));
  const struct {
    Term term;
    double gib;
  } cases[] = {{Term::activations, 1.89}, {Term::runtime, 0.25}, {Term::graphs, 0.91}};
  for (const auto& [term, gib] : cases) {
    const std::vector<Entry> calculated = entries(before, term), found = entries(after, term);
    ASSERT_EQ(found.size(), 1u) << term_key(term);
    EXPECT_EQ(found[0].certainty, Certainty::measured) << term_key(term);
    EXPECT_EQ(found[0].likely, bytes_from_gib(gib)) << term_key(term);
    EXPECT_EQ(found[0].low, found[0].high) << term_key(term);
    EXPECT_EQ(found[0].derivation.values[0].name, "calculated");
    EXPECT_EQ(bytes_from(found[0].derivation.values[0].value), calculated[0].likely) << term_key(term);
    EXPECT_NEAR(evaluate_or_zero(found[0].derivation), static_cast<double>(found[0].likely.value()), 2);
  }
}

TEST(Calibration, ThePoolIsWhatTheMeasuredPartsLeave) {
  const Plan plan = plan_of(measured(kServed, kVllm));
  ASSERT_TRUE(plan.placed[0].figures);
  EXPECT_NEAR(gibibytes(plan.placed[0].figures->pool), 58.11, 0.02);  // the log's own line
}

TEST(Calibration, BuffersOfTheFullestDeviceAreTakenForEveryDeviceAndNotForTheHost) {
  const Plan plan = plan_of(measured(kLocal, kLlamaCpp));
  for (const int device : {0, 1}) {
    ASSERT_EQ(entries(plan, Term::activations, device).size(), 1u);
    EXPECT_NEAR(gibibytes(entries(plan, Term::activations, device)[0].likely), 346.0 / 1024, 1e-5);
    EXPECT_EQ(entries(plan, Term::runtime, device)[0].certainty, Certainty::assumed) << "llama.cpp does not print it";
  }
  for (const Entry& entry : entries(plan, Term::activations, kHost)) EXPECT_NE(entry.certainty, Certainty::measured);
}

TEST(Calibration, TravelsInLinksAndFilesAndGoesWithoutATrace) {
  Scenario scenario = measured(kServed, kVllm);
  EXPECT_TRUE(has_measured(scenario.deployments[0]));
  EXPECT_EQ(from_link(to_link(scenario)).scenario, scenario);
  EXPECT_EQ(from_json(to_json(scenario)).scenario, scenario);
  EXPECT_LT(to_link(scenario).size(), 320u) << to_link(scenario);
  drop_measured(scenario.deployments[0]);
  EXPECT_EQ(scenario, from_fields(kServed).scenario);
}

TEST(Calibration, TheComparisonGoesOnShowingWhatIsCalculated) {
  const EngineLog log = read_engine_log(kVllm).value();
  const Comparison before = compare_calculated(from_fields(kServed), log);
  const Comparison after = compare_calculated(from_fields(to_link(measured(kServed, kVllm))), log);
  ASSERT_EQ(before.terms.size(), after.terms.size());
  for (std::size_t i = 0; i < before.terms.size(); ++i) {
    EXPECT_EQ(before.terms[i].calculated.likely, after.terms[i].calculated.likely) << i;
  }
}

TEST(Calibration, AChangeThatTheMeasurementDoesNotHoldForIsSaid) {
  const struct {
    const char *link, *change;
    std::string_view log;
    std::vector<std::string> fields;
  } cases[] = {
      {kServed, "", kVllm, {}},
      {kServed, "&ctx=8192&users=20", kVllm, {}},  // the pool's business, not the profiling run's
      {kServed, "&batch=16384", kVllm, {"field.batch"}},
      {kServed, "&gpu=l40s", kVllm, {"field.gpu"}},
      {kServed, "&n=2", kVllm, {"field.n"}},
      {kServed, "&model=Qwen/Qwen3-8B&engine=sglang&engine_version=", kVllm,
       {"field.model", "field.engine", "field.engine_version"}},
      {kLocal, "&users=4", kLlamaCpp, {"field.users"}},  // llama.cpp's buffers follow from all cells
  };
  for (const auto& one : cases) {
    const std::string link = to_link(measured(one.link, one.log)) + one.change;
    EXPECT_EQ(fields_of_notes(make_plan(from_fields(link))), one.fields) << one.change;
  }
}

TEST(Calibration, ALogOfAnotherProgramIsSaid) {
  const Inputs inputs = from_fields(kLocal);
  const Comparison comparison = compare_calculated(inputs, read_engine_log(kVllm).value());
  EXPECT_TRUE(std::any_of(comparison.notes.begin(), comparison.notes.end(),
                          [](const Message& note) { return note.key == "comparison.other_program"; }));
}

}  // namespace
}  // namespace vram
