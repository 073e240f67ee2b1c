// Models by name: a field and a button that ask a hub for the facts of a model, when the site allows it (`hub_hosts`,
// docs/SITE.md). Without it nothing here exists for a visitor. Nothing is asked for before the button is pressed, and
// the name is all that leaves the page. What arrives goes the way of opened files.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "web/ui/session.h"

namespace ui {

constexpr std::string_view kHubName = "hub.name";  ///< the text field, drawn and in the form

void hub_open(Session& session);   ///< the button: asks for the model whose name is typed
void hub_stop(Session& session);
void hub_fetched(Session& session, std::uint32_t id, const Fetched& answer);

void draw_hub(Session& session, Column& column);
void add_hub(const Session& session, vram::Json& group);  ///< the same in the form's group (form.h)

/// What leaves the page and what does not.
std::string promise(const Session& session);

}  // namespace ui
