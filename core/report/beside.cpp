// What stands beside a plan: support of its formats, rules of thumb, fixes, and what starts it.
#include <utility>

#include "core/report/sections.h"

namespace vram {
namespace {

Section section_of(std::string_view heading, const Language& language) {
  Section section{.heading = language.word(heading), .paragraphs = {}, .table = {}};
  section.table.caption = section.heading;
  return section;
}

}  // namespace

Section support_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  Section section = section_of("report.support", language);
  section.depth = true;
  section.table.head = {language.word("field.model"), language.word("field.engine"),
                        language.word("report.support_level"), language.word("report.why"), language.word("report.source")};
  for (std::size_t i = 0; i < inputs.models.size() && !plan.training; ++i) {
    const Placed& placed = plan.placed[i];
    if (placed.engine == EngineId::generic) continue;
    const Support support = support_of(inputs, plan, i);
    section.table.rows.push_back(
        {inputs.models[i].name,
         std::string(engine_name(placed.engine)) + " " +
             version_in_force(placed.engine, inputs.scenario.deployments[i].engine_version),
         language.word("support_level." + std::string(support_key(support.level))), language.text(support.why),
         std::string(support.source)});
  }
  return section;
}

Section rules_section(const std::vector<RuleOfThumb>& rules, const Language& language) {
  Section section = section_of("report.rules", language);
  section.depth = true;
  section.table.head = {language.word("report.rule"), language.word("report.by_the_rule"),
                        language.word("report.by_the_plan"), language.word("report.why")};
  for (const RuleOfThumb& rule : rules) {
    section.table.rows.push_back({language.text(rule.rule), language.memory_range({rule.low, rule.low, rule.high}),
                                  language.memory(rule.real),
                                  language.text(rule.why)});
  }
  return section;
}

Section fixes_section(const Plan& plan, const std::vector<Fix>& fixes, const Language& language) {
  const bool is_short = plan.verdict == Verdict::does_not_fit;
  Section section = section_of(is_short ? "report.fixes" : "report.fixes_for_room", language);
  section.table.head = {language.word("report.fix"), language.word("report.fix_saves"),
                        language.word("report.fix_then"), language.word("report.fix_costs")};
  for (const Fix& fix : fixes) {
    std::string cost = language.text(fix.cost);
    if (fix.host > kGiB) cost += ". " + language.text(Message("report.fix_host").with("bytes", fix.host));
    section.table.rows.push_back({language.text(fix.what), language.memory(fix.saved),
                                  language.word("verdict_short." + std::string(verdict_key(fix.verdict))),
                                  std::move(cost)});
  }
  return section;
}

std::vector<Section> start_sections(const Inputs& inputs, const Plan& plan, const Language& language) {
  Section command = section_of("report.start", language), log = section_of("report.start_log", language);
  const std::size_t programs = plan.training ? 1 : inputs.models.size();
  for (std::size_t i = 0; i < programs; ++i) {
    const StartUp start = plan.training ? training_start_up(inputs, plan) : start_up(inputs, plan, i);
    command.lines.insert(command.lines.end(), start.lines.begin(), start.lines.end());
    for (const Message& note : start.notes) command.paragraphs.push_back(language.text(note));
    log.lines.insert(log.lines.end(), start.log.begin(), start.log.end());
  }
  log.depth = true;
  if (!log.lines.empty()) log.paragraphs.push_back(language.word("report.start_log_hint"));
  return {std::move(command), std::move(log)};
}

}  // namespace vram
