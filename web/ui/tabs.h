// The tabs under the answer: which there are, and the sections of those that are made of a report.
#pragma once
#include <vector>

#include "core/report/report.h"
#include "web/ui/session.h"

namespace ui {

std::vector<Tab> tabs_of(const Session& session);
std::string_view tab_key(Tab tab);                       ///< words: "page.tab_<key>"

/// Sections of a tab in the session's language, made when first looked at and kept until the answer changes.
const std::vector<vram::Section>& sections_of(Session& session, Tab tab);

}  // namespace ui
