// The parts of the page, one file each. Each fills the column it is given and leaves it at its end.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "web/ui/session.h"

namespace ui {

void draw_page(Session& session);                        ///< layout.cpp: all of it, at the window's width

void draw_header(Session& session, Column& column);      ///< title, language, theme, save
void draw_notices(Session& session, Column& column);     ///< what went wrong, to be dismissed
void draw_task(Session& session, Column& column);        ///< the question
void draw_answer(Session& session, Column& column);      ///< verdict, bars, legend, limits
void draw_bars(Session& session, Column& column);        ///< memory of each device against what is usable
void draw_letter(Session& session, Column& column);      ///< what sales gets, and what it lacks
void draw_timeline(Session& session, Column& column);    ///< phases of a training step; nothing when serving
/// frontier.cpp: longest context by number of users, as a picture, with the plans that are compared.
void draw_frontier(Session& session, Column& column, std::span<const vram::FrontierPoint> points);
void draw_suggestions(Session& session, Column& column); ///< buying.cpp: three options, found meanwhile
void draw_buying(Session& session, Column& column);      ///< buying.cpp: all options that nothing beats
void draw_option_rows(Session& session, Column& column, const std::vector<vram::Option>& options);  ///< option_rows.cpp
void draw_beside(Session& session, Column& column);      ///< beside.cpp: plans kept for comparison
void draw_fixes(Session& session, Column& column);       ///< remedies.cpp: what would make it fit
void draw_rack(Session& session, Column& column);        ///< rack.cpp: the fullest rack, to scale
void draw_actions(Session& session, Column& column);     ///< send, copy, save
void draw_details(Session& session, Column& column);     ///< tabs: ledger, limits, letter
void draw_footer(Session& session, Column& column);

/// Verdict and one bar that stay in view on a phone; `area` is the strip at the bottom of the window.
void draw_strip(Session& session, Rect area);
float strip_height(const Session& session);

/// One device's bar in `rect`, without words: the strip has it too. Returns where the usable memory ends.
float draw_bar(Session& session, Rect rect, int device);
/// The same of any plan, at `scale` pixels per GiB.
float draw_bar(Ui& ui, Rect rect, const vram::Plan& plan, int device, float scale);
/// GiB that the longest bar of a plan takes, with room behind the usable line.
float reach_of(const vram::Plan& plan);

}  // namespace ui
