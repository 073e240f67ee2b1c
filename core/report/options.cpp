// What to buy, in words.
#include <array>
#include <utility>

#include "core/report/advise.h"

namespace vram {
namespace {

std::string unknown(const Language& language) { return language.word("facility.ask_supplier"); }

std::string pace_text(const Option& option, const Language& language) {
  if (option.hours) return rate_text(option.hours->likely, language) + "\xC2\xA0" + language.word("advise.unit.hours");
  return option.per_user ? rate_text(option.per_user->likely, language) : unknown(language);
}

std::string weights_text(const Option& option, const Language& language) {
  if (trains(option.scenario)) return "";
  return language.word("choice.weights." + option.scenario.deployments.front().weights);
}

std::string suggestion_text(const std::string& what, const Option& option, const Language& language) {
  return language.text(Message(trains(option.scenario) ? "options.suggested_job" : "options.suggested")
                           .with("what", what)
                           .with("name", option_name(option, language))
                           .with("weights", weights_text(option, language))
                           .with("free", language.percent(option.headroom_share))
                           .with("pace", pace_text(option, language)));
}

Section table_section(std::string_view heading, const std::vector<Option>& options, const Language& language) {
  Section section{.heading = language.word(heading), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  section.table.head = options_head(language);
  for (const Option& option : options) section.table.rows.push_back(option_row(option, language));
  return section;
}

}  // namespace

std::string option_name(const Option& option, const Language& language) {
  return language.number(std::int64_t{option.bought}) + "\xC2\xA0\xC3\x97\xC2\xA0" + option.gpu;
}

std::vector<std::string> options_head(const Language& language) {
  return {language.word("options.hardware"), language.word("field.weights"), language.word("field.kv"),
          language.word("report.split"),     language.word("options.free"),  language.word("options.pace"),
          language.word("options.total"),    language.word("speed.first_token"), language.word("options.power")};
}

std::vector<std::string> option_row(const Option& option, const Language& language) {
  const bool job = trains(option.scenario);
  const Deployment& deployment = option.scenario.deployments.front();
  const auto band = [&](const std::optional<speed::Band>& one) {
    return one ? rate_text(one->likely, language) : job ? std::string() : unknown(language);
  };
  std::string hardware = option_name(option, language);
  if (option.bought > option.devices) {
    hardware += " (" + language.text(Message("options.at_work").with("devices", std::int64_t{option.devices})) + ")";
  }
  return {std::move(hardware),
          weights_text(option, language),
          job ? std::string() : language.word("choice.kv." + deployment.kv),
          language.text(Message("options.split")
                            .with("copies", std::int64_t{option.split.replicas})
                            .with("tensor", std::int64_t{option.split.tensor_parallel})
                            .with("stages", std::int64_t{option.split.pipeline_parallel})),
          language.percent(option.headroom_share),
          pace_text(option, language),
          band(option.total),
          band(option.first_token_s),
          option.load_kw ? range_text(option.load_kw->low, option.load_kw->high, 1, language) : unknown(language)};
}

std::size_t column_of(OptionOrder order) {
  constexpr std::array<std::size_t, static_cast<std::size_t>(OptionOrder::count_)> kColumns = {0, 4, 5, 8};
  return kColumns[static_cast<std::size_t>(order)];
}

std::optional<std::string> slow_options_words(const OptionSearch& search, const Language& language) {
  const std::size_t slow = search.front().size() - search.readable_front().size();
  if (slow == 0) return std::nullopt;
  return language.text(Message("options.slow").with("count", static_cast<std::int64_t>(slow)));
}

std::vector<Section> options_sections(const OptionSearch& search, const Language& language, OptionSort sort) {
  Section named{.heading = language.word("options.suggestions"), .paragraphs = {}, .table = {}};
  const Suggestions suggestions = search.suggestions();
  // One that is named twice is told once, by both names.
  std::vector<std::pair<std::string, Option>> told;
  const auto name = [&](std::string_view key, const std::optional<Option>& option) {
    if (!option) return;
    for (auto& [what, known] : told) {
      if (!is_same(known, *option)) continue;
      what += " \xC2\xB7 " + language.word(key);
      return;
    }
    told.emplace_back(language.word(key), *option);
  };
  name("options.least", suggestions.least);
  name("options.balanced", suggestions.balanced);
  name("options.grows", suggestions.grows);
  for (const auto& [what, option] : told) {
    named.paragraphs.push_back(suggestion_text(what, option, language));
    for (const Message& note : option.notes) named.paragraphs.push_back("  " + language.text(note));
  }
  if (named.paragraphs.empty()) named.paragraphs.push_back(language.word("options.none"));
  std::vector<Section> sections{std::move(named)};
  if (search.progress() < 1) return sections;  // the others would change while they are read
  const std::vector<Option> makers = search.best_of_vendors();
  if (makers.size() > 1) sections.push_back(table_section("options.makers", makers, language));
  if (const std::vector<Option> all = search.readable_front(); !all.empty()) {
    sections.push_back(table_section("options.all", sorted(all, sort), language));
    if (const auto slow = slow_options_words(search, language)) sections.back().paragraphs.push_back(*slow);
  }
  Section out{.heading = language.word("options.ruled_out"), .paragraphs = {}, .table = {}};
  for (const RuledOut& one : search.ruled_out()) {
    out.paragraphs.push_back(one.gpu + ": " + language.text(one.reason));
  }
  if (!out.paragraphs.empty()) sections.push_back(std::move(out));
  for (std::size_t i = 1; i < sections.size(); ++i) sections[i].depth = true;
  return sections;
}

}  // namespace vram
