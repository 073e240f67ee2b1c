// How fast a plan is, in words.
#include <cmath>

#include "core/advise/performance.h"
#include "core/report/advise.h"

namespace vram {
namespace {

constexpr std::string_view kDash = "\xE2\x80\x93";

std::string with_unit(std::string number, std::string_view unit, const Language& language) {
  return std::move(number) + "\xC2\xA0" + language.word(unit);
}

/// "26 (20–34)"
std::string band_text(const speed::Band& band, const Language& language) {
  return rate_text(band.likely, language) + " (" + rate_range(band.low, band.high, language) + ")";
}

Section empty_table(const Language& language) {
  Section section{.heading = language.word("advise.speed"), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  section.table.head = {language.word("report.figure"), language.word("report.value")};
  return section;
}

Section training_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  Section section = empty_table(language);
  const std::optional<speed::TrainingTime> time = job_time(inputs, plan);
  if (!time) {
    section.paragraphs.push_back(language.text(Message("speed.no_bandwidth").with("gpu", inputs.accelerator.name)));
    return section;
  }
  const auto row = [&](std::string_view key, std::string value) {
    section.table.rows.push_back({language.word(key), std::move(value)});
  };
  row("advise.job_hours",
      with_unit(band_text({time->hours_low, time->hours, time->hours_high}, language), "advise.unit.hours", language));
  row("advise.job_tokens", with_unit(language.number(std::int64_t{std::llround(time->tokens_a_second)}),
                                     "speed.unit.tokens_per_second", language));
  if (time->energy_kwh) {
    row("advise.job_energy", with_unit(rate_text(*time->energy_kwh, language), "facility.unit.kwh", language));
  }
  if (!time->share_is_measured) {
    section.paragraphs.push_back(
        language.text(Message("advise.job_not_measured").with("gpu", inputs.accelerator.name)));
  }
  return section;
}

}  // namespace

std::string range_text(double low, double high, int decimals, const Language& language) {
  const std::string from = language.number(low, decimals), to = language.number(high, decimals);
  return from == to ? from : from + std::string(kDash) + to;
}

std::string rate_text(double value, const Language& language) {
  return language.number(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2);
}

std::string rate_range(double low, double high, const Language& language) {
  const std::string from = rate_text(low, language), to = rate_text(high, language);
  return from == to ? from : from + std::string(kDash) + to;
}

std::vector<std::string> pace_sentences(const Plan& plan, const std::optional<speed::Speed>& speed,
                                        const std::optional<speed::TrainingTime>& time, const Language& language) {
  std::vector<std::string> lines;
  if (time) {
    lines.push_back(language.text(Message("page.job_takes")
                                      .with("low", language.number(time->hours_low, 1))
                                      .with("high", language.number(time->hours_high, 1))));
    if (time->energy_kwh) {
      lines.push_back(language.text(Message("page.job_energy").with("kwh", rate_text(*time->energy_kwh, language))));
    }
  }
  if (!speed || plan.verdict == Verdict::does_not_fit) return lines;
  const auto range = [&](const speed::Band& band) { return rate_range(band.low, band.high, language); };
  lines.push_back(language.text(
      Message("page.speed_user").with("rate", range(speed->per_user)).with("total", range(speed->total))));
  lines.push_back(language.text(Message("page.speed_first").with("seconds", range(speed->first_token))));
  const speed::Limit limit = speed->limit();
  lines.push_back(language.text(
      Message("page.speed_limit")
          .with("cause", MessageKey{"speed.cause." + std::string(speed::cause_key(limit.cause))})
          .with("percent", language.number(limit.share * 100, 0))));
  return lines;
}

Section speed_section(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                      const Language& language) {
  if (plan.training) return training_section(inputs, plan, language);
  Section section = empty_table(language);
  std::optional<speed::Speed> first;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const Result<speed::Speed> speed = performance(inputs, plan, interconnect, i);
    if (!speed) {
      section.paragraphs.push_back(language.text(speed.error()));
      continue;
    }
    const speed::Speed& fast = speed.value();
    if (!first) first = fast;
    const std::string model = inputs.models.size() > 1 ? inputs.models[i].name + ": " : "";
    const auto row = [&](std::string_view key, const speed::Band& band, std::string_view unit) {
      section.table.rows.push_back({model + language.word(key), with_unit(band_text(band, language), unit, language)});
    };
    row("speed.first_token", fast.first_token, "speed.unit.seconds");
    row("speed.per_user", fast.per_user, "speed.unit.tokens_per_second");
    row("speed.total", fast.total, "speed.unit.tokens_per_second");
    if (fast.requests_per_second > 0) {
      section.table.rows.push_back({model + language.word("speed.requests"),
                                    rate_text(fast.requests_per_second, language)});
    }
    const speed::Load load = speed_case(inputs, plan, interconnect, i).load;
    section.paragraphs.push_back(language.text(Message("advise.request")
                                                   .with("input", std::int64_t{std::llround(load.input_tokens)})
                                                   .with("answer", std::int64_t{std::llround(load.output_tokens)})
                                                   .with("users", inputs.scenario.deployments[i].users)));
    for (const Message& note : fast.notes) section.paragraphs.push_back(language.text(note));
  }
  if (const auto holding = bottleneck(inputs, plan, first)) {
    section.paragraphs.push_back(language.text(holding->message));
    const bool of_speed = first && holding->holding != Holding::memory;
    const std::string cause(of_speed ? speed::cause_key(first->limit().cause) : std::string_view());
    if (of_speed) section.paragraphs.push_back(language.word("speed.cause_hint." + cause));
  }
  if (const auto sentence = workload_sentence(inputs, interconnect, language)) section.paragraphs.push_back(*sentence);
  return section;
}

