#include "web/ui/exports.h"

#include <array>

#include "core/report/export.h"
#include "web/platform/platform.h"
#include "web/ui/hub.h"
#include "web/ui/measuring.h"

namespace ui {
namespace {

void save(const std::string& name, const std::string& mime, const std::string& content) {
  platform::save_file(name, mime, content);
}

void remove_model(Session& session, std::size_t index) {
  if (index >= session.scenario.deployments.size()) return;
  session.field_errors.clear();  // their places are numbers of models
  session.current = index;
  session.remove_deployment();
}

void dismiss(Session& session, std::size_t index) {
  if (index >= session.notices.size()) return;
  session.notices.erase(session.notices.begin() + static_cast<std::ptrdiff_t>(index));
  session.publish();
}

/// All of it at once: a press of the text version, which may be all that the browser shows, waits for no frames.
void find_options(Session& session) {
  find_at_once(session, true);
  platform::wake();
}

struct Action {
  std::string_view id, word;
  void (*act)(Session&);
};
constexpr std::array<Action, 18> kExports = {{
    {"send", "page.send", [](Session& s) { send_letter(s); }},
    {"copy_letter", "page.copy_letter", copy_letter},
    {"copy_link", "page.copy_link", copy_link},
    {"share", "export.share", share_letter},
    {"save_txt", "export.text", [](Session& s) { save_text(s); }},
    {"save_json", "export.scenario", [](Session& s) { save_scenario(s); }},
    {"save_csv", "export.ledger", [](Session& s) { save_ledger(s); }},
    {"print", "export.print", [](Session&) { platform::print_page(); }},
    {"save_page", "page.save_page", [](Session&) { platform::save_page(); }},
    {"text_version", "", [](Session&) { platform::show_text_version(); }},
    {"keep", "", [](Session& s) { s.keep_current(); }},
    {"find_options", "", find_options},
    {"open_file", "", [](Session&) { platform::pick_files(); }},
    {"hub_open", "", hub_open},
    {"hub_stop", "", hub_stop},
    {"paste", "", [](Session&) { platform::paste(); }},
    {"use_measured", "", use_measured},
    {"drop_measured", "", drop_measured},
}};

/// "sort.power": the heading of a column was pressed.
bool sort_options(Session& session, std::string_view id) {
  for (int i = 0; i < static_cast<int>(vram::OptionOrder::count_); ++i) {
    const auto order = static_cast<vram::OptionOrder>(i);
    if (id != "sort." + std::string(vram::order_key(order))) continue;
    session.sort = vram::pressed(session.sort, order);
    session.publish();
    platform::wake();
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> numbered(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix) || id.size() == prefix.size() || id.size() > prefix.size() + 3) return std::nullopt;
  std::size_t number = 0;
  for (const char c : id.substr(prefix.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return number;
}

std::string letter_text(const Session& session) {
  const Answered& answered = *session.answered;
  const vram::Language language = session.language();
  std::string text = language.word("letter.greeting") + "\n";
  for (const std::string& line : vram::letter_lines(answered.inputs, answered.plan, answered.limits, language,
                                                    session.contact, session.letter_adds())) {
    text += line + "\n";
  }
  text += session.origin() + "\n";
  return text + "\n" + vram::link_words(session.link(), language) + "\n";
}

std::string report_text(const Session& session) {
  std::string text = session.word("page.title") + "\n\n" + vram::answer_text(session.report()) + "\n";
  text += session.word("page.send_heading") + "\n" + letter_text(session) + "\n";
  return text + vram::section_text(session.test_plan()) + "\n";
}

void save_text(const Session& session) {
  save("gpu-memory.txt", "text/plain;charset=utf-8", report_text(session));
}

void save_scenario(const Session& session) {
  save(vram::kScenarioFile, "application/json", vram::to_text(vram::to_json(session.scenario, session.kept), 1) + "\n");
}

void save_ledger(const Session& session) {
  save("gpu-memory.csv", "text/csv;charset=utf-8", vram::ledger_csv(session.answered->plan, session.language()));
}

void share_letter(Session& session) {
  platform::share(session.letter().subject, letter_text(session));
  if (!platform::can_share()) session.copied = Copied::letter;
  session.publish();
  platform::wake();
}

void copy_letter(Session& session) {
  platform::copy_text(session.letter().subject + "\n\n" + letter_text(session));
  session.copied = Copied::letter;
  session.publish();
  platform::wake();
}

void copy_link(Session& session) {
  platform::copy_text(session.link_with_kept());
  session.copied = Copied::link;
  session.publish();
  platform::wake();
}

void send_letter(const Session& session) {
  const vram::Letter letter = session.letter();
  if (letter.attach_scenario) save_scenario(session);
  platform::open_address(vram::mailto(letter));
}

void perform(Session& session, std::string_view id) {
  for (const Action& action : kExports) {
    if (action.id == id) return action.act(session);
  }
  if (id == "add_model") return session.add_deployment();
  if (id == "theme") return session.set_dark(!session.ui.dark);
  for (const vram::Tongue tongue : session.site.languages) {
    if (id == "language." + std::string(vram::tongue_code(tongue))) return session.speak(tongue);
  }
  if (sort_options(session, id)) return;
  if (const auto index = numbered(id, "take_kept.")) return session.take_kept(*index);
  if (const auto index = numbered(id, "remove_kept.")) return session.remove_kept(*index);
  if (const auto index = numbered(id, "remove_model.")) return remove_model(session, *index);
  if (const auto index = numbered(id, "dismiss.")) return dismiss(session, *index);
}

vram::Json export_actions(const Session& session) {
  vram::Json list = vram::Json::array();
  for (const Action& action : kExports) {
    if (action.word.empty() || (action.id == "share" && !platform::can_share())) continue;
    const bool done = (action.id == "copy_letter" && session.copied == Copied::letter) ||
                      (action.id == "copy_link" && session.copied == Copied::link);
    list.push_back({{"id", std::string(action.id)}, {"label", session.word(done ? "page.copied" : action.word)}});
  }
  return list;
}

}  // namespace ui
