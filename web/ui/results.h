// The state in JSON: for the text version of the page, and for tests.
//
//   {"title", "verdict", "summary", "form": form.h, "actions": [action],
//    "sections": [{"heading", "paragraphs"?, "table": {"caption", "head", "rows", "sorts": [null or {"id", "label",
//                  "sorted": as aria-sort says it}: of a column whose heading is a button]?}?, "actions": [action]?,
//                  "links": [{"text", "href", "print": what stands on paper instead}]?}]}
#pragma once
#include <string>

#include "web/ui/session.h"

namespace ui {

std::string results_json(const Session& session);        ///< for platform::results_changed
std::string state_json(const Session& session);          ///< for App::state_json

}  // namespace ui
