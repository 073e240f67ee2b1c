// The built-in catalogue: every row is read, and proven against its published total where that total proves anything.
#include "core/import/catalogue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "assets/assets.h"
#include "config_support.h"

namespace vram {
namespace {

const std::vector<CatalogueModel>& catalogue() {
  static const std::vector<CatalogueModel>* const models = [] {
    Result<std::vector<CatalogueModel>> read = models_from_json(assets::file("models.json"));
    EXPECT_TRUE(read) << read.error().key << " row " << parameter(read.error(), "row") << " "
                      << parameter(read.error(), "field");
    return new std::vector<CatalogueModel>(read ? std::move(read).value() : std::vector<CatalogueModel>());
  }();
  return *models;
}

const CatalogueModel& row(std::string_view id) {
  const CatalogueModel* found = find_model(catalogue(), id);
  EXPECT_NE(found, nullptr) << id;
  static const CatalogueModel* const none = new CatalogueModel;
  return found == nullptr ? *none : *found;
}

double counted(const Model& model, const std::vector<Part>& parts) {
  const ParameterCounts counts = count_parameters(model);
  double sum = 0;
  for (const Part part : parts) {
    const Count count = part == Part::text     ? counts.text
                        : part == Part::vision ? counts.vision
                        : part == Part::audio  ? counts.audio
                                               : counts.mtp;
    sum += static_cast<double>(count.value());
  }
  return sum;
}

TEST(Catalogue, HoldsEveryModelOnOffer) {
  EXPECT_EQ(catalogue().size(), 253U);
  EXPECT_LT(assets::file("models.json").size(), 135'000U);  // it ships in the page
}

TEST(Catalogue, RowsSayWhereTheirNumbersAreFrom) {
  std::set<std::string> names;
  for (const CatalogueModel& model : catalogue()) {
    EXPECT_FALSE(model.source.empty()) << model.id;
    EXPECT_FALSE(model.release.empty()) << model.id;
    EXPECT_TRUE(names.insert(model.name).second) << "two rows are called " << model.name;
  }
}

TEST(Catalogue, EveryRowIsAModelOfAKnownFamily) {
  for (const CatalogueModel& each : catalogue()) {
    const Result<Model> model = model_of(each);
    ASSERT_TRUE(model) << each.id << " " << model.error().key << " " << parameter(model.error(), "field");
    EXPECT_EQ(model.value().name, each.name);
    EXPECT_FALSE(has_note(model.value(), "config.note.unknown_family")) << each.id;
    EXPECT_FALSE(has_note(model.value(), "config.note.quantisation_not_read")) << each.id;
    const Origin origin = each.config.is_null() ? Origin::size_only
                          : each.verified       ? Origin::config
                                                : Origin::unverified;
    EXPECT_EQ(model.value().origin, origin) << each.id;
  }
}

TEST(Catalogue, EveryPublishedTotalIsMetWithinAHalfPerMille) {
  int proven = 0;
  for (const CatalogueModel& each : catalogue()) {
    if (each.total_status != TotalStatus::exact || each.config.is_null()) continue;
    ++proven;
    const double published = static_cast<double>(each.parameters.value());
    EXPECT_NEAR(counted(model_of(each).value(), each.counts) / published, 1, 5e-4) << each.id;
  }
  EXPECT_GE(proven, 179);
}

TEST(Catalogue, RowsThatProveNothingAreFew) {
  std::map<TotalStatus, int> rows;
  for (const CatalogueModel& each : catalogue()) ++rows[each.total_status];
  EXPECT_LE(rows[TotalStatus::computed], 60);  // our own sum
  EXPECT_LE(rows[TotalStatus::label], 10);     // rounded: Grok, Arctic, Nemotron Ultra 253B, two sizes, …
  EXPECT_LE(rows[TotalStatus::fitted], 3);     // GLM-4.5V and Gemma 3n E4B (towers), Granite 4.1 30B (MLP width)
}

TEST(Catalogue, ComputedTotalsAreOurOwnSum) {
  const std::map<std::string_view, std::string_view> reasons = {
      {"MiniMaxAI/MiniMax-M3", "the sum in the data leaves out the projections of the block index: 0.05 %"},
      {"google/gemma-4-26B-A4B-it", "the sum in the data leaves out the projection of the vision tower: 0.01 %"},
  };
  for (const CatalogueModel& each : catalogue()) {
    if (each.total_status != TotalStatus::computed) continue;
    const double ours = counted(model_of(each).value(), each.counts),
                 theirs = static_cast<double>(each.parameters.value());
    EXPECT_NEAR(ours / theirs, 1, reasons.count(each.id) != 0 ? 6e-4 : 1e-9) << each.id;
  }
}

TEST(Catalogue, RoundedAndFittedTotalsAreMetWithinOnePercent) {
  for (const CatalogueModel& each : catalogue()) {
    const bool rounded = each.total_status == TotalStatus::label || each.total_status == TotalStatus::fitted;
    if (!rounded || each.config.is_null()) continue;
    EXPECT_NEAR(counted(model_of(each).value(), each.counts) / static_cast<double>(each.parameters.value()), 1, 0.01)
        << each.id;
  }
}

// ---- against what is known of each model
// ---------------------------------------------------------------------------------

enum Column { text, vision, mtp, active, kv, kv_windowed, window, state, indexer };

struct Exception {
  std::string_view id;
  Column column;
  std::string_view reason;
};
constexpr std::string_view kOwnEmbeddings =
    "draft layers store their own embedding and head; published totals with MTP count them";
constexpr std::string_view kLookUp =
    "other look-ups than the input embedding are no work either (position, type, per-layer embedding)";
constexpr std::string_view kNoHead = "the checkpoint has no head; the known number counts the embedding as one";
constexpr std::string_view kProjector =
    "with the projection into the text model, which the published total of 31B counts";
constexpr Exception kExceptions[] = {
    {"Qwen/Qwen3-Embedding-0.6B", active, kNoHead},
    {"Qwen/Qwen3-Embedding-4B", active, kNoHead},
    {"deepseek-ai/DeepSeek-V3", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-V3-0324", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-R1", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-R1-0528", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-V3.1", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-V3.2", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-V4-Flash", mtp, kOwnEmbeddings},
    {"deepseek-ai/DeepSeek-V4-Pro", mtp, kOwnEmbeddings},
    {"ai-sage/GigaChat3-10B-A1.8B", mtp, kOwnEmbeddings},
    {"ai-sage/GigaChat3-702B-A36B-preview", mtp, kOwnEmbeddings},
    {"XiaomiMiMo/MiMo-V2-Flash", mtp,
     "three dense draft layers, which the published total counts; the known number leaves them out"},
    {"google/gemma-3n-E2B-it", vision, "towers of 0.98 B: what E4B's published total leaves beside its text model"},
    {"google/gemma-3n-E4B-it", vision, "the same"},
    {"google/gemma-3n-E2B-it", active, kLookUp},
    {"google/gemma-3n-E4B-it", active, kLookUp},
    {"google/gemma-4-E2B-it", active, kLookUp},
    {"google/gemma-4-E4B-it", active, kLookUp},
    {"google/gemma-4-26B-A4B-it", vision, kProjector},
    {"google/gemma-4-31B-it", vision, kProjector},
    {"google/gemma-4-E2B-it", vision, kProjector},
    {"google/gemma-4-E4B-it", vision, kProjector},
    {"moonshotai/Kimi-K2.5", vision, "counted by dimensions; the known number gives no tower"},
    {"moonshotai/Kimi-K2.6", vision, "counted by dimensions; the known number gives no tower"},
    {"moonshotai/Kimi-K3", vision, "estimated by dimensions; the known number gives no tower"},
    {"meta-models/Muse-Glimmer-30B", vision, "estimated by dimensions; the known number gives no tower"},
    {"MiniMaxAI/MiniMax-M3", text, "with the projections of its block index"},
    {"MiniMaxAI/MiniMax-M3", mtp, "with the projections of its block index"},
    {"MiniMaxAI/MiniMax-M3", active, "with the projections of its block index"},
    {"facebook/opt-6.7b", active, kLookUp},
    {"facebook/opt-30b", active, kLookUp},
    {"facebook/opt-66b", active, kLookUp},
    {"LiquidAI/LFM2-2.6B", text, "the known number is one short of the published total"},
    {"LiquidAI/LFM2-2.6B", active, "the known number is one short of the published total"},
    {"BAAI/bge-m3", active, kLookUp},
    {"BAAI/bge-reranker-v2-m3", active, kLookUp},
    {"BAAI/bge-reranker-v2-m3", text, "with its output layer of one value: the published total"},
    {"BAAI/bge-m3", kv, "an encoder keeps no cache"},
    {"BAAI/bge-reranker-v2-m3", kv, "an encoder keeps no cache"},
    {"openai/whisper-large-v3", text, "the encoder is counted as audio"},
    {"openai/whisper-large-v3", active, "the encoder is counted as audio"},
    {"openai/whisper-large-v3", kv, "only the decoder's 32 layers keep a cache"},
    {"openai/whisper-large-v3", state, "keys and values of the encoder's 1500 positions"},
};

TEST(Catalogue, PartsCachesAndActiveParametersAreTheKnownOnes) {
  const Json document = parse_json(test_data("models_expected.json")).value();
  const Json& expected = document["models"];
  std::set<std::pair<std::string_view, int>> used;
  int compared = 0;
  for (const CatalogueModel& each : catalogue()) {
    if (!expected.contains(each.id)) continue;
    const Json& known = expected[each.id];
    const Model model = model_of(each).value();
    const ParameterCounts counts = count_parameters(model);
    const CacheValues values = cache_values(model);
    const bool compressed = model.model_type == "deepseek_v4";
    const double ours[] = {static_cast<double>(counts.text.value()),
                           static_cast<double>(counts.vision.value()),
                           static_cast<double>(counts.mtp.value()),
                           static_cast<double>(counts.active.value()),
                           values.kv + (compressed ? values.indexer : 0),
                           values.windowed,
                           static_cast<double>(values.window),
                           values.state,
                           compressed ? 0 : values.indexer};
    for (int column = text; column <= indexer; ++column) {
      const Json& value = known[static_cast<std::size_t>(column)];
      if (!value.is_number()) continue;
      ++compared;
      const double theirs = value.get<double>();
      const bool excepted = std::any_of(std::begin(kExceptions), std::end(kExceptions),
                                        [&](const Exception& e) { return e.id == each.id && e.column == column; });
      if (excepted) {
        used.insert({find_model(catalogue(), each.id)->id, column});
        EXPECT_GT(std::abs(ours[column] - theirs), 0.5) << each.id << " needs no exception in column " << column;
      } else {
        EXPECT_NEAR(ours[column], theirs, 0.5) << each.id << " column " << column;
      }
    }
  }
  EXPECT_EQ(used.size(), std::size(kExceptions));
  EXPECT_GE(compared, 2200);
}

TEST(Catalogue, ActiveParametersShownAreThoseOfTheModel) {
  for (const CatalogueModel& each : catalogue()) {
    const Model model = model_of(each).value();
    if (model.dims.num_experts == 0) {
      EXPECT_EQ(each.active, Count(0)) << each.id;
      continue;
    }
    const double ours = static_cast<double>(count_parameters(model).active.value());
    EXPECT_NEAR(ours / static_cast<double>(each.active.value()), 1, 0.01) << each.id;
  }
}

TEST(Catalogue, TotalsWithDraftLayersAreMetToo) {
  // Element counts of the repositories, fp8 scales included (one for 16,384 values); read for the survey, August 2026.
  const std::pair<std::string_view, double> totals[] = {
      {"deepseek-ai/DeepSeek-V3", 684'531'386'000.0},
      {"deepseek-ai/DeepSeek-V3.2", 685'396'921'376.0},
      {"deepseek-ai/DeepSeek-V4-Flash", 292'021'347'282.0},
      {"deepseek-ai/DeepSeek-V4-Pro", 1'600'790'440'862.0},
  };
  for (const auto& [id, total] : totals) {
    const double ours = counted(model_of(row(id)).value(), {Part::text, Part::mtp});
    EXPECT_NEAR(ours * (1 + 1.0 / 16384) / total, 1, 2e-5) << id;
  }
}

TEST(Catalogue, AModelOfUnknownShapeIsThereBySize) {
  const Model model = model_of(row("astanahub/alemllm")).value();
  EXPECT_EQ(model.origin, Origin::size_only);
  EXPECT_EQ(count_parameters(model).total, Count(247'000'000'000));
  EXPECT_NEAR(static_cast<double>(count_parameters(model).active.value()), 22e9, 1e3);
  EXPECT_TRUE(model.caches.empty());
  ASSERT_TRUE(has_note(model, "catalogue.note.size_only"));
}

TEST(Catalogue, ASizeWithoutActiveParametersIsOneTensor) {
  const Model model = size_only_model("x", Count(70'000'000'000), Count(0));
  EXPECT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(count_parameters(model).active, Count(70'000'000'000));
}

TEST(Catalogue, UnconfirmedDimensionsAreSaid) {
  EXPECT_TRUE(has_note(model_of(row("ai-sage/GigaChat3-10B-A1.8B")).value(), "catalogue.note.unverified"));
  const Model scout = model_of(row("meta-llama/Llama-4-Scout-17B-16E-Instruct")).value();
  EXPECT_TRUE(has_note(scout, "catalogue.note.unverified_fields"));
}

TEST(Catalogue, AWrongRowIsNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"models": [{"name": "A", "config": {}}]})", "id"},
      {R"({"models": [{"id": "a", "config": {}}]})", "name"},
      {R"({"models": [{"id": "a", "name": "A"}]})", "config"},
      {R"({"models": [{"id": "a", "name": "A", "config": 7}]})", "config"},
      {R"({"models": [{"id": "a", "name": "A", "config": {}, "size": 7}]})", "config"},
      {R"({"models": [{"id": "a", "name": "A", "size": -7}]})", "size"},
      {R"({"models": [{"id": "a", "name": "A", "size": 7, "total_status": "about"}]})", "total_status"},
      {R"({"models": [{"id": "a", "name": "A", "size": 7, "counts": ["smell"]}]})", "counts"},
      {R"({"models": [{"id": "a", "name": "A", "size": 7}, {"id": "a", "name": "B", "size": 7}]})", "id"},
      {R"({"rows": []})", "models"},
      {R"([])", "models"},
  };
  for (const auto& [json, field] : wrong) {
    const auto models = models_from_json(json);
    ASSERT_FALSE(models) << json;
    EXPECT_EQ(models.error().key, "catalogue.bad_row") << json;
    EXPECT_EQ(parameter(models.error(), "field"), field) << json;
  }
}

// ---- search
// --------------------------------------------------------------------------------------------------------------

struct Query {
  const char* typed;
  const char* first;
};
const Query kQueries[] = {
    {"qwen3 32b", "Qwen3 32B"},
    {"Qwen3-32B", "Qwen3 32B"},
    {"квен 3 32б", "Qwen3 32B"},
    {"квен3 32Б", "Qwen3 32B"},
    {"КВЕН 3 32Б", "Qwen3 32B"},
    {"лама 3.1 70", "Llama 3.1 70B"},
    {"ллама 3,1 8б", "Llama 3.1 8B"},
    {"ламма 2 7", "Llama 2 7B"},
    {"жемма 3 27", "Gemma 3 27B"},
    {"гемма 2 9б", "Gemma 2 9B"},
    {"дипсик р1", "DeepSeek-R1 671B"},
    {"deepseek v3", "DeepSeek-V3 671B"},
    {"мистраль немо", "Mistral Nemo 12B"},
    {"микстраль 8х7", "Mixtral 8x7B"},
    {"гигачат 3.5", "GigaChat 3.5 432B-A28B"},
    {"яндекс", "YandexGPT-5-Lite 8B"},
    {"т-про 2.1", "T-pro 2.1 (Qwen3-32B)"},
    {"сайга немо", "Saiga Nemo 12B"},
    {"казллм 70", "ISSAI KazLLM 1.0 70B"},
    {"алем", "AlemLLM 247B-A22B"},
    {"gpt oss 120", "gpt-oss-120b"},
    {"фи 4", "Phi-4 14B"},
    {"минимакс м2", "MiniMax-M2 230B-A10B"},
    {"виспер", "Whisper large-v3"},
    {"кими к2 thinking", "Kimi K2 Thinking"},
    {"глм 4.6", "GLM-4.6 355B-A32B"},
    {"deepseek-ai/DeepSeek-V3.2", "DeepSeek-V3.2"},
};

TEST(CatalogueSearch, FindsFirstWhatIsMeant) {
  for (const Query& query : kQueries) {
    const auto found = search_models(catalogue(), query.typed);
    ASSERT_FALSE(found.empty()) << query.typed;
    EXPECT_EQ(found.front()->name, query.first) << query.typed;
  }
}

TEST(CatalogueSearch, UnderstandsABeginning) {
  for (const char* typed : {"кве", "qw", "квен", "Qwen"}) {
    const auto found = search_models(catalogue(), typed);
    ASSERT_GE(found.size(), 40U) << typed;
    EXPECT_EQ(found.front()->family.substr(0, 4), "Qwen") << typed;
  }
}

TEST(CatalogueSearch, EveryIdAndNameFindsItsRow) {
  for (const CatalogueModel& each : catalogue()) {
    for (const std::string& typed : {each.id, each.name}) {
      const auto found = search_models(catalogue(), typed);
      EXPECT_NE(std::find(found.begin(), found.end(), &each), found.end()) << typed;
    }
  }
}

TEST(CatalogueSearch, NothingAskedIsEverythingAndNonsenseIsNothing) {
  EXPECT_EQ(search_models(catalogue(), "").size(), catalogue().size());
  EXPECT_EQ(search_models(catalogue(), " - ").size(), catalogue().size());
  EXPECT_TRUE(search_models(catalogue(), "zzz").empty());
  EXPECT_TRUE(search_models(catalogue(), "qwen zzz").empty());
  EXPECT_NO_FATAL_FAILURE((void)search_models(catalogue(), "\xff\xfe\xd0"));
  EXPECT_NO_FATAL_FAILURE((void)search_models(catalogue(), std::string(100'000, 'q')));
}

TEST(CatalogueSearch, WordsAreLatinSmallAndApartFromNumbers) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(search_words("Qwen3-235B-A22B"), (Words{"qwen", "3", "235b", "a22b"}));
  EXPECT_EQ(search_words("DeepSeek-V3.1"), (Words{"deepseek", "v3.1"}));
  EXPECT_EQ(search_words("Квен 3,5 32Б"), (Words{"kven", "3.5", "32b"}));
  EXPECT_EQ(search_words("Қазақ Әлем ҰҮІ"), (Words{"kazak", "alem", "uui"}));
  EXPECT_EQ(search_words("ЁЖ"), (Words{"ezh"}));
  EXPECT_EQ(search_words("8x7B"), (Words{"8x7b"}));
}

}  // namespace
}  // namespace vram
