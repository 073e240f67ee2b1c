// The search for what to buy, carried on a little in every frame that shows it.
#pragma once
#include <memory>

#include "core/advise/options.h"

namespace ui {

/// A search with the question it is for; both stay where they are while it runs.
struct Buying {
  vram::Scenario scenario;
  vram::OptionSearch search;
  bool finished = false;

  Buying(const vram::Scenario& asked, const vram::Library& library) : scenario(asked), search(scenario, library) {}
  Buying(const Buying&) = delete;
  Buying& operator=(const Buying&) = delete;

  /// Goes on for a few milliseconds of a frame. False when there is nothing left to do.
  bool go_on();
};

}  // namespace ui
