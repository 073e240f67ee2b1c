// Everything the page knows between frames: the question, its answer, and what is open on the screen.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/advise/facility_plan.h"
#include "core/advise/fixes.h"
#include "core/advise/limits.h"
#include "core/advise/performance.h"
#include "core/import/hub.h"
#include "core/advise/side_by_side.h"
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

enum class Tab : std::uint8_t { memory, limits, buying, beside, room, start, comparison, reference, letter, help, count_ };

/// The scenario as it was last understood, and what follows from it.
struct Answered {
  vram::Inputs inputs;
  vram::Plan plan;
  vram::Limits limits;
  vram::Headline words;                     ///< in the language and unit of `Session::language()`
  vram::ParameterCounts parameters;
  std::vector<vram::Fix> fixes;             ///< of a plan that does not fit or is tight
  std::optional<vram::speed::Speed> speed;  ///< of the current deployment, where it is known
  std::optional<vram::speed::TrainingTime> time;
  std::optional<vram::FacilityPlan> room;   ///< nothing for a node that nobody knows
  std::vector<vram::Message> to_buy;        ///< what a buyer has to hear
  /// Of tabs that are made of a report (tabs.h); nothing = nobody has looked yet.
  std::array<std::optional<std::vector<vram::Section>>, static_cast<std::size_t>(Tab::count_)> sections;
  std::vector<vram::FrontierPoint> by_users;  ///< found when first looked at
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
  const vram::Field* field = nullptr;       ///< null = `line`, or the search of an overlay
  std::string line;                         ///< a line of the form that is no field of the scenario, see change_field
  std::string text_before;                  ///< comes back with Escape
  vram::Scenario before;                    ///< comes back with Escape
  Rect rect;
  bool drawn = false;                       ///< in this frame; a field that is gone ends the editing

  bool searches() const { return field == nullptr && line.empty(); }
};

/// A model that is asked for by its name (hub.h).
struct Hub {
  std::string name;                         ///< as typed
  std::optional<vram::HubOpening> opening;  ///< while answers are on their way
  std::optional<vram::Message> error;       ///< why the last one did not open
};

/// Something to be said above the page, until it is dismissed.
struct Notice {
  vram::Message message;
  std::string file;                         ///< the file it is about; "" = none
  friend bool operator==(const Notice&, const Notice&) = default;
};

enum class Copied : std::uint8_t { nothing, letter, link, start };

/// What can be undone: the question, and the plans kept beside it.
struct Step {
  vram::Scenario scenario;
  std::vector<vram::KeptPlan> kept;
};

/// Where a field's problem is kept: "users", of the second model "2.users".
std::string error_place(const vram::Field& field, std::size_t deployment);

struct Session {
  Session();

  // Words and data.
  vram::Strings strings;
  vram::Library library;
  vram::Tongue tongue = vram::Tongue::en;
  Site site;
  std::string recent;                       ///< what this visit keeps among the recent ones (recent.h); "" = nothing yet
  bool has_recent = false;                  ///< there are others
  std::string sales_address;                ///< of the site
  std::string data_date;                    ///< of the catalogues, "2026-11-30"
  std::vector<vram::AccuracyFigure> accuracy;

  // Question and answer.
  vram::Scenario scenario;
  std::size_t current = 0;                  ///< the deployment whose fields are shown
  std::vector<vram::KeptPlan> kept;         ///< for comparison, at most vram::kMostKept
  vram::SideBySide beside;                  ///< of them; before them the current plan, when it is none and has a place
  std::vector<std::vector<vram::FrontierPoint>> curves;  ///< of `beside`, found when first looked at
  std::vector<Step> done, undone;           ///< what can be undone and redone, the latest last
  std::optional<Answered> answered;         ///< always there after start()
  std::vector<Notice> notices;
  std::map<std::string, vram::Message, std::less<>> field_errors;
  vram::Contact contact;                    ///< for the letter only
  FileOpening file;
  Hub hub;
  std::optional<vram::EngineLog> log;       ///< a start-up log that was dropped, set against the plan
  std::unique_ptr<Buying> buying;           ///< the search of what to buy, once somebody looks
  vram::OptionSort sort;                    ///< of its table

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
  float task_height = 0, next_height = 0;   ///< in the last frame: short columns stay in view beside a long answer

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
  /// Under `name`, which gets a number when it is taken. Nothing happens when four are kept or this one is.
  void keep(std::string name, const vram::Scenario& scenario);
  void keep_current();
  bool keeps(const vram::Scenario& scenario) const;
  bool is_current(const vram::Scenario& scenario) const;
  void rename_kept(std::size_t index, std::string_view name);  ///< an empty name changes nothing
  void remove_kept(std::size_t index);
  void take_kept(std::size_t index);        ///< makes it the current plan
  void select_deployment(std::size_t which);
  void add_deployment();
  void remove_deployment();
  void open_link(const std::string& fragment);
  void opened(FileOpening::Outcome outcome);
  /// The opened model in the current deployment, or why it cannot be.
  std::optional<vram::Message> use(const vram::Opened& opened);
  void notice(vram::Message message, std::string about_file = "");
  void speak(vram::Tongue chosen);
  void set_dark(bool dark);
  void follow_preferences();

  std::string origin() const;               ///< "Version 0.1.0, data as of 2026-11-30"
  std::string link() const;                 ///< address with the scenario, for a letter: of a page on disk only "#…"
  std::string link_with_kept() const;       ///< the same with the plans kept beside it, as in the address bar
  vram::Letter letter() const;
  vram::LetterAdds letter_adds() const;
  /// Everything that is known, in words: the answer with its advice and its room.
  vram::Answer report() const;
  vram::Section test_plan() const;
  void publish();                           ///< to the text version, the address and the document

 private:
  void open_saved(const std::string& text);  ///< a scenario's file
  bool answer(vram::Scenario next);
  void open(vram::ScenarioReading reading);
  void go_to(Step step);
  void remember(Step before);
  void plan_beside();
  void kept_changed();
  std::string address_of_page() const;
  std::uint32_t remembered_while_editing_ = 0;
  void in_words();
  std::string published_link_;
  bool started_ = false;                    ///< before that nothing is published: what comes at once is said once
};

}  // namespace ui
