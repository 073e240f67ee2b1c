// What leaves the page when a visitor asks for it: files, the clipboard, the share sheet, the letter, print. The drawn
// page and its text version call the same functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "web/ui/session.h"

namespace ui {

std::string report_text(const Session& session);  ///< answer, request, test plan, link: all of it as text
std::string letter_text(const Session& session);  ///< the letter without the bounds of mailto:

void save_text(const Session& session);           ///< .txt
void save_scenario(const Session& session);       ///< .json; opens again when it is dropped on the page
void save_ledger(const Session& session);         ///< .csv
void share_letter(Session& session);              ///< the share sheet, or the clipboard where there is none
void copy_letter(Session& session);
void copy_link(Session& session);
/// Opens the mail program. A letter whose link has no room asks to attach the scenario: it is saved at once.
void send_letter(const Session& session);

/// "remove_model.1" → 1 behind the prefix "remove_model."; nothing when it is another one or no number.
std::optional<std::size_t> numbered(std::string_view id, std::string_view prefix);
/// Does what a button of the text version is for: "send", "save_csv", "language.kk", "remove_model.1", … What is not
/// known does nothing.
void perform(Session& session, std::string_view id);
/// The buttons that stand with the answer.
vram::Json export_actions(const Session& session);

}  // namespace ui
