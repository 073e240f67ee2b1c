// The rules of the speed model, one sentence each; measured runs are in throughput_accuracy_test.cpp.
#include "core/speed/serving_speed.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "core/import/catalogue.h"
#include "core/speed/rates.h"
#include "core/speed/step.h"

namespace vram::speed {
namespace {

const Interconnect& links() {
  static const Platforms all = [] {
    auto read = platforms_from_json(assets::file("platforms.json"));
    return read ? std::move(read).value() : Platforms{};
  }();
  return all.interconnect;
}

const Accelerator& card(std::string_view id) {
  static const std::vector<Accelerator> all = [] {
    auto read = accelerators_from_json(assets::file("accelerators.json"));
    return read ? std::move(read).value() : std::vector<Accelerator>{};
  }();
  static const Accelerator none;
  const Accelerator* found = find_accelerator(all, id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

Model model(std::string_view id) {
  static const std::vector<CatalogueModel> all = [] {
    auto read = models_from_json(assets::file("models.json"));
    return read ? std::move(read).value() : std::vector<CatalogueModel>{};
  }();
  const CatalogueModel* row = find_model(all, id);
  EXPECT_NE(row, nullptr) << id;
  if (row == nullptr) return {};
  auto made = model_of(*row);
  EXPECT_TRUE(made) << id;
  return made ? std::move(made).value() : Model{};
}

Model in(std::string_view id, FormatId format) { return with_weight_format(model(id), format); }

constexpr const char* kLlama70 = "meta-llama/Llama-3.1-70B-Instruct";
constexpr const char* kLlama8 = "meta-llama/Llama-3.1-8B-Instruct";

/// A case that owns its model.
struct Given {
  Model owned;
  Case one;
  Given(Model given_model, std::string_view gpu, int tensor = 1) : owned(std::move(given_model)) {
    one.accelerator = &card(gpu);
    one.interconnect = &links();
    one.split.tensor = tensor;
    one.load = {.input_tokens = 1024, .output_tokens = 1024, .concurrency = 16};
  }
  Speed speed() {
    one.model = &owned;
    auto made = serving_speed(one);
    EXPECT_TRUE(made) << (made ? "" : made.error().key);
    return made ? std::move(made).value() : Speed{};
  }
};

TEST(Drafting, YieldsTheSumOfAGeometricSeries) {
  EXPECT_DOUBLE_EQ(tokens_per_step({}), 1);
  EXPECT_NEAR(tokens_per_step({3, 0.7}), 1 + 0.7 + 0.49 + 0.343, 1e-12);
  EXPECT_DOUBLE_EQ(tokens_per_step({3, 1.0}), 4);
}

TEST(Experts, AreTouchedByMoreTokensButNeverMoreThanThereAre) {
  double before = 0;
  for (const double tokens : {1.0, 4.0, 16.0, 64.0, 256.0, 4096.0}) {
    const double touched = touched_experts(256, 8, tokens, 1.3);
    EXPECT_GT(touched, before);
    EXPECT_LE(touched, 256);
    before = touched;
  }
  EXPECT_DOUBLE_EQ(touched_experts(256, 8, 1, 1.3), 8);
  EXPECT_DOUBLE_EQ(touched_experts(8, 8, 1, 1.3), 8);
}

TEST(Experts, ChosenEvenlyFollowChance) {
  // A gamma distribution of large shape is an even one: E (1 − e^(−tokens·k/E))
  EXPECT_NEAR(touched_experts(128, 4, 64, 1e6), 128 * (1 - std::exp(-2.0)), 0.1);
}

TEST(Exchange, OfOneCardCostsNothing) {
  EXPECT_DOUBLE_EQ(exchange_rate(card("h100-sxm"), links(), 1).seconds(1e6), 0);
}

TEST(Exchange, WithoutALinkIsWhatWasMeasured) {
  struct Row {
    const char* gpu;
    int cards;
    double small_us, bus_gbs;   // facts: hardware.md, section 5
  };
  for (const Row& row : {Row{"l40s", 2, 6.2, 19.5}, Row{"l40s", 4, 17.5, 4.4}, Row{"l40s", 8, 27.4, 1.7},
                         Row{"rtxpro6000-se", 2, 5.1, 38.8}, Row{"rtxpro6000-se", 8, 27.5, 24}}) {
    const ExchangeRate rate = exchange_rate(card(row.gpu), links(), row.cards);
    EXPECT_EQ(rate.kind, LinkClass::pcie) << row.gpu;
    EXPECT_NEAR(rate.small * 1e6, row.small_us, 0.01) << row.gpu << row.cards;
    EXPECT_NEAR(rate.bus / 1e9, row.bus_gbs, 0.1) << row.gpu << row.cards;
  }
}

TEST(Exchange, OfLargePayloadsComesNearTheMeasuredBus) {
  // H200, 8 cards: 1 MiB at 40 GB/s by ring (a single kernel is quicker), 128 MiB at 402 GB/s
  const ExchangeRate rate = exchange_rate(card("h200-sxm"), links(), 8);
  const double bytes = 128.0 * 1024 * 1024;
  EXPECT_NEAR(1.75 * bytes / rate.seconds(bytes) / 1e9, 402, 25);
}

TEST(Exchange, OfFiveNinetiesGoesThroughTheHost) {
  const ExchangeRate rate = exchange_rate(card("rtx5090"), links(), 2);
  EXPECT_EQ(rate.kind, LinkClass::host);
  EXPECT_GT(rate.small, exchange_rate(card("rtxpro6000-ws"), links(), 2).small);
}

TEST(Exchange, OfEightC500LeavesTheirIslandsOfFour) {
  EXPECT_EQ(exchange_rate(card("metax-c500"), links(), 4).kind, LinkClass::link);
  EXPECT_EQ(exchange_rate(card("metax-c500"), links(), 8).kind, LinkClass::pcie);
}

TEST(Products, InFp8WithoutFp8CoresAreUnpackedTo16Bits) {
  const Constants constants;
  EXPECT_EQ(product_rate(*rates_of(card("h100-sxm"), links()), FormatId::fp8, constants).product, Product::native_8);
  for (const char* id : {"a100-80-sxm", "metax-c500", "rtx3090"}) {
    EXPECT_EQ(product_rate(*rates_of(card(id), links()), FormatId::fp8, constants).product, Product::weight_only) << id;
  }
}

TEST(Products, InInt8AreNotTakenFromBlackwellUltra) {
  const Constants constants;
  EXPECT_EQ(product_rate(*rates_of(card("b300"), links()), FormatId::int8, constants).product, Product::weight_only);
  EXPECT_EQ(product_rate(*rates_of(card("h100-sxm"), links()), FormatId::int8, constants).product, Product::native_8);
}

TEST(Work, ReadsAllWeightsButTheEmbedding) {
  const Model llama = model(kLlama8);
  const ModelWork work = model_work(llama, {}, FormatId::bf16);
  double read = 0;
  for (const Matrices& matrices : work.matrices) read += matrices.bytes;
  // 8,030,261,248 parameters less an embedding of 128,256 × 4096
  EXPECT_NEAR(read, 2 * (8030261248.0 - 128256.0 * 4096), 1e6);
  EXPECT_EQ(work.layers, 32);
}

TEST(Work, IsHalvedByTwoDevices) {
  const Model llama = model(kLlama70);
  const auto bytes = [&](int tensor) {
    double read = 0;
    for (const Matrices& matrices : model_work(llama, {.tensor = tensor}, FormatId::bf16).matrices) read += matrices.bytes;
    return read;
  };
  EXPECT_NEAR(bytes(2) / bytes(1), 0.5, 0.001);
  EXPECT_NEAR(bytes(8) / bytes(1), 0.125, 0.001);
}

TEST(Work, OfCachesIsNotSplitBelowOneHead) {
  const Model llama = model(kLlama70);   // 8 key-value heads
  const auto bytes = [&](int tensor) { return model_work(llama, {.tensor = tensor}, FormatId::bf16).remembered.front().bytes_per_token; };
  EXPECT_DOUBLE_EQ(bytes(1), 80.0 * 8 * 256 * 2);
  EXPECT_DOUBLE_EQ(bytes(8), bytes(1) / 8);
  EXPECT_DOUBLE_EQ(bytes(16), bytes(8));
}

TEST(Work, OfALatentCacheIsTheSameOnEveryDevice) {
  const Model deepseek = model("deepseek-ai/DeepSeek-V3");
  const auto bytes = [&](int tensor) { return model_work(deepseek, {.tensor = tensor}, FormatId::bf16).remembered.front().bytes_per_token; };
  EXPECT_DOUBLE_EQ(bytes(1), 61.0 * 576 * 2);
  EXPECT_DOUBLE_EQ(bytes(8), bytes(1));
}

TEST(Speed, OfThePublishedExampleIsNearTheMeasurement) {
  // Llama-3.1-70B fp8, vLLM, 2 × H200, 16 users, 1024 in and out: 15.65 ms a token, 1011 tokens/s
  // (ai-dynamo/aiconfigurator@095f58a, silicon_sample.csv)
  Given given(in(kLlama70, FormatId::fp8), "h200-sxm", 2);
  const Speed speed = given.speed();
  EXPECT_NEAR(speed.per_token.likely * 1000, 15.65, 15.65 * 0.15);
  EXPECT_NEAR(speed.total.likely, 1011, 1011 * 0.15);
}

TEST(Speed, LiesInItsBand) {
  Given given(in(kLlama70, FormatId::fp8), "h200-sxm", 2);
  const Speed speed = given.speed();
  for (const Band& band : {speed.total, speed.per_token, speed.per_user, speed.first_token}) {
    EXPECT_LT(0, band.low);
    EXPECT_LT(band.low, band.likely);
    EXPECT_LT(band.likely, band.high);
  }
}

TEST(Speed, OfMoreUsersIsMoreInAllAndLessForEach) {
  for (const char* id : {kLlama8, "Qwen/Qwen3-30B-A3B"}) {
    double total = 0, each = 1e9;
    for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0}) {
      Given given(model(id), "h100-sxm");
      given.one.load.concurrency = users;
      const Speed speed = given.speed();
      EXPECT_GT(speed.total.likely, total) << id << users;
      EXPECT_LE(speed.per_user.likely, each) << id << users;
      total = speed.total.likely;
      each = speed.per_user.likely;
    }
  }
}

TEST(Speed, OfABetterCardIsNeverLower) {
  // The same architecture with more bandwidth: H200 after H100
  for (const double users : {1.0, 16.0, 64.0}) {
    Given h100(model(kLlama8), "h100-sxm"), h200(model(kLlama8), "h200-sxm");
    h100.one.load.concurrency = h200.one.load.concurrency = users;
    EXPECT_GT(h200.speed().total.likely, h100.speed().total.likely);
  }
}

TEST(Speed, DoesNotGrowWithDevicesWithoutEnd) {
  // Eight cards are not eight times one: layers and exchanges do not shrink.
  Given one(in(kLlama8, FormatId::fp8), "h100-sxm", 1), eight(in(kLlama8, FormatId::fp8), "h100-sxm", 8);
  const double gain = eight.speed().per_user.likely / one.speed().per_user.likely;
  EXPECT_GT(gain, 1);
  EXPECT_LT(gain, 4);
}

TEST(Speed, OfTwoCopiesIsTwiceThatOfOne) {
  Given one(model(kLlama8), "h100-sxm"), two(model(kLlama8), "h100-sxm");
  two.one.split.data = 2;
  two.one.load.concurrency = 32;
  EXPECT_NEAR(two.speed().total.likely, 2 * one.speed().total.likely, 1);
}

TEST(Speed, OfALongerInputHasALaterFirstToken) {
  double before = 0;
  for (const double input : {128.0, 1024.0, 8192.0, 32768.0}) {
    Given given(model(kLlama8), "h100-sxm");
    given.one.load = {.input_tokens = input, .output_tokens = 256, .concurrency = 4};
    const double first = given.speed().first_token.likely;
    EXPECT_GT(first, before);
    before = first;
  }
}

TEST(Speed, GainsFromASharedPrefix) {
  Given alone(model(kLlama8), "h100-sxm"), shared(model(kLlama8), "h100-sxm");
  alone.one.load = shared.one.load = {.input_tokens = 8192, .output_tokens = 256, .concurrency = 16};
  shared.one.load.prefix_share = 0.9;
  EXPECT_LT(shared.speed().first_token.likely, alone.speed().first_token.likely);
  EXPECT_GT(shared.speed().total.likely, alone.speed().total.likely);
}

TEST(Speed, OfOneUserGainsFromDraftingMoreThanThatOfMany) {
  const auto gain = [](double users) {
    Given plain(in(kLlama70, FormatId::fp8), "h200-sxm", 2), drafted(in(kLlama70, FormatId::fp8), "h200-sxm", 2);
    plain.one.load.concurrency = drafted.one.load.concurrency = users;
    drafted.one.drafting = {3, 0.7};
    return drafted.speed().per_user.likely / plain.speed().per_user.likely;
  };
  EXPECT_GT(gain(1), 1.5);
  EXPECT_GT(gain(1), gain(128));
}

TEST(Speed, OverStagesIsNoFasterForOneUser) {
  Given one(model(kLlama8), "h100-sxm"), stages(model(kLlama8), "h100-sxm");
  one.one.load.concurrency = stages.one.load.concurrency = 1;
  stages.one.split.pipeline = 2;
  EXPECT_LE(stages.speed().per_user.likely, one.speed().per_user.likely);
  one.one.load.concurrency = stages.one.load.concurrency = 64;
  EXPECT_GT(stages.speed().total.likely, one.speed().total.likely);
}

TEST(Speed, AtARateRunsAsManyAsLittlesLawSays) {
  Given given(model(kLlama8), "h100-sxm");
  given.one.load = {.input_tokens = 1024, .output_tokens = 256, .rate = 2.0};
  const Speed speed = given.speed();
  EXPECT_FALSE(speed.saturated);
  EXPECT_NEAR(speed.requests_per_second, 2, 0.02);
  const double life = 256 * speed.per_token.likely + speed.first_token.likely;
  EXPECT_NEAR(speed.running, 2 * life, 2 * life * 0.2);
}

TEST(Speed, AtATooHighRateIsSaturated) {
  Given given(model(kLlama8), "h100-sxm");
  given.one.load = {.input_tokens = 4096, .output_tokens = 512, .rate = 1000.0};
  const Speed speed = given.speed();
  EXPECT_TRUE(speed.saturated);
  ASSERT_FALSE(speed.notes.empty());
}

TEST(Speed, OfflineFillsThePool) {
  Given given(model(kLlama8), "h100-sxm");
  given.one.load = {.input_tokens = 1000, .output_tokens = 1000, .offline = true};
  const Speed speed = given.speed();
  EXPECT_GT(speed.running, 100);
  EXPECT_LE(speed.running, speed.fits + 1e-9);
}

TEST(Speed, OfManyUsersWaitsForThePool) {
  Given given(model(kLlama70), "h100-sxm", 2);
  given.owned = in(kLlama70, FormatId::fp8);
  given.one.load = {.input_tokens = 16000, .output_tokens = 500, .concurrency = 200};
  const Speed speed = given.speed();
  EXPECT_GT(speed.waiting, 0);
  EXPECT_EQ(speed.limit().cause, Cause::capacity);
}

TEST(Speed, TakesThePoolOfAPlan) {
  Given given(model(kLlama8), "h100-sxm");
  given.one.load.concurrency = 64;
  given.one.pool_bytes = 4.0 * 131072 * 2000;   // four requests of about 1,640 tokens at 128 KiB each
  EXPECT_NEAR(given.speed().running, 4.0 * 2000 / (1024 + 0.6 * 1024), 0.01);
}

TEST(Limits, OfOneUserAreMemoryBandwidth) {
  Given given(model(kLlama8), "a100-80-sxm");
  given.one.load = {.input_tokens = 100, .output_tokens = 500, .concurrency = 1};
  EXPECT_EQ(given.speed().limit().cause, Cause::bandwidth);
}

TEST(Limits, OfLongInputsAndShortAnswersAreCompute) {
  Given given(model(kLlama8), "h100-sxm");
  given.one.load = {.input_tokens = 8000, .output_tokens = 50, .concurrency = 32};
  EXPECT_EQ(given.speed().limit().cause, Cause::compute);
}

TEST(Limits, OfEightCardsWithoutALinkAreTheExchange) {
  Given given(in(kLlama70, FormatId::fp8), "l40s", 8);
  given.one.load = {.input_tokens = 1000, .output_tokens = 500, .concurrency = 64};
  EXPECT_EQ(given.speed().limit().cause, Cause::link);
}

TEST(Limits, OfASmallModelOnManyCardsAreFixedCosts) {
  Given given(in(kLlama8, FormatId::fp8), "h200-sxm", 8);
  given.one.load = {.input_tokens = 100, .output_tokens = 500, .concurrency = 1};
  EXPECT_EQ(given.speed().limit().cause, Cause::latency);
}

TEST(Limits, AddUpToOne) {
  for (const double users : {1.0, 64.0, 5000.0}) {
    Given given(model(kLlama8), "l40s", 2);
    given.one.load.concurrency = users;
    double sum = 0;
    for (const Limit& limit : given.speed().limits) sum += limit.share;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Power, HalvedCostsMuchReadingAndLittleWriting) {
  // RTX PRO 6000, 600 → 300 W: 17 % of reading, 4 % of one user's writing (facts: hardware.md, section 6)
  const auto at = [](double watts) {
    Given given(in(kLlama8, FormatId::fp8), "rtxpro6000-ws");
    given.one.power_w = watts;
    given.one.load = {.input_tokens = 64, .output_tokens = 512, .concurrency = 1};
    return given.speed();
  };
  const double written = at(300).per_user.likely / at(600).per_user.likely;
  EXPECT_NEAR(written, 0.96, 0.02);
  Given full(in(kLlama8, FormatId::fp8), "rtxpro6000-ws"), half(in(kLlama8, FormatId::fp8), "rtxpro6000-ws");
  full.one.load = half.one.load = {.input_tokens = 16000, .output_tokens = 1, .concurrency = 1};
  half.one.power_w = 300;
  EXPECT_NEAR(full.speed().first_token.likely / half.speed().first_token.likely, 0.83, 0.03);
}

/// Sums and products of names, numbers and parentheses: enough for the formulas of terms.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::vector<NamedValue>& values) : rest_(text), values_(values) {}
  double sum() {
    double value = product();
    while (next('+')) value += product();
    return value;
  }

 private:
  double product() {
    double value = factor();
    for (;;) {
      if (next('*')) value *= factor();
      else if (next('/')) value /= factor();
      else return value;
    }
  }
  double factor() {
    if (next('(')) {
      const double value = sum();
      EXPECT_TRUE(next(')'));
      return value;
    }
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 || rest_[length] == '_')) ++length;
    const std::string word(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0) return std::stod(word);
    for (const NamedValue& value : values_) {
      if (value.name == word) return value.value;
    }
    ADD_FAILURE() << "no value " << word;
    return 0;
  }
  bool next(char symbol) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() != symbol) return false;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return true;
  }
  std::string_view rest_;
  const std::vector<NamedValue>& values_;
};

