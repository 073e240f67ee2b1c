// The search for what to buy, carried on between frames: drawing waits for nothing, and nothing is drawn for it.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "core/advise/options.h"
#include "web/ui/geometry.h"

namespace ui {

/// A search with the question it is for; both stay where they are while it runs.
struct Buying {
  vram::Scenario scenario;
  vram::OptionSearch search;
  bool finished = false;
  bool offered = false;     ///< all three suggestions were found and are shown
  bool to_the_end = false;  ///< somebody looks at all options, not only at the three suggestions
  std::chrono::steady_clock::time_point shown;  ///< when a frame last showed how far it is

  Buying(const vram::Scenario& asked, const vram::Library& library) : scenario(asked), search(scenario, library) {}
  Buying(const Buying&) = delete;
  Buying& operator=(const Buying&) = delete;

  /// Whether all is found that is looked at: suggestions hardly change once the short list is done.
  bool enough() const { return finished || (!to_the_end && search.short_list_done()); }

  /// Goes on for a few milliseconds, so that no frame comes late.
  void go_on();
};

struct Session;
/// What ui::App::work() does. False when there is nothing left to do.
bool go_on_buying(Session& session);

/// The search at once, for what waits for no frames: as far as suggestions need it (some 50 ms), or all (some 300).
void find_at_once(Session& session, bool to_the_end);

/// "2 × H200 SXM": what is bought.
std::string name_of(const vram::Option& option);
/// "FP8 · KV FP8": how the first model would be stored.
std::string formats_of(const Session& session, const vram::Option& option);
/// "2 of 8 GPUs at work, the others are free"
std::string at_work(const Session& session, const vram::Option& option);

/// A card of an option under a title; pressing it makes it the plan (option_cards.cpp).
float card_height(const Session& session, const std::string& title, const vram::Option& option, float card_width);
void draw_card(Session& session, Rect rect, std::string_view id, const std::string& title, const vram::Option& option);

}  // namespace ui
