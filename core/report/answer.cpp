// The answer: what page, text version, letter and command line say about a plan.
#include <algorithm>
#include <utility>

#include "core/report/sections.h"

namespace vram {
namespace {

constexpr std::string_view kDash = "\xE2\x80\x93";
constexpr const char* kTimes = "\xC2\xA0\xC3\x97\xC2\xA0";

/// "H100 80GB", "H100 80GB + 1 × L4": without the number of the first.
std::string all_cards(const Inputs& inputs, const Language& language) {
  std::string words = inputs.accelerator.name;
  for (const CardGroup& group : inputs.others) {
    words += " + " + language.number(std::int64_t{group.count}) + kTimes + group.card.name;
  }
  return words;
}

/// "29", without the sign.
std::string share_text(Bytes part, Bytes whole, const Language& language) {
  const double share = whole == Bytes(0) ? 0 : static_cast<double>(part.value()) / static_cast<double>(whole.value());
  return language.number(share * 100, 0);
}

std::string summary_of(const Plan& plan, const Language& language) {
  const Band fullest = plan.of(plan.fullest);
  const bool fits = plan.shortage() == Bytes(0);
  const Band free{plan.usable() - fullest.high, plan.headroom(), plan.usable() - fullest.low};
  const std::string least = share_text(free.low, plan.usable(), language);
  const std::string most = share_text(free.high, plan.usable(), language);
  const std::string share = least == most ? least : least + std::string(kDash) + most;
  const std::string percent = language.text(Message("report.percent").with("share", share));
  return language.text(Message(fits ? "report.summary" : "report.summary_short")
                           .with("used", language.memory_range(fullest))
                           .with("usable", plan.usable())
                           .with("free", language.memory_range(free))
                           .with("percent", percent)
                           .with("missing", plan.shortage()));
}

std::string format_name(const Language& language, std::string_view field, const std::string& choice) {
  return language.word("choice." + std::string(field) + "." + choice);
}

Section scenario_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  Section section{.heading = language.word("report.scenario"), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  section.table.head = {language.word("report.field"), language.word("report.value")};
  const auto row = [&](std::string_view key, std::string value) {
    section.table.rows.push_back({language.word(key), std::move(value)});
  };
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const Deployment& deployment = inputs.scenario.deployments[i];
    row("field.model", inputs.models[i].name);
    row("field.users", language.number(deployment.users));
    row("field.ctx", language.text(Message("report.tokens").with("n", deployment.context)));
    row("field.weights", format_name(language, "weights", deployment.weights));
    row("field.kv", format_name(language, "kv", deployment.kv));
    const Placed& placed = plan.placed[i];
    if (placed.engine != EngineId::generic) {
      row("field.engine", std::string(engine_name(placed.engine)) + " " +
                              version_in_force(placed.engine, deployment.engine_version));
    }
    row("report.split", language.text(split_words(placed.split)));
  }
  row("field.gpu", cards_name(inputs, language));
  row("report.memory_of_one", accelerator_memory(inputs.accelerator, language));
  return section;
}

Section devices_section(const Plan& plan, const Language& language) {
  Section section{.heading = language.word("report.devices"), .paragraphs = {}, .table = {}};
  Table& table = section.table;
  table.caption = section.heading + ", " + language.memory_unit();
  table.head = {language.word("report.device")};
  const std::vector<Category> categories = used_categories(plan.ledger);
  for (const Category category : categories) {
    table.head.push_back(language.word("category." + std::string(category_key(category))));
  }
  table.head.push_back(language.word("report.total"));
  table.head.push_back(language.word("report.band"));
  table.head.push_back(language.word("report.free"));
  const auto add_row = [&](std::string name, int device, bool has_budget) {
    std::vector<std::string> row{std::move(name)};
    for (const Category category : categories) {
      row.push_back(language.memory_number(total(plan.ledger, device, category).likely));
    }
    const Band band = plan.of(device);
    row.push_back(language.memory_number(band.likely));
    row.push_back(language.memory_number(band.low) + std::string(kDash) + language.memory_number(band.high));
    const Bytes missing = band.likely - plan.usable();
    row.push_back(!has_budget ? ""
                  : missing > Bytes(0) ? "\xE2\x88\x92" + language.memory_number(missing)
                                       : language.memory_number(plan.usable() - band.likely));
    table.rows.push_back(std::move(row));
  };
  for (const DeviceGroup group : alike_devices(plan)) add_row(device_name(group), group.first, true);
  if (plan.of(kHost).likely > Bytes(0)) add_row(language.word("report.host"), kHost, false);
  return section;
}

Section ledger_section(const Plan& plan, const Language& language) {
  Section section{.heading = language.text(Message("report.ledger").with("device", std::to_string(plan.fullest))),
                  .paragraphs = {},
                  .table = {}};
  Table& table = section.table;
  table.caption = section.heading;
  table.head = {language.word("report.term"), language.word("report.memory"), language.word("report.how_sure"),
                language.word("report.formula")};
  for (const Entry& entry : plan.ledger) {
    if (!entry.on(plan.fullest)) continue;
    table.rows.push_back({language.word("term." + std::string(term_key(entry.term))),
                          language.memory_range({entry.low, entry.likely, entry.high}),
                          language.word("certainty." + std::string(certainty_key(entry.certainty))),
                          explain(entry, language)});
  }
  return section;
}

std::vector<std::string> serving_limit_sentences(const Inputs& inputs, const Limits& limits,
                                                 const Language& language) {
  const Deployment& deployment = inputs.scenario.deployments.front();
  std::vector<std::string> sentences;
  if (inputs.models.front().generates && limits.longest_context > 0) {
    const bool own = limits.context_is_models_own;
    sentences.push_back(language.text(Message(own ? "limit.context_models_own" : "limit.context")
                                          .with("users", deployment.users)
                                          .with("context", language.number(limits.longest_context))));
  }
  if (limits.most_users > 0) {
    sentences.push_back(language.text(Message(limits.users_at_field_limit ? "limit.users_more_than" : "limit.users")
                                          .with("users", limits.most_users)
                                          .with("context", language.number(deployment.context))));
  }
  if (limits.longest_context == 0 && limits.most_users == 0) sentences.push_back(language.word("limit.nothing_fits"));
  return sentences;
}

}  // namespace

