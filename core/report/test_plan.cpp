#include "core/report/test_plan.h"

#include <algorithm>

#include "core/plan/training/entries.h"
#include "core/report/advise.h"
#include "core/report/sections.h"

namespace vram {
namespace {

constexpr std::string_view kNothing = "\xE2\x80\x94";

/// Seconds of an optimizer step, from the time of the whole job: "3.1–4.4".
std::string step_seconds(const Inputs& inputs, const Plan& plan, const speed::TrainingTime& time,
                         const Language& language) {
  const Scenario& scenario = inputs.scenario;
  const double copies = training_settings(inputs, plan.devices).split.data;
  const double tokens = copies * static_cast<double>(scenario.micro_batch * scenario.accumulation * scenario.sequence);
  if (!(time.tokens_a_second > 0) || !(time.hours > 0)) return std::string(kNothing);
  const double likely = tokens / time.tokens_a_second;
  return rate_range(likely * time.hours_low / time.hours, likely * time.hours_high / time.hours, language);
}

/// "vLLM 0.11"; any server when no engine was chosen.
std::string engine_words(const Inputs& inputs, const Plan& plan, const Language& language) {
  const Deployment& deployment = inputs.scenario.deployments.front();
  const EngineId engine = plan.placed.empty() ? EngineId::generic : plan.placed.front().engine;
  std::string name(engine_name(engine));
  if (name.empty()) return language.word("test_plan.any_engine");
  return deployment.engine_version.empty() ? name : name + " " + deployment.engine_version;
}

std::vector<std::string> steps(const Inputs& inputs, const Plan& plan, const Language& language) {
  const Scenario& scenario = inputs.scenario;
  const Deployment& deployment = scenario.deployments.front();
  std::vector<std::string> said;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    said.push_back(language.text(
        Message("test_plan.checkpoint")
            .with("model", inputs.models[i].name)
            .with("weights", MessageKey{"choice.weights." + scenario.deployments[i].weights})));
  }
  if (trains(scenario)) {
    said.push_back(language.text(Message("test_plan.job")
                                     .with("framework", MessageKey{"training_framework." + scenario.framework})
                                     .with("count", scenario.devices)
                                     .with("gpu", inputs.accelerator.name)));
    said.push_back(language.text(Message("test_plan.train_load")
                                     .with("sequence", scenario.sequence)
                                     .with("batch", scenario.micro_batch)));
    said.push_back(language.word("test_plan.resume"));
    return said;
  }
  said.push_back(language.text(Message("test_plan.engine")
                                   .with("engine", engine_words(inputs, plan, language))
                                   .with("count", scenario.devices)
                                   .with("gpu", inputs.accelerator.name)
                                   .with("split", language.text(split_words(plan.placed.empty() ? Split{} : plan.placed.front().split)))));
  said.push_back(language.text(Message("test_plan.normal")
                                   .with("users", deployment.users)
                                   .with("input", std::max<std::int64_t>(0, deployment.context - deployment.answer))
                                   .with("answer", std::min(deployment.answer, deployment.context))));
  const bool has_peak = deployment.peak_users > deployment.users;
  said.push_back(language.text(Message(has_peak ? "test_plan.peak" : "test_plan.peak_same")
                                   .with("users", std::max(deployment.users, deployment.peak_users))
                                   .with("context", deployment.context)));
  said.push_back(language.word("test_plan.restart"));
  return said;
}

}  // namespace

Section test_plan(const Inputs& inputs, const Plan& plan, const Language& language,
                  const std::optional<speed::Speed>& speed, const std::optional<speed::TrainingTime>& time) {
  const Scenario& scenario = inputs.scenario;
  Section section{.heading = language.word("test_plan.heading"),
                  .paragraphs = steps(inputs, plan, language),
                  .table = {}};
  Table& table = section.table;
  table.caption = language.word("test_plan.caption");
  table.head = {language.word("test_plan.record"), language.word("test_plan.calculated")};
  const bool training = trains(scenario);
  constexpr std::string_view kServing[] = {"at_start", "at_normal", "at_peak", "at_restart"};
  constexpr std::string_view kTraining[] = {"at_start", "at_training", "at_saving", "at_resuming"};
  for (std::size_t i = 0; i < 4; ++i) {
    table.head.push_back(language.word("test_plan." + std::string(training ? kTraining[i] : kServing[i])));
  }
  const auto add = [&](std::string what, std::string calculated) {
    table.rows.push_back({std::move(what), std::move(calculated), "", "", "", ""});
  };
  const std::string memory_of = language.word("test_plan.memory_of") + " ";
  for (const DeviceGroup group : alike_devices(plan)) {
    add(memory_of + device_name(group), language.memory_range(plan.of(group.first)));
    if (plan.training) {
      add(language.text(Message("test_plan.driver_shows_job").with("devices", device_name(group))),
          language.memory_range(plan.training->shown));
    }
    const Bytes left = reserved(plan.ledger, group.first);  // the ledger's: an engine fills the rest with its pool
    if (left == Bytes(0)) continue;
    add(language.text(Message("test_plan.driver_shows").with("devices", device_name(group))),
        "\xE2\x89\x88\xC2\xA0" + language.memory(plan.usable(group.first) - left));
  }
  if (plan.of(kHost).likely > Bytes(0)) {
    add(memory_of + language.word("report.host"), language.memory_range(plan.of(kHost)));
  }
  const auto aim = [&](std::string_view key, double wanted, const speed::Band* band) {
    std::string text = band != nullptr ? rate_range(band->low, band->high, language) : "";
    if (wanted > 0) text += (text.empty() ? "" : "; ") + language.text(Message(key).with("value", wanted));
    return text;
  };
  if (training) {
    add(language.word("test_plan.step_time"),
        time ? step_seconds(inputs, plan, *time, language) : std::string(kNothing));
    add(language.word("test_plan.loss"), std::string(kNothing));
  } else {
    const speed::Band* const first_token = speed ? &speed->first_token : nullptr;
    const speed::Band* const per_user = speed ? &speed->per_user : nullptr;
    add(language.word("test_plan.first_token"), aim("test_plan.at_most", scenario.want_first_token_s, first_token));
    add(language.word("test_plan.tokens_s"), aim("test_plan.at_least", scenario.want_tokens_s, per_user));
  }
  add(language.word(training ? "test_plan.failed_steps" : "test_plan.errors"), language.number(std::int64_t{0}));
  return section;
}

}  // namespace vram