TEST(Terms, AreTheValueOfTheirFormula) {
  for (const char* id : {kLlama70, "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-120b"}) {
    Given given(model(id), "h200-sxm", 8);
    for (const Term& term : given.speed().terms) {
      const double value = Evaluator(term.formula, term.values).sum();
      const bool arithmetic = term.cause == Cause::compute;
      const double seconds = arithmetic ? term.seconds : term.step_seconds;
      EXPECT_NEAR(value, seconds, seconds * 1e-9) << id << " " << spent_key(term.spent);
    }
  }
}

TEST(Terms, HaveASpentShareOfAllTime) {
  Given given(model(kLlama8), "h100-sxm");
  double share = 0;
  for (const Term& term : given.speed().terms) share += term.share;
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST(Terms, NeverClaimMoreThanTheHardwareHas) {
  for (const char* id : {kLlama8, "Qwen/Qwen3-30B-A3B", "deepseek-ai/DeepSeek-V2-Lite-Chat"}) {
    Given given(model(id), "h100-sxm");
    given.one.load.concurrency = 64;
    for (const Term& term : given.speed().terms) {
      for (const NamedValue& value : term.values) {
        if (value.name == "bandwidth_share" && term.step_seconds > 0) {
          EXPECT_LE(value.value, 1) << id << spent_key(term.spent);
        }
      }
    }
  }
}

TEST(Cache, IsInFp8WhereTheCheckpointAsksForIt) {
  EXPECT_EQ(usual_cache_format(Engine::vllm, FormatId::nvfp4, FormatId::bf16), FormatId::fp8);
  EXPECT_EQ(usual_cache_format(Engine::tensorrt_llm, FormatId::fp8, FormatId::bf16), FormatId::fp8);
  EXPECT_EQ(usual_cache_format(Engine::vllm, FormatId::fp8, FormatId::bf16), FormatId::bf16);
}

TEST(Speed, SaysWhenTheWeightsDoNotFit) {
  Given given(model(kLlama70), "h100-sxm", 1);
  const Speed speed = given.speed();
  EXPECT_FALSE(speed.weights_fit);
  ASSERT_FALSE(speed.notes.empty());
  EXPECT_EQ(speed.notes.front().key, "speed.note.weights_do_not_fit");
}

TEST(SpeedWords, ExistForEverythingThatIsSaid) {
  auto strings = parse_json(assets::file("strings/speed.json"));
  ASSERT_TRUE(strings);
  const auto expect = [&](const std::string& key) {
    const Json* words = find(strings.value(), key);
    ASSERT_NE(words, nullptr) << key;
    for (const char* tongue : {"en", "ru", "kk"}) EXPECT_TRUE(text(*words, tongue)) << key << " " << tongue;
  };
  for (int i = 0; i < static_cast<int>(Spent::count_); ++i) expect("speed.spent." + std::string(spent_key(static_cast<Spent>(i))));
  for (int i = 0; i < static_cast<int>(Cause::count_); ++i) {
    expect("speed.cause." + std::string(cause_key(static_cast<Cause>(i))));
    expect("speed.cause_hint." + std::string(cause_key(static_cast<Cause>(i))));
  }
  for (const char* id : {kLlama70, "deepseek-ai/DeepSeek-V3"}) {
    Given given(model(id), "h200-sxm", 8);
    for (const Term& term : given.speed().terms) {
      for (const NamedValue& value : term.values) expect("speed.value." + std::string(value.name));
    }
  }
  for (const char* key : {"no_bandwidth", "no_weights", "does_not_generate", "note.layers_assumed", "note.not_measured",
                          "note.saturated", "note.waiting", "note.weights_do_not_fit"}) {
    expect("speed." + std::string(key));
  }
}

TEST(Errors, NameWhatIsNotKnown) {
  const Accelerator unknown = custom_accelerator(80);
  const Model llama = model(kLlama8);
  Case one;
  one.model = &llama;
  one.accelerator = &unknown;
  one.interconnect = &links();
  one.load.concurrency = 1;
  const auto made = serving_speed(one);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().key, "speed.no_bandwidth");
}

TEST(Errors, AnEncoderWritesNothing) {
  Given given(model("BAAI/bge-m3"), "l4");
  given.one.model = &given.owned;
  const auto made = serving_speed(given.one);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().key, "speed.does_not_generate");
}

}  // namespace
}  // namespace vram::speed
