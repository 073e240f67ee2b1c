// What to buy: three suggestions under the answer, and all options that nothing beats in a tab.
#include "web/ui/buying.h"

#include <chrono>
#include <cmath>

#include "core/report/advise.h"
#include "web/platform/platform.h"
#include "web/ui/controls.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"
#include "web/ui/words.h"

namespace ui {
namespace {

constexpr auto kBudget = std::chrono::milliseconds(6);   // of a frame of 16
constexpr auto kShow = std::chrono::milliseconds(150);   // what is found so far, and how far it is
constexpr float kBetween = 12;

void draw_options_of(Session& session, Column& column, const std::vector<vram::Option>& options, std::string_view id) {
  const bool side_by_side = column.width >= 560;
  const float width = side_by_side ? (column.width - kBetween) / 2 : column.width;
  for (std::size_t i = 0; i < options.size(); i += side_by_side ? 2 : 1) {
    const std::size_t end = std::min(options.size(), i + (side_by_side ? 2 : 1));
    const auto title_of = [&](const vram::Option& option) {
      return option.vendor + " \xC2\xB7 " +
             session.say(vram::Message("page.option_nodes").with("count", std::int64_t{option.nodes}));
    };
    float height = 0;
    for (std::size_t k = i; k < end; ++k) {
      height = std::max(height, card_height(session, title_of(options[k]), options[k], width));
    }
    for (std::size_t k = i; k < end; ++k) {
      const Rect rect{column.x + (width + kBetween) * static_cast<float>(k - i), column.y, width, height};
      const vram::Option& option = options[k];
      draw_card(session, rect, std::string(id) + "." + std::to_string(k), title_of(option), option);
    }
    column.gap(height + kBetween);
  }
}

void draw_ruled_out(Session& session, Column& column, const Buying& buying) {
  Ui& ui = session.ui;
  column.gap(8);
  if (expander(ui, "ruled_out", column, session.word("page.ruled_out"), session.ruled_out_open)) {
    session.ruled_out_open = !session.ruled_out_open;
    platform::wake();
  }
  if (!session.ruled_out_open) return;
  for (const vram::RuledOut& one : buying.search.ruled_out()) {
    column.gap(8);
    paragraph(ui, column, one.gpu, strong(ui));
    paragraph(ui, column, session.say(one.reason), caption(ui));
  }
}

void draw_wishes(Session& session, Column& column) {
  if (expander(session.ui, "wishes", column, session.word("group.buying"), session.wishes_open)) {
    session.wishes_open = !session.wishes_open;
    platform::wake();
  }
  if (!session.wishes_open) return;
  group_controls(session, column, vram::Group::buying);
}

/// The search of this scenario, to its end or until suggestions will hardly change.
Buying& asked(Session& session, bool to_the_end) {
  if (!session.buying) session.buying = std::make_unique<Buying>(session.scenario, session.library);
  session.buying->to_the_end = session.buying->to_the_end || to_the_end;
  return *session.buying;
}

/// The search as far as it is; it goes on between frames.
Buying& buying_of(Session& session, bool to_the_end) {
  Buying& buying = asked(session, to_the_end);
  buying.shown = std::chrono::steady_clock::now();
  if (!buying.enough()) platform::work();
  return buying;
}

}  // namespace

std::string name_of(const vram::Option& option) {
  return std::to_string(option.bought) + " \xC3\x97 " + option.gpu;
}

std::string at_work(const Session& session, const vram::Option& option) {
  return session.say(vram::Message("page.at_work")
                         .with("devices", std::int64_t{option.devices})
                         .with("bought", std::int64_t{option.bought}));
}

std::string formats_of(const Session& session, const vram::Option& option) {
  const vram::Deployment& one = option.scenario.deployments.front();
  if (option.scenario.task == "tune") return session.word("training_method." + option.scenario.method);
  const vram::Field& weights = *vram::find_field("weights");
  // Broken only between the two.
  std::string words = unbroken(session.word(weights.words_of(one.weights)));
  if (one.kv == "auto") return words;
  return words + " \xC2\xB7 " + unbroken("KV " + session.word(vram::find_field("kv")->words_of(one.kv)));
}

void Buying::go_on() {
  const auto begun = std::chrono::steady_clock::now();
  while (!enough() && std::chrono::steady_clock::now() - begun < kBudget) finished = !search.step(1);
}

bool go_on_buying(Session& session) {
  if (!session.buying || session.buying->enough()) return false;
  Buying& buying = *session.buying;
  buying.go_on();
  if (buying.enough()) session.publish();  // the text version has the table of them
  bool news = buying.enough() || std::chrono::steady_clock::now() - buying.shown > kShow;
  if (!buying.offered) {
    const vram::Suggestions found = buying.search.suggestions();
    buying.offered = found.least && found.balanced && found.grows;
    news = news || buying.offered;
  }
  if (news) platform::wake(1);
  return !buying.enough();
}

void find_at_once(Session& session, bool to_the_end) {
  Buying& buying = asked(session, to_the_end);
  while (!buying.enough()) buying.go_on();
  session.publish();
}

void draw_suggestions(Session& session, Column& column) {
  Ui& ui = session.ui;
  const bool in_view = column.y < ImGui::GetWindowPos().y + ImGui::GetWindowSize().y;
  if (!session.buying && !in_view) {  // nobody has looked yet
    paragraph(ui, column, session.word("page.what_to_buy"), strong(ui), Role::heading);
    column.gap(10);
    return paragraph(ui, column, session.word("page.searching"), soft(ui));
  }
  const Buying& buying = buying_of(session, false);
  const vram::Suggestions found = buying.search.suggestions();
  struct Suggested {
    std::string_view key;
    std::string title;  // of both when one option is two suggestions
    vram::Option option;
  };
  std::vector<Suggested> shown;
  const auto show = [&](std::string_view key, const std::optional<vram::Option>& option) {
    if (!option) return;
    const std::string title = session.word("options." + std::string(key));
    for (Suggested& one : shown) {
      if (one.option.scenario == option->scenario) return void(one.title += " \xC2\xB7 " + title);
    }
    shown.push_back({key, title, *option});
  };
  show("least", found.least);
  show("balanced", found.balanced);
  show("grows", found.grows);
  paragraph(ui, column, session.word("page.what_to_buy"), strong(ui), Role::heading);
  column.gap(10);
  if (shown.empty()) {
    return paragraph(ui, column, session.word(buying.finished ? "page.no_options" : "page.searching"), soft(ui));
  }
  const bool side_by_side = column.width >= 560;
  const auto count = static_cast<float>(shown.size());
  const float width = side_by_side ? (column.width - kBetween * (count - 1)) / count : column.width;
  float height = 0;
  for (const Suggested& one : shown) {
    height = std::max(height, card_height(session, one.title, one.option, width));
  }
  Rect rect{column.x, column.y, width, height};
  for (const Suggested& one : shown) {
    draw_card(session, rect, "suggestion." + std::string(one.key), one.title, one.option);
    if (!session.buying) break;  // pressed: another search begins
    if (side_by_side) rect.x += width + kBetween;
    else rect.y += height + kBetween;
  }
  column.gap(side_by_side ? height : (height + kBetween) * count - kBetween);
}

void draw_buying(Session& session, Column& column) {
  Ui& ui = session.ui;
  draw_wishes(session, column);
  column.gap(16);
  const Buying& buying = buying_of(session, true);
  if (const auto& problem = buying.search.problem()) return paragraph(ui, column, session.say(*problem), body(ui));
  if (!buying.finished) {
    const std::string percent = session.language().number(buying.search.progress() * 100, 0);
    paragraph(ui, column, session.say(vram::Message("page.searched").with("percent", percent)), caption(ui));
    column.gap(8);
  }
  const std::vector<vram::Option> makers = buying.search.best_of_vendors(), all = buying.search.readable_front();
  if (makers.size() > 1) {
    paragraph(ui, column, session.word("page.by_maker"), strong(ui), Role::heading);
    column.gap(8);
    draw_options_of(session, column, makers, "maker");
    column.gap(8);
  }
  if (!session.buying) return;
  paragraph(ui, column, session.word("page.all_options"), strong(ui), Role::heading);
  column.gap(4);
  paragraph(ui, column, session.word("page.all_options_hint"), caption(ui));
  column.gap(10);
  draw_option_rows(session, column, all);
  if (!session.buying) return;
  if (const auto slow = vram::slow_options_words(session.buying->search, session.language())) {
    column.gap(10);
    paragraph(ui, column, *slow, caption(ui));
  }
  if (session.buying) draw_ruled_out(session, column, *session.buying);
}

}  // namespace ui
