// Controls of the scenario's fields, driven by the schema: one for each kind of field.
#pragma once
#include "web/ui/session.h"

namespace ui {

/// Label, control, and under it what is wrong with what was typed.
void field_control(Session& session, Column& column, const vram::Field& field);

/// All fields of a group that apply, each with its hint.
void group_controls(Session& session, Column& column, vram::Group group);

}  // namespace ui
