#include "core/import/safetensors.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/import/tensor_files.h"

namespace vram {
namespace {

using namespace testing_files;

Result<SafetensorsFile> read(const Sparse& file, Trace* trace = nullptr) {
  SafetensorsReader reader({"model.safetensors", file.size});
  const Trace seen = feed(reader, file);
  if (trace != nullptr) *trace = seen;
  return reader.take();
}

Message error_of(std::string_view json, std::uint64_t data) {
  const auto result = read(safetensors_with(json, data));
  return result ? Message("no error") : result.error();
}

std::string parameter(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.parameters) {
    if (key != name) continue;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* bytes = std::get_if<Bytes>(&value)) {
      return bytes->overflowed() ? "overflow" : std::to_string(bytes->value());
    }
    if (const auto* word = std::get_if<MessageKey>(&value)) return word->key;
  }
  return "";
}

TEST(Safetensors, AreReadByTheirHeaderAlone) {
  const Sparse file =
      safetensors({{"model.embed_tokens.weight", "BF16", {128256, 4096}}, {"model.norm.weight", "F32", {4096}}});
  Trace trace;
  const auto result = read(file, &trace);
  ASSERT_TRUE(result) << result.error().key;
  const TensorList& list = result.value().tensors;
  ASSERT_EQ(list.tensors().size(), 2U);
  const StoredTensor& embedding = list.tensors()[0];
  EXPECT_EQ(embedding.name, "model.embed_tokens.weight");
  EXPECT_EQ(embedding.element, Element::bf16);
  EXPECT_EQ(embedding.bytes, 2U * 128256 * 4096);
  EXPECT_EQ(std::vector<std::uint64_t>(list.shape(embedding).begin(), list.shape(embedding).end()),
            (std::vector<std::uint64_t>{128256, 4096}));
  EXPECT_EQ(list.bytes(), Bytes(2U * 128256 * 4096 + 4 * 4096));
  EXPECT_EQ(result.value().metadata, (std::vector<std::pair<std::string, std::string>>{{"format", "pt"}}));
  EXPECT_EQ(trace.ranges[0], (ByteRange{0, 8})) << "eight bytes of length first";
  EXPECT_EQ(trace.bytes(), result.value().header_bytes) << "then exactly the header";
}

TEST(Safetensors, KnowEveryTypeAndItsBits) {
  const std::pair<const char*, std::uint64_t> types[] = {
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
      {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64},
  };
  for (const auto& [name, bits] : types) {
    const auto result = read(safetensors({{"t", name, {16, 24}}}));
    ASSERT_TRUE(result) << name << ' ' << result.error().key;
    EXPECT_EQ(result.value().tensors.tensors()[0].bytes, 16 * 24 * bits / 8) << name;
    EXPECT_EQ(element_name(result.value().tensors.tensors()[0].element), name);
  }
}