std::vector<Category> used_categories(const Ledger& ledger) {
  std::vector<Category> used;
  for (int i = 0; i < static_cast<int>(Category::count_); ++i) {
    const auto category = static_cast<Category>(i);
    const bool anywhere = std::any_of(ledger.begin(), ledger.end(), [&](const Entry& entry) {
      return entry.term != Term::reserve && category_of(entry.term) == category && entry.likely > Bytes(0);
    });
    if (anywhere) used.push_back(category);
  }
  return used;
}

std::string device_name(DeviceGroup group) {
  if (group.first == group.last) return "GPU " + std::to_string(group.first);
  return "GPU " + std::to_string(group.first) + std::string(kDash) + std::to_string(group.last);
}

Message split_words(const Split& split) {
  const bool layers = split.tensor_parallel > 1, stages = split.pipeline_parallel > 1;
  return Message(layers && stages ? "report.split_both"
                 : layers         ? "report.split_layers"
                 : stages         ? "report.split_stages"
                                  : "report.split_none")
      .with("tensor", std::int64_t{split.tensor_parallel})
      .with("stages", std::int64_t{split.pipeline_parallel});
}

std::string cards_name(const Inputs& inputs, const Language& language) {
  return language.number(inputs.scenario.devices) + kTimes + all_cards(inputs, language);
}

