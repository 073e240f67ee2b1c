// Everything the page knows between frames: the question, its answer, and what is open on the screen.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/fixes.h"
#include "core/advise/limits.h"
#include "core/advise/performance.h"
#include "core/plan/plan.h"
#include "core/report/accuracy.h"
#include "core/report/language.h"
#include "core/report/report.h"
#include "core/report/request.h"
#include "core/scenario/scenario.h"
#include "web/ui/app.h"
#include "web/ui/buying.h"
#include "web/ui/file_opening.h"
#include "web/ui/paint.h"
#include "web/ui/site.h"

namespace ui {

enum class Tab : std::uint8_t { memory, limits, buying, room, start, comparison, reference, letter, count_ };

/// The scenario as it was last understood, and what follows from it.
struct Answered {
  vram::Inputs inputs;
  vram::Plan plan;
  vram::Limits limits;
  vram::Answer words;                       ///< in the language and unit of `Session::language()`
  vram::ParameterCounts parameters;
  std::vector<vram::Fix> fixes;             ///< of a plan that does not fit or is tight
  std::optional<vram::speed::Speed> speed;  ///< of the current deployment, where it is known
  std::optional<vram::speed::TrainingTime> time;
  /// Of tabs that are made of a report (tabs.h); nothing = nobody has looked yet.
  std::array<std::optional<std::vector<vram::Section>>, static_cast<std::size_t>(Tab::count_)> sections;
  std::vector<std::pair<std::int64_t, std::int64_t>> by_users;  ///< found when first looked at
};

/// What an explanation is about.
struct Subject {
  enum class Kind : std::uint8_t { category, entry, total, usable } kind = Kind::usable;
  int device = 0;
  vram::Category category = vram::Category::weights;
  std::size_t entry = 0;                    ///< index in the ledger
};

/// One thing may lie over the page.
struct Overlay {
  enum class Kind : std::uint8_t { none, models, accelerators, choices, presets, explanation } kind = Kind::none;
  const vram::Field* field = nullptr;       ///< of a list
  Subject subject;                          ///< of an explanation
  Rect anchor;                              ///< what it belongs to
  std::string query;                        ///< typed into the search field
  int marked = 0;                           ///< row that Enter takes
  bool marked_moved = false;                ///< by a key: the list scrolls to it
  float height = 0;                         ///< of its content, known after the first frame
  int frames = 0;                           ///< drawn so far
};

/// The field that the platform's real text field lies over.
struct Editing {
  std::uint32_t id = 0;                     ///< 0 = none
  const vram::Field* field = nullptr;       ///< null = the search of an overlay
  vram::Scenario before;                    ///< comes back with Escape
  Rect rect;
  bool drawn = false;                       ///< in this frame; a field that is gone ends the editing
};

/// Something to be said above the page, until it is dismissed.
struct Notice {
  vram::Message message;
  std::string file;                         ///< the file it is about; "" = none
  friend bool operator==(const Notice&, const Notice&) = default;
};

enum class Copied : std::uint8_t { nothing, letter, link, start };

/// Where a field's problem is kept: "users", of the second model "2.users".
std::string error_place(const vram::Field& field, std::size_t deployment);

struct Session {
  Session();

  // Words and data.
  vram::Strings strings;
  vram::Library library;
  vram::Tongue tongue = vram::Tongue::en;
  Site site;
  std::string sales_address;                ///< of the site
  std::string data_date;                    ///< of the catalogues, "2026-11-30"
  std::vector<vram::AccuracyFigure> accuracy;

  // Question and answer.
  vram::Scenario scenario;
  std::size_t current = 0;                  ///< the deployment whose fields are shown
  std::vector<vram::Scenario> done, undone; ///< what can be undone and redone, the latest last
  std::optional<Answered> answered;         ///< always there after start()
  std::vector<Notice> notices;
  std::map<std::string, vram::Message, std::less<>> field_errors;
  vram::Contact contact;                    ///< for the letter only
  FileOpening file;
  std::optional<vram::EngineLog> log;       ///< a start-up log that was dropped, set against the plan
  std::unique_ptr<Buying> buying;           ///< the search of what to buy, once somebody looks

  // On the screen.
  Ui ui;
  bool more_open = false, wishes_open = false, growth_open = false, room_open = false, ruled_out_open = false;
  Tab tab = Tab::memory;
  int ledger_group = -1;                    ///< device group of the ledger; -1 = the fullest
  Overlay overlay;
  Editing editing;
  Copied copied = Copied::nothing;
  bool embedded = false;                    ///< in another page, which has a header of its own
  bool to_answer = false;                   ///< scroll there in the next frame
  bool answer_in_view = true;
  float task_height = 0;                    ///< in the last frame: a short task stays in view beside a long answer

  vram::Language language() const { return {strings, tongue, scenario.units != "gb"}; }
  std::string word(std::string_view key) const { return language().word(key); }
  std::string say(const vram::Message& message) const { return language().text(message); }
  std::string say(const Notice& notice) const;

  void start();
  /// The new question, if it can be answered; otherwise the old one stays and a notice says why.
  bool ask(vram::Scenario next);
  bool set_field(const vram::Field& field, const vram::Value& value);
  /// What was typed or chosen, as text. What cannot be is kept under `error_place` and changes nothing.
  bool set_text(const vram::Field& field, std::string_view text, std::size_t deployment = 0);
  vram::Value value(const vram::Field& field) const { return vram::get(scenario, field, current); }
  const vram::Model& model() const { return answered->inputs.models[current]; }
  void undo();
  void redo();
  void select_deployment(std::size_t which);
  void add_deployment();
  void remove_deployment();
  void open_link(const std::string& fragment);
  void opened(FileOpening::Outcome outcome);
  void notice(vram::Message message, std::string about_file = "");
  void speak(vram::Tongue chosen);
  void set_dark(bool dark);
  void follow_preferences();

  std::string link() const;                 ///< full address with the scenario
  vram::Letter letter() const;
  void publish();                           ///< to the text version, the address and the document

 private:
  void open_saved(const std::string& text);  ///< a scenario's file
  bool answer(vram::Scenario next);
  void remember(const vram::Scenario& before);
  std::uint32_t remembered_while_editing_ = 0;
  void in_words();
  std::string published_link_;
};

}  // namespace ui
