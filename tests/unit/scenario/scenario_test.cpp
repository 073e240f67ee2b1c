#include "core/scenario/scenario.h"

#include <gtest/gtest.h>

#include <set>

namespace vram {
namespace {

TEST(Scenario, EveryFieldHasItsOwnKeyAndItsDefaultIsAllowed) {
  std::set<std::string_view> keys;
  Scenario scenario;
  for (const Field& field : fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(set(scenario, field, get(scenario, field))) << field.key;
  }
  EXPECT_EQ(scenario, Scenario());
}

TEST(Scenario, ANumberIsReadAsPeopleWriteIt) {
  const Field& context = *find_field("ctx");
  for (const char* text : {"32768", "32 768", "32\xC2\xA0" "768", "32\xE2\x80\xAF" "768", "32_768", "3.2768e4", "32768,0"}) {
    Scenario scenario;
    EXPECT_FALSE(set_text(scenario, context, text)) << text;
    EXPECT_EQ(scenario.deployments[0].context, 32768) << text;
  }
}

TEST(Scenario, AnImpossibleValueIsSaidAndChangesNothing) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"ctx", "many", "field.not_a_number"},      {"ctx", "", "field.not_a_number"},
      {"ctx", "inf", "field.not_a_number"},       {"ctx", "nan", "field.not_a_number"},
      {"ctx", "0x10", "field.not_a_number"},      {"ctx", "0", "field.out_of_range"},
      {"ctx", "-5", "field.out_of_range"},        {"ctx", "1e300", "field.out_of_range"},
      {"ctx", "1.5", "field.not_whole"},          {"n", "5000", "field.out_of_range"},
      {"kv", "fp7", "field.unknown_choice"},      {"weights", "", "field.unknown_choice"},
      {"ram", "-1", "field.out_of_range"},
  };
  for (const auto& [key, text, problem] : cases) {
    Scenario scenario;
    const auto said = set_text(scenario, *find_field(key), text);
    ASSERT_TRUE(said) << key << '=' << text;
    EXPECT_EQ(said->key, problem) << key << '=' << text;
    EXPECT_EQ(scenario, Scenario()) << key << '=' << text;
  }
}

TEST(Scenario, ALinkIsReadableAndLeavesOutDefaults) {
  Scenario scenario;
  scenario.deployments[0].model = "Qwen/Qwen3-32B";
  scenario.deployments[0].context = 32768;
  scenario.devices = 2;
  EXPECT_EQ(to_link(scenario), "v=1&model=Qwen/Qwen3-32B&ctx=32768&gpu=h100-sxm&n=2");
}

TEST(Scenario, ALinkOpensAsTheSameScenario) {
  Scenario scenario;
  scenario.accelerator = "metax-c500";
  scenario.offload = "weights";
  scenario.host_ram_gib = 512.25;
  scenario.units = "gb";
  scenario.deployments.push_back({.model = "", .config = R"({"model_type":"llama","x":"а & б = 1%"})", .users = 3});
  const ScenarioReading read = from_link("#" + to_link(scenario));
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.scenario, scenario);
  EXPECT_EQ(to_link(read.scenario), to_link(scenario));
}

TEST(Scenario, JsonOpensAsTheSameScenario) {
  Scenario scenario;
  scenario.devices = 16;
  scenario.deployments[0].kv = "fp8";
  scenario.deployments.push_back({.model = "BAAI/bge-m3", .users = 64, .context = 512});
  const ScenarioReading read = from_json(to_json(scenario));
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.scenario, scenario);
}

TEST(Scenario, WhatALinkHasTooMuchIsSaidAndTheRestIsOpened) {
  const ScenarioReading read = from_link("v=9&ctx=4096&kv=strange&colour=red&17.ctx=1&n=4&2.gpu=l4");
  EXPECT_EQ(read.scenario.deployments[0].context, 4096);
  EXPECT_EQ(read.scenario.devices, 4);
  std::vector<std::string> problems;
  for (const Message& problem : read.problems) problems.push_back(problem.key);
  EXPECT_EQ(problems, (std::vector<std::string>{"link.newer_version", "field.unknown_choice", "link.unknown_field",
                                                "link.unknown_field", "link.unknown_field"}));
}

TEST(Scenario, AVersionThatIsNoNumberOfOursIsRefusedInWords) {
  for (const char* text : {R"({"v": 144444444444444444444444000000000})", R"({"v": -1e300})", R"({"v": 1.5})", R"({"v": "x"})"}) {
    const ScenarioReading reading = from_json(parse_json(text).value());
    ASSERT_EQ(reading.problems.size(), 1U) << text;
    EXPECT_EQ(reading.problems.front().key, "link.bad_version") << text;
  }
}

TEST(Scenario, RubbishInALinkIsNoDisaster) {
  for (const char* link : {"", "#", "&&&", "=", "%", "%zz=1", "ctx=%", "0.ctx=5", "99999999999999999999.ctx=5", "v=",
                           "v=99999999999999999999999", "ctx=1&ctx=2"}) {
    EXPECT_FALSE(from_link(link).scenario.deployments.empty()) << link;
  }
}

TEST(Scenario, JsonOfAnotherShapeIsSaid) {
  EXPECT_EQ(from_json(Json::array()).problems.at(0).key, "json.not_object");
  EXPECT_EQ(from_json(parse_json(R"({"n": [1]})").value()).problems.at(0).key, "field.wrong_type");
  EXPECT_EQ(from_json(parse_json(R"({"n": 1e30})").value()).problems.at(0).key, "field.out_of_range");
  EXPECT_EQ(from_json(parse_json(R"({"v": 1e30, "ctx": 5})").value()).problems.size(), 2u);
  EXPECT_EQ(from_json(parse_json(R"({"deployments": [7]})").value()).problems.at(0).key, "json.not_object");
}

}  // namespace
}  // namespace vram
