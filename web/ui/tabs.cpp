#include "web/ui/tabs.h"

#include <array>

#include "core/advise/rule_of_thumb.h"
#include "core/report/advise.h"
#include "core/report/help.h"
#include "core/report/sections.h"
#include "web/ui/measuring.h"

namespace ui {
namespace {

using Sections = std::vector<vram::Section>;

constexpr std::array<std::string_view, static_cast<std::size_t>(Tab::count_)> kKeys = {
    "memory", "limits", "buying", "beside", "room", "start", "comparison", "reference", "letter", "help"};

void add(Sections& sections, vram::Section section) {
  if (!section.empty()) sections.push_back(std::move(section));
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

/// Beside the limits: normal use and peak, speed, agreed growth, what moves the answer.
Sections limit_sections(const Session& session, const vram::Language& language) {
  const Answered& answered = *session.answered;
  Sections sections;
  if (const auto plans = vram::normal_and_peak(answered.inputs)) {
    add(sections, vram::normal_and_peak_section(answered.inputs, *plans, language));
  }
  for (vram::Section& section : vram::advice_sections(answered.inputs, answered.plan, session.library, language)) {
    add(sections, std::move(section));
  }
  return sections;
}

Sections start_sections(const Session& session, const vram::Language& language) {
  const Answered& answered = *session.answered;
  Sections sections;
  for (vram::Section& section : vram::start_sections(answered.inputs, answered.plan, language)) {
    add(sections, std::move(section));
  }
  add(sections, vram::support_section(answered.inputs, answered.plan, language));
  add(sections, session.test_plan());
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
    case Tab::room: return vram::room_sections(session.answered->inputs, session.library.platforms, language);
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
