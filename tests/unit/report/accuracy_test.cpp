// What a number was checked on, as the page says it.
#include "core/report/accuracy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "assets/assets.h"
#include "tests/unit/plan/catalogue_inputs.h"
#include "tests/unit/report/words.h"

namespace vram {
namespace {

using sample::from_fields;

std::vector<AccuracyFigure> shipped_figures() { return accuracy_from_json(assets::file("accuracy.json")); }

std::string checked_by(const std::string& link, Term term) {
  static const std::vector<AccuracyFigure> figures = shipped_figures();
  const Plan plan = make_plan(from_fields("v=1&model=meta-llama/Llama-3.1-8B-Instruct&gpu=h100-sxm" + link));
  for (const Entry& entry : plan.ledger) {
    if (entry.term != term || entry.device == kHost) continue;
    const AccuracyFigure* figure = accuracy_of(figures, plan, entry);
    return figure != nullptr ? figure->key : "";
  }
  return "no such term";
}

TEST(Accuracy, ANumberIsCheckedByTheLogsOfItsOwnRules) {
  const struct {
    const char* link;
    Term term;
    const char* key;
  } cases[] = {
      {"&engine=vllm", Term::weights, "weights.weights"},
      {"&engine=vllm", Term::activations, "activations.activation"},
      {"&engine=vllm", Term::runtime, "runtime.non_torch"},
      {"&engine=vllm", Term::graphs, "runtime.graphs"},
      {"&engine=llama_cpp", Term::kv_cache, "llamacpp.kv"},
      {"&engine=llama_cpp", Term::activations, "llamacpp.compute"},
      {"&engine=llama_cpp", Term::runtime, ""},  // it does not print its context
      {"&engine=generic", Term::activations, ""},
      {"&engine=vllm&m_activations=1.9", Term::activations, ""},  // measured here, not checked elsewhere
      {"&task=train&gpu=b200", Term::gradients, "training.peak"},
  };
  for (const auto& one : cases) EXPECT_EQ(checked_by(one.link, one.term), one.key) << one.link;
}

TEST(Accuracy, EveryFigureNamesAHeadingOfThePage) {
  const std::vector<AccuracyFigure> figures = shipped_figures();
  EXPECT_GE(figures.size(), 15u);
  const std::string_view anchors[] = {"weights", "kv", "activations", "runtime", "llamacpp", "training", "speed"};
  for (const AccuracyFigure& figure : figures) {
    EXPECT_NE(std::find(std::begin(anchors), std::end(anchors), figure.anchor()), std::end(anchors)) << figure.key;
    EXPECT_GT(figure.count, 0) << figure.key;
    EXPECT_LE(figure.median, figure.p90) << figure.key;
  }
}

TEST(Accuracy, IsSaidWithThePluralAndTwoDigitsThatCount) {
  const auto said = [](std::int64_t count, Tongue tongue) {
    return accuracy_sentence({"weights.weights", count, 0.00027, 0.013}, Language(all_strings(), tongue));
  };
  EXPECT_EQ(said(81, Tongue::en), "Checked on 81 published measurements: median error 0.03%, nine of ten within 1.3%.");
  EXPECT_EQ(said(1, Tongue::en).substr(0, 35), "Checked on 1 published measurement:");
  EXPECT_NE(accuracy_sentence({"llamacpp.kv", 214, 0, 4e-6}, Language(all_strings(), Tongue::en))
                .find("median error 0%, nine of ten within 0.01%"),
            std::string::npos);
  EXPECT_NE(said(81, Tongue::ru).find("с 81 опубликованным измерением"), std::string::npos);
  EXPECT_NE(said(74, Tongue::ru).find("с 74 опубликованными измерениями"), std::string::npos);
  EXPECT_NE(said(74, Tongue::kk).find("74\u00a0өлшеу нәтижесімен"), std::string::npos);
}

TEST(Accuracy, WhatIsNoTableIsNoFigure) {
  for (const char* text : {"", "[]", "{\"a\": 1}", "{\"a\": [1, 2]}", "{\"a\": [1, \"x\", 2]}"}) {
    EXPECT_TRUE(accuracy_from_json(text).empty()) << text;
  }
}

}  // namespace
}  // namespace vram
