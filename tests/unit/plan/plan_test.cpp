#include "core/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/advise/limits.h"
#include "core/plan/formula.h"
#include "core/plan/shares.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

using sample::bytes_of;
using sample::dense;
using sample::kLlama70B;
using sample::kLlama8B;
using sample::serving;

TEST(Inventory, CountsArePublishedOnes) {
  EXPECT_EQ(count_parameters(dense(kLlama8B)).total, Count(8'030'261'248));
  EXPECT_EQ(count_parameters(dense(kLlama70B)).total, Count(70'553'706'496));
  // Active parameters leave out the look-up in the input embedding.
  EXPECT_EQ(count_parameters(dense(kLlama8B)).active, Count(8'030'261'248 - 128256ull * 4096));
}

TEST(Inventory, AnotherFormatLeavesEmbeddingHeadAndNormsInSixteenBits) {
  const Model awq = with_weight_format(dense(kLlama8B), FormatId::awq_int4);
  // 224 matrices of 6,979,321,856 parameters in 4 bits + scales + zero points; the rest is 1,050,939,392 in 16 bits.
  const std::uint64_t linear = 6'979'321'856;
  EXPECT_EQ(weight_bytes(awq), Bytes(linear / 2 + linear / 128 * 2 + linear / 128 / 2 + 2ull * 1'050'939'392));
}

TEST(Plan, TheCacheOfLlama70BIs80GiBForEightTimes32K) {  // facts: peers.md, 3.1, case L70: 327,680 B a token
  const Plan plan = make_plan(serving(dense(kLlama70B), 180, 1, 8, 32768));
  EXPECT_EQ(bytes_of(plan, 0, Term::kv_cache), Bytes(80 * kGiB.value()));
  EXPECT_EQ(bytes_of(plan, 0, Term::weights), Bytes(141'107'412'992));
}

TEST(Plan, TwoDevicesShareWeightsAndCache) {
  const Plan plan = make_plan(serving(dense(kLlama70B), 180, 2, 8, 32768));
  EXPECT_EQ(bytes_of(plan, 0, Term::kv_cache), Bytes(40 * kGiB.value()));
  EXPECT_EQ(bytes_of(plan, 0, Term::weights), bytes_of(plan, 1, Term::weights));
  const Bytes both = bytes_of(plan, 0, Term::weights) + bytes_of(plan, 1, Term::weights);
  EXPECT_GE(both, Bytes(141'107'412'992));                       // norms are held twice
  EXPECT_LE(both, Bytes(141'107'412'992) + Count(3) * kMiB);
}

TEST(Plan, MoreDevicesThanKeyHeadsRepeatTheHeads) {  // facts: serving.md, surprise 6: TP8 of 4 heads costs as TP4
  const Plan eight = make_plan(serving(dense(kLlama70B), 80, 8, 8, 8192));
  Inputs more = serving(dense(kLlama70B), 80, 16, 8, 8192);
  more.scenario.deployments[0].split = "tensor";
  const Plan sixteen = make_plan(more);
  EXPECT_EQ(bytes_of(eight, 0, Term::kv_cache), bytes_of(sixteen, 0, Term::kv_cache));
  ASSERT_FALSE(sixteen.notes.empty());
  EXPECT_EQ(sixteen.notes[0].key, "note.duplicated_heads");
}

TEST(Plan, StagesHoldTheirLayersAndTheLastOneTheHead) {
  Inputs inputs = serving(dense(kLlama70B), 80, 4, 8, 8192);
  inputs.scenario.deployments[0].split = "layers";
  const Plan plan = make_plan(inputs);
  EXPECT_EQ(plan.placed[0].split.pipeline_parallel, 4);
  Bytes sum;
  for (int device = 0; device < 4; ++device) sum += bytes_of(plan, device, Term::weights);
  EXPECT_EQ(sum, Bytes(141'107'412'992));
  EXPECT_EQ(plan.fullest, 3);  // embedding and head weigh the same, and the last stage has the final norm too
}

TEST(Plan, ATiedHeadIsCopiedToTheLastStage) {
  sample::Shape tied = kLlama8B;
  tied.tied = true;
  Inputs inputs = serving(dense(tied), 80, 2, 1, 1024);
  inputs.scenario.deployments[0].split = "layers";
  const Plan plan = make_plan(inputs);
  const Bytes whole = weight_bytes(dense(tied));
  EXPECT_EQ(bytes_of(plan, 0, Term::weights) + bytes_of(plan, 1, Term::weights),
            whole + Bytes(2ull * 128256 * 4096));
}

TEST(Plan, HeadsThatDoNotDivideAreCutBetweenLayersAsWell) {
  Inputs inputs = serving(dense(kLlama70B), 80, 6, 8, 8192);
  const Plan plan = make_plan(inputs);
  EXPECT_EQ(plan.placed[0].split.tensor_parallel, 2);
  EXPECT_EQ(plan.placed[0].split.pipeline_parallel, 3);
  inputs.scenario.deployments[0].split = "tensor";
  const Plan wished = make_plan(inputs);
  EXPECT_TRUE(std::any_of(wished.notes.begin(), wished.notes.end(),
                          [](const Message& note) { return note.key == "note.heads_do_not_divide"; }));
}

TEST(Plan, AWindowKeepsOnlyItsTokens) {  // facts: peers.md, 3.1, case G27: 10.406 GiB at 131,072 tokens, not 62.0
  Model model = dense({62, 5376, 21504, 32, 16, 128, 262208, true});
  LayerSet full, sliding;
  for (std::uint16_t layer = 0; layer < 62; ++layer) (layer % 6 == 5 ? full : sliding).push_back(layer);
  Cache unbounded = model.caches[0], windowed = model.caches[0];
  unbounded.layer_set = add_layer_set(model, full);
  windowed.layer_set = add_layer_set(model, sliding);
  windowed.kind = CacheKind::sliding;
  windowed.window = 1024;
  model.caches = {unbounded, windowed};
  const Plan plan = make_plan(serving(model, 180, 1, 1, 131072));
  EXPECT_NEAR(gibibytes(bytes_of(plan, 0, Term::kv_cache)), 10.406, 0.001);
}

TEST(Plan, ALatentCacheIsTheSameOnEveryDevice) {  // facts: peers.md, 3.1, case DS3: 8.578 GiB at 131,072 tokens
  Model model = dense({61, 7168, 18432, 128, 128, 128, 129280});
  model.caches[0].kind = CacheKind::latent;
  model.caches[0].entry_values = 576;
  const Plan one = make_plan(serving(model, 999, 1, 1, 131072));
  const Plan eight = make_plan(serving(model, 999, 8, 1, 131072));
  EXPECT_NEAR(gibibytes(bytes_of(one, 0, Term::kv_cache)), 8.578, 0.001);
  EXPECT_EQ(bytes_of(eight, 7, Term::kv_cache), bytes_of(one, 0, Term::kv_cache));
}

TEST(Plan, ACacheInAnotherFormatCostsItsBlocks) {
  Inputs inputs = serving(dense(kLlama70B), 180, 1, 8, 32768);
  inputs.scenario.deployments[0].kv = "fp8";
  EXPECT_EQ(bytes_of(make_plan(inputs), 0, Term::kv_cache), Bytes(40 * kGiB.value()));
  inputs.scenario.deployments[0].kv = "q8_0";
  EXPECT_EQ(bytes_of(make_plan(inputs), 0, Term::kv_cache), Bytes(40 * kGiB.value() / 32 * 34));
}

TEST(Plan, AnEncoderHasNoCache) {
  Model model = dense(kLlama8B);
  model.generates = false;
  EXPECT_EQ(bytes_of(make_plan(serving(model, 80, 1, 8, 8192)), 0, Term::kv_cache), Bytes(0));
}

TEST(Plan, SeveralModelsShareTheDevices) {
  Inputs inputs = serving(dense(kLlama8B), 80, 1, 8, 8192);
  const Bytes alone = make_plan(inputs).of(0).likely;
  inputs.models.push_back(dense(kLlama8B));
  inputs.scenario.deployments.push_back(inputs.scenario.deployments[0]);
  EXPECT_EQ(make_plan(inputs).of(0).likely, alone + alone);
}

TEST(Verdict, FollowsTheBandAndTheHeadroom) {
  const Inputs roomy = serving(dense(kLlama8B), 80, 1, 8, 8192);
  EXPECT_EQ(make_plan(roomy).verdict, Verdict::fits);
  const double likely = gibibytes(make_plan(roomy).of(0).likely), high = gibibytes(make_plan(roomy).of(0).high);
  const auto verdict_on = [](double gib) { return make_plan(serving(dense(kLlama8B), gib, 1, 8, 8192)).verdict; };
  EXPECT_EQ(verdict_on(likely - 0.01), Verdict::does_not_fit);
  EXPECT_EQ(verdict_on(likely + 0.01), Verdict::tight);
  EXPECT_EQ(verdict_on((likely + high) / 2), Verdict::tight);
  EXPECT_EQ(verdict_on(std::max(high, likely / 0.9) + 0.01), Verdict::fits);
}

TEST(Verdict, HalfPrecision70BTakesTwoCardsOf80GBAndFourBitsOne) {  // article 1, frequent questions
  const Inputs half = serving(dense(kLlama70B), 79.19, 1, 1, 8192);
  EXPECT_EQ(make_plan(half).verdict, Verdict::does_not_fit);
  EXPECT_EQ(find_limits(half).least_devices, 2);
  const Inputs four = serving(with_weight_format(dense(kLlama70B), FormatId::awq_int4), 79.19, 1, 1, 8192);
  EXPECT_NE(make_plan(four).verdict, Verdict::does_not_fit);
  const Limits limits = find_limits(serving(with_weight_format(dense(kLlama70B), FormatId::awq_int4), 79.19, 1, 8, 8192));
  EXPECT_GT(limits.longest_context, 8192);
  EXPECT_LT(limits.longest_context, 131072);
}

TEST(OffLoad, MovesAsFewLayersAsItTakes) {
  Inputs inputs = serving(dense(kLlama70B), 79.19, 1, 1, 8192);
  inputs.scenario.offload = "weights";
  const Plan plan = make_plan(inputs);
  EXPECT_EQ(plan.verdict, Verdict::fits_with_offload);
  EXPECT_GT(plan.layers_on_host, 30);
  EXPECT_LT(plan.layers_on_host, 60);
  EXPECT_EQ(bytes_of(plan, 0, Term::weights) + bytes_of(plan, kHost, Term::weights), Bytes(141'107'412'992));
}

TEST(OffLoad, HostMemoryThatIsTooSmallIsSaid) {
  Inputs inputs = serving(dense(kLlama70B), 79.19, 1, 1, 8192);
  inputs.scenario.offload = "weights";
  inputs.scenario.host_ram_gib = 16;
  const Plan plan = make_plan(inputs);
  EXPECT_EQ(plan.verdict, Verdict::does_not_fit);
  EXPECT_EQ(plan.notes.back().key, "note.host_too_small");
}

TEST(Limits, TheLongestContextFitsAndOneTokenMoreDoesNot) {
  Inputs inputs = serving(dense(kLlama8B), 24, 1, 4, 4096);
  const Limits limits = find_limits(inputs);
  ASSERT_FALSE(limits.context_is_models_own);
  inputs.scenario.deployments[0].context = limits.longest_context;
  EXPECT_NE(make_plan(inputs).verdict, Verdict::does_not_fit);
  inputs.scenario.deployments[0].context = limits.longest_context + 1;
  EXPECT_EQ(make_plan(inputs).verdict, Verdict::does_not_fit);
}

TEST(Limits, OneMoreUserThanTheMostDoesNotFit) {
  Inputs inputs = serving(dense(kLlama8B), 24, 1, 4, 4096);
  const Limits limits = find_limits(inputs);
  inputs.scenario.deployments[0].users = limits.most_users;
  EXPECT_NE(make_plan(inputs).verdict, Verdict::does_not_fit);
  inputs.scenario.deployments[0].users = limits.most_users + 1;
  EXPECT_EQ(make_plan(inputs).verdict, Verdict::does_not_fit);
}

void expect_evaluates(const Plan& plan, const std::string& about) {
  EXPECT_FALSE(plan.ledger.empty()) << about;
  for (const Entry& entry : plan.ledger) {
    const auto value = evaluate(entry.derivation);
    ASSERT_TRUE(value) << entry.derivation.formula << ", " << about;
    EXPECT_NEAR(value.value(), static_cast<double>(entry.likely.value()), 2 + value.value() * 1e-9)
        << entry.derivation.formula << ", " << about;
    EXPECT_LE(entry.low, entry.likely) << entry.derivation.formula;
    EXPECT_LE(entry.likely, entry.high) << entry.derivation.formula;
    EXPECT_TRUE(entry.certainty != Certainty::exact || entry.low == entry.high) << entry.derivation.formula;
  }
}

TEST(Ledger, EveryDerivationEvaluatesToItsBytes) {
  Model model = dense(kLlama70B);
  Cache other = model.caches[0];
  const std::pair<CacheKind, std::uint32_t> kinds[] = {{CacheKind::sliding, 512},  {CacheKind::chunked, 8192},
                                                       {CacheKind::latent, 0},     {CacheKind::indexer, 0},
                                                       {CacheKind::compressed, 128}, {CacheKind::recurrent, 0}};
  for (const auto& [kind, window] : kinds) {
    other.kind = kind;
    other.window = window;
    other.entry_values = 576;
    other.tokens_per_entry = kind == CacheKind::compressed ? 4 : 1;
    other.scale_bytes = kind == CacheKind::indexer ? 4 : 0;
    other.state_values = 524288;
    other.conv_values = 24576;
    other.heads = 32;
    model.caches.push_back(other);
  }
  model.dims.num_experts = 64;
  model.dims.num_experts_per_tok = 6;
  model.dims.moe_intermediate_size = 1408;
  for (const int devices : {1, 2, 3, 8}) {
    for (const char* kv : {"auto", "fp8", "q8_0", "q4_0", "fp32"}) {
      for (const char* engine : {"generic", "vllm", "sglang", "tensorrt_llm", "llama_cpp", "ik_llama_cpp"}) {
        Inputs inputs = serving(model, 90, devices, 5, 10'240);
        inputs.scenario.deployments[0].kv = kv;
        inputs.scenario.deployments[0].engine = engine;
        inputs.scenario.offload = "weights";
        expect_evaluates(make_plan(inputs), std::string(engine) + " on " + std::to_string(devices) + ", " + kv);
      }
    }
  }
}

TEST(Ledger, EveryDerivationOfEveryEngineAndTaskEvaluatesToItsBytes) {
  for (const char* task : {"serve", "tune", "train"}) {
    for (const char* engine : {"vllm", "sglang", "tensorrt_llm", "llama_cpp", "ollama"}) {
      for (const std::int64_t prefix : {0, 2000}) {
        Inputs inputs = serving(dense(kLlama8B), 24, 2, 5, 10'000);
        inputs.scenario.task = task;
        inputs.scenario.deployments[0].engine = engine;
        inputs.scenario.deployments[0].prefix = prefix;
        inputs.scenario.deployments[0].adapters = 2;
        inputs.scenario.deployments[0].measured_activations_gib = prefix > 0 ? 0.75 : 0;
        inputs.scenario.deployments[0].measured_runtime_gib = prefix > 0 ? 4 : 0;
        expect_evaluates(make_plan(inputs), std::string(engine) + ", " + task);
      }
    }
  }
}

TEST(Formula, AMistakeInADerivationIsNamed) {
  EXPECT_EQ(evaluate({"nothing", {}}).error().key, "formula.unknown");
  EXPECT_EQ(evaluate({"kv_full", {}}).error().key, "formula.no_value");
}

TEST(Formula, EveryFormulaHasASource) {
  for (const Formula& formula : formulas()) EXPECT_FALSE(formula.source.empty()) << formula.key;
}

TEST(Shares, StagesCoverEveryLayerOnce) {
  for (const int layers : {1, 32, 61, 80, 94}) {
    for (const int stages : {1, 2, 3, 5, 7}) {
      int next = 0;
      for (int stage = 0; stage < stages; ++stage) {
        const auto [first, last] = stage_layers(layers, stages, stage);
        EXPECT_EQ(first, next);
        next = last;
      }
      EXPECT_EQ(next, layers);
    }
  }
}

TEST(Devices, AlikeOnesAreShownTogether) {
  Inputs inputs = serving(dense(kLlama70B), 80, 4, 8, 8192);
  EXPECT_EQ(alike_devices(make_plan(inputs)).size(), 1u);
  inputs.scenario.deployments[0].split = "layers";
  const Plan plan = make_plan(inputs);
  ASSERT_EQ(alike_devices(plan).size(), 3u);  // first, the two in the middle, last
  EXPECT_EQ(alike_devices(plan)[1].first, 1);
  EXPECT_EQ(alike_devices(plan)[1].last, 2);
}

}  // namespace
}  // namespace vram
