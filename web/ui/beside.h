// Plans kept for comparison, in the text version: their names as fields, what can be done with them as buttons.
#pragma once
#include "web/ui/session.h"

namespace ui {

/// A group of the form (form.h): fields "kept.0" …, actions "keep", "take_kept.0", "remove_kept.0", ….
vram::Json beside_group(const Session& session);
/// Can the current plan be kept?
bool can_keep(const Session& session);

}  // namespace ui