std::optional<std::string> workload_sentence(const Inputs& inputs, const Interconnect& interconnect,
                                             const Language& language) {
  const std::optional<Workload> found = workload(inputs, interconnect);
  if (!found) return std::nullopt;
  return language.text(Message(found->saturated ? "workload.saturated" : "workload.little")
                           .with("rate", rate_text(found->requests_a_second * 60, language))
                           .with("seconds", rate_text(found->seconds, language))
                           .with("at_once", rate_text(found->at_once, language))
                           .with("users", found->users));
}

std::vector<std::string> growth_sentences(const Inputs& inputs, const Growth& growth, const Language& language) {
  const Deployment& then = growth.then.scenario.deployments.front();
  std::vector<std::string> sentences;
  sentences.push_back(language.text(Message(growth.holds ? "growth.holds" : "growth.does_not_hold")
                                        .with("users", then.users)
                                        .with("context", language.number(then.context))
                                        .with("count", inputs.scenario.devices)
                                        .with("gpu", inputs.accelerator.name)));
  if (growth.holds) return sentences;
  if (growth.devices) {
    sentences.push_back(language.text(Message("growth.devices")
                                          .with("count", std::int64_t{*growth.devices})
                                          .with("gpu", inputs.accelerator.name)));
  } else {
    sentences.push_back(language.text(Message("limit.no_number_of_devices").with("gpu", inputs.accelerator.name)));
  }
  return sentences;
}

std::vector<std::string> sensitivity_sentences(const std::vector<Moved>& moved, std::size_t most,
                                               const Language& language) {
  std::vector<std::string> sentences;
  for (const Moved& one : moved) {
    if (sentences.size() == most) break;
    const Field* field = find_field(one.field);
    const Value moved_to = get(one.scenario, *field);
    const auto* whole = std::get_if<std::int64_t>(&moved_to);
    const std::string value = whole != nullptr ? language.number(*whole) : text_of(moved_to);
    const bool is_choice = field->kind == FieldKind::choice;
    sentences.push_back(language.text(Message(one.gib > 0 ? "sensitivity.more" : "sensitivity.less")
                                          .with("field", MessageKey{"field." + std::string(one.field)})
                                          .with("value", is_choice ? language.word(field->words_of(value)) : value)
                                          .with("memory", bytes_from_gib(std::abs(one.gib)))));
  }
  return sentences;
}

std::vector<Section> advice_sections(const Inputs& inputs, const Plan& plan, const Library& library,
                                     const Language& language) {
  const Interconnect& interconnect = library.platforms.interconnect;
  std::vector<Section> sections{speed_section(inputs, plan, interconnect, language)};
  if (!plan.training) {
    if (const Result<speed::Speed> speed = performance(inputs, plan, interconnect, 0)) {
      sections.push_back(speed_terms_section(speed.value(), language));
    }
  }
  if (const std::optional<Growth> growth = plan_growth(inputs)) {
    sections.push_back({language.word("growth.title"), growth_sentences(inputs, *growth, language), {}});
  }
  Scenario as_stored = inputs.scenario;
  for (Deployment& deployment : as_stored.deployments) deployment.weights = "stored";
  if (const Result<Inputs> stored = resolve(as_stored, library)) {
    const std::vector<Moved> moved = sensitivity(inputs, plan, library, stored.value().models);
    sections.push_back({.heading = language.word("sensitivity.title"),
                        .paragraphs = sensitivity_sentences(moved, 3, language),
                        .table = {},
                        .depth = true});
  }
  return sections;
}

}  // namespace vram