TEST(Safetensors, TakeScalarsAndEmptyTensors) {
  const auto result = read(safetensors({{"scale", "F32", {}}, {"nothing", "BF16", {0, 4}}, {"one", "I64", {1}}}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result.value().tensors.bytes(), Bytes(4 + 0 + 8));
}

TEST(Safetensors, TakePaddingUnknownFieldsAndAnyOrder) {
  const auto result = read(safetensors_with(
      " \n{\"b\" : {\"data_offsets\":[2,4], \"shape\":[1], \"dtype\":\"F16\", \"later\":{\"x\":[1,-2.5e3,null,true]}},"
      "\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}}    ",
      4));
  ASSERT_TRUE(result) << result.error().key;
  EXPECT_EQ(result.value().tensors.tensors()[0].name, "b") << "order of the header is kept";
}

TEST(Safetensors, UndoEscapesInNames) {
  const auto result =
      read(safetensors_with(R"({"a\u002eb\n\u0416\ud83d\ude00":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
  ASSERT_TRUE(result) << result.error().key;
  EXPECT_EQ(result.value().tensors.tensors()[0].name, "a.b\n\u0416\U0001F600");
}

TEST(Safetensors, ShowProgressOfALongHeader) {
  std::vector<SafeTensor> many;
  for (int i = 0; i < 20000; ++i) many.push_back({"model.layers." + std::to_string(i) + ".weight", "BF16", {8, 8}});
  const Sparse file = safetensors(many);
  SafetensorsReader reader({"big.safetensors", file.size});
  EXPECT_EQ(reader.progress(), (Progress{0, 0}));
  std::uint64_t before = 0;
  int steps = 0;
  while (const auto range = reader.wants()) {
    EXPECT_LE(range->size(), kReadStep);
    reader.give(file.read(*range));
    EXPECT_GT(reader.progress().done, before);
    before = reader.progress().done;
    ++steps;
  }
  EXPECT_GT(steps, 2);
  EXPECT_EQ(reader.progress().done, reader.progress().needed);
  EXPECT_EQ(reader.take().value().tensors.tensors().size(), 20000U);
}

struct Bad {
  const char* why;
  const char* json;
  std::uint64_t data;
  const char* key;
  const char* name;  ///< a parameter of the message
  const char* value;
};

TEST(SafetensorsBadInput, IsNamedWithItsPlace) {
  const Bad cases[] = {
      {"not an object", "[]", 0, "safetensors.syntax", "at", "8"},
      {"cut off", R"({"a":{"dtype":"F16")", 0, "safetensors.syntax", "at", "27"},
      {"text after the end", R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}x)", 1, "safetensors.syntax", "at",
       "60"},
      {"raw control character", "{\"a\x01\":1}", 0, "safetensors.syntax", "", ""},
      {"not UTF-8", "{\"a\xFF\":1}", 0, "safetensors.syntax", "", ""},
      {"half a surrogate", R"({"\ud83d":1})", 0, "safetensors.syntax", "", ""},
      {"unknown type", R"({"a":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}})", 1, "safetensors.unknown_type",
       "type", "F7"},
      {"type that is no text", R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,1]}})", 1, "safetensors.field", "field",
       "dtype"},
      {"no shape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, "safetensors.field", "field", "shape"},
      {"negative dimension", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1, "safetensors.field",
       "field", "shape"},
      {"NaN dimension", R"({"a":{"dtype":"U8","shape":[NaN],"data_offsets":[0,1]}})", 1, "safetensors.field", "field",
       "shape"},
      {"fraction", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1, "safetensors.field", "field",
       "shape"},
      {"beyond 2^64", R"({"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,1]}})", 1,
       "safetensors.field", "tensor", "a"},
      {"product beyond 2^64", R"({"a":{"dtype":"U8","shape":[9223372036854775808,4],"data_offsets":[0,1]}})", 1,
       "safetensors.size_differs", "computed", "overflow"},
      {"size that lies", R"({"a":{"dtype":"BF16","shape":[3],"data_offsets":[0,4]}})", 4, "safetensors.size_differs",
       "computed", "6"},
      {"half a byte", R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1, "safetensors.size_differs",
       "tensor", "a"},
      {"ends before it begins", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})", 1, "safetensors.field",
       "field", "data_offsets"},
      {"three offsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", 1, "safetensors.field", "field",
       "data_offsets"},
      {"field twice", R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, "safetensors.field",
       "field", "dtype"},
      {"tensor twice",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2, "safetensors.duplicate", "tensor", "a"},
      {"hole", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2, "safetensors.gap", "tensor", "a"},
      {"overlap",
       R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3, "safetensors.gap", "tensor", "b"},
      {"data missing", R"({"a":{"dtype":"U8","shape":[100],"data_offsets":[0,100]}})", 40, "safetensors.truncated",
       "needed", "100"},
      {"data too long", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 9, "safetensors.trailing", "size",
       "9"},
      {"no tensors", R"({"__metadata__":{}})", 0, "safetensors.empty", "", ""},
      {"metadata that is no text", R"({"__metadata__":{"a":1}})", 0, "safetensors.field", "field", "a"},
      {"a tensor that is a text", R"({"a":"b"})", 0, "safetensors.field", "tensor", "a"},
  };
  for (const Bad& c : cases) {
    const Message error = error_of(c.json, c.data);
    EXPECT_EQ(error.key, c.key) << c.why;
    EXPECT_EQ(parameter(error, c.name), c.value) << c.why;
    EXPECT_EQ(parameter(error, "file"), "model.safetensors") << c.why;
  }
}

