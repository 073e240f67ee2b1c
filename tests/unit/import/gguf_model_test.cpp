// Caches from GGUF metadata, against what llama.cpp printed (facts/llamacpp.md §4).
#include "core/import/gguf_model.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/import/tensor_files.h"

namespace vram {
namespace {

using namespace testing_files;
using W = GgufWriter;

Model model_of(GgufWriter& w) {
  const Sparse file = w.finish();
  GgufReader reader({"m.gguf", file.size});
  feed(reader, file);
  const auto read = reader.take();
  EXPECT_TRUE(read) << (read ? "" : read.error().key);
  return read ? model_from_gguf_metadata(read.value()) : Model{};
}

/// Keys of an architecture, its name put in front of each.
struct Keys {
  std::string architecture;
  GgufWriter w;
  explicit Keys(std::string name) : architecture(std::move(name)) { w.text("general.architecture", architecture); }
  Keys& set(std::string_view key, std::uint64_t value) {
    w.integer(architecture + "." + std::string(key), value);
    return *this;
  }
  Keys& list(std::string_view key, const std::vector<std::uint64_t>& values, W::Type type = W::i32) {
    w.numbers(architecture + "." + std::string(key), values, type);
    return *this;
  }
  Model read() { return model_of(w); }
};

std::size_t layers(const Model& model, CacheKind kind, Part part = Part::text) {
  std::size_t count = 0;
  for (const Cache& cache : model.caches) {
    if (cache.kind == kind && cache.part == part) count += model.layers_of(cache.layer_set);
  }
  return count;
}

/// Bytes a token adds in all layers, 16 bits a value; `kind` alone.
std::uint64_t per_token(const Model& model, CacheKind kind) {
  std::uint64_t bytes = 0;
  for (const Cache& cache : model.caches) {
    if (cache.kind == kind) bytes += cache.values_per_token().value() * 2 * model.layers_of(cache.layer_set);
  }
  return bytes;
}

double state_mib(const Model& model) {
  double bytes = 0;
  for (const Cache& cache : model.caches) {
    bytes += 4.0 * static_cast<double>((cache.state_values + cache.conv_values) * model.layers_of(cache.layer_set));
  }
  return bytes / 1048576;
}

bool has_note(const Model& model, std::string_view key) {
  for (const Message& note : model.notes) {
    if (note.key == key) return true;
  }
  return false;
}

TEST(GgufModel, OfLlamaHasFullCaches) {
  const Model m = Keys("llama")
                      .set("block_count", 32)
                      .set("embedding_length", 4096)
                      .set("attention.head_count", 32)
                      .set("attention.head_count_kv", 8)
                      .set("context_length", 131072)
                      .set("vocab_size", 128256)
                      .read();
  EXPECT_EQ(per_token(m, CacheKind::full), 131072U);  // 2048 MiB at 16,384 tokens
  EXPECT_EQ(m.dims.head_dim, 128U) << "width over heads when the key is not there";
  EXPECT_EQ(m.dims.max_position_embeddings, 131072U);
  EXPECT_EQ(m.compute_format, FormatId::fp16);
  EXPECT_TRUE(m.generates);
  EXPECT_TRUE(m.notes.empty());
}

TEST(GgufModel, TakesTheVocabularyFromTheTokenizer) {
  Keys keys("llama");
  keys.set("block_count", 1);
  keys.w.texts("tokenizer.ggml.tokens", {"a", "b", "c"});
  EXPECT_EQ(keys.read().dims.vocab_size, 3U);
}

TEST(GgufModel, HeadsOfEachLayerMayDiffer) {
  const Model m = Keys("deci")
                      .set("block_count", 4)
                      .set("embedding_length", 1024)
                      .list("attention.head_count", {8, 0, 8, 8})
                      .list("attention.head_count_kv", {8, 0, 2, 2})
                      .set("attention.key_length", 128)
                      .set("attention.value_length", 128)
                      .read();
  EXPECT_EQ(layers(m, CacheKind::full), 3U) << "a layer without attention keeps nothing";
  EXPECT_EQ(per_token(m, CacheKind::full), 2U * 2 * 128 * (8 + 2 + 2));
}

TEST(GgufModel, OfDeepSeekKeepsOneLatentVector) {
  Keys keys("deepseek2");
  keys.set("block_count", 61)
      .set("embedding_length", 7168)
      .set("attention.head_count", 128)
      .set("attention.head_count_kv", 1)
      .set("attention.key_length", 576)
      .set("attention.value_length", 512)
      .set("attention.key_length_mla", 192)
      .set("attention.value_length_mla", 128)
      .set("attention.kv_lora_rank", 512)
      .set("rope.dimension_count", 64);
  const Model m = keys.read();
  EXPECT_EQ(per_token(m, CacheKind::latent) * 32768, std::uint64_t{2196} * 1048576)
      << "golden case ik-258-004: 2196.0 MiB";
  EXPECT_EQ(m.dims.qk_nope_head_dim, 128U);
  EXPECT_EQ(m.dims.v_head_dim, 128U);
}

TEST(GgufModel, OfAnOldDeepSeekKeepsExpandedHeadsAndSaysSo) {
  const Model m = Keys("deepseek2")
                      .set("block_count", 61)
                      .set("attention.head_count", 128)
                      .set("attention.head_count_kv", 128)
                      .set("attention.key_length", 192)
                      .set("attention.value_length", 128)
                      .set("attention.kv_lora_rank", 512)
                      .set("rope.dimension_count", 64)
                      .read();
  EXPECT_EQ(per_token(m, CacheKind::full) * 4096, std::uint64_t{19520} * 1048576);
  EXPECT_TRUE(has_note(m, "gguf.old_mla"));
}

struct Windowed {
  const char* architecture;
  std::uint64_t blocks, window;
  std::size_t full, windowed;
};

TEST(GgufModel, KnowsWhichLayersKeepAWindow) {
  const Windowed cases[] = {
      {"gemma2", 46, 4096, 23, 23}, {"gemma3", 62, 1024, 10, 52},  {"gpt-oss", 24, 128, 12, 12},
      {"cohere2", 32, 4096, 8, 24}, {"exaone4", 64, 4096, 16, 48}, {"smallthinker", 32, 4096, 8, 24},
      {"phi3", 32, 2047, 32, 0},
  };
  for (const Windowed& c : cases) {
    const Model m = Keys(c.architecture)
                        .set("block_count", c.blocks)
                        .set("attention.head_count", 8)
                        .set("attention.head_count_kv", 4)
                        .set("attention.key_length", 128)
                        .set("attention.value_length", 128)
                        .set("attention.sliding_window", c.window)
                        .read();
    EXPECT_EQ(layers(m, CacheKind::full), c.full) << c.architecture;
    EXPECT_EQ(layers(m, CacheKind::sliding), c.windowed) << c.architecture;
  }
}

TEST(GgufModel, OfLlama4ReadsInChunks) {
  const Model m = Keys("llama4")
                      .set("block_count", 48)
                      .set("attention.head_count", 40)
                      .set("attention.head_count_kv", 8)
                      .set("attention.key_length", 128)
                      .set("attention.value_length", 128)
                      .read();
  EXPECT_EQ(layers(m, CacheKind::chunked), 36U);
  EXPECT_EQ(layers(m, CacheKind::full), 12U);
  EXPECT_EQ(m.caches[0].window, 8192U);
}

TEST(GgufModel, PrefersAListOfWindowsAndKnowsSharedCaches) {
  // Gemma 4 E4B: 42 layers, every sixth full with heads of 512, the last 18 read what earlier ones keep
  std::vector<std::uint64_t> pattern;
  for (int i = 0; i < 42; ++i) pattern.push_back(i % 6 != 5);
  const Model m = Keys("gemma4")
                      .set("block_count", 42)
                      .set("attention.head_count", 8)
                      .set("attention.head_count_kv", 2)
                      .set("attention.key_length", 512)
                      .set("attention.value_length", 512)
                      .set("attention.key_length_swa", 256)
                      .set("attention.value_length_swa", 256)
                      .set("attention.sliding_window", 512)
                      .set("attention.shared_kv_layers", 18)
                      .list("attention.sliding_window_pattern", pattern, W::boolean)
                      .read();
  EXPECT_EQ(layers(m, CacheKind::full), 4U);
  EXPECT_EQ(layers(m, CacheKind::sliding), 20U);
  for (const Cache& cache : m.caches) EXPECT_EQ(cache.key_dim, cache.kind == CacheKind::full ? 512U : 256U);
}

struct State {
  const char* what;
  const char* architecture;
  std::uint64_t blocks, interval, conv, inner, state, groups, rank;
  double mib;
  std::size_t attention;
};

TEST(GgufModel, KeepsStatesAsBigAsLlamaCppPrints) {
  const State cases[] = {
      {"Qwen3.5-27B", "qwen35", 64, 4, 4, 6144, 128, 16, 48, 149.62, 16},
      {"Qwen3.5-9B", "qwen35", 32, 4, 4, 4096, 128, 16, 32, 50.25, 8},
      {"Mamba-1.4B", "mamba", 48, 0, 4, 4096, 16, 0, 128, 14.25, 0},
      {"Falcon-H1-1.5B", "falcon-h1", 24, 0, 4, 3072, 256, 1, 48, 72.98, 24},
  };
  for (const State& c : cases) {
    Keys keys(c.architecture);
    keys.set("block_count", c.blocks)
        .set("embedding_length", 2048)
        .set("ssm.conv_kernel", c.conv)
        .set("ssm.inner_size", c.inner)
        .set("ssm.state_size", c.state)
        .set("ssm.group_count", c.groups)
        .set("ssm.time_step_rank", c.rank);
    if (c.attention != 0)
      keys.set("attention.head_count", 16)
          .set("attention.head_count_kv", 4)
          .set("attention.key_length", 256)
          .set("attention.value_length", 256);
    if (c.interval != 0) keys.set("full_attention_interval", c.interval);
    const Model m = keys.read();
    EXPECT_NEAR(state_mib(m), c.mib, 0.01) << c.what;
    EXPECT_EQ(layers(m, CacheKind::full), c.attention) << c.what;
  }
}

TEST(GgufModel, LayersWithoutHeadsAreRecurrentInHybrids) {
  const Model granite = Keys("granitehybrid")
                            .set("block_count", 4)
                            .set("attention.head_count", 32)
                            .list("attention.head_count_kv", {0, 0, 8, 0})
                            .set("attention.key_length", 128)
                            .set("attention.value_length", 128)
                            .set("ssm.conv_kernel", 4)
                            .set("ssm.inner_size", 3072)
                            .set("ssm.state_size", 128)
                            .set("ssm.group_count", 1)
                            .set("ssm.time_step_rank", 48)
                            .read();
  EXPECT_EQ(layers(granite, CacheKind::full), 1U);
  EXPECT_EQ(layers(granite, CacheKind::recurrent), 3U);
  const Model nemotron = Keys("nemotron_h")
                             .set("block_count", 4)
                             .set("attention.head_count", 32)
                             .list("attention.head_count_kv", {0, 0, 8, 0})
                             .list("feed_forward_length", {0, 21504, 0, 21504})
                             .set("attention.key_length", 128)
                             .set("attention.value_length", 128)
                             .set("ssm.conv_kernel", 4)
                             .set("ssm.inner_size", 3072)
                             .set("ssm.state_size", 128)
                             .set("ssm.group_count", 8)
                             .read();
  EXPECT_EQ(layers(nemotron, CacheKind::recurrent), 1U) << "plain blocks keep nothing";
}

TEST(GgufModel, LeavesDraftLayersToDrafting) {
  const Model m = Keys("glm4moe")
                      .set("block_count", 47)
                      .set("nextn_predict_layers", 1)
                      .set("attention.head_count", 96)
                      .set("attention.head_count_kv", 8)
                      .set("attention.key_length", 128)
                      .set("attention.value_length", 128)
                      .read();
  EXPECT_EQ(m.dims.num_hidden_layers, 46U);
  EXPECT_EQ(layers(m, CacheKind::full), 46U);
  EXPECT_EQ(layers(m, CacheKind::full, Part::mtp), 1U);
}

TEST(GgufModel, EncodersKeepNothing) {
  for (const char* name : {"bert", "nomic-bert", "gemma-embedding"}) {
    const Model m = Keys(name).set("block_count", 12).set("attention.head_count", 12).read();
    EXPECT_FALSE(m.generates) << name;
    EXPECT_TRUE(m.caches.empty()) << name;
  }
  Keys keys("qwen3");
  keys.set("block_count", 4).set("attention.head_count", 8);
  keys.w.flag("qwen3.attention.causal", false);
  EXPECT_FALSE(keys.read().generates);
}

TEST(GgufModel, SaysWhatItDoesNotKnow) {
  EXPECT_TRUE(has_note(Keys("tomorrow").set("block_count", 2).set("attention.head_count", 8).read(),
                       "gguf.unknown_architecture"));
  EXPECT_TRUE(has_note(Keys("llama").set("block_count", 2).set("attention.sliding_window", 4096).read(),
                       "gguf.window_not_used"));
  EXPECT_TRUE(has_note(Keys("deepseek4").set("block_count", 2).read(), "gguf.caches_unknown"));
}

TEST(GgufModel, ImpossibleNumbersDoNoHarm) {
  const Model m = Keys("llama")
                      .set("block_count", 0xFFFFFFFF)
                      .set("attention.head_count", 0xFFFFFFFF)
                      .set("embedding_length", 7)
                      .set("nextn_predict_layers", 0xFFFFFFFF)
                      .list("attention.head_count_kv", {1, 2})
                      .read();
  EXPECT_LE(m.dims.num_hidden_layers, 4096U);
}

}  // namespace
}  // namespace vram
