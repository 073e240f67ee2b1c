#include "core/import/gguf.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/import/tensor_files.h"

namespace vram {
namespace {

using namespace testing_files;
using W = GgufWriter;

Result<GgufFile> read(const Sparse& file, Trace* trace = nullptr) {
  GgufReader reader({"model.gguf", file.size});
  const Trace seen = feed(reader, file);
  if (trace != nullptr) *trace = seen;
  return reader.take();
}

std::string error_of(const Sparse& file) {
  const auto result = read(file);
  return result ? "no error" : result.error().key;
}

std::string error_of(GgufWriter& writer) { return error_of(writer.finish()); }

GgufWriter small() {
  GgufWriter w;
  w.text("general.architecture", "llama").integer("llama.block_count", 1);
  w.tensor("token_embd.weight", 0, {64, 100}, 64 * 100 * 4);
  return w;
}

TEST(Gguf, HasMetadataAndTensors) {
  GgufWriter w;
  w.text("general.architecture", "llama").integer("llama.block_count", 32).integer("u8", 255, W::u8);
  w.integer("i8", 0xFE, W::i8).integer("big", std::uint64_t{1} << 40, W::u64).integer("max", UINT64_MAX, W::u64);
  w.integer("minus", static_cast<std::uint64_t>(-5), W::i64).flag("yes", true).real("eps", 1e-5F);
  w.numbers("heads", {8, 0, 4}).numbers("pattern", {1, 0, 1}, W::boolean);
  w.tensor("token_embd.weight", 12, {4096, 128256}, std::uint64_t{128256} * 16 * 144);
  w.tensor("output_norm.weight", 0, {4096}, 4096 * 4);
  const auto result = read(w.finish());
  ASSERT_TRUE(result) << result.error().key;
  const GgufFile& file = result.value();
  EXPECT_EQ(file.version, 3U);
  EXPECT_EQ(file.text("general.architecture"), "llama");
  EXPECT_EQ(file.integer("llama.block_count"), 32);
  EXPECT_EQ(file.integer("u8"), 255);
  EXPECT_EQ(file.integer("i8"), -2);
  EXPECT_EQ(file.integer("big"), std::int64_t{1} << 40);
  EXPECT_EQ(file.integer("max"), INT64_MAX) << "a count beyond 2^63 stays at the end";
  EXPECT_EQ(file.integer("minus"), -5);
  EXPECT_EQ(file.boolean("yes"), true);
  EXPECT_NEAR(*file.number("eps"), 1e-5, 1e-9);
  EXPECT_EQ(*file.integers("heads"), (std::vector<std::int64_t>{8, 0, 4}));
  EXPECT_EQ(*file.integers("pattern"), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_FALSE(file.integer("general.architecture")) << "a text is no number";

  const StoredTensor& embedding = file.tensors.tensors()[0];
  EXPECT_EQ(embedding.format, FormatId::q4_k);
  EXPECT_EQ(file.tensors.shape(embedding)[0], 128256U) << "outputs first, as in safetensors";
  EXPECT_EQ(file.tensors.shape(embedding)[1], 4096U);
  EXPECT_EQ(embedding.bytes, std::uint64_t{128256} * 4096 / 256 * 144);
}

TEST(Gguf, Version2IsReadTheSameWay) {
  GgufWriter w = small();
  EXPECT_TRUE(read(w.version(2).finish()));
}

struct TypeCase {
  std::uint32_t type;
  const char* id;
  std::uint64_t values, bytes;  ///< of a row
};

// ggml's table: values a block, bytes a block; ik_llama.cpp's with the scale of its row.
TEST(Gguf, KnowsTheSizeOfEveryType) {
  const TypeCase cases[] = {
      {0, "fp32", 1, 4},
      {1, "fp16", 1, 2},
      {2, "q4_0", 32, 18},
      {3, "q4_1", 32, 20},
      {6, "q5_0", 32, 22},
      {7, "q5_1", 32, 24},
      {8, "q8_0", 32, 34},
      {9, "q8_1", 32, 36},
      {10, "q2_k", 256, 84},
      {11, "q3_k", 256, 110},
      {12, "q4_k", 256, 144},
      {13, "q5_k", 256, 176},
      {14, "q6_k", 256, 210},
      {15, "q8_k", 256, 292},
      {16, "iq2_xxs", 256, 66},
      {17, "iq2_xs", 256, 74},
      {18, "iq3_xxs", 256, 98},
      {19, "iq1_s", 256, 50},
      {20, "iq4_nl", 32, 18},
      {21, "iq3_s", 256, 110},
      {22, "iq2_s", 256, 82},
      {23, "iq4_xs", 256, 136},
      {24, "raw8", 1, 1},
      {25, "raw16", 1, 2},
      {26, "raw32", 1, 4},
      {27, "raw64", 1, 8},
      {28, "fp64", 1, 8},
      {29, "iq1_m", 256, 56},
      {30, "bf16", 1, 2},
      {34, "tq1_0", 256, 54},
      {35, "tq2_0", 256, 66},
      {39, "mxfp4", 32, 17},
      {40, "nvfp4_block", 64, 36},
      {41, "q1_0", 128, 18},
      {42, "q2_0", 64, 18},
      {133, "q6_0", 32, 26},
      {134, "iq1_bn", 64, 13 + 2},
      {135, "iq2_bn", 64, 16 + 4},
      {137, "iq2_k", 256, 76},
      {138, "iq3_k", 256, 110},
      {139, "iq4_k", 256, 144},
      {140, "iq5_k", 256, 176},
      {141, "iq6_k", 256, 212},
      {144, "iq4_ks", 256, 136 + 4},
      {145, "iq2_ks", 256, 70 + 2},
      {146, "iq4_kss", 256, 128 + 4},
      {151, "q8_kv", 32, 32 + 8},
      {152, "iq5_ks", 256, 168 + 4},
      {153, "iq2_kt", 256, 68 + 4},
      {154, "iq3_kt", 256, 100 + 4},
      {155, "iq4_kt", 256, 128 + 4},
      {156, "iq3_ks", 256, 102 + 2},
      {157, "iq2_kl", 256, 86 + 2},
      {158, "iq1_kt", 256, 56 + 4},
      {212, "q4_k", 256, 144},
      {219, "iq1_s_r4", 32, 6 + 2},
      {229, "iq1_m_r4", 32, 7 + 2},
      {344, "iq4_ks", 256, 136 + 4},
      {399, "q8_k_r8", 256, 258},
  };
  for (const TypeCase& c : cases) {
    GgufWriter w;
    w.tensor("t", c.type, {c.values, 3}, c.bytes * 3).tensor("after", 0, {8}, 32);
    const auto result = read(w.finish());
    ASSERT_TRUE(result) << c.id << ' ' << result.error().key;
    const StoredTensor& t = result.value().tensors.tensors()[0];
    EXPECT_EQ(storage_format(t.format).id, c.id) << c.type;
    EXPECT_EQ(t.bytes, c.bytes * 3) << c.id;
    EXPECT_TRUE(result.value().notes.empty()) << c.id;
  }
}

TEST(Gguf, ATypeOfAForkIsMeasuredByItsPlaceWhenOurTableIsWrong) {
  GgufWriter w;
  w.tensor("t", 157, {256, 32}, 32 * 96).tensor("after", 0, {8}, 32);  // 96 instead of 88 bytes a row
  const auto result = read(w.finish());
  ASSERT_TRUE(result) << result.error().key;
  EXPECT_EQ(result.value().tensors.tensors()[0].bytes, 32U * 96);
  EXPECT_EQ(result.value().notes.front().key, "gguf.size_by_place");
}

GgufWriter with_vocabulary(std::size_t words) {
  GgufWriter w;
  std::vector<std::string> tokens;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < words; ++i) {
    tokens.push_back("token-" + std::to_string(i));
    numbers.push_back(i);
  }
  w.text("general.architecture", "qwen3").texts("tokenizer.ggml.tokens", tokens);
  w.numbers("tokenizer.ggml.token_type", numbers).texts("tokenizer.ggml.merges", tokens);
  w.tensor("token_embd.weight", 1, {1024, words}, 2048 * words);
  return w;
}

TEST(Gguf, SkipsTheTokenizerAndKeepsItsLength) {
  const auto result = read(with_vocabulary(150000).finish());
  ASSERT_TRUE(result) << result.error().key;
  EXPECT_EQ(result.value().array_length("tokenizer.ggml.tokens"), 150000U);
  EXPECT_EQ(result.value().integers("tokenizer.ggml.token_type"), nullptr) << "numbers of the tokenizer are not kept";
}

TEST(Gguf, AnswersA700GigabyteFileAfterItsHeaderAndAMebibyteAtMost) {
  GgufWriter w = with_vocabulary(150000);
  for (int layer = 0; layer < 94; ++layer) {  // 94 × 3 stacks of 128 experts in F16: 708 GB
    for (const char* kind : {"gate", "up", "down"}) {
      w.tensor("blk." + std::to_string(layer) + ".ffn_" + kind + "_exps.weight", 1, {4096, 2400, 128},
               std::uint64_t{4096} * 2400 * 128 * 2);
    }
  }
  const Sparse file = w.finish();
  ASSERT_GT(file.size, std::uint64_t{700'000'000'000});
  Trace trace;
  const auto result = read(file, &trace);
  ASSERT_TRUE(result) << result.error().key;
  EXPECT_EQ(result.value().header_bytes, w.header());
  EXPECT_LE(trace.furthest(), w.header() + kReadStep);
  EXPECT_LE(trace.bytes(), w.header() + kReadStep);
  for (const ByteRange& range : trace.ranges) EXPECT_LE(range.size(), kReadStep);
}

TEST(Gguf, JumpsOverNumbersWithoutAskingForThem) {
  GgufWriter w;
  w.numbers("tokenizer.ggml.scores", std::vector<std::uint64_t>(1'000'000), W::f32);
  w.tensor("t", 0, {8}, 32);
  Trace trace;
  ASSERT_TRUE(read(w.finish(), &trace));
  EXPECT_LT(trace.bytes(), 2 * kReadStep);
  EXPECT_GT(w.header(), std::uint64_t{4'000'000});
}

TEST(Gguf, ReadsTheSameWhereverASliceEnds) {
  for (std::size_t shift = 0; shift < 120; ++shift) {  // moves the end of the first slice through keys and tensors
    GgufWriter w;
    w.text("general.architecture", "llama").text("filler", std::string(4000, 'x'));
    for (int i = 0; i < 15; ++i) w.text("filler" + std::to_string(i), std::string(4010, 'x'));
    w.text("shift", std::string(shift, 'y')).numbers("heads", {8, 4});
    w.texts("tokenizer.ggml.tokens", {"a", "b", "c"}).integer("after", 7);
    for (int i = 0; i < 20; ++i) w.tensor("t" + std::to_string(i), 0, {8}, 32);
    const auto result = read(w.finish());
    ASSERT_TRUE(result) << shift << ' ' << result.error().key;
    EXPECT_EQ(result.value().integer("after"), 7) << shift;
    EXPECT_EQ(result.value().tensors.tensors().size(), 20U) << shift;
    EXPECT_EQ(result.value().tensors.tensors()[19].name, "t19") << shift;
  }
}

TEST(Gguf, AVocabularyWithoutTensorsIsAFileToo) {
  GgufWriter w;
  w.text("general.architecture", "bert").texts("tokenizer.ggml.tokens", {"a", "b"});
  const auto result = read(w.finish());
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.value().tensors.tensors().empty());
}

TEST(Gguf, TakesAnyAlignmentThatIsAPowerOfTwo) {
  GgufWriter w;
  w.alignment(4096).tensor("a", 0, {3}, 12).tensor("b", 0, {3}, 12);
  EXPECT_TRUE(read(w.finish()));
}

TEST(GgufBadInput, IsNamed) {
  const auto head = [](std::string_view magic, std::uint64_t version, std::uint64_t tensors, std::uint64_t keys) {
    Writer w;
    w.raw(magic).number(version, 4).number(tensors, 8).number(keys, 8).zeros(1000);
    return error_of(Sparse(w.take()));
  };
  EXPECT_EQ(head("PDF%", 3, 0, 0), "gguf.magic");
  EXPECT_EQ(head("GGUF", 1, 0, 0), "gguf.version_1");
  EXPECT_EQ(head("GGUF", 0, 0, 0), "gguf.version");
  EXPECT_EQ(head("GGUF", 4, 0, 0), "gguf.version");
  EXPECT_EQ(head("GGUF", 0x03000000, 0, 0), "gguf.big_endian");
  EXPECT_EQ(head("GGUF", 3, std::uint64_t{1} << 63, 0), "gguf.count");
  EXPECT_EQ(head("GGUF", 3, 0, std::uint64_t{1} << 63), "gguf.count");
  EXPECT_EQ(head("GGUF", 3, 0, 1), "gguf.text_too_long") << "a key of no letters";
}

TEST(GgufBadInput, CountsBeyondTheFilesSizeAreRefusedAtOnce) {
  GgufWriter w = small();
  const auto result = read(w.counts(1'000'000, 2).finish());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().key, "gguf.count");
  EXPECT_EQ(result.error().parameters[0].second, Parameter(MessageKey{"gguf.part.tensors"}));
  EXPECT_EQ(result.error().parameters[1].second, Parameter(std::int64_t{1'000'000}));
}

TEST(GgufBadInput, ATextOrArrayPastTheEndIsRefusedWithoutReadingOn) {
  GgufWriter a;
  a.key("k", W::string).keys_raw().number(std::uint64_t{1} << 62, 8);
  EXPECT_EQ(error_of(a), "gguf.text_too_long");
  GgufWriter b;
  b.key("k", W::array).keys_raw().number(W::u32, 4).number(std::uint64_t{1} << 62, 8);
  EXPECT_EQ(error_of(b), "gguf.array_past_end");
  GgufWriter c;
  c.key("k", W::array)
      .keys_raw()
      .number(W::string, 4)
      .number(2, 8)
      .text("fine")
      .number(std::uint64_t{1} << 62, 8)
      .zeros(64);
  EXPECT_EQ(error_of(c), "gguf.text_too_long");
}

TEST(GgufBadInput, UnknownTypesAreNamed) {
  GgufWriter a;
  a.key("k", static_cast<W::Type>(13)).keys_raw().number(0, 8);
  EXPECT_EQ(error_of(a), "gguf.value_type");
  GgufWriter b;
  b.key("k", W::array).keys_raw().number(W::array, 4).number(0, 8);
  EXPECT_EQ(error_of(b), "gguf.nested_array");
  GgufWriter c = small();
  c.tensor("t", 77, {32}, 32);
  EXPECT_EQ(error_of(c), "gguf.tensor_type");
  for (const std::uint32_t removed : {4U, 5U, 31U, 32U, 33U, 37U, 38U}) {
    GgufWriter d = small();
    d.tensor("t", removed, {32}, 32);
    EXPECT_EQ(error_of(d), "gguf.removed_type") << removed;
  }
}

TEST(GgufBadInput, NamesThatComeTwiceAreRefused) {
  GgufWriter a = small();
  a.integer("llama.block_count", 2);
  EXPECT_EQ(error_of(a), "gguf.duplicate_key");
  GgufWriter b = small();
  b.tensor("token_embd.weight", 0, {8}, 32);
  EXPECT_EQ(error_of(b), "gguf.duplicate_tensor");
}

TEST(GgufBadInput, ShapesThatCannotBeAreRefused) {
  for (const auto& shape : std::vector<std::vector<std::uint64_t>>{
           {}, {1, 1, 1, 1, 1}, {0, 4}, {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, {UINT64_MAX, 2}}) {
    GgufWriter w;
    w.tensor("t", 0, shape, 32);
    EXPECT_EQ(error_of(w), "gguf.tensor_shape") << shape.size();
  }
  GgufWriter w;
  w.tensor("t", 12, {100, 2}, 32);
  EXPECT_EQ(error_of(w), "gguf.tensor_row") << "a row of Q4_K is a multiple of 256";
}

TEST(GgufBadInput, PlacesMustFollowOneAnother) {
  GgufWriter a;
  a.tensor("a", 0, {8}, 64).tensor("b", 0, {8}, 32);  // a hole of 32 bytes
  EXPECT_EQ(error_of(a), "gguf.tensor_place");
  GgufWriter b;
  b.tensor("a", 0, {64}, 32).tensor("b", 0, {8}, 32);  // an overlap
  EXPECT_EQ(error_of(b), "gguf.tensor_place");
}

TEST(GgufBadInput, AnAlignmentThatIsNoneIsRefused) {
  for (const std::uint64_t alignment : {0U, 3U, 48U}) {
    GgufWriter w;
    w.integer("general.alignment", alignment).tensor("a", 0, {8}, 32);
    EXPECT_EQ(error_of(w), "gguf.alignment") << alignment;
  }
}

TEST(GgufBadInput, AFileCutAnywhereInItsHeaderIsSaidToEndEarly) {
  GgufWriter w = with_vocabulary(20);
  const Sparse file = w.finish();
  for (std::uint64_t size = 0; size < w.header(); ++size) {
    const std::string error =
        error_of(Sparse(Bytes8(file.head.begin(), file.head.begin() + static_cast<std::ptrdiff_t>(size))));
    const bool said = error == "gguf.too_short" || error == "gguf.truncated" || error == "gguf.text_too_long" ||
                      error == "gguf.array_past_end" || error == "gguf.count";
    EXPECT_TRUE(said) << size << ' ' << error;
  }
}

TEST(GgufBadInput, ADownloadThatStoppedIsToldHowMuchIsMissing) {
  GgufWriter w = small();
  Sparse file = w.finish();
  const std::uint64_t whole = file.size;
  file.size -= 1000;
  const auto result = read(file);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().key, "gguf.tensor_past_end");
  EXPECT_EQ(result.error().parameters[1].second, Parameter(Bytes(whole - 1000)));
  EXPECT_EQ(result.error().parameters[2].second, Parameter(Bytes(whole)));
}

TEST(GgufBadInput, AReadThatFailsIsSaid) {
  GgufReader reader({"m.gguf", 1000});
  reader.give({});
  EXPECT_EQ(reader.take().error(), Message("reader.unreadable").with("at", std::int64_t{0}).with("file", "m.gguf"));
}

}  // namespace
}  // namespace vram
