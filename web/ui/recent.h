// Recent calculations, kept by the browser on this device and nowhere else: a visitor comes back to them another day.
#pragma once
#include <string>
#include <vector>

#include "web/ui/session.h"

namespace ui {

struct Recent {
  std::string link;        ///< the scenario, as in an address
  std::string name, note;  ///< what was calculated, in the session's language
};

/// The latest first. What cannot be read any more (storage holds anything) is left out.
std::vector<Recent> recents(const Session& session);

/// The scenario of now, in place of what this visit kept before it; a visit that begins anew (an example, a file, a link)
/// keeps both. Nothing happens where storage is blocked.
void keep_recent(Session& session);

}  // namespace ui
