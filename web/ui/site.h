// The web master's settings, edited by hand in the built file (docs/SITE.md). What is missing keeps its default; what is
// wrong is said once, in the browser's console, and keeps its default too.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/report/language.h"
#include "web/ui/theme.h"

namespace ui {

struct Site {
  std::vector<std::string> emails;          ///< never empty
  std::string company, phone, public_url, legal_note;
  std::string accuracy;                     ///< address of docs/ACCURACY.md as it was published; "" = none
  std::vector<vram::Tongue> languages;      ///< offered, in this order; never empty
  std::optional<vram::Tongue> language;     ///< the page begins in it, whatever the browser prefers
  std::optional<bool> dark;                 ///< begins so, whatever the system prefers
  std::optional<std::uint32_t> accent, accent_dark;  ///< 0xRRGGBB
  std::vector<std::string> hub_hosts;       ///< the hub that models may be asked from by name, and where it redirects to

  std::string to() const;                   ///< addresses for mailto:, "a@x.kz,b@x.kz"
  bool offers(vram::Tongue tongue) const;
};

struct SiteReading {
  Site site;
  std::vector<vram::Message> mistakes;      ///< site.not_json {problem}, site.unknown {name}, site.wrong {name}, …
};

/// Rows to hide, feature and add are applied to `library`.
SiteReading read_site(std::string_view json, vram::Library& library);

/// The palette with the site's accent and the text on it.
Palette with_accent(Palette palette, const Site& site, bool dark);
/// WCAG 2: 1 … 21.
double contrast(std::uint32_t first_rgb, std::uint32_t second_rgb);

}  // namespace ui
