#include "web/ui/tabs.h"

#include <array>

#include "core/advise/facility_plan.h"
#include "core/advise/growth.h"
#include "core/advise/rule_of_thumb.h"
#include "core/advise/sensitivity.h"
#include "core/report/advise.h"
#include "core/report/help.h"
#include "core/report/sections.h"
#include "core/report/test_plan.h"
#include "web/ui/measuring.h"

namespace ui {
namespace {

using Sections = std::vector<vram::Section>;

constexpr std::array<std::string_view, static_cast<std::size_t>(Tab::count_)> kKeys = {
    "memory", "limits", "buying", "beside", "room", "start", "comparison", "reference", "letter", "help"};

void add(Sections& sections, vram::Section section) {
  if (!section.paragraphs.empty() || !section.table.rows.empty()) sections.push_back(std::move(section));
}

/// Beside the ledger: where things lie, what the usual rules say.
Sections memory_sections(const Session& session, const vram::Language& language) {
  const Answered& answered = *session.answered;
  Sections sections;
  if (answered.plan.training) add(sections, vram::shown_section(answered.inputs, answered.plan, language));
  add(sections, vram::placement_section(answered.inputs, answered.plan, language));
  add(sections, vram::rules_section(vram::rules_of_thumb(answered.inputs, answered.plan), language));
  return sections;
}

/// Beside the limits: normal use and peak, agreed growth, what moves the answer.
Sections limit_sections(const Session& session, const vram::Language& language) {
  const Answered& answered = *session.answered;
  Sections sections;
  if (auto sentence = vram::workload_sentence(answered.inputs, session.library.platforms.interconnect, language)) {
    add(sections, {language.word("field.rate"), {*std::move(sentence)}, {}});
  }
  if (const auto plans = vram::normal_and_peak(answered.inputs)) {
    add(sections, vram::normal_and_peak_section(answered.inputs, *plans, language));
  }
  if (const auto growth = vram::plan_growth(answered.inputs)) {
    add(sections, {language.word("growth.title"), vram::growth_sentences(answered.inputs, *growth, language), {}});
  }
  vram::Scenario as_stored = answered.inputs.scenario;
  for (vram::Deployment& deployment : as_stored.deployments) deployment.weights = "stored";
  if (const auto stored = vram::resolve(as_stored, session.library)) {
    const auto moved = vram::sensitivity(answered.inputs, answered.plan, session.library, stored.value().models);
    add(sections, {language.word("sensitivity.title"), vram::sensitivity_sentences(moved, 3, language), {}});
  }
  add(sections, vram::speed_section(answered.inputs, answered.plan, session.library.platforms.interconnect, language));
  return sections;
}

Sections room_sections(const Session& session, const vram::Language& language) {
  const vram::Inputs& inputs = session.answered->inputs;
  const auto plan = vram::plan_facility(inputs, session.library.platforms);
  if (!plan) return {{"", {language.text(plan.error())}, {}}};
  const auto rack = vram::rack_answer(inputs, plan.value(), session.library.platforms.facility);
  return vram::facility_sections(plan.value(), rack, language);
}

Sections start_sections(const Session& session, const vram::Language& language) {
  const Answered& answered = *session.answered;
  Sections sections;
  add(sections, vram::start_section(answered.inputs, answered.plan, language));
  add(sections, vram::support_section(answered.inputs, answered.plan, language));
  add(sections, vram::test_plan(answered.inputs, answered.plan, language));
  return sections;
}

Sections reference_sections(const Session& session, const vram::Language& language) {
  const bool listed = session.scenario.accelerator != "custom";
  return {vram::reference_section(session.library, listed ? session.scenario.accelerator : "h100-sxm", language)};
}

Sections made(const Session& session, Tab tab) {
  const vram::Language language = session.language();
  switch (tab) {
    case Tab::memory: return memory_sections(session, language);
    case Tab::limits: return limit_sections(session, language);
    case Tab::room: return room_sections(session, language);
    case Tab::start: return start_sections(session, language);
    case Tab::comparison: return measured_sections(session);
    case Tab::help: return vram::help_sections(language);
    case Tab::reference: return reference_sections(session, language);
    default: return {};
  }
}

}  // namespace

std::vector<Tab> tabs_of(const Session& session) {
  std::vector<Tab> shown{Tab::memory, Tab::limits, Tab::buying, Tab::beside, Tab::room, Tab::start};
  if (!session.answered->plan.training) shown.push_back(Tab::comparison);
  shown.push_back(Tab::reference);
  shown.push_back(Tab::letter);
  shown.push_back(Tab::help);
  return shown;
}

std::string_view tab_key(Tab tab) { return kKeys[static_cast<std::size_t>(tab)]; }

const std::vector<vram::Section>& sections_of(Session& session, Tab tab) {
  auto& kept = session.answered->sections[static_cast<std::size_t>(tab)];
  if (!kept) kept = made(session, tab);
  return *kept;
}

}  // namespace ui
