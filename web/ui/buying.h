// The search for what to buy, carried on a little in every frame that shows it.
#pragma once
#include <memory>
#include <string>

#include "core/advise/options.h"

namespace ui {

/// A search with the question it is for; both stay where they are while it runs.
struct Buying {
  vram::Scenario scenario;
  vram::OptionSearch search;
  bool finished = false;
  int frame = -1;                           ///< in which it was gone on with last

  Buying(const vram::Scenario& asked, const vram::Library& library) : scenario(asked), search(scenario, library) {}
  Buying(const Buying&) = delete;
  Buying& operator=(const Buying&) = delete;

  /// Goes on for a few milliseconds of a frame. False when there is nothing left to do.
  bool go_on();
};

struct Session;
/// "2 × H200 SXM": what is bought.
std::string name_of(const vram::Option& option);
/// "FP8 · KV FP8": how the first model would be stored.
std::string formats_of(const Session& session, const vram::Option& option);

}  // namespace ui
