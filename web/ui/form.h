// The plain-HTML twin of the drawn page: every field of the scenario's schema as a real form, for screen readers, for
// the text version, and for browsers that cannot draw. It is made from the table of fields and from nothing else, and
// what is typed into it goes the way that typing into the drawn page goes, so the two never differ.
//
//   {"heading", "more": words of what opens expert fields, "tools_label", "tools": [action],
//    "notices": [{"text", "action"}],
//    "groups": [{"id": "use.2", "legend", "hint"?, "items": [{"text", "known"}], "fields": [field], "actions": [action]}],
//    "lists": {"model": [[id, name]…], "accelerator": […]}, "actions": [action]}
//   field   {"key", "deployment", "label", "kind": "integer" | "decimal" | "text" | "choice" | "list", "value",
//            "choices": [[id, words]…]?, "list"?, "none"?: words of the empty choice, "hint"?, "error"?, "expert"?}
//   action  {"id", "label", "lang"?, "chosen"?}: App::act(id)
#pragma once
#include <cstddef>
#include <string_view>

#include "web/ui/session.h"

namespace ui {

vram::Json form_json(const Session& session);

/// A field of the form changed. `key` is a scenario field's, or "contact.<line>" (core/report/request.h), or kHubName (hub.h).
void change_field(Session& session, std::string_view key, std::size_t deployment, std::string_view text);

}  // namespace ui