std::string accelerator_memory(const Accelerator& accelerator, const Language& language) {
  std::string line = language.text(Message("report.program_sees")
                                       .with("usable", accelerator.usable())
                                       .with("how", MessageKey{"usable_is." + std::string(usable_is_key(
                                                                                  accelerator.usable_is()))}));
  if (accelerator.driver_mib) {
    const Bytes driver = bytes_from(*accelerator.driver_mib * static_cast<double>(kMiB.value()));
    line += " \xC2\xB7 " + language.text(Message("report.driver_says").with("driver", driver));
  }
  if (accelerator.label_gb) {
    line += " \xC2\xB7 " + language.text(Message("report.label_says").with("label", *accelerator.label_gb));
  }
  return line;
}

std::vector<std::string> limit_sentences(const Inputs& inputs, const Limits& limits, const Language& language) {
  std::vector<std::string> sentences = trains(inputs.scenario) ? training_limit_sentences(inputs, limits, language)
                                                               : serving_limit_sentences(inputs, limits, language);
  if (limits.least_devices) {
    // Fewer may hold it than do not: another number is split another way.
    const Scenario& asked = inputs.scenario;
    const bool fits = trains(asked) || asked.deployments.size() > 1 || limits.most_users >= asked.deployments.front().users;
    const bool split = !fits && *limits.least_devices <= asked.devices;
    sentences.push_back(language.text(Message(split ? "limit.least_devices_split" : "limit.least_devices")
                                          .with("count", std::int64_t{*limits.least_devices})
                                          .with("gpu", inputs.accelerator.name)));
  } else {
    sentences.push_back(language.text(Message("limit.no_number_of_devices").with("gpu", inputs.accelerator.name)));
  }
  return sentences;
}

Headline headline(const Inputs& inputs, const Plan& plan, const Language& language) {
  const Message verdict = Message("verdict." + std::string(verdict_key(plan.verdict)))
                              .with("count", inputs.scenario.devices)
                              .with("gpu", all_cards(inputs, language));
  return {language.text(verdict), summary_of(plan, language)};
}

Answer answer(const Inputs& inputs, const Plan& plan, const Limits& limits, const Language& language,
              const std::vector<Fix>& fixes, std::vector<Section> advice) {
  Answer result{headline(inputs, plan, language), {}};
  if (plan.training) {
    result.sections.push_back(training_scenario_section(inputs, plan, language));
    result.sections.push_back(phases_section(plan, language));
    result.sections.push_back(shown_section(inputs, plan, language));
  } else {
    result.sections.push_back(scenario_section(inputs, plan, language));
  }
  result.sections.push_back(devices_section(plan, language));
  result.sections.push_back({.heading = language.word("report.limits"),
                             .paragraphs = limit_sentences(inputs, limits, language),
                             .table = {}});
  const auto add = [&](Section section) {
    if (!section.empty()) result.sections.push_back(std::move(section));
  };
  if (!fixes.empty()) add(fixes_section(plan, fixes, language));
  for (Section& section : advice) add(std::move(section));
  if (const auto plans = normal_and_peak(inputs)) add(normal_and_peak_section(inputs, *plans, language));
  result.sections.push_back(ledger_section(plan, language));
  add(placement_section(inputs, plan, language));
  add(support_section(inputs, plan, language));
  for (Section& section : start_sections(inputs, plan, language)) add(std::move(section));
  add(rules_section(rules_of_thumb(inputs, plan), language));
  if (!plan.notes.empty()) {
    Section notes{.heading = language.word("report.notes"), .paragraphs = {}, .table = {}};
    for (const Message& note : plan.notes) notes.paragraphs.push_back(language.text(note));
    result.sections.push_back(std::move(notes));
  }
  const std::string_view caution = plan.training ? "report.training_caution" : "report.caution";
  result.sections.push_back({.heading = language.word("report.caution_heading"),
                             .paragraphs = {language.word(caution)},
                             .table = {}});
  return result;
}

}  // namespace vram
