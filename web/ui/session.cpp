#include "web/ui/session.h"

#include <algorithm>

#include "assets/assets.h"
#include "core/advise/workload.h"
#include "core/hardware/card_list.h"
#include "core/import/describe.h"
#include "core/report/advise.h"
#include "core/report/test_plan.h"
#include "web/platform/platform.h"
#include "web/ui/recent.h"

namespace ui {
namespace {

constexpr std::size_t kMostNotices = 4, kMostSteps = 100;

/// "2026-11-30", the first thing in a catalogue: read without parsing its hundred kilobytes once more.
std::string date_of(std::string_view catalogue) {
  constexpr std::string_view kMark = "\"date\":\"";
  const std::size_t at = catalogue.find(kMark);
  return at == std::string_view::npos ? "" : std::string(catalogue.substr(at + kMark.size(), 10));
}

}  // namespace

Session::Session() {
  for (const std::string_view path : assets::paths()) {
    if (path.starts_with("strings/")) static_cast<void>(strings.add(assets::file(path)));  // tests read the answer
  }
  if (auto models = vram::models_from_json(assets::file("models.json"))) library.models = std::move(models).value();
  if (auto cards = vram::accelerators_from_json(assets::file("accelerators.json"))) {
    library.accelerators = std::move(cards).value();
  }
  if (auto platforms = vram::platforms_from_json(assets::file("platforms.json"))) {
    library.platforms = std::move(platforms).value();
  }
  accuracy = vram::accuracy_from_json(assets::file("accuracy.json"));
  data_date = std::max(date_of(assets::file("models.json")), date_of(assets::file("accelerators.json")));
}

void Session::start() {
  SiteReading read = read_site(platform::site_settings(), library);
  site = std::move(read.site);
  sales_address = site.to();
  embedded = platform::embedded();
  follow_preferences();
  for (const vram::Message& mistake : read.mistakes) {
    const bool about_site = mistake.key.starts_with("site.");
    platform::warn(say(about_site ? mistake : vram::Message("site.not_json").with("problem", say(mistake))));
  }
  ask(vram::Scenario{});
  open_link(platform::link());
  done.clear();  // what the address asked for is the beginning
  has_recent = !recents(*this).empty();
  started_ = true;
  publish();
}

void Session::follow_preferences() {
  const platform::Preferences preferences = platform::preferences();
  const std::string language_chosen = platform::stored("language"), theme_chosen = platform::stored("theme");
  tongue = site.language.value_or(vram::tongue_from(preferences.language));
  if (!language_chosen.empty()) tongue = vram::tongue_from(language_chosen);
  if (!site.languages.empty() && !site.offers(tongue)) tongue = site.languages.front();
  ui.dark = theme_chosen.empty() ? site.dark.value_or(preferences.dark) : theme_chosen == "dark";
  ui.coarse = preferences.coarse_pointer;
  ui.palette = with_accent(palette(ui.dark, preferences.more_contrast), site, ui.dark);
  apply_style(ui.palette);
  platform::set_accent((ui.dark ? site.accent_dark : site.accent).value_or(0));
  in_words();
}

/// One step back for each thing done; what is typed into one field is one thing.
void Session::remember(Step before) {
  undone.clear();
  if (editing.id != 0 && editing.id == remembered_while_editing_) return;
  remembered_while_editing_ = editing.id;
  done.push_back(std::move(before));
  if (done.size() > kMostSteps) done.erase(done.begin());
}

bool Session::ask(vram::Scenario next) {
  if (answered && next == scenario) return true;
  const bool first = !answered;
  Step before{scenario, kept};
  if (!answer(std::move(next))) return false;
  if (first) return true;
  remember(std::move(before));
  keep_recent(*this);
  return true;
}

void Session::go_to(Step step) {
  kept = std::move(step.kept);
  field_errors.clear();
  answer(std::move(step.scenario));
  platform::wake();
}

void Session::undo() {
  if (done.empty()) return;
  undone.push_back({scenario, kept});
  Step before = std::move(done.back());
  done.pop_back();
  go_to(std::move(before));
}

void Session::redo() {
  if (undone.empty()) return;
  done.push_back({scenario, kept});
  Step after = std::move(undone.back());
  undone.pop_back();
  go_to(std::move(after));
}

void Session::select_deployment(std::size_t which) {
  current = which;
  field_errors.clear();
  answer(scenario);
  platform::wake();
}

void Session::add_deployment() {
  if (scenario.deployments.size() >= vram::kMaxDeployments) return;
  vram::Scenario next = scenario;
  next.deployments.emplace_back();
  const std::size_t added = next.deployments.size() - 1;
  if (ask(std::move(next))) select_deployment(added);
}

void Session::remove_deployment() {
  if (scenario.deployments.size() < 2) return;
  vram::Scenario next = scenario;
  next.deployments.erase(next.deployments.begin() + static_cast<std::ptrdiff_t>(current));
  ask(std::move(next));
  platform::wake();
}

bool Session::answer(vram::Scenario next) {
  vram::Result<vram::Inputs> inputs = vram::resolve(next, library);
  if (!inputs) {
    notice(inputs.error());
    return false;
  }
  scenario = std::move(next);
  Answered fresh;
  fresh.inputs = std::move(inputs).value();
  // Requests a minute become users at the same time before anything is planned.
  const bool has_rate = std::any_of(scenario.deployments.begin(), scenario.deployments.end(),
                                    [](const vram::Deployment& one) { return one.rate > 0; });
  if (has_rate) fresh.inputs.scenario = vram::with_concurrency(fresh.inputs, library.platforms.interconnect);
  fresh.plan = vram::make_plan(fresh.inputs);
  current = std::min(current, fresh.inputs.models.size() - 1);
  fresh.limits = vram::find_limits(fresh.inputs, current);
  fresh.parameters = vram::count_parameters(fresh.inputs.models[current]);
  fresh.fixes = vram::find_fixes(fresh.inputs, fresh.plan, library);
  fresh.time = vram::job_time(fresh.inputs, fresh.plan);
  if (!fresh.plan.training) {
    auto speed = vram::performance(fresh.inputs, fresh.plan, library.platforms.interconnect, current);
    if (speed) fresh.speed = std::move(speed).value();
  }
  if (auto room = vram::plan_facility(fresh.inputs, library.platforms)) fresh.room = std::move(room).value();
  if (fresh.room) fresh.to_buy = vram::buying_notes(fresh.inputs, *fresh.room);
  buying.reset();
  answered = std::move(fresh);
  ledger_group = -1;
  copied = Copied::nothing;
  in_words();
  plan_beside();
  publish();
  return true;
}

void Session::in_words() {
  if (!answered) return;
  for (auto& made : answered->sections) made.reset();
  answered->words = vram::headline(answered->inputs, answered->plan, language());
}

bool Session::set_field(const vram::Field& field, const vram::Value& value) {
  vram::Scenario next = scenario;
  if (field.kind == vram::FieldKind::model) next.deployments[current].config.clear();
  if (auto wrong = vram::set(next, field, value, current)) {
    field_errors.insert_or_assign(error_place(field, current), *wrong);
    platform::wake();
    return false;
  }
  platform::wake();
  return ask(std::move(next));
}

std::string error_place(const vram::Field& field, std::size_t deployment) {
  return (deployment == 0 ? "" : std::to_string(deployment + 1) + ".") + std::string(field.key);
}

bool Session::set_text(const vram::Field& field, std::string_view text, std::size_t deployment) {
  platform::wake();
  vram::Scenario next = scenario;
  const std::string place = error_place(field, deployment);
  std::optional<vram::Message> wrong = vram::set_text(next, field, text, deployment);
  if (!wrong && field.kind == vram::FieldKind::cards) {  // names become ids, as links keep them
    const auto cards = vram::read_cards(text, library.accelerators, vram::kMostCards - next.devices);
    if (cards) wrong = vram::set(next, field, vram::cards_text(cards.value()), deployment);
    else wrong = cards.error();
  }
  if (wrong) {
    field_errors.insert_or_assign(place, *wrong);
    publish();
    return false;
  }
  if (field.kind == vram::FieldKind::model && deployment < next.deployments.size()) {
    next.deployments[deployment].config.clear();
  }
  const bool changed = next != scenario;
  if (field_errors.erase(place) > 0 && !changed) publish();
  return ask(std::move(next));
}

void Session::open_link(const std::string& fragment) {
  if (fragment.empty() || fragment == published_link_) return;
  published_link_ = fragment;  // an address that cannot be opened stays as it is until something changes
  vram::ScenarioReading reading = vram::from_link(fragment);
  notices.clear();
  field_errors.clear();
  open(std::move(reading));
}

/// What an address or a file has: one step, that can be undone.
void Session::open(vram::ScenarioReading reading) {
  recent.clear();
  for (vram::Message& problem : reading.problems) notice(std::move(problem));
  if (reading.kept == kept) {
    ask(std::move(reading.scenario));
    return;
  }
  Step before{scenario, kept};
  kept = std::move(reading.kept);
  if (!answer(std::move(reading.scenario))) {
    kept = std::move(before.kept);
    return;
  }
  remember(std::move(before));
  keep_recent(*this);
}

void Session::opened(FileOpening::Outcome outcome) {
  if (!outcome) return;
  if (!*outcome) return notice(outcome->error(), file.name());
  if (!outcome->value().scenario.empty()) return open_saved(outcome->value().scenario);
  if (!outcome->value().has_model() && outcome->value().log) {
    log = *outcome->value().log;
    tab = Tab::comparison;
    return notice(vram::Message("log.opened")
                      .with("program", std::string(vram::log_program_name(log->program)))
                      .with("count", static_cast<std::int64_t>(log->measured.size())),
                  file.name());
  }
  if (auto wrong = use(outcome->value())) notice(*wrong, file.name());
}

std::optional<vram::Message> Session::use(const vram::Opened& opened) {
  vram::Scenario next = scenario;
  next.deployments[current].model.clear();
  const vram::Field* config = vram::find_field("config");
  if (auto wrong = vram::set(next, *config, vram::describe(opened), current)) return wrong;
  notices.clear();
  ask(std::move(next));
  return std::nullopt;
}

void Session::open_saved(const std::string& text) {
  const vram::Result<vram::Json> json = vram::parse_json(text);
  if (!json) return notice(json.error(), file.name());
  vram::ScenarioReading reading = vram::from_json(json.value());
  notices.clear();
  field_errors.clear();
  open(std::move(reading));
}

void Session::notice(vram::Message message, std::string about_file) {
  platform::wake();
  Notice made{std::move(message), std::move(about_file)};
  if (std::find(notices.begin(), notices.end(), made) != notices.end()) return;
  notices.push_back(std::move(made));
  if (notices.size() > kMostNotices) notices.erase(notices.begin());
  publish();  // the text version says it too
}

std::string Session::say(const Notice& notice) const {
  const std::string words = say(notice.message);
  if (notice.file.empty()) return words;
  const bool named = words.find(notice.file) != std::string::npos;
  return (named ? "" : notice.file + ": ") + words + " " + word("page.state_stayed");
}

void Session::speak(vram::Tongue chosen) {
  tongue = chosen;
  platform::store("language", std::string(vram::tongue_code(chosen)));
  copied = Copied::nothing;
  in_words();
  publish();
  platform::wake();
}

void Session::set_dark(bool dark) {
  platform::store("theme", dark ? "dark" : "light");
  follow_preferences();
  publish();
  platform::wake();
}

std::string Session::origin() const {
  return say(vram::Message("export.origin").with("version", VRAM_VERSION).with("date", language().date(data_date)));
}

std::string Session::link() const {
  // A path on the visitor's disk is no use to sales, and none of their business.
  const std::string address = address_of_page();
  return (address.starts_with("file:") ? "" : address) + "#" + vram::to_link(scenario);
}
std::string Session::link_with_kept() const { return address_of_page() + "#" + vram::to_link(scenario, kept); }

std::string Session::address_of_page() const {
  return site.public_url.empty() ? platform::page_address() : site.public_url;
}

vram::Letter Session::letter() const {
  return vram::letter(answered->inputs, answered->plan, answered->limits, language(), sales_address, link(), contact,
                      origin(), letter_adds());
}

vram::LetterAdds Session::letter_adds() const {
  vram::LetterAdds adds;
  for (const vram::Message& note : answered->to_buy) adds.to_buy.push_back(say(note));
  adds.pace = vram::pace_sentences(answered->plan, answered->speed, answered->time, language());
  return adds;
}

vram::Answer Session::report() const {
  const Answered& known = *answered;
  std::vector<vram::Section> advice = vram::advice_sections(known.inputs, known.plan, library, language());
  for (vram::Section& section : vram::room_sections(known.inputs, library.platforms, language())) {
    advice.push_back(std::move(section));
  }
  return vram::answer(known.inputs, known.plan, known.limits, language(), known.fixes, std::move(advice));
}

vram::Section Session::test_plan() const {
  const std::optional<vram::speed::Speed> unknown;
  return vram::test_plan(answered->inputs, answered->plan, language(), current == 0 ? answered->speed : unknown,
                          answered->time);
}

void Session::publish() {
  platform::set_document(std::string(vram::tongue_code(tongue)), word("page.title"), ui.dark);
  if (!answered || !started_) return;
  platform::results_changed();
  const std::string address = vram::to_link(scenario, kept);
  const bool untouched = published_link_.empty() && scenario == vram::Scenario{} && kept.empty();  // a clean address stays clean
  if (untouched) return;
  published_link_ = address;
  platform::set_link(address);
}

}  // namespace ui
