// Every entry of a training plan can be evaluated again from its derivation, in numbers a reader can follow.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "core/plan/training/training.h"
#include "core/plan/training/formulas.h"
#include "tests/unit/plan/sample.h"

namespace vram {
namespace {

/// A second, independent reading of an expression: sums of products of names, numbers, min, parentheses.
class Reading {
 public:
  Reading(std::string_view expression, const Derivation& derivation) : rest_(expression) {
    for (const NamedValue& value : derivation.values) values_[std::string(value.name)] = value.value;
  }
  double sum() {
    double value = product();
    for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
      take();
      value += (sign == '+' ? 1 : -1) * product();
    }
    return value;
  }
  bool complete() { return peek() == 0 && missing_.empty(); }
  std::string missing() const { return missing_; }

 private:
  char peek() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  void take() { rest_.remove_prefix(1); }
  double product() {
    double value = factor();
    for (char sign = peek(); sign == '*' || sign == '/'; sign = peek()) {
      take();
      const double other = factor();
      value = sign == '*' ? value * other : value / other;
    }
    return value;
  }
  double factor() {
    if (peek() == '(') return inside();
    std::string word;
    for (char c = peek(); (c >= 'a' && c <= 'z') || c == '_' || c == '.' || (c >= '0' && c <= '9');
         c = rest_.empty() ? '\0' : rest_.front()) {
      word += c;
      take();
    }
    if (word == "min") {
      peek();
      take();
      const double a = sum();
      peek();
      take();
      const double b = sum();
      peek();
      take();
      return std::min(a, b);
    }
    if (!word.empty() && word.front() >= '0' && word.front() <= '9') return std::strtod(word.c_str(), nullptr);
    const auto found = values_.find(word);
    if (found == values_.end()) missing_ = word;
    return found == values_.end() ? 0 : found->second;
  }
  double inside() {
    take();
    const double value = sum();
    peek();
    take();
    return value;
  }

  std::string_view rest_;
  std::map<std::string, double> values_;
  std::string missing_;
};

const Formula* find_training_formula(std::string_view key) {
  for (const Formula& formula : training_formulas()) {
    if (formula.key == key) return &formula;
  }
  return nullptr;
}

void expect_evaluates(const TrainingEntry& entry) {
  const Formula* formula = find_training_formula(entry.derivation.formula);
  ASSERT_NE(formula, nullptr) << entry.derivation.formula;
  Reading reading(formula->expression, entry.derivation);
  const double value = reading.sum();
  EXPECT_TRUE(reading.complete()) << formula->key << " lacks " << reading.missing();
  const double likely = static_cast<double>(entry.likely.value());
  EXPECT_NEAR(value, likely, std::max(2.0, likely * 1e-9)) << formula->key << " of " << term_key(entry.term);
}

std::vector<TrainingSettings> many_kinds() {
  std::vector<TrainingSettings> all;
  TrainingSettings s;
  s.micro_batch = 2;
  s.sequence = 2048;
  for (int framework = 0; framework < static_cast<int>(TrainingFramework::count_); ++framework) {
    for (const TrainingMethod method :
         {TrainingMethod::full, TrainingMethod::lora, TrainingMethod::qlora, TrainingMethod::dora}) {
      for (const Recompute recompute :
           {Recompute::none, Recompute::selective, Recompute::full, Recompute::full_offload}) {
        TrainingSettings one = s;
        one.framework = static_cast<TrainingFramework>(framework);
        one.method = method;
        one.weights = method == TrainingMethod::qlora ? FormatId::nf4 : FormatId::bf16;
        one.recompute = recompute;
        one.attention = recompute == Recompute::none ? AttentionKernel::eager : AttentionKernel::flash_attention;
        all.push_back(one);
        one.split.data = 8;
        one.split.fsdp = Fsdp::full_shard;
        all.push_back(one);
        one.split.fsdp = Fsdp::none;
        one.split.zero = ZeroStage::three;
        one.split.offload_optimizer = one.split.offload_parameters = recompute == Recompute::full;
        one.objective = TrainingObjective::dpo;
        all.push_back(one);
        one.split = {};
        one.split.tensor = 2;
        one.split.pipeline = 2;
        one.split.virtual_stages = recompute == Recompute::full ? 2 : 1;
        one.objective = method == TrainingMethod::full ? TrainingObjective::grpo : TrainingObjective::sft;
        all.push_back(one);
      }
    }
  }
  return all;
}

TEST(TrainingFormulas, EveryEntryIsWhatItsDerivationGives) {
  const Model model = sample::dense(sample::kLlama8B);
  std::set<std::string_view> used;
  for (const TrainingSettings& settings : many_kinds()) {
    const TrainingPlan plan = plan_training(model, settings, Count(80) * kGiB);
    for (const auto* entries : {&plan.entries, &plan.host, &plan.outside}) {
      for (const TrainingEntry& entry : *entries) {
        expect_evaluates(entry);
        EXPECT_LE(entry.low, entry.likely) << term_key(entry.term);
        EXPECT_LE(entry.likely, entry.high) << term_key(entry.term);
        used.insert(entry.derivation.formula);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(used.size(), 22u);
}

TEST(TrainingFormulas, EveryFormulaNamesItsSource) {
  std::set<std::string_view> keys;
  for (const Formula& formula : training_formulas()) {
    EXPECT_FALSE(formula.source.empty()) << formula.key;
    EXPECT_TRUE(keys.insert(formula.key).second) << formula.key << " stands twice";
    EXPECT_EQ(find_formula(formula.key) == nullptr || find_formula(formula.key) == &formula, true) << formula.key;
  }
}

}  // namespace
}  // namespace vram
