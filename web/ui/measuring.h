// Calculated, then measured: a start-up log beside the plan, where it comes from, and its use in the plan.
#pragma once
#include <vector>

#include "core/units/json.h"
#include "web/ui/session.h"

namespace ui {

/// The log beside what is calculated; nothing without a log.
std::vector<vram::Section> measured_sections(const Session& session);

bool may_use_measured(const Session& session);   ///< the log has what a plan can take instead of its own estimates
bool uses_measured(const Session& session);
void use_measured(Session& session);
void drop_measured(Session& session);

/// The tab: buttons, then the comparison.
void draw_measured(Session& session, Column& column);
/// The text version's field for a log, and the same buttons.
vram::Json paste_json(const Session& session);

}  // namespace ui