TEST(SafetensorsBadInput, DeepNestingIsRefusedWithoutRecursingFar) {
  std::string json = R"({"a":{"x":)";
  json += std::string(100000, '[');
  EXPECT_EQ(error_of(json, 0).key, "safetensors.syntax");
}

TEST(SafetensorsBadInput, AHugeRankIsRefused) {
  std::string shape = "1";
  for (int i = 0; i < 100000; ++i) shape += ",1";
  EXPECT_EQ(error_of(R"({"a":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,1]}})", 1).key,
            "safetensors.field");
}

struct BadLength {
  std::uint64_t length, size;
  const char* key;
};

TEST(SafetensorsBadInput, ALyingLengthTakesNoMemory) {
  const BadLength cases[] = {
      {std::uint64_t{1} << 63, 1000, "safetensors.header_too_long"},
      {UINT64_MAX, 1000, "safetensors.header_too_long"},
      {kMaxSafetensorsHeader + 1, std::uint64_t{1} << 40, "safetensors.header_too_long"},
      {5000, 1000, "safetensors.header_past_end"},
      {0, 1000, "safetensors.empty"},
      {1, 1000, "safetensors.empty"},
  };
  for (const BadLength& c : cases) {
    Writer w;
    w.number(c.length, 8);
    Trace trace;
    const auto result = read(Sparse(w.take(), c.size), &trace);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().key, c.key);
    EXPECT_EQ(trace.bytes(), 8U) << "nothing but the length was asked for";
  }
}

TEST(SafetensorsBadInput, AShortFileIsSaidToBeShort) {
  for (std::uint64_t size = 0; size < 10; ++size) {
    SafetensorsReader reader({"s", size});
    EXPECT_FALSE(reader.wants());
    EXPECT_EQ(reader.take().error().key, "safetensors.too_short");
  }
}

TEST(SafetensorsBadInput, AReadThatFailsIsSaid) {
  const Sparse file = safetensors({{"a", "U8", {1}}});
  SafetensorsReader reader({"a.safetensors", file.size});
  reader.give(file.read({0, 5}));
  EXPECT_FALSE(reader.wants());
  EXPECT_EQ(reader.take().error(),
            Message("reader.unreadable").with("at", std::int64_t{5}).with("file", "a.safetensors"));
}

TEST(SafetensorsIndex, CountsTensorsOfEachFile) {
  const auto index =
      parse_safetensors_index(R"({"metadata":{"total_parameters":7,"total_size":16060522496},"weight_map":{
      "lm_head.weight":"model-00002-of-00002.safetensors","a":"model-00001-of-00002.safetensors",
      "b":"model-00001-of-00002.safetensors"}})");
  ASSERT_TRUE(index) << index.error().key;
  EXPECT_EQ(index.value().total_size, 16060522496U);
  EXPECT_EQ(index.value().tensors, 3U);
  EXPECT_EQ(index.value().files,
            (std::vector<std::string>{"model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"}));
  EXPECT_EQ(index.value().tensors_in, (std::vector<std::uint32_t>{1, 2}));
}

TEST(SafetensorsIndex, LeavesOutASizeThatIsNoWholeNumber) {
  const auto index = parse_safetensors_index(R"({"metadata":{"total_size":1.5e9},"weight_map":{"a":"f"}})");
  ASSERT_TRUE(index);
  EXPECT_EQ(index.value().total_size, 0U);
}

TEST(SafetensorsIndex, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"weight_map":{}})", "index.no_weight_map"},
      {R"({"metadata":{}})", "index.no_weight_map"},
      {R"({"weight_map":["a"]})", "index.no_weight_map"},
      {R"({"weight_map":{"a":1}})", "index.no_weight_map"},
      {R"({"weight_map":{"a":"f","a":"g"}})", "index.duplicate"},
      {R"({"weight_map":{"a":"f")", "safetensors.syntax"},
      {R"({"weight_map":{"a":"f"}} {)", "safetensors.syntax"},
  };
  for (const auto& [text, key] : cases) EXPECT_EQ(parse_safetensors_index(text).error().key, key) << text;
}

}  // namespace
}  // namespace vram
