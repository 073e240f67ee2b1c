#include "core/units/json.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

std::string problem_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? "" : parsed.error().key;
}

TEST(Json, AnObjectIsReadInItsOwnOrder) {
  const auto parsed = parse_json(R"({"b": 1, "a": [true, null, 2.5]})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_text(parsed.value()), R"({"b":1,"a":[true,null,2.5]})");
}

TEST(Json, AByteOrderMarkIsNoError) { EXPECT_EQ(problem_of("\xEF\xBB\xBF{}"), ""); }

TEST(Json, WhatIsWrongIsNamed) {
  const std::string many_braces(100'000, '[');
  const std::pair<std::string, const char*> cases[] = {
      {"", "json.empty"},
      {" \n ", "json.empty"},
      {"<!doctype html><html>", "json.not_json"},
      {"%PDF-1.7", "json.not_json"},
      {std::string("PK\x03\x04rest"), "json.not_json"},
      {std::string("GGUF\x03"), "json.not_json"},
      {std::string("\x01\x00\x02", 3), "json.not_json"},
      {"version https://git-lfs.github.com/spec/v1\noid", "json.not_json"},
      {R"({"a": 1, "a": 2})", "json.duplicate_key"},
      {R"({"a": 1e999})", "json.syntax"},
      {R"({"a": )", "json.syntax"},
      {many_braces, "json.too_deep"},
  };
  for (const auto& [text, key] : cases) EXPECT_EQ(problem_of(text), key) << text.substr(0, 40);
}

TEST(Json, TheSecondOfAThousandEqualKeysIsStillFound) {
  std::string wide = "{";
  for (int i = 0; i < 1000; ++i) wide += "\"key" + std::to_string(i) + "\":0,";
  EXPECT_EQ(problem_of(wide + "\"key7\":1}"), "json.duplicate_key");
  EXPECT_EQ(problem_of(wide + "\"other\":1}"), "");
}

TEST(Json, NumbersThatOnlyPythonWritesAreNull) {
  const auto parsed = parse_json(R"({"limit": [0.0, Infinity, -Infinity], "a": NaN, "text": "NaN \" Infinity"})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_text(parsed.value()), R"({"limit":[0.0,null,null],"a":null,"text":"NaN \" Infinity"})");
}

TEST(Json, ThePlaceOfAnErrorIsItsLineAndCharacter) {
  const auto parsed = parse_json("{\n  \"a\": 1,\n  oops\n}");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), Message("json.syntax").with("line", std::int64_t{3}).with("column", std::int64_t{3}));
}

TEST(Json, MembersOfAnotherTypeAreNothing) {
  const Json json = parse_json(R"({"n": 3, "f": 4096.0, "half": 0.5, "s": "x", "b": true, "big": 18446744073709551615})").value();
  EXPECT_EQ(integer(json, "n"), 3);
  EXPECT_EQ(integer(json, "f"), 4096);
  EXPECT_EQ(integer(json, "half"), std::nullopt);
  EXPECT_EQ(integer(json, "s"), std::nullopt);
  EXPECT_EQ(integer(json, "big"), std::nullopt);
  EXPECT_EQ(integer(json, "absent"), std::nullopt);
  EXPECT_EQ(number(json, "half"), 0.5);
  EXPECT_EQ(text(json, "s"), "x");
  EXPECT_EQ(boolean(json, "b"), true);
  EXPECT_EQ(boolean(json, "n"), std::nullopt);
}

TEST(Json, TextThatIsNotUtf8IsWrittenWithReplacements) {
  EXPECT_EQ(to_text(Json(std::string("a\xFFz"))), "\"a\xEF\xBF\xBDz\"");
}

}  // namespace
}  // namespace vram
