// The answer to a training job: its settings, its phases, and the three numbers people meet in its logs.
#include <algorithm>
#include <utility>

#include "core/plan/training/entries.h"
#include "core/report/sections.h"

namespace vram {
namespace {

constexpr std::string_view kDash = "\xE2\x80\x93";

std::string shown_value(const Scenario& scenario, const Field& field, const Language& language) {
  const Value value = get(scenario, field);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return language.number(*whole);
  if (const auto* real = std::get_if<double>(&value)) {
    const bool is_whole = static_cast<double>(static_cast<std::int64_t>(*real)) == *real;
    return is_whole ? language.number(static_cast<std::int64_t>(*real)) : language.number(*real, 2);
  }
  return language.word(field.words_of(std::get<std::string>(value)));
}

/// How states are divided, in the words of the field "shard".
std::string_view shard_of(const TrainingParallelism& split) {
  if (split.fsdp != Fsdp::none) return "fsdp";
  constexpr std::string_view kStages[] = {"no", "zero1", "zero2", "zero3"};
  return kStages[static_cast<std::size_t>(split.zero)];
}

Band sum_of(const TrainingPlan& job, TrainingPhase phase, Category category) {
  Band band;
  for (const TrainingEntry& entry : job.entries) {
    if (entry.phase != phase || category_of(entry.term) != category) continue;
    band.low += entry.low;
    band.likely += entry.likely;
    band.high += entry.high;
  }
  return band;
}

std::vector<Category> categories_of(const TrainingPlan& job) {
  std::vector<Category> used;
  for (int i = 0; i < static_cast<int>(Category::count_); ++i) {
    const auto category = static_cast<Category>(i);
    const bool anywhere = std::any_of(job.entries.begin(), job.entries.end(), [&](const TrainingEntry& entry) {
      return category_of(entry.term) == category && entry.likely > Bytes(0);
    });
    if (anywhere) used.push_back(category);
  }
  return used;
}

}  // namespace

Section training_scenario_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  const Scenario& scenario = inputs.scenario;
  Section section{.heading = language.word("report.scenario"), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  section.table.head = {language.word("report.field"), language.word("report.value")};
  const auto row = [&](std::string name, std::string value) {
    section.table.rows.push_back({std::move(name), std::move(value)});
  };
  row(language.word("field.model"), inputs.models.front().name);
  row(language.word("field.task"), language.word("choice.task." + scenario.task));
  for (const Field& field : fields()) {
    if (field.group != Group::training || !field.shown(scenario)) continue;
    row(language.word("field." + std::string(field.key)), shown_value(scenario, field, language));
  }
  const TrainingParallelism split = training_settings(inputs, plan.devices).split;
  row(language.word("report.split"),
      language.text(Message("report.training_split")
                        .with("copies", std::int64_t{split.data})
                        .with("tensor", std::int64_t{split.tensor})
                        .with("stages", std::int64_t{split.pipeline})
                        .with("parts", std::int64_t{split.context})
                        .with("states", MessageKey{"choice.shard." + std::string(shard_of(split))})));
  row(language.word("field.gpu"), cards_name(inputs, language));
  row(language.word("report.memory_of_one"), accelerator_memory(inputs.accelerator, language));
  return section;
}

Section phases_section(const Plan& plan, const Language& language) {
  const TrainingPlan& job = *plan.training;
  Section section{.heading = language.word("report.phases"),
                  .paragraphs = {language.word("report.phases_are_not_added")},
                  .table = {}};
  Table& table = section.table;
  table.caption = section.heading + ", " + language.memory_unit();
  table.head = {language.word("report.phase")};
  const std::vector<Category> categories = categories_of(job);
  for (const Category category : categories) {
    table.head.push_back(language.word("category." + std::string(category_key(category))));
  }
  table.head.push_back(language.word("report.total"));
  table.head.push_back(language.word("report.band"));
  for (int i = 0; i < static_cast<int>(TrainingPhase::count_); ++i) {
    const auto phase = static_cast<TrainingPhase>(i);
    const Band band = job.of(phase);
    if (band.likely == Bytes(0)) continue;
    std::string name = language.word("training_phase." + std::string(key_of(phase)));
    if (phase == job.fullest) name = language.text(Message("report.fullest_phase").with("phase", name));
    std::vector<std::string> row{std::move(name)};
    for (const Category category : categories) row.push_back(language.memory_number(sum_of(job, phase, category).likely));
    row.push_back(language.memory_number(band.likely));
    row.push_back(language.memory_number(band.low) + std::string(kDash) + language.memory_number(band.high));
    table.rows.push_back(std::move(row));
  }
  return section;
}

Section shown_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  const TrainingPlan& job = *plan.training;
  Section section{.heading = language.word("report.shown"), .paragraphs = {}, .table = {}};
  section.paragraphs.push_back(language.word("report.shown_" + inputs.scenario.segments));
  if (plan.of(kHost).likely > Bytes(0)) {
    section.paragraphs.push_back(
        language.text(Message("report.training_host").with("bytes", plan.of(kHost).likely)));
  }
  Table& table = section.table;
  table.caption = section.heading;
  table.head = {language.word("report.figure"), language.word("report.memory")};
  const auto row = [&](std::string_view key, const Band& band) {
    table.rows.push_back({language.word(key), language.memory_range(band)});
  };
  row("report.steady", job.steady);
  row("report.allocated", job.allocated);
  // Each band was fitted to its own measurements; the reader sees the part of one that the other allows.
  Bytes context;
  for (const TrainingEntry& entry : job.outside) {
    if (entry.term == Term::runtime) context += entry.low;
  }
  const Bytes most = std::max(job.reserved.likely, job.shown.high - context);
  row("report.reserved", {job.reserved.low, job.reserved.likely, std::min(job.reserved.high, most)});
  row("report.nvidia_smi", job.shown);
  table.rows.push_back({language.word("report.needed"), language.memory(job.needed)});
  return section;
}

std::vector<std::string> training_limit_sentences(const Inputs& inputs, const Limits& limits,
                                                  const Language& language) {
  const Scenario& scenario = inputs.scenario;
  std::vector<std::string> sentences;
  if (limits.longest_sequence > 0) {
    sentences.push_back(language.text(
        Message(limits.sequence_is_models_own ? "limit.sequence_models_own" : "limit.sequence")
            .with("micro", scenario.micro_batch)
            .with("tokens", language.number(limits.longest_sequence))));
  }
  if (limits.most_micro_batch > 0) {
    sentences.push_back(language.text(
        Message(limits.micro_batch_at_field_limit ? "limit.micro_batch_more_than" : "limit.micro_batch")
            .with("micro", limits.most_micro_batch)
            .with("tokens", language.number(scenario.sequence))));
  }
  if (sentences.empty()) sentences.push_back(language.word("limit.no_training_fits"));
  return sentences;
}

}  // namespace vram
