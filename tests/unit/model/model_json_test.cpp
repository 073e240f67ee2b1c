#include "core/model/model_json.h"

#include <gtest/gtest.h>

#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

Model everything() {
  Model model = sample::dense(sample::kLlama8B, "Ünïcode <b>");
  model.origin = Origin::checkpoint;
  model.generates = false;
  model.tensors[1].exact = Bytes(123456);
  model.tensors[2].copies = Count(64);
  model.tensors[3].part = Part::vision;
  model.tensors[4].format = FormatId::q4_k;
  model.tensors[5].layer_set = add_layer_set(model, {0, 1, 2, 7, 9, 10});
  model.tensors[6].stored = false;
  Cache state;
  state.kind = CacheKind::recurrent;
  state.state_values = 5;
  state.conv_values = 7;
  state.heads = 2;
  state.part = Part::mtp;
  state.state_format = FormatId::bf16;
  state.conv_format = FormatId::fp32;
  model.caches.push_back(state);
  model.notes.push_back(Message("a.note").with("n", std::int64_t{3}).with("size", Bytes(9)).with("name", std::string("x"))
                            .with("key", MessageKey{"b"}).with("part", 0.5));
  return model;
}

TEST(ModelJson, ComesBackAsTheSameModel) {
  const Model model = everything();
  const Json json = model_to_json(model);
  EXPECT_TRUE(is_model_json(json));
  const Result<Model> read = model_from_json(parse_json(to_text(json)).value());
  ASSERT_TRUE(read) << to_text(json);
  EXPECT_EQ(read.value(), model) << to_text(json);
}

TEST(ModelJson, NeedsNoTextInBetween) {  // found by fuzzing: a number made in memory is signed
  EXPECT_EQ(model_from_json(model_to_json(everything())).value(), everything());
}

TEST(ModelJson, OfAnOrdinaryModelFitsIntoALink) {
  EXPECT_LT(to_text(model_to_json(sample::dense(sample::kLlama70B))).size(), 1200u);
}

TEST(ModelJson, TrustsNothing) {
  const std::pair<const char*, Json> wrong[] = {
      {"inventory", 2},         {"inventory", "1"},      {"origin", "heaven"},
      {"compute", "fp7"},       {"sets", Json("0-31")},  {"sets", Json::array({"5-1"})},
      {"sets", Json::array({"0-99999999999"})},          {"sets", Json::array({"1,1"})},
      {"sets", Json::array({3})},                        {"tensors", Json::array()},
      {"tensors", Json::array({Json::array({"attention_q", 7, "bf16", 1, 1})})},
      {"tensors", Json::array({Json::array({"attention_q", 0, "bf16", 1e30, 1})})},
      {"tensors", Json::array({Json::array({"attention_q", 0, "bf16", -1, 1})})},
      {"tensors", Json::array({Json::array({"nothing", 0, "bf16", 1, 1})})},
      {"tensors", Json::array({5})},                     {"caches", Json::array({Json{{"kind", "full"}, {"set", 9}}})},
      {"caches", Json::array({Json{{"kind", "full"}, {"set", 0}, {"kv_heads", -1}}})},
      {"dims", Json{{"num_hidden_layers", 1e9}}},        {"dims", Json{{"hidden_size", -4}}},
  };
  for (const auto& [key, value] : wrong) {
    Json json = model_to_json(everything());
    json[key] = value;
    const Result<Model> read = model_from_json(json);
    ASSERT_FALSE(read) << key << ": " << to_text(value);
    EXPECT_EQ(read.error().key, "inventory.malformed");
  }
}

}  // namespace
}  // namespace vram
